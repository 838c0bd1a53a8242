"""The refresher: a timer that brings new frames, measurements and status from the session to the window."""

from __future__ import annotations

import time
from copy import copy
from math import ceil, isfinite

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, Qt, QTimer, pyqtSignal

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.layers.flashes import LASTS
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.velocities import share_arrows
from aggviewer.session import Analysis, DiscSet, Session, Shown
from aggviewer.session.coloring import Coloring, one_scale
from aggviewer.systems.registry import view_of
from aggviewer.widgets.gui_thread import GuiThread
from aggviewer.window.canvases import Canvases
from engine.frame import Frame

_FASTEST_MS = 16  # shortest time between two ticks
_SLOWEST_MS = 100  # longest
_STATUS_EVERY = 0.2  # seconds: numbers that change faster cannot be read
_PLOTS_EVERY = 0.25  # seconds: four plots take some 50 ms to paint, which the picture has to wait for
_UNDRAWN_PATIENCE = 0.5  # seconds to wait for a frame to be drawn (a hidden window draws none)
_PAINTED_PATIENCE = 0.1  # seconds to wait for a picture that is being painted
_REST = 0.25  # share of a drawing's time that is left to the rest of the window, and to the simulation
_REST_ELSEWHERE = 0.1  # the same for painting on another thread, which leaves the GUI thread free most of that time


