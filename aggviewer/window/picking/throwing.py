"""Dragging and throwing a disc of a paused run, and setting its velocity with an arrow.

A sphere moves in the plane through its middle that is parallel to the picture, and so does the tip of its arrow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, QPointF, Qt, QTimer

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.velocities import HANDLE, THROW, ThrowArrow
from aggviewer.canvas.mouse import Gesture
from aggviewer.canvas.scene import Scene
from aggviewer.document.window import DEFAULT_SPEED
from aggviewer.session import Shown
from aggviewer.session.commands.changes import Throw
from aggviewer.widgets.part import OVERLAYS, Context, Part
from aggviewer.window.canvases import Canvases
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.refresher import Refresher
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.geometry.nearest import wrapped
from engine.plotting.projection import axes_of
from engine.simulation import root_mean_square
from engine.state import Discs
from engine.system import system_of, throws
from engine.throwing import Surroundings, body_of
from engine.words import body_names

_LEAST_RADIUS = 4.0  # pixels; smaller discs cannot be hit, so dragging moves the picture
_FASTEST = 10.0  # times the usual speed: no throw is faster
_STRONG = 5.0  # times the usual speed: what a strong throw is meant to reach among discs nearly at rest
_DULL = 20.0  # seconds: what takes longer across the picture is hardly seen to move
_LOOKS_BACK = 0.1  # seconds of pointer motion from which its velocity is computed
_TICK_MS = 30
_BACK = 4.0  # pixels from where it was, within which a disc that is let go at rest has been put back
_DRAG_HINT = (
    "Release while moving to throw the {disc}, or hold it still to leave it at rest. Put back in place, it is unchanged"
)
_HINT = "Drag the {disc} to move or throw it, or its arrow to set the velocity"
_HITS = "The {disc} touches another one in this direction, which will get most of its speed"


class DragDisc(Gesture):
    """Moves a disc, or its cluster, with the pointer, and throws it with the pointer's velocity when released. Held
    still where it was, it is put back and keeps its own velocity.

    Parameters
    ----------
    disc, at : the disc, and the point (d,) where it was grabbed.
    look : returns the frame on the screen.
    to_world : maps a widget pixel to a point (d,).
    pace : simulation time per second of wall time; fastest : the greatest speed of a throw.
    show(discs, places, velocity, hits) : called with the places of the discs (K,), the velocity they would get, and
        whether they would at once hit another disc head-on.
    done(place, velocity) : called with the place and velocity at release.
    put_back : called instead if it is let go at rest within a distance `near` of where it was.
    clock : seconds of wall time.
    across : (3,), in space the direction of sight, in which nothing moves; None in the plane.
    """

    cursor = Qt.CursorShape.OpenHandCursor
    held = Qt.CursorShape.ClosedHandCursor

    def __init__(
        self,
        disc: int,
        at: Floats,
        look: Callable[[], Shown | None],
        to_world: Callable[[QPointF], Floats],
        pace: float,
        fastest: float,
        show: Callable[[NDArray[np.intp], Floats, Floats, bool], object],
        done: Callable[[Floats, Floats], object],
        put_back: Callable[[], object],
        near: float,
        clock: Callable[[], float] = perf_counter,
        across: Floats | None = None,
    ) -> None:
        self.disc, self._put_back, self._near = disc, put_back, near
        self._pressed_at, self._look, self._to_world = at, look, to_world
        self._pace, self._fastest, self._show, self._on_done, self._clock = pace, fastest, show, done, clock
        self._around: Surroundings | None = None
        self._discs: Discs | None = None
        self._box_ends: Periodic | bool = False
        self._body, self._places = np.array([disc], np.intp), np.zeros((1, len(at)))
        self._way, self._across = np.zeros(len(at)), across
        self._track: deque[tuple[float, Floats]] = deque([(clock(), at)], maxlen=64)

    @property
    def velocity(self) -> Floats:
        """The pointer's velocity in simulation units, (d,), limited to `fastest`; 0 if it is held still."""
        now = self._clock()
        lately = [(when, at) for when, at in self._track if now - when <= _LOOKS_BACK]
        if len(lately) < 2:
            return np.zeros(len(self._way))
        velocity = (lately[-1][1] - lately[0][1]) / max(now - lately[0][0], 1e-3) / self._pace
        return _slowed(velocity, self._fastest)

    def move(self, at: QPointF) -> None:
        """Move the disc with the pointer, as far as there is room."""
        place = self._to_world(at)
        self._track.append((self._clock(), place))
        shown = self._look()
        if self._around is None and shown is not None:
            self._around = self._take(shown)
        if self._around is not None:
            self._way = self._around.towards(place - self._pressed_at, self._way)
            self.show_again()

    def show_again(self) -> None:
        """Show the disc with the velocity that it would get if it were released now."""
        if self._around is not None:
            velocity = self.velocity
            self._show(self._body, self._moved, velocity, self._around.hits(self._way, velocity))

    def _take(self, shown: Shown) -> Surroundings:
        """Find the discs that move with it, and its surroundings."""
        self._body, around = _surroundings(self.disc, shown, self._across)
        self._places, self._discs = shown.frame.positions[self._body].copy(), shown.discs
        self._box_ends = shown.frame.around(shown.discs)
        return around

    @property
    def _moved(self) -> Floats:
        discs, places = self._discs, self._places + self._way
        return places if discs is None else wrapped(places, discs.box, self._box_ends)

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Throw the disc, or leave it as it was."""
        if not self.velocity.any() and np.hypot.reduce(self._way) <= self._near:
            self._put_back()
        elif self._around is not None:
            self._on_done(self._moved[int(np.flatnonzero(self._body == self.disc)[0])], self.velocity)

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Select the disc on a click, as usual."""
        return False


