"""The timer that brings new frames and status from the session to the window."""

from __future__ import annotations

import time
from copy import copy
from math import ceil, isfinite

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, Qt, QTimer, pyqtSignal

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.layers.flashes import LASTS
from aggviewer.canvas.layers.layer import Moment
from aggviewer.canvas.layers.velocities import share_arrows
from aggviewer.session import Analysis, Session, Shown, SystemInfo
from aggviewer.session.coloring import Coloring, one_scale
from aggviewer.systems.registry import view_of
from aggviewer.widgets.gui_thread import GuiThread
from aggviewer.window.canvases import Canvases
from engine.frame import Frame

_FASTEST_MS = 16
_SLOWEST_MS = 100
_STATUS_EVERY = 0.2  # seconds: numbers that change faster cannot be read
_PLOTS_EVERY = 0.25  # seconds: four plots take some 50 ms to paint, which the picture has to wait for
_UNDRAWN_PATIENCE = 0.5  # seconds to wait for a frame to be drawn (a hidden window draws none)
_PAINTED_PATIENCE = 0.1  # seconds to wait for a picture that is being painted
_REST = 0.25  # share of a drawing's time that is left to the rest of the window, and to the simulation
_REST_BESIDE = 0.1  # the same for painting on another thread, which leaves the GUI thread free most of that time


