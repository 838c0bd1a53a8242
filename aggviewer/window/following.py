"""What the session says, brought to the parts of the window. On the GUI thread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aggviewer.parameters import in_words
from aggviewer.session import Analysis, Notice, Shown, Status, SystemInfo
from aggviewer.window import hover
from aggviewer.window.bridge import SessionBridge
from aggviewer.window.jamming import PackingFacts
from aggviewer.window.systems import JAMMING
from engine.scenario import Scenario

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow


class Following:
    """Signals come by the bridge; frames, indicators and the status from the window's refresher, which polls."""

    def __init__(self, window: MainWindow, bridge: SessionBridge) -> None:
        self._window = window
        bridge.notice.connect(self.show_notice)
        bridge.state_changed.connect(self._on_state)
        bridge.scenario_changed.connect(self._on_scenario)
        bridge.scenario_changed.connect(window.series.follow)
        bridge.lanes_changed.connect(self._on_lanes)
        window.pictures.hovered.connect(self._show_hover)

    def show_notice(self, notice: Notice) -> None:
        """A message over the picture, and at the field that it is about."""
        window = self._window
        at_field = notice.key in window.parameters.rows
        window.stage.toasts.show(replace(notice, title=in_words(notice.title)) if at_field else notice)
        if at_field and notice.level == "error":
            window.parameters.show_error(notice.key, notice.title)

    def _on_state(self, state: str) -> None:
        window = self._window
        window.transport.set_state(state)
        window.parameters.set_busy(state in ("loading", "compiling"))
        self.status(window.session.status())

    def _on_scenario(self, scenario: Scenario) -> None:
        window = self._window
        window.parameters.set_scenario(scenario)
        title = window.catalog.title_of(scenario)
        window.top_bar.show_scenario(title)
        window.setWindowTitle(f"{title} – aggviewer")

    def _on_lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        self._window.comparing.follow(scenarios, self._window.theme.dark)
        self._window.commands.update_checks()

    def system(self, lane: int, system: SystemInfo) -> None:
        """Other discs in a lane."""
        window = self._window
        window.systems.follow(system.scenario.system)
        window.commands.update_checks()
        window.plots.begin(lane)

    def frame(self, lane: int, shown: Shown) -> None:
        """A frame is on the screen."""
        if lane == 0:
            self._window.transport.set_time(shown.frame.time)
            self._window.commands.set_offered("view.flash_contacts", shown.frame.impacts is not None)

    def analysis(self, lane: int, analysis: Analysis) -> None:
        """New indicators."""
        plots = self._window.plots
        if analysis.system.scenario.system == plots.kind:
            plots.refresh(analysis, lane)
        self._window.series.look(lane, analysis)

    def status(self, status: Status) -> None:
        """Where the simulation is."""
        window = self._window
        window.pictures.show_status(status)
        window.transport.show_status(status)
        shown = window.refresher.shown()
        window.keeping.look(status)
        window.commands.update_checks()
        window.commands.set_reason_against("method.inside", window.inside.reason_against(status))
        window.series.show_status(status)
        if status.system != JAMMING:
            window.commands.set_reason_against("run.jam", window.jamming.reason_against(status))
        remark = shown.frame.remark if shown is not None else None
        words = remark.text if remark is not None else ""
        window.status.show_status(status, window.canvas.fps, window.canvas.renderer, PackingFacts.of(shown), words)
        window.stage.preparation.show_status(status)
        if window.canvas.notice:
            self.show_notice(Notice("warning", window.canvas.notice))
            window.canvas.notice = ""

    def _show_hover(self, lane: int, disc: int) -> None:
        self._window.status.show_hover(hover.describe(self._window.refresher.shown(lane), disc))