class Refresher(QObject):
    """Brings frames, measurements and the status from the session to the window, on the GUI thread.

    A timer calls `tick` up to 60 times a second. A tick takes the newest frame of each lane from its mailbox, but only
    once the last frame is drawn: so drawing sets the pace, and frames that come too fast are skipped. Two runs side by
    side are shown at the same simulation time: the first frame waits until the other one is taken, too. Before a frame
    is shown, all pending messages of the session are delivered, so that the window knows new discs before they appear.

    Where pictures are painted on another thread, the next frame is already taken and painted while the last picture is
    shown (`_on_painted`); the first frame is taken as soon as it arrives.

    Signals: ``discs_shown(lane, DiscSet)`` when a lane shows new discs, ``analysed(lane, Analysis)`` with new
    indicators, ``counted(lane, Analysis)`` with the counts of a later state, ``frame_shown(lane, Shown)`` when a frame
    is on the screen, ``status_found(Status)`` with the status.

    Attributes
    ----------
    takes_no_frames : set while the picture shows something else than the session's frames.
    """

    discs_shown = pyqtSignal(int, object)
    analysed = pyqtSignal(int, object)
    counted = pyqtSignal(int, object)
    frame_shown = pyqtSignal(int, object)
    status_found = pyqtSignal(object)
    _frame_arrived = pyqtSignal()

    def __init__(self, session: Session, canvases: Canvases, gui_thread: GuiThread, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._canvases = canvases
        self._gui_thread = gui_thread
        self.takes_no_frames = False
        # by the number of the lane: the discs and the frame on the screen, and frames of which the pictures use arrays
        self._disc_sets: dict[int, DiscSet] = {}
        self._shown: dict[int, Shown] = {}
        self._in_use: dict[int, Shown] = {}
        # by the number of the lane: what was taken but not yet shown, as the other lane or the plots are not ready;
        # measurements may come before the first frame of their discs
        self._taken: dict[int, Shown] = {}
        self._analyses: dict[int, Analysis] = {}
        self._counts: dict[int, Analysis] = {}
        # how many pictures each canvas had drawn when it got its frame; -1: the picture was painted on another thread
        self._pictures_before: dict[DiscCanvas, int] = {}
        self._painted_elsewhere = False  # the last pictures were painted on another thread
        # times of the clock, in seconds
        self._not_before = 0.0  # of the next frame
        self._passed_at = 0.0  # when the canvases got their frames
        self._status_at = 0.0
        self._plots_at = 0.0
        self._pace = 1.0  # simulation time per second
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_FASTEST_MS)
        self._timer.timeout.connect(self.tick)
        self._timer.start()
        self._next_timer = QTimer(self)
        self._next_timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._next_timer.setSingleShot(True)
        self._next_timer.timeout.connect(self._next_frames)
        canvases.canvases_changed.connect(self.forget)
        canvases.has_painted.connect(self._on_painted)
        self._frame_arrived.connect(self._on_arrival)
        session.frame_arrived.connect(self._on_frame_arrived)

    def shown(self, lane: int = 0) -> Shown | None:
        """The frame on the screen; valid until the next tick."""
        return self._shown.get(lane)

    def stop(self) -> None:
        """Stop polling."""
        self._session.frame_arrived.disconnect(self._on_frame_arrived)
        self._painted_elsewhere = False  # ignore a signal that is still queued
        self._timer.stop()
        self._next_timer.stop()

    def forget(self) -> None:
        """Show all lanes again after the number of pictures changed. Request their frames again: one may have arrived
        before its picture existed, and during a pause frames arrive only once."""
        for found in (self._disc_sets, self._shown, self._taken, self._analyses, self._counts, self._pictures_before):
            found.clear()
        self._session.refresh()

    @property
    def _lanes(self) -> range:
        return range(len(self._canvases.canvases))

    # the timer

    def tick(self) -> None:
        """Take what is new, several times a second: measurements for the plots, frames for the pictures, and the
        status."""
        now = time.perf_counter()
        lanes = self._lanes
        self._take_measurements()
        if now - self._plots_at >= _PLOTS_EVERY:
            for lane in lanes:
                for kept, signal in ((self._analyses, self.analysed), (self._counts, self.counted)):
                    known = kept.get(lane)
                    if known is not None and known.disc_set is self._disc_sets.get(lane):
                        self._plots_at = now
                        signal.emit(lane, kept.pop(lane))
        # if plots need painting, the picture waits for the next tick, because both together take too long
        if now > self._plots_at:
            self._next_frames()
        if now - self._status_at >= _STATUS_EVERY:
            self._status_at = now
            self.tell_status()

    def _take_measurements(self) -> None:
        """Take new indicators and counts of all lanes, which wait until plots are drawn the next time."""
        for lane in self._lanes:
            analysis = self._session.publishers.latest_analysis(lane)
            if analysis is not None:
                self._analyses[lane] = analysis
                if analysis.part == "all":  # of a later state than the counts
                    self._counts.pop(lane, None)
            counts = self._session.publishers.latest_counts(lane)
            if counts is not None:
                self._counts[lane] = counts

    def tell_status(self) -> None:
        """Report the status of the simulation, several times a second and at once when its state changes."""
        status = self._session.status()
        # during a pause, flashes last as long as before
        self._pace = status.speed if isfinite(status.speed) else status.speed_reached or self._pace
        self.status_found.emit(status)

    # new frames are taken

    def _next_frames(self) -> None:
        """Take new frames and show them, if the canvases have drawn the last ones."""
        now = time.perf_counter()
        if not self.takes_no_frames and self._canvases_are_free(now):
            self._pictures_before.clear()
            self._take_frames()
            if self._can_show_taken():
                self._show_taken()

    def _canvases_are_free(self, now: float) -> bool:
        """Whether all canvases have drawn their last frame, or have had long enough for it. Adapts the timer to the
        time that drawing takes."""
        if not self._pictures_before:
            return True
        if any(canvas.frames_drawn == before for canvas, before in self._pictures_before.items()):
            return now - self._passed_at > _UNDRAWN_PATIENCE
        if any(canvas.busy for canvas in self._pictures_before) and now - self._passed_at < _PAINTED_PATIENCE:
            return False  # the view or size has changed; frames continue while the view keeps moving
        if now < self._not_before:
            return False
        took = 1000.0 * (now - self._passed_at)  # milliseconds from passing the frame to the tick that found it drawn
        wanted = int(min(max(_FASTEST_MS, _REST * took), _SLOWEST_MS))
        if abs(wanted - self._timer.interval()) > 4:
            self._timer.setInterval(wanted)
        return True

    def _take_frames(self) -> None:
        for lane in self._lanes:
            shown = self._session.publishers.latest_frame(lane, self._in_use.get(lane))
            if shown is not None:
                self._taken[lane] = shown

    @property
    def _taken_is_complete(self) -> bool:
        """Whether a frame of each lane was taken, all of the same simulation time."""
        times = {shown.frame.time for shown in self._taken.values()}
        return len(self._taken) == len(self._lanes) and (len(times) == 1 or self._one_side_ended())

    def _one_side_ended(self) -> bool:
        """Whether one side has ended while the other continues, so that they can no longer show the same time."""
        return any(lane.finished for lane in self._session.status().lanes)

    def _can_show_taken(self) -> bool:
        """Whether there is a frame for each lane, and the window and the document know everything that was announced
        before these frames, above all which discs they show."""
        if self._taken_is_complete:
            self._gui_thread.finish()
        return (
            self._taken_is_complete and not self.takes_no_frames and not self._gui_thread.busy
        )  # a message may have changed it

    def catch_up(self) -> None:
        """Show new discs at once if a frame of them is waiting, for code that needs the running discs in the
        picture."""
        if not self.takes_no_frames:
            self._take_frames()
            if self._can_show_taken() and self._shows_other_discs():
                self._show_taken()

    def _shows_other_discs(self) -> bool:
        """Whether the frames that were taken show other discs than those on the screen."""
        return any(shown.disc_set is not self._disc_sets.get(lane) for lane, shown in self._taken.items())

    # and shown

    def _show_taken(self) -> None:
        """Show the frames that were taken, in all lanes at once."""
        self._pictures_before.clear()
        self._painted_elsewhere = False
        self._passed_at = time.perf_counter()
        lanes = self._lanes
        shown_now = [self._taken.pop(lane) for lane in lanes]
        colorings = one_scale([shown.coloring for shown in shown_now])
        for lane, canvas, shown, coloring in zip(lanes, self._canvases.canvases, shown_now, colorings, strict=True):
            self._show(lane, canvas, shown, coloring)
        share_arrows([canvas.scene for canvas in self._canvases.canvases])

    def _show(self, lane: int, canvas: DiscCanvas, shown: Shown, coloring: Coloring) -> None:
        """Show a frame in the canvas of its lane, and tell the window."""
        self._shown[lane] = shown
        if shown.disc_set is not self._disc_sets.get(lane):
            self._disc_sets[lane] = shown.disc_set
            view, discs = view_of(shown.disc_set.scenario.system), shown.discs
            canvas.replace_discs(
                discs.radii, discs.box, discs.periodic, clock=view.clock, has_forces="forces" in view.offers
            )
            self.discs_shown.emit(lane, shown.disc_set)
        self._pictures_before[canvas] = canvas.frames_drawn
        self._pass_to_canvas(canvas, shown, shown.frame, coloring)
        self._in_use[lane] = shown
        self.frame_shown.emit(lane, shown)

    def _pass_to_canvas(self, canvas: DiscCanvas, shown: Shown, frame: Frame, coloring: Coloring) -> None:
        """Pass a canvas the frame of `shown`, or a copy with some discs moved."""
        discs = shown.discs
        lasts = None
        if self._session.view.flash_contacts or shown.one_event:  # a single event is always shown
            lasts = LASTS * self._pace if self._session.view.flash_contacts else 0.0
        given = LayerInput(frame, discs.radii, discs.box, discs.periodic, lasts, of=shown.disc_set)
        canvas.show_frame(
            frame.positions,
            shown.scalar,
            coloring,
            frame.time,
            frame.radius_factor,
            canvas.layers_of(given),
            strain=frame.strain,
            lent=True,
            discs=discs,
        )

    def show_moved(self, lane: int, discs: NDArray[np.intp], places: NDArray[np.float64]) -> None:
        """Show some discs (K,) of the present frame at other places (K, d), only in the picture and until the next
        frame."""
        shown, canvas = self._shown.get(lane), self._canvases.canvases[lane]
        if shown is not None:
            frame = copy(shown.frame)
            frame.positions = shown.frame.positions.copy()
            frame.positions[discs] = places
            self._pass_to_canvas(canvas, shown, frame, canvas.scene.coloring)

    # pictures painted on another thread

    def _on_painted(self, lane: int) -> None:
        """A picture was painted on another thread and is shown: take the next frame after a short rest."""
        canvas = self._canvases.canvases[lane]
        if canvas not in self._pictures_before:
            return
        self._pictures_before[canvas] = -1
        if all(before == -1 for before in self._pictures_before.values()):
            now = time.perf_counter()
            took = now - self._passed_at
            rest = max(_REST_ELSEWHERE * took, 1e-3 * _FASTEST_MS - took)
            self._painted_elsewhere = True
            self._not_before = now + rest
            self._next_timer.start(ceil(1000.0 * rest))

    def _on_frame_arrived(self, _lane: int) -> None:
        """Let the GUI thread know that a frame has arrived. On the simulation's thread."""
        self._frame_arrived.emit()

    def _on_arrival(self) -> None:
        """A frame has arrived: take it at once if pictures are painted on another thread. Pictures that the GUI thread
        paints itself wait for the timer, which leaves that thread some rest."""
        if self._painted_elsewhere:
            self._next_frames()