class Refresher(QObject):
    """Polls the session. A new frame is taken only after the last one was drawn, so that drawing sets the pace. If
    pictures are painted on another thread, the next frame is taken as soon as the last one is painted, and shown
    meanwhile; the very first frame is taken as soon as it arrives. Frames side by side are shown together. While `held`
    is true no frames are taken, because the picture shows something else.

    All pending messages of the session are delivered before a frame is shown, so that the window knows its discs before
    they appear.

    Signals: ``system_shown(lane, SystemInfo)`` when a lane shows new discs, ``analysed(lane, Analysis)`` with new
    indicators, ``counted(lane, Analysis)`` with the counts of a later state, ``frame_shown(lane, Shown)`` when a frame
    is on the screen, ``status_found(Status)`` with the status.
    """

    system_shown = pyqtSignal(int, object)
    analysed = pyqtSignal(int, object)
    counted = pyqtSignal(int, object)
    frame_shown = pyqtSignal(int, object)
    status_found = pyqtSignal(object)
    _arrived = pyqtSignal()

    def __init__(self, session: Session, canvases: Canvases, gui_thread: GuiThread, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._canvases = canvases
        self._gui_thread = gui_thread
        self.held = False
        self._systems: dict[int, SystemInfo] = {}
        self._shown: dict[int, Shown] = {}
        self._waiting: dict[int, Shown] = {}  # taken, but not yet those of the other side
        self._analyses: dict[int, Analysis] = {}  # may be there before the first frame of their system
        self._counts: dict[int, Analysis] = {}
        self._kept: dict[int, Shown] = {}  # the pictures still use their arrays
        self._drawn: dict[DiscCanvas, int] = {}  # pictures of each canvas when it was given its frame; -1: painted
        self._beside = False  # the last pictures were painted beside the GUI thread
        self._not_before = 0.0
        self._given_at = 0.0
        self._status_at = 0.0
        self._plots_at = 0.0
        self._pace = 1.0  # simulation time a second
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_FASTEST_MS)
        self._timer.timeout.connect(self.tick)
        self._timer.start()
        self._next = QTimer(self)
        self._next.setTimerType(Qt.TimerType.PreciseTimer)
        self._next.setSingleShot(True)
        self._next.timeout.connect(self._next_frames)
        canvases.canvases_changed.connect(self.forget)
        canvases.has_painted.connect(self._on_painted)
        self._arrived.connect(self._on_arrived)
        session.frame_arrived.connect(self._tell_of_frame)

    def shown(self, lane: int = 0) -> Shown | None:
        """The frame on the screen; valid until the next tick."""
        return self._shown.get(lane)

    def _tell_of_frame(self, _lane: int) -> None:
        """On the simulation's thread."""
        self._arrived.emit()

    def stop(self) -> None:
        """Stop polling."""
        self._session.frame_arrived.disconnect(self._tell_of_frame)
        self._beside = False  # ignore a signal that is still queued
        self._timer.stop()
        self._next.stop()

    def forget(self) -> None:
        """Show all lanes again after the number of pictures changed. Request their frames again: one may have arrived
        before its picture existed, and during a pause frames arrive only once."""
        for found in (self._systems, self._shown, self._waiting, self._analyses, self._counts, self._drawn):
            found.clear()
        self._session.refresh()

    def tick(self) -> None:
        """Take new frames and status."""
        now = time.perf_counter()
        lanes = self._lanes
        for lane in lanes:
            analysis = self._session.publishers.latest_analysis(lane)
            if analysis is not None:
                self._analyses[lane] = analysis
                if analysis.part == "all":  # of a later state than the counts
                    self._counts.pop(lane, None)
            counts = self._session.publishers.latest_counts(lane)
            if counts is not None:
                self._counts[lane] = counts
        if now - self._plots_at >= _PLOTS_EVERY:
            for lane in lanes:
                for kept, signal in ((self._analyses, self.analysed), (self._counts, self.counted)):
                    known = kept.get(lane)
                    if known is not None and known.system is self._systems.get(lane):
                        self._plots_at = now
                        signal.emit(lane, kept.pop(lane))
        # if plots need painting, the picture waits for the next tick, because both together take too long
        if now > self._plots_at:
            self._next_frames()
        if now - self._status_at >= _STATUS_EVERY:
            self._status_at = now
            self.tell_status()

    def tell_status(self) -> None:
        """Report the status of the simulation, several times a second and at once when its state changes."""
        status = self._session.status()
        # during a pause, flashes last as long as before
        self._pace = status.speed if isfinite(status.speed) else status.speed_reached or self._pace
        self.status_found.emit(status)

    @property
    def _lanes(self) -> range:
        return range(len(self._canvases.canvases))

    def _on_painted(self, lane: int) -> None:
        """A picture was painted on another thread: show it, and start the next one after a short rest."""
        canvas = self._canvases.canvases[lane]
        if canvas not in self._drawn:
            return
        self._drawn[canvas] = -1
        if all(before == -1 for before in self._drawn.values()):
            now = time.perf_counter()
            took = now - self._given_at
            rest = max(_REST_BESIDE * took, 1e-3 * _FASTEST_MS - took)
            self._beside = True
            self._not_before = now + rest
            self._next.start(ceil(1000.0 * rest))

    def _on_arrived(self) -> None:
        """A new frame has arrived. Pictures painted by the GUI thread itself wait for the timer, which leaves it some
        rest."""
        if self._beside:
            self._next_frames()

    def _next_frames(self) -> None:
        """Pass new frames to canvases that have drawn the last ones."""
        now = time.perf_counter()
        if not self.held and self._canvases_are_free(now):
            self._drawn.clear()
            self._take_frames()
            if self._ready():
                self._show_taken()

    def catch_up(self) -> None:
        """Show new discs at once if a frame of them is waiting, for code that needs the running discs in the
        picture."""
        if not self.held:
            self._take_frames()
            if self._ready() and self._others():
                self._show_taken()

    def _ready(self) -> bool:
        """Whether there is a frame for each lane, and the window and the document have learned what was said before
        it: that its discs have begun."""
        if self._complete:
            self._gui_thread.finish()
        return self._complete and not self.held and not self._gui_thread.busy  # a message may have changed it

    def _canvases_are_free(self, now: float) -> bool:
        if not self._drawn:
            return True
        if any(canvas.frames_drawn == before for canvas, before in self._drawn.items()):
            return now - self._given_at > _UNDRAWN_PATIENCE
        if any(canvas.busy for canvas in self._drawn) and now - self._given_at < _PAINTED_PATIENCE:
            return False  # the view or size has changed; frames continue while the view keeps moving
        if now < self._not_before:
            return False
        took = 1000.0 * (now - self._given_at)  # milliseconds from passing the frame to the tick that found it drawn
        wanted = int(min(max(_FASTEST_MS, _REST * took), _SLOWEST_MS))
        if abs(wanted - self._timer.interval()) > 4:
            self._timer.setInterval(wanted)
        return True

    def _take_frames(self) -> None:
        for lane in self._lanes:
            shown = self._session.publishers.latest_frame(lane, self._kept.get(lane))
            if shown is not None:
                self._waiting[lane] = shown

    @property
    def _complete(self) -> bool:
        """Whether there is a frame for each lane at the same time."""
        times = {shown.frame.time for shown in self._waiting.values()}
        return len(self._waiting) == len(self._lanes) and (len(times) == 1 or self._ended())

    def _others(self) -> bool:
        """Whether the new frames contain other discs than those on the screen."""
        return any(shown.system is not self._systems.get(lane) for lane, shown in self._waiting.items())

    def _show_taken(self) -> None:
        self._drawn.clear()
        self._beside = False
        self._given_at = time.perf_counter()
        lanes = self._lanes
        shown_now = [self._waiting.pop(lane) for lane in lanes]
        colorings = one_scale([shown.coloring for shown in shown_now])
        for lane, canvas, shown, coloring in zip(lanes, self._canvases.canvases, shown_now, colorings, strict=True):
            self._show(lane, canvas, shown, coloring)
        share_arrows([canvas.scene for canvas in self._canvases.canvases])

    def _ended(self) -> bool:
        """Whether one side has ended while the other continues, so that they can no longer show the same time."""
        return any(lane.finished for lane in self._session.status().lanes)

    def _show(self, lane: int, canvas: DiscCanvas, shown: Shown, coloring: Coloring) -> None:
        self._shown[lane] = shown
        if shown.system is not self._systems.get(lane):
            self._systems[lane] = shown.system
            view, discs = view_of(shown.system.scenario.system), shown.discs
            canvas.set_system(
                discs.radii, discs.box, discs.periodic, clock=view.clock, has_forces="forces" in view.offers
            )
            self.system_shown.emit(lane, shown.system)
        self._drawn[canvas] = canvas.frames_drawn
        self._picture(canvas, shown, shown.frame, coloring)
        self._kept[lane] = shown
        self.frame_shown.emit(lane, shown)

    def show_moved(self, lane: int, discs: NDArray[np.intp], places: NDArray[np.float64]) -> None:
        """Show some discs (K,) of the present frame at other places (K, 2), only in the picture and until the next
        frame."""
        shown, canvas = self._shown.get(lane), self._canvases.canvases[lane]
        if shown is not None:
            frame = copy(shown.frame)
            frame.positions = shown.frame.positions.copy()
            frame.positions[discs] = places
            self._picture(canvas, shown, frame, canvas.scene.coloring)

    def _picture(self, canvas: DiscCanvas, shown: Shown, frame: Frame, coloring: Coloring) -> None:
        """Pass a canvas the frame of `shown`, or a copy with some discs moved."""
        discs = shown.discs
        lasts = None
        if self._session.view.flash_contacts or shown.single:  # a single event is always shown
            lasts = LASTS * self._pace if self._session.view.flash_contacts else 0.0
        moment = Moment(frame, discs.radii, discs.box, discs.periodic, lasts, of=shown.system)
        canvas.show_frame(
            frame.positions,
            shown.scalar,
            coloring,
            frame.time,
            frame.radius_factor,
            canvas.layers_of(moment),
            lent=True,
            discs=discs,
        )