class AimArrow(Gesture):
    """Drags the tip of a disc's velocity arrow.

    Parameters
    ----------
    velocity : the present one.
    velocity_at : the velocity whose arrow ends at a widget pixel.
    show(velocity), done(velocity) : called with the velocity during the drag, and at its end.
    """

    cursor = Qt.CursorShape.PointingHandCursor

    def __init__(
        self,
        velocity: Floats,
        velocity_at: Callable[[QPointF], Floats],
        show: Callable[[Floats], object],
        done: Callable[[Floats], object],
    ) -> None:
        self._velocity_at, self._show, self._on_done = velocity_at, show, done
        self._velocity = velocity

    def move(self, at: QPointF) -> None:
        """Move the tip with the pointer."""
        self._velocity = self._velocity_at(at)
        self._show(self._velocity)

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Give the disc this velocity."""
        self._on_done(self._velocity)

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Do nothing on a click."""
        return True


class DiscThrows(QObject, Part):
    """Makes the discs of a paused run draggable and throwable, in systems that support it.

    Dragging a disc moves it, dragging its handle sets its velocity, and dragging elsewhere moves the picture. Of
    spheres only one that is selected is moved: dragging the others turns the box, which they may fill. During a run, or
    while its past is shown, dragging always moves the picture.
    """

    leaves = OVERLAYS + 1  # nothing is nearer to the hand than what it drags

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session, self._shown = context.session, context.shown
        self._canvases, self._refresher = context[Canvases], context[Refresher]
        self._dragged: tuple[DiscCanvas, DragDisc | AimArrow] | None = None
        self._hint = ""
        self._selection = context[SelectionController]
        self._selection.hints.append(lambda: self._hint)
        self._canvases.add_grips(self._grip)
        self._refresher.frame_shown.connect(self._on_frame)
        self._refresher.status_found.connect(self._show_arrows)
        context.listen(self._session.marking.changed, self._show_arrows)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    # what may be taken

    def _offers(self, lane: int) -> Shown | None:
        """The frame of a lane if its discs can be thrown now, else None."""
        status, shown = self._session.status(), self._shown(lane)
        if shown is None or self._refresher.takes_no_frames or status.past is not None or status.stand_in:
            return None
        if status.state not in ("paused", "finished") or status.plays_recording:
            return None
        return shown if throws(system_of(shown.disc_set.scenario)) is not None else None

    def _grip(self, canvas: DiscCanvas, at: QPointF) -> Gesture | None:
        """The gesture for a press at a widget pixel."""
        if self._canvases.tool is not None or canvas not in self._canvases.canvases:
            return None
        lane = self._canvases.canvases.index(canvas)
        shown = self._offers(lane)
        if shown is None or canvas.scene.count != shown.disc_set.count:
            return None
        return self._tip_at(lane, canvas, shown, at) or self._disc_at(lane, canvas, shown, at)

    def _tip_at(self, lane: int, canvas: DiscCanvas, shown: Shown, at: QPointF) -> Gesture | None:
        arrow = canvas.scene.data(THROW)
        if not isinstance(arrow, ThrowArrow):
            return None
        tip = arrow.tip(canvas.scene, self._session.view, canvas.camera)
        x, y = canvas.camera.seen(tip)[0]
        if not (np.hypot(x - at.x(), y - at.y()) <= HANDLE + 3.0 and arrow.seen(canvas.scene, canvas.camera)):
            return None

        def velocity_at(place: QPointF) -> Floats:
            world = canvas.camera.beside(tip, place.x(), place.y())
            velocity = arrow.velocity_at(world, canvas.scene, self._session.view, canvas.camera)
            return _slowed(velocity, _FASTEST * arrow.usual)

        around = _surroundings(arrow.disc, shown)[1]

        def show(velocity: Floats) -> None:
            hits = around.hits(np.zeros(len(velocity)), velocity)
            self._begin(canvas, gesture, hits)
            canvas.pin(THROW, replace(arrow, velocity=velocity, hits=hits))

        def done(velocity: Floats) -> None:
            self._throw(Throw(arrow.disc, None, tuple(velocity.tolist()), lane=lane))

        gesture = AimArrow(arrow.velocity, velocity_at, show, done)
        return gesture

    def _disc_at(self, lane: int, canvas: DiscCanvas, shown: Shown, at: QPointF) -> Gesture | None:
        scene, scale, pose = canvas.scene, canvas.camera.scale, canvas.camera.pose
        selected = self._session.marking.value.selected
        if pose is not None and len(selected) != 1:
            return None
        if scene.mean_radius * scale < 0.25 * _LEAST_RADIUS:  # finding the disc at every pixel would be slow
            return None
        disc = canvas.disc_at(at.x(), at.y())
        if disc is None or scene.radii[disc] * scale < _LEAST_RADIUS or (pose is not None and disc not in selected):
            return None
        middle = scene.positions[disc].copy()

        def to_world(place: QPointF) -> Floats:
            return canvas.camera.beside(middle, place.x(), place.y())

        pace = self._session.document.pace.speed
        usual = usual_speed(shown, scene, canvas.camera, pace)

        def show(discs: NDArray[np.intp], places: Floats, velocity: Floats, hits: bool) -> None:
            self._begin(canvas, gesture, hits)
            self._refresher.show_moved(lane, discs, places)
            canvas.pin(THROW, ThrowArrow(disc, velocity, usual, handle=False, hits=hits))

        def done(place: Floats, velocity: Floats) -> None:
            self._throw(Throw(disc, tuple(place.tolist()), tuple(velocity.tolist()), lane=lane))

        gesture = DragDisc(
            disc,
            to_world(at),
            lambda: self._shown(lane),
            to_world,
            pace,
            _FASTEST * usual,
            show,
            done,
            self.cancel,
            _BACK / scale,
            across=None if pose is None else axes_of(pose.turn)[2],
        )
        return gesture

    # what is done

    def _begin(self, canvas: DiscCanvas, gesture: DragDisc | AimArrow, hits: bool) -> None:
        self._dragged = canvas, gesture
        if isinstance(gesture, DragDisc) and not self._timer.isActive():
            self._timer.start()
        hint = _HITS if hits else _DRAG_HINT if isinstance(gesture, DragDisc) else _HINT
        self._show_hint(body_names(canvas.scene.dimensions).fill(hint))

    def _show_hint(self, hint: str) -> None:
        if hint != self._hint:
            self._hint = hint
            self._selection.show_count()

    def _on_tick(self) -> None:
        """Shorten the arrow while the pointer is held still."""
        if self._dragged is None or self._dragged[0].gesture is not self._dragged[1]:
            self._timer.stop()
        elif isinstance(self._dragged[1], DragDisc):
            self._dragged[1].show_again()

    def _throw(self, throw: Throw) -> None:
        self._dragged = None
        self._session.give(throw)
        self._session.refresh()  # even if it was refused, the picture shows the run

    def cancel(self) -> None:
        """Return the dragged disc to its place."""
        if self._dragged is not None:
            canvas, _ = self._dragged
            self._dragged = None
            canvas.drop_gesture()
            lane = self._canvases.canvases.index(canvas)
            self._refresher.show_moved(lane, np.zeros(0, np.intp), np.zeros((0, canvas.scene.dimensions)))
            self._show_arrows()

    def ways_back(self) -> list[tuple[bool, Callable[[], object]]]:
        """Esc returns the disc to its place."""
        return [(self._drags, self.cancel)]

    @property
    def _drags(self) -> bool:
        return self._dragged is not None and self._dragged[0].gesture is self._dragged[1]

    # the arrow of the disc that is selected

    def _on_frame(self, lane: int, shown: Shown) -> None:
        if self._drags and self._offers(lane) is None:
            self.cancel()  # it runs
        elif self._drags:
            self._on_tick()
        else:
            self._show_arrows()

    def _show_arrows(self) -> None:
        if self._drags:
            return
        selected, hint = self._session.marking.value.selected, ""
        for lane, canvas in enumerate(self._canvases.canvases):
            shown = self._offers(lane)
            arrow = None
            if shown is not None and len(selected) == 1 and selected.count == shown.disc_set.count:
                arrow = _arrow(shown, int(selected.numbers[0]), canvas, self._session.document.pace.speed)
            if arrow is not None or canvas.scene.data(THROW) is not None:
                canvas.pin(THROW, arrow)
            hint = body_names(canvas.scene.dimensions).fill(_HINT) if arrow is not None else hint
        self._show_hint(hint)


