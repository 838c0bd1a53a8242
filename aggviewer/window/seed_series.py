"""One packing after the other, with the same settings and the next seed: what makes the fits of many packings."""

from __future__ import annotations

from collections.abc import Iterator

from PyQt6.QtWidgets import QInputDialog, QWidget

from aggviewer.session import Analysis, Notice, Session, Status
from aggviewer.session.saved.packing_pool import seed_matters
from aggviewer.systems.jamming.analysis import JammingData
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, Place
from aggviewer.window.notify import Notify
from aggviewer.window.stage.toasts import ToastStack
from aggviewer.window.systems import RunningSystem
from engine.scenario import Scenario

_NOT_YET = ("empty", "compiling", "loading")
_USUAL, _MOST = 10, 1000


class SeedSeries:
    """Begins the next seed, and goes on to the one after it when a packing has ended and has been measured. Whatever
    else is begun, or changed, ends the series."""

    def __init__(
        self, window: QWidget, session: Session, running: RunningSystem, toasts: ToastStack, notify: Notify
    ) -> None:
        self._window = window
        self._session = session
        self._running = running
        self._toasts = toasts
        self._notify = notify
        self._scenario: Scenario | None = None  # what is to run now
        self._first = 0
        self._left = 0
        self._ended: set[int] = set()

    def commands(self) -> Iterator[Command]:
        """Jam the next seed, or many."""
        yield Command(
            "run.next_seed",
            "Jam the next seed",
            self.jam_next,
            ("Shift+J",),
            "Another packing with the same settings, to be pooled in the plots of forces and gaps",
            "mdi6.skip-forward-outline",
            menu=Place("Run", 3, 2),
            available=lambda: self._running.offers("packings"),
            reason=self._reason,
        )
        yield Command(
            "run.next_seeds",
            "Jam the next seeds…",
            self.toggle,
            tooltip="Many packings, one after the other; again to end with the one that runs",
            checked=lambda: self.on,
            menu=Place("Run", 3, 3),
            available=lambda: self._running.offers("packings"),
            reason=self._reason,
        )

    @property
    def on(self) -> bool:
        """True while more packings are to come than the one that runs."""
        return self._left > 1

    def jam_next(self) -> None:
        """The next seed, running."""
        self.begin(1)

    def toggle(self) -> None:
        """Ask for how many seeds, and begin; a series that is on ends with the packing that runs."""
        if self.on:
            self._left = 1
            return
        count, chosen = QInputDialog.getInt(
            self._window, "Jam the next seeds", "Packings, one after the other:", _USUAL, 1, _MOST
        )
        if chosen:
            self.begin(count)

    def begin(self, count: int) -> None:
        """So many packings, of the seeds that follow."""
        session = self._session
        reason = self.reason_against(session.status(), session.scenario)
        if reason:
            self._notify(Notice("warning", "There is no next packing", reason))
            return
        assert session.scenario is not None
        self._left, self._first = count, session.scenario.seed + 1
        self._go_on(session.scenario)

    def follow(self, scenario: Scenario) -> None:
        """This runs now."""
        if scenario != self._scenario:
            self._left = 0

    def look(self, lane: int, analysis: Analysis) -> None:
        """A packing has been measured: at its end the next one begins."""
        data, scenario = analysis.data, self._scenario
        if not self._left or not isinstance(data, JammingData) or not data.ended or scenario is None:
            return
        status = self._session.status()
        if analysis.system.scenario.seed != scenario.seed or status.state != "finished":
            return
        self._ended.add(lane)
        if len(self._ended) < len(status.lanes):
            return
        self._left -= 1
        if self._left:
            self._go_on(scenario)
        elif scenario.seed > self._first:
            self._toasts.clear_news()  # one message says it all
            pooled = data.pooled.packings if data.pooled is not None else 0
            words = f"{pooled} packings of these settings can be pooled in the plots of forces and gaps."
            self._notify(Notice("info", f"Seeds {self._first} to {scenario.seed} are through", words))

    def _reason(self) -> str:
        return self.reason_against(self._session.status(), self._session.scenario)

    @staticmethod
    def reason_against(status: Status, scenario: Scenario | None) -> str:
        """Why there is no next seed, empty where there is."""
        if status.state in _NOT_YET or scenario is None or "packings" not in view_of(scenario.system).offers:
            return "There is no packing yet."
        if status.timeline is not None and status.timeline.replay:
            return "A recording is played, and it has one packing only."
        if not seed_matters(scenario):
            return "Another seed makes the same packing: nothing about these discs is random."
        return ""

    def _go_on(self, scenario: Scenario) -> None:
        session = self._session
        self._scenario = scenario.with_values({"seed": scenario.seed + 1})
        self._ended.clear()
        self._toasts.clear_news()  # how the last packing ended
        session.restart(self._scenario.seed)
        session.run()
