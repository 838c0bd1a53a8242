"""A series of packings with the same settings and successive seeds, to be pooled in the plots."""

from __future__ import annotations

from collections.abc import Iterator

from PyQt6.QtCore import QObject

from aggviewer.session import Analysis, Notice, Status
from aggviewer.session.notices import ENDED
from aggviewer.session.saved.packing_pool import seed_matters
from aggviewer.systems.jamming.analysis import JammingData
from aggviewer.systems.running import RunningSystem
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.form_dialog import ask_whole_number
from aggviewer.widgets.part import Context
from engine.scenario import Scenario

NOT_YET = ("empty", "compiling", "loading")
"""States of the session without discs."""

_USUAL, _MOST = 10, 1000  # packings


class SeedSeries(QObject):
    """Starts the next seed when a packing has ended and been measured. After the last one, the packing that the series
    began with is shown again. Starting or changing anything else ends the series."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._context = context
        self._session = context.session
        self._scenario: Scenario | None = None  # the scenario that should be running
        self._first = 0
        self._left = 0
        self._ended: set[int] = set()
        context.listen(context.session.scenario_changed, self._on_scenario)
        context.analysed.connect(self._on_analysis)

    def commands(self) -> Iterator[Command]:
        """Commands to jam the next seed, or several."""
        yield Command(
            "run.next_seed",
            "Jam the next seed",
            self.jam_next,
            ("Shift+J",),
            "Make another packing with the same settings, to pool in the plots of forces and gaps",
            "mdi6.skip-forward-outline",
            menu=Place("Run", 3, 2),
            available=self._offered,
            reason=self._reason,
        )
        yield Command(
            "run.next_seeds",
            "Jam the next seeds…",
            self.toggle,
            tooltip="Make several packings, one after the other, and return to this one; choose this again to stop "
            "after the present one",
            checked=lambda: self.on,
            menu=Place("Run", 3, 3),
            available=self._offered,
            reason=self._reason,
        )

    def _offered(self) -> bool:
        return self._context[RunningSystem].offers("packings")

    @property
    def on(self) -> bool:
        """Whether more packings follow the present one."""
        return self._left > 1

    def jam_next(self) -> None:
        """Jam the next seed."""
        self.begin(1)

    def toggle(self) -> None:
        """Ask for the number of seeds and start; a running series ends with the present packing."""
        if self.on:
            self._left = 1
            return
        count = ask_whole_number(
            self._context.window, "Jam the next seeds", "Packings, one after the other:", _USUAL, 1, _MOST
        )
        if count is not None:
            self.begin(count)

    def begin(self, count: int) -> None:
        """Jam this many following seeds."""
        scenario, reason = self._session.scenario, self._reason()
        self._context.files.begin("jam")
        if reason or scenario is None:
            self._context.notify(Notice("warning", "No next packing", reason, about="jam"))
            return
        self._left, self._first, self._step = count, scenario.seed + 1, None
        self._go_on(scenario)

    def _on_scenario(self, scenario: Scenario) -> None:
        if scenario != self._scenario:
            self._left = 0

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        """After a packing has ended and been measured, start the next one."""
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
            self._context.files.begin(ENDED)  # one message says it all
            pooled = data.pooled.packings if data.pooled is not None else 0
            words = f"{pooled} packings with these settings can be pooled in the plots of forces and gaps."
            self._context.notify(Notice("info", f"Seeds {self._first} to {scenario.seed} are done", words))

    def _reason(self) -> str:
        status, scenario = self._session.status(), self._session.scenario
        return reason_against_next(status, scenario if self._offered() else None)

    def _go_on(self, scenario: Scenario) -> None:
        self._scenario = scenario.with_values({"seed": scenario.seed + 1})
        self._ended.clear()
        self._context.files.begin(ENDED)  # the end of the last packing
        self._session.restart(self._scenario.seed)
        self._session.run()


def reason_against_next(status: Status, scenario: Scenario | None) -> str:
    """Why there is no next seed, empty if there is. scenario : of the packing that is shown, None without one."""
    if status.state in NOT_YET or scenario is None:
        return "There is no packing yet."
    if status.timeline is not None and status.timeline.replay:
        return "A recording has only one packing."
    if not seed_matters(scenario):
        return "Another seed would make the same packing: nothing about these discs is random."
    return ""
