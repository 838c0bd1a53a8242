"""The status bar: problems, the disc under the pointer, and rates."""

from __future__ import annotations

from math import degrees, isinf
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QStatusBar

from aggviewer.session import Shown, Status
from aggviewer.style import numbers
from aggviewer.style.theme import set_styled, tabular
from aggviewer.systems.registry import view_of
from aggviewer.widgets.labels import ElidedLabel, SteadyLabel
from engine.fields import Field
from engine.words import body_names, count, typeset

_LEAST_SPEED = 1e-4  # simulation time per second; lower speeds are shown as 0
_STATES = {
    "empty": "",
    "compiling": "compiling",
    "loading": "loading",
    "running": "",
    "paused": "",
    "finished": "finished",
    "failed": "stopped by an error",
}


class WindowStatusBar(QStatusBar):
    """Shows what is slow or wrong, the disc under the pointer, and at the right the rates. The rates have a fixed
    width, so that changing numbers move nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._hovered = self._note = ""
        self.setSizeGripEnabled(False)
        self.state, self.hover = ElidedLabel(), ElidedLabel()
        for label, share in ((self.state, 1), (self.hover, 3)):  # all of a disc in a packing is read at 1280 pixels
            label.setFont(tabular())
            self.addWidget(label, share)
        self.events = self._rate("0.0e5 iterations/s")
        self.frames = self._rate("000 fps")
        self.setContentsMargins(8, 0, 8, 0)

    def _rate(self, widest: str) -> QLabel:
        label = SteadyLabel(widest + "  ")
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addPermanentWidget(label)
        return label

    def show_status(self, status: Status, fps: float, renderer: str, remark: str = "") -> None:
        """Show rates and problems. renderer : what draws the discs; remark : a remark about the state shown."""
        rate = view_of(status.system).rate(status)
        for label, text, tip in (
            (self.events, rate.text, rate.tip),
            (self.frames, f"{fps:.0f} fps", f"Pictures drawn per second\n{renderer}"),
        ):
            if text != label.text():
                label.setText(text)
            label.setToolTip(tip)
        self.state.set_whole_text(state_text(status, remark))
        set_styled(self.state, "slow", status.slow)

    def show_hover(self, shown: Shown | None, disc: int) -> None:
        """Show the disc under the pointer, -1 for none. shown : its frame."""
        self._hovered = describe(shown, disc)
        self.hover.set_whole_text(self._hovered or self._note)

    def show_note(self, note: str) -> None:
        """Set the text shown while no disc is under the pointer."""
        self._note = note
        self.hover.set_whole_text(self._hovered or note)


def state_text(status: Status, remark: str = "") -> str:
    """Text about what picture and transport do not show: whether the run is slow, ended or failed, the recording, and
    the remark about the state."""
    parts = [_run_text(status)]
    if status.recording is not None:
        size = f"{typeset(status.recording.size / 1e6, '.1f')} MB"
        parts.append(f"recording: {count(status.recording.frames)} frames, {size}")
    elif remark and status.past is None:
        parts.append(remark)
    if len(parts) > 1:
        return ": ".join(part for part in parts if part)
    if status.stand_in:
        paused = ", paused," if status.state == "paused" else ""
        return f"recorded run{paused} until the engine is ready"
    if status.past is not None:
        present = numbers.moment(status.time, view_of(status.system).clock)
        if status.state != "running":
            return f"showing the past, run paused at {present}"
        backwards = status.timeline is not None and status.timeline.backwards
        return "playing backwards" if backwards else f"replaying up to {present}, then continuing"
    return _run_text(status)


def _run_text(status: Status) -> str:
    if status.state == "running":
        unit = numbers.pace_unit(view_of(status.system).clock)
        if status.slow:
            reached = numbers.speed(status.speed_reached) if status.speed_reached >= _LEAST_SPEED else "0"
            return f"engine reaches {reached} of {numbers.speed(status.speed)} {unit}"
        if isinf(status.speed):
            grade = "running fast" if status.every_frame else "running at full speed"
            return f"{grade}, {numbers.rate(status.speed_reached)} {unit}"
    return _STATES[status.state]


def describe(shown: Shown | None, disc: int) -> str:
    """One line about a disc: its number, the quantity that colours it, its radius, and its other fields; "" if there is
    no disc."""
    if shown is None or not 0 <= disc < shown.disc_set.count:
        return ""
    radius = float(shown.discs.radii[disc]) * shown.frame.radius_factor
    parts = [f"{body_names(len(shown.discs.box)).disc} {count(disc)}", f"R = {typeset(radius, '.3g')}"]
    for field in shown.disc_set.fields:
        colors = shown.coloring.by == field.name
        value = field.of_disc(shown.frame, shown.discs, disc)
        if value is None and colors:  # what was measured for the colours
            value = shown.scalar[disc]
        if value is not None and value == value:  # NaN: this disc has none
            parts.insert(1 if colors else len(parts), in_words(field, value))
    return ", ".join(parts)


def in_words(field: Field, value: Any) -> str:
    """A field value with symbol (or label) and unit: ``|V| = 0.31 length/time``, ``contacts 3``."""
    if field.classes:
        return field.classes[int(value)]
    name = f"{field.symbol} =" if field.symbol else field.label[:1].lower() + field.label[1:]
    if field.kind == "angle":
        return f"{name} {typeset(degrees(value), '.0f')}°"
    if field.kind == "continuous":
        return f"{name} {typeset(float(value), '.3g')} {field.unit.replace(' / ', '/')}".rstrip()
    unit = field.unit.removesuffix("s") if int(value) == 1 else field.unit  # 1 disc, 2 discs
    return f"{name} {count(int(value))} {unit}".rstrip()