def _surroundings(disc: int, shown: Shown, across: Floats | None = None) -> tuple[NDArray[np.intp], Surroundings]:
    """The discs (K,) that move with a disc, and what is around them. across : see `Surroundings`."""
    frame, discs = shown.frame, shown.discs
    body = body_of(disc, frame.cluster, system_of(shown.disc_set.scenario).joins)
    radii = np.asarray(discs.radii * frame.radius_factor)
    return body, Surroundings(frame.positions, radii, discs, body, across, frame.around(discs))


def _arrow(shown: Shown, disc: int, canvas: DiscCanvas, pace: float) -> ThrowArrow | None:
    """The velocity of a disc, if it is large enough on the screen."""
    if canvas.scene.radii[disc] * canvas.camera.scale < _LEAST_RADIUS:
        return None
    usual = usual_speed(shown, canvas.scene, canvas.camera, pace)
    return ThrowArrow(disc, shown.frame.velocities[disc].copy(), usual)


def usual_speed(shown: Shown, scene: Scene, camera: Camera, pace: float) -> float:
    """A usual speed of the discs on the screen, in simulation units: of throws the fastest is `_FASTEST` times as fast.

    It is their root mean square speed, or more: under gravity a strong throw reaches the top of the box, and if even
    the fastest one would hardly be seen to move, a strong one crosses the picture in a second.

    pace : simulation time per second of wall time; slow motion is slow for throws as well.
    """
    mean = root_mean_square(shown.frame.kinetic_energy, float(shown.discs.masses.sum()))
    lift = sqrt(2.0 * sum(abs(g) * side for g, side in zip(scene.gravity, scene.sides, strict=False)))
    usual = max(mean, lift / _STRONG)
    across = min(*scene.sides, camera.width / camera.scale, camera.height / camera.scale) / max(pace, DEFAULT_SPEED)
    return usual if _DULL * _FASTEST * usual >= across else across / _STRONG


def _slowed(velocity: Floats, fastest: float) -> Floats:
    speed = float(np.hypot.reduce(velocity))
    return velocity * (fastest / speed) if speed > fastest else velocity
