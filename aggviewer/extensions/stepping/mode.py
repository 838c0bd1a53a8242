"""The view inside one step: plays a single step of the time-stepping method in the picture, in place of the run."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.in_view import pair_segments
from aggviewer.canvas.scene import all_seen
from aggviewer.extensions.stepping.bar import TICKS, TITLES, StepBar
from aggviewer.extensions.stepping.layer import Overlaps, StepArrows, StepLayer, StepLines, StepMarks
from aggviewer.extensions.stepping.motion import CollisionPlace
from aggviewer.extensions.stepping.story import StepStory, StoryFrame
from aggviewer.extensions.stepping.tracing import NO_STEPS, TracedStep, Tracer, TraceStep
from aggviewer.session import Status
from aggviewer.session.coloring import Coloring, color_groups
from aggviewer.systems.base import RunningSystem
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.transport import SteppingPlayer
from aggviewer.window.canvases import Canvases
from aggviewer.window.refresher import Refresher
from aggviewer.window.stage import Stage
from aggviewer.window.transport import RunTransport
from engine.fields import CLUSTER
from engine.scenario import Scenario
from engine.system import method_of

SEARCHING = "Looking for the next step with a collision."
ONE_CLUSTER = "Only one cluster is left, so nothing more can collide."

_LEAST_DISC = 16.0  # pixels across a disc; below it the view goes to a collision by itself
_LEAST_VIEW = 14.0  # radii across the view of a collision
_UNDRAWN_PATIENCE = 0.5  # seconds to wait for a picture to be drawn (a hidden window draws none)


def reason_against(method: str, clusters: int) -> str:
    """Why no step can be shown; "" if one can. method : of the scenario; clusters : M."""
    if method != "time-stepping":
        return NO_STEPS
    return ONE_CLUSTER if clusters == 1 else ""


def marks_of(frame: StoryFrame, story: StepStory, hidden: NDArray[np.bool_] | None = None) -> StepMarks:
    """The marks of a frame of `story`; pairs are joined by their minimum image. hidden : (N,), discs without marks."""
    links, fresh_links, overlapping = (
        pairs[all_seen(hidden, pairs)] for pairs in (frame.links, frame.new_links, frame.overlapping)
    )
    quiet = pair_segments(links, frame.positions, story.box, story.periodic)
    fresh = pair_segments(fresh_links, frame.positions, story.box, story.periodic)
    fades_in = frame.strength if frame.chapter.kind == "overlaps" else 1.0
    return StepMarks(
        lines=(StepLines("link", quiet), StepLines("new_link", fresh)),
        overlaps=Overlaps(overlapping, fades_in),
        arrows=tuple(
            StepArrows(
                arrows.role,
                np.stack([arrows.starts, arrows.starts + arrows.vectors], axis=1)[all_seen(hidden, arrows.discs)],
            )
            for arrows in frame.arrows
        ),
    )


class StepMode(QObject):
    """Owns the bar, the player and the keys; while `active`, only this mode shows frames.

    ask(time) : trace the first step with a collision that starts at `time` or later (None: now), then call `show` or
    `refuse`; on_left : called when the usual frame and view may return.
    """

    def __init__(
        self, canvas: DiscCanvas, ask: Callable[[float | None], None], on_left: Callable[[], None], window: QWidget
    ) -> None:
        super().__init__(window)
        self._canvas = canvas
        self._ask = ask
        self._on_left = on_left
        self.bar = StepBar()
        self.bar.hide()
        self.story: StepStory | None = None
        self._active = False
        self._place: int | None = None
        self._colors: dict[int, tuple[NDArray[np.float32], Coloring]] = {}
        self._shown: int | None = None  # the tick in the picture
        self._frames_before, self._asked_at = -1, 0.0
        bar = self.bar
        self.steps = SteppingPlayer(bar.transport, TICKS, window, {Qt.Key.Key_Escape: self.leave})
        self.steps.ready = self._is_drawn
        self.steps.moved.connect(self._on_moved)
        bar.part_asked.connect(self._on_part)
        bar.iteration_asked.connect(self._on_iteration)
        bar.place_asked.connect(self.go_to_collision)
        bar.next_asked.connect(self._on_next)
        bar.leave_asked.connect(self.leave)

    # in and out

    @property
    def active(self) -> bool:
        """Whether the mode is on, so that no other frames may be shown."""
        return self._active

    def enter(self, canvas: DiscCanvas) -> None:
        """Switch the mode on in this picture and request a step, which arrives with `show`."""
        if not self._active:
            self._active = True
            self._canvas = canvas
            self.bar.show()
            self.steps.keys.on = True
            self._canvas.setFocus()
            self._search(None)

    def show(self, story: StepStory) -> None:
        """Show a step of the system from its start and play it; does nothing if the mode was left meanwhile.

        Making the story takes 1 s for 10^5 discs, so it is done on the thread that traced the step.
        """
        if not self._active:
            return
        self.story = story
        self._colors, self._shown = {}, None
        self.bar.set_story(story)
        self.steps.set_stops(story.times, [chapter.first for chapter in story.chapters[1:]])
        self._zoom_to_step()
        if story.moves:
            self.steps.play()

    def refuse(self, reason: str) -> None:
        """Say why there is no step to show."""
        if self._active:
            self._canvas.pin(StepLayer.name, None)
            self._clear(reason)

    def leave(self) -> None:
        """Switch the mode off."""
        if self._active:
            self._stop()
            self._canvas.setFocus()
            self._on_left()

    def close(self) -> None:
        """Stop silently because the window is closing. The picture may already be gone."""
        if self._active:
            self._stop()

    def _stop(self) -> None:
        self._active = False
        self.steps.keys.on = False
        self._clear("")
        self.bar.hide()
        self._canvas.pin(StepLayer.name, None)

    def _clear(self, message: str) -> None:
        """Show that there is no story, with the reason."""
        self.story = None
        self.steps.set_stops((0.0,))
        self.bar.show_message(message)

    # playback

    @property
    def tick(self) -> int:
        """Show the present tick."""
        return self.steps.index

    def _on_moved(self) -> None:
        story, tick = self.story, self.tick
        if story is None or tick == self._shown:
            return
        frame = story.at(tick)
        scalar, coloring = self._color(frame)
        self._shown, self._frames_before, self._asked_at = tick, self._canvas.frames_drawn, clock.perf_counter()
        self._canvas.show_frame(frame.positions, scalar, coloring, frame.time)
        self._canvas.pin(StepLayer.name, marks_of(frame, story, self._canvas.scene.hidden))
        self.bar.show_frame(tick, frame)

    def _is_drawn(self) -> bool:
        drawn = self._canvas.frames_drawn != self._frames_before
        return drawn or clock.perf_counter() - self._asked_at >= _UNDRAWN_PATIENCE

    def _on_part(self, title: str) -> None:
        if self.story is not None:
            self.steps.go_to(next(c.first for c in self.story.chapters if TITLES[c.kind] == title))

    def _on_iteration(self, index: int) -> None:
        if self.story is not None:
            self.steps.go_to(self.story.tick_of_iteration(index))

    def _on_next(self) -> None:
        if self.story is not None:
            self._search(self.story.trace.time + self.story.trace.dt)

    def _search(self, time: float | None) -> None:
        self._clear(SEARCHING)
        self._ask(time)

    def _color(self, frame: StoryFrame) -> tuple[NDArray[np.float32], Coloring]:
        """Colour by cluster, as in the run; computed once for the clusters before and once for those after."""
        key = id(frame.cluster)
        if key not in self._colors:
            self._colors[key] = color_groups(CLUSTER, frame.cluster)
        return self._colors[key]

    # the view

    def go_to_collision(self, step: int) -> None:
        """Bring the next (+1) or previous (-1) collision into view."""
        places = self.story.places if self.story is not None else []
        if places:
            start = self._place if self._place is not None else (-1 if step > 0 else 0)
            self._place = (start + step) % len(places)
            self._zoom_to(places[self._place])
            self.bar.set_place(self._place)

    def _zoom_to_step(self) -> None:
        """Zoom to the busiest place if the step is too small to see or out of view."""
        self._place = None
        story, camera = self.story, self._canvas.camera
        if story is None or not story.places:
            return
        left, bottom, width, height = camera.rect
        inside = [
            k
            for k, place in enumerate(story.places)
            if left <= place.middle[0] <= left + width and bottom <= place.middle[1] <= bottom + height
        ]
        small = 2.0 * float(story.radii.mean()) * camera.scale < _LEAST_DISC
        if small or not inside:
            self.go_to_collision(1)
        elif len(inside) == 1:
            self._place = inside[0]
            self.bar.set_place(self._place)

    def _zoom_to(self, place: CollisionPlace) -> None:
        least = _LEAST_VIEW * float(self.story.radii.mean()) if self.story is not None else 0.0
        width, height = max(place.width, least), max(place.height, least)
        x, y = place.middle
        self._canvas.set_view_rect(x - width / 2, y - height / 2, width, height)


_STEPPING = "time-stepping"


class StepView(QObject, Part):
    """Switches the mode on and off. While it is on, its bar replaces the transport.

    Signals: ``changed(on)`` when it is switched on or off.
    """

    leaves = 30
    changed = pyqtSignal(bool)

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session = session = context.session
        self._running = context[RunningSystem]
        self._canvases = canvases = context[Canvases]
        self._commands, self._refresher, self._transport = context.commands, context[Refresher], context[RunTransport]
        self._methods: tuple[str, ...] = ()
        self._iterations: int | None = None  # of the step that was looked into last
        self.mode = StepMode(canvases.first, self._ask, self._on_mode_left, context.window)
        later = context.gui_thread.later
        self._tracer = Tracer(lambda step: later(self._show, step), lambda reason: later(self.mode.refuse, reason))
        context.listen(session.lanes_changed, self._on_lanes)
        context.listen(session.discs_changed, lambda _disc_set: self.leave())
        context.listen(session.state_changed, self._on_state)
        context[Stage].add_below(self.mode.bar)
        context.theme.changed.connect(self.mode.bar.plot.set_theme)
        self.mode.bar.plot.set_theme(context.theme.colors)

    def commands(self) -> Iterator[Command]:
        """The command for the mode."""
        yield Command(
            "method.inside",
            "Inside one step",
            self.toggle,
            ("I",),
            "Play the next time step with a collision in slow motion: flight, overlaps, minimisation, new velocities",
            "mdi6.magnify-scan",
            checked=lambda: self.on,
            menu=Place("Method", 3, 1),
            bar=Place("left", 2, 2),
            available=lambda: self._running.offers("inside"),
            reason=lambda: self.reason_against(self._session.status()),
        )

    @property
    def on(self) -> bool:
        """True while a step is shown."""
        return self.mode.active

    def numbers(self) -> Mapping[str, float]:
        """Values for lessons: ``inside.iterations`` of the last step shown, and ``inside.seen``, the share of it played
        so far."""
        told: dict[str, float] = {}
        if self._iterations is not None:
            told["inside.iterations"] = self._iterations
        if self.on and self.mode.story is not None:
            told["inside.seen"] = self.mode.tick / max(1, self.mode.story.last)
        return told

    def reason_against(self, status: Status) -> str:
        """Why no step can be shown; "" if one can."""
        reasons = [reason_against(lane.method, lane.clusters) for lane in status.lanes]
        return "" if "" in reasons else next((text for text in reasons if text != NO_STEPS), NO_STEPS)

    def toggle(self) -> None:
        """Enter or leave the mode."""
        if self.on:
            self.mode.leave()
            return
        status = self._session.status()
        if not self.reason_against(status):
            lane = next(k for k, lane in enumerate(status.lanes) if lane.method == _STEPPING)
            self._methods = tuple(lane.method for lane in status.lanes)  # the message about it may still be queued
            self._switched(True)
            self.mode.enter(self._canvases.canvases[min(lane, len(self._canvases.canvases) - 1)])

    def leave(self) -> None:
        """Leave the mode, if it is on."""
        self.mode.leave()

    def _ask(self, time: float | None) -> None:
        with self._session.undoing.unrecorded():
            self._session.give(TraceStep(self._tracer, collision=True, onward=time is not None))

    def _show(self, step: TracedStep) -> None:
        self._iterations = len(step.story.trace.residual)
        self.mode.show(step.story)

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Leave the mode."""
        yield self.on, self.leave

    def _on_mode_left(self) -> None:
        self._switched(False)
        self._canvases.first.set_place(self._session.document.run.camera)
        self._session.refresh()

    def _switched(self, on: bool) -> None:
        """Hold back other frames and hide the transport while it is on."""
        self._transport.setHidden(on)
        self._refresher.takes_no_frames = on
        self.changed.emit(on)
        self._commands.update()

    def _on_lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        """Let the user tune a coefficient in the mode; the next step shows its effect."""
        methods = tuple(method_of(scenario) for scenario in scenarios)
        if methods != self._methods:
            self._methods = methods
            self.leave()

    def _on_state(self, state: str) -> None:
        # the message that it ran may have been queued while the user had already paused and opened a step
        if state != "paused" and self._session.status().state != "paused":
            self.leave()

    def give_back(self) -> None:
        """Leave the mode, so that the picture shows the run again."""
        self.leave()

    def close(self) -> None:
        """Stop playing."""
        self.mode.close()
