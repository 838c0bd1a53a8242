"""The line at the bottom: time, clusters, rates, what draws; and what lies under the pointer."""

from __future__ import annotations

from math import degrees, isinf
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QStatusBar

from aggviewer.session import Shown, Status
from aggviewer.style import numbers
from aggviewer.style.theme import tabular
from aggviewer.systems.registry import view_of
from aggviewer.widgets.labels import ElidedLabel, SteadyLabel
from engine.fields import Field

_LEAST_SPEED = 1e-4  # simulation time per second; less is told as none
_MOST_RENDERER = 180  # pixels for what draws: "Drawn on the processor" in full, the name of a driver as far as it goes
_STATES = {
    "empty": "",
    "compiling": "compiling",
    "loading": "loading",
    "running": "running",
    "paused": "paused",
    "finished": "finished",
    "failed": "stopped by an error",
}


class WindowStatusBar(QStatusBar):
    """Labels of fixed width, so that nothing moves when the numbers do."""

    def __init__(self) -> None:
        super().__init__()
        self._hovered = self._note = ""
        self._status = Status()
        self.setSizeGripEnabled(False)
        font = tabular()
        self.time = self._label("t = 00000.00", "Simulation time", strong=True)
        self.clusters = self._label("M = 0\u2009000\u2009000", "M: number of clusters", strong=True)
        self.events = self._label("0.0e5 events/s", "Merges and wall reflections per second of wall time")
        self.frames = self._label("000 fps", "Pictures drawn per second")
        self.state = ElidedLabel()
        self.hover = ElidedLabel()
        self.renderer = ElidedLabel(most=_MOST_RENDERER)
        for label in (self.state, self.hover, self.renderer):
            label.setFont(font)
        self.renderer.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(self.state, 3)
        self.addWidget(self.hover, 5)
        self.addWidget(self.renderer)
        self.setContentsMargins(8, 0, 8, 0)

    def _label(self, widest: str, tip: str, strong: bool = False) -> QLabel:
        label = SteadyLabel(widest + "  ")
        label.setToolTip(tip)
        label.setProperty("strong", strong)
        self.addWidget(label)
        return label

    def show_status(
        self, status: Status, fps: float, renderer: str, shown: Shown | None = None, remark: str = ""
    ) -> None:
        """The numbers of this moment. shown : the frame on the screen; remark : what is said of the state that it
        shows, as long as it does."""
        self._status = status
        self.show_frame(shown)
        self.time.setToolTip(numbers.clock_tip(view_of(status.system).clock))
        self.frames.setText(f"{fps:.0f} fps")
        self.renderer.set_whole_text(renderer)
        self.state.set_whole_text(state_text(status, remark))
        if self.state.property("slow") != status.slow:
            self.state.setProperty("slow", status.slow)
            style = self.state.style()
            if style is not None:
                style.polish(self.state)

    def show_frame(self, shown: Shown | None) -> None:
        """Show time and numbers of the frame on the screen, None before there is one. Called with each frame, so that
        they belong to the same moment as the picture."""
        view = view_of(self._status.system)
        found = view.readings(self._status, shown)
        told = {self.time: numbers.moment(found.moment, view.clock), self.clusters: found.state.text}
        for label, text in (told | {self.events: found.rate.text}).items():
            if text != label.text():
                label.setText(text)
        self.clusters.setToolTip(found.state.tip)
        self.events.setToolTip(found.rate.tip)

    def show_hover(self, shown: Shown | None, disc: int) -> None:
        """The disc under the pointer, -1 for none. shown : the frame that it is in."""
        self._hovered = describe(shown, disc)
        self.hover.set_whole_text(self._hovered or self._note)

    def show_note(self, note: str) -> None:
        """What is said while no disc is under the pointer."""
        self._note = note
        self.hover.set_whole_text(self._hovered or note)


def state_text(status: Status, remark: str = "") -> str:
    """What the simulation does, in words; with what is said of the state that it has come to."""
    if remark and status.recording is None and status.past is None:
        return f"{_run_text(status)}: {remark}"
    recording = status.recording
    if recording is not None:
        return f"{_run_text(status)}, recorded: {numbers.count(recording.frames)} frames, {recording.size / 1e6:.1f} MB"
    if status.recorded:
        return f"a recorded run, {'paused, ' if status.held else ''}until the engine is ready"
    if status.past is not None:
        present = numbers.moment(status.time, view_of(status.system).clock)
        if status.state != "running":
            return f"looking back, paused at {present}"
        backwards = status.timeline is not None and status.timeline.backwards
        return "playing the past backwards" if backwards else f"playing the past, then on from {present}"
    return _run_text(status)


def _run_text(status: Status) -> str:
    if status.state == "running":
        unit = numbers.pace_unit(view_of(status.system).clock)
        if status.slow:
            reached = numbers.speed(status.speed_reached) if status.speed_reached >= _LEAST_SPEED else "0"
            return f"engine at {reached} of {numbers.speed(status.speed)} {unit}"
        if isinf(status.speed):
            grade = "running fast" if status.fast else "running without limit"
            return f"{grade}, {numbers.rate(status.speed_reached)} {unit}"
    return _STATES[status.state]


def describe(shown: Shown | None, disc: int) -> str:
    """One line about a disc: its number, what its colour stands for, its radius and all else that its system says of
    each disc; empty where there is no disc."""
    if shown is None or not 0 <= disc < shown.system.count:
        return ""
    radius = float(shown.discs.radii[disc]) * shown.frame.radius_factor
    parts = [f"disc {numbers.count(disc)}", f"R = {radius:.3g}"]
    for field in shown.system.fields:
        if shown.frame.lacks(field.reads):
            continue  # a frame that has it follows
        colors = shown.coloring.by == field.name
        value = field.of_disc(shown.frame, shown.discs, disc)
        if value is None and colors:  # what was measured for the colours
            value = shown.scalar[disc]
        if value is not None:
            parts.insert(1 if colors else len(parts), in_words(field, value))
    return ", ".join(parts)


def in_words(field: Field, value: Any) -> str:
    """A value of a field with its symbol, else its label, and its unit: ``|V| = 0.31 length/time``, ``contacts 3``."""
    if field.classes:
        return field.classes[int(value)]
    name = f"{field.symbol} =" if field.symbol else field.label[:1].lower() + field.label[1:]
    if field.kind == "angle":
        return f"{name} {degrees(value):.0f}°"
    if field.kind == "continuous":
        return f"{name} {float(value):.3g} {field.unit.replace(' / ', '/')}".rstrip()
    unit = field.unit.removesuffix("s") if int(value) == 1 else field.unit  # 1 disc, 2 discs
    return f"{name} {numbers.count(int(value))} {unit}".rstrip()
