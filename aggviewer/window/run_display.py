"""Passes the running scenario, or the two that are compared, and its display settings to panels, pictures and bars, and
describes the disc under the pointer in the status bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from aggviewer.document.model import field_events
from aggviewer.document.view import chosen_of
from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.plots.runs import RunStyle, with_distinct_names
from aggviewer.session import Analysis, DiscSet, Notice, Shown, Status
from aggviewer.session.notices import ENDED
from aggviewer.style.theme import Colors
from aggviewer.systems.base import RunningSystem, SystemView
from aggviewer.systems.registry import Catalog, most_plots, view_of
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases import Canvases
from aggviewer.window.commands.top_bar import TopBar
from aggviewer.window.files import Opening
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.refresher import Refresher
from aggviewer.window.stage import Stage
from aggviewer.window.status_bar import WindowStatusBar
from engine.fields import Field
from engine.scenario import Scenario
from engine.system import method_of


class RunDisplay(Part):
    """Follows the session and the view for everything that several parts share; each part follows its own data
    itself."""

    def __init__(self, context: Context) -> None:
        self._context, self._session = context, context.session
        self._view, self._commands, self._theme = context.document.view, context.commands, context.theme
        self._running, self._canvases, self._stage = context[RunningSystem], context[Canvases], context[Stage]
        self._parameters, self._plots, self._catalog = context[ParametersPanel], context[PlotsPanel], context[Catalog]
        self._top_bar, self._status = context[TopBar], context[WindowStatusBar]
        self._refresher, self._title = context[Refresher], ""
        self._follow_session()
        self._follow_parts()
        self._follow_discs(self._running.view.name, self._running.fields, 2)
        self._on_view()

    def _follow_session(self) -> None:
        session, listen, refresher = self._session, self._context.listen, self._refresher
        listen(session.notices.sent, self._context.notify)
        listen(session.state_changed, self._on_state)
        listen(session.scenario_changed, self._on_scenario)
        for event in field_events(session.view).values():
            listen(event, lambda _value: self._on_view())
        self._theme.changed.connect(self._on_theme)
        refresher.discs_shown.connect(self._on_discs)
        refresher.frame_shown.connect(self._on_frame)
        refresher.analysed.connect(self._on_analysis)
        refresher.counted.connect(self._on_analysis)
        refresher.status_found.connect(self._on_status)
        self._plots.wanted_changed.connect(session.publishers.want)
        session.publishers.want(self._plots.wanted_indicators)
        self._plots.averages_changed.connect(session.publishers.average)
        self._plots.again_asked.connect(session.publishers.average_again)
        session.publishers.average(self._plots.averaged_indicators)

    def _follow_parts(self) -> None:
        toasts, notify = self._stage.toasts, self._context.notify
        self._context[Opening].begun.connect(self._on_opening)
        self._context[SelectionController].noted.connect(self._status.show_note)
        self._parameters.applied.connect(toasts.clear_input_errors)
        self._parameters.tried.connect(toasts.clear_input_errors)
        self._plots.problem.connect(lambda words: notify(Notice("warning", words)))
        if self._catalog.left_out:
            words = "\n".join(self._catalog.left_out)
            notify(Notice("warning", "Some scenarios could not be read", words))

    # what changes in the session

    def _on_state(self, state: str) -> None:
        # before the first run, nothing is lost if a changed scenario replaces the one being built
        self._parameters.set_busy(state in ("loading", "compiling") and bool(self._session.status().lanes))
        self._refresher.tell_status()

    def _on_scenario(self, scenario: Scenario) -> None:
        self._parameters.set_scenario(scenario)
        self._tell_title(scenario)

    def set_title(self, title: str) -> None:
        """Call whatever runs by this title, such as that of a lesson; "" for the titles of the scenarios."""
        self._title = title
        if self._session.scenario is not None:
            self._tell_title(self._session.scenario)

    def _tell_title(self, scenario: Scenario) -> None:
        title = self._title or self._catalog.title_of(scenario)
        self._top_bar.show_scenario(title, whole=bool(self._title) or self._catalog.name_of(scenario) is not None)
        self._context.window.setWindowTitle(f"{title} – aggviewer")

    def _on_opening(self, name: str) -> None:
        self._stage.toasts.clear_input_errors()
        if name:
            self._top_bar.show_scenario(name)

    def _on_discs(self, lane: int, disc_set: DiscSet) -> None:
        self._follow_discs(disc_set.scenario.system, disc_set.fields, len(disc_set.box))
        self._stage.toasts.begin(ENDED)  # the run that failed is no longer there
        self._commands.update()
        self._plots.begin(lane)

    def _follow_discs(self, name: str, fields: Sequence[Field], dimensions: int) -> None:
        """Update names of commands, colours and plots for the running system. fields : the fields that can colour its
        discs; dimensions : of their box."""
        running = self._running
        running.view, running.fields, running.dimensions = view_of(name), tuple(fields), dimensions
        self._commands.speak_of(dimensions)
        self._plots.set_system(name, dimensions)
        names = {card.number: card.plot.name or card.title for card in self._plots.cards}
        for number in range(1, most_plots() + 1):
            self._commands.rename(f"plots.{number}", f"Plot {names.get(number, number)}")
        clock = running.view.clock
        self._commands.rename("run.step_event", clock.step, clock.step_tip)
        self._offer_colors()

    def _offer_colors(self) -> None:
        self._top_bar.offer_colors(self._running.colors)
        self._show_color_by()

    def _on_frame(self, lane: int, shown: Shown) -> None:
        if lane == 0 and self._running.parts != shown.frame.fields.keys():
            self._running.parts = frozenset(shown.frame.fields)
            self._offer_colors()
        self._canvases.show_moment(lane, shown)
        self._plots.show_time(shown.frame.time, lane)

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        if analysis.disc_set.scenario.system == self._plots.system:
            self._plots.refresh(analysis, lane)

    def _on_status(self, status: Status) -> None:
        shown, canvas = self._refresher.shown(), self._canvases.first
        self._canvases.show_status(status, self._refresher.shown)
        self._commands.update()
        remark = shown.frame.remark if shown is not None else None
        words = remark.text if remark is not None else ""
        self._status.show_status(status, canvas.fps, canvas.renderer, words)
        self._stage.preparation.show_status(status)
        if canvas.notice:
            self._context.notify(Notice("warning", canvas.notice))
            canvas.notice = ""

    # how it is drawn

    def _on_view(self) -> None:
        self._theme.choose(self._view.theme)
        self._on_theme()
        self._commands.update()
        self._show_color_by()

    def _on_theme(self) -> None:
        """Give the picture the theme's background, unless another was chosen."""
        self._view.ground = "white" if self._theme.colors.bold else "dark" if self._theme.dark else "light"

    def _show_color_by(self) -> None:
        self._top_bar.show_color_by(chosen_of(self._running.fields, self._view.color_by))


class Hovering(Part):
    """Updates the status bar's line about the disc under the pointer."""

    def __init__(self, context: Context) -> None:
        self._status, self._shown = context[WindowStatusBar], context.shown
        self._at: tuple[int, int] | None = None  # the lane and the disc under the pointer
        context[Canvases].hovered.connect(self._on_hover)
        context[Refresher].frame_shown.connect(self._on_frame)

    def _on_hover(self, lane: int, disc: int) -> None:
        """React to another disc under the pointer, -1 for none."""
        self._at = (lane, disc) if disc >= 0 else None
        self._status.show_hover(self._shown(lane), disc)

    def _on_frame(self, lane: int) -> None:
        """Update the numbers of the disc under the pointer for a new frame."""
        if self._at is not None and self._at[0] == lane:
            self._on_hover(*self._at)


class Comparing(Part):
    """Starts and ends a comparison, and shows the runs side by side in pictures and panels.

    scenarios : one or two running scenarios; runs : their names and styles in the plots.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        self._canvases = canvases = context[Canvases]
        self._parameters = context[ParametersPanel]
        self._plots = plots = context[PlotsPanel]
        self._theme, self._commands = context.theme, context.commands
        self.scenarios: tuple[Scenario, ...] = ()
        self.runs: list[RunStyle] = [RunStyle("ED", "event-driven")]
        canvases.asked.connect(lambda lane, key, value: session.set_parameter(key, value, lane))
        plots.place_asked.connect(canvases.zoom_to)
        context.listen(session.lanes_changed, self._follow)
        context.theme.changed.connect(self.set_theme)
        self.set_theme(context.theme.colors)

    def commands(self) -> Iterator[Command]:
        """Compare from the present state, or from the start."""
        yield Command(
            "method.compare",
            "Compare",
            self.toggle,
            ("C",),
            "Run two variants side by side from the present state: both methods, elastic and inelastic, or two "
            "rules. Choose it again to return to the single run",
            "mdi6.compare-horizontal",
            checked=lambda: self.on,
            menu=Place("Method", 2, 1),
            bar=Place("left", 2, 1),
            available=self._can_compare,
            reason=self._not_yet,
        )
        yield Command(
            "method.compare_start",
            "Compare from the start",
            self.compare_from_start,
            ("Ctrl+Shift+C",),
            "Run both variants from the initial state. Your current run is kept until the comparison ends",
            menu=Place("Method", 2, 2),
            bar=Place("method.compare", 1, 1),
            available=self._can_compare,
            reason=self._not_yet,
        )

    @property
    def on(self) -> bool:
        """True while two are side by side."""
        return len(self.scenarios) > 1

    @property
    def _system_view(self) -> SystemView:
        """The view of the first run's system."""
        return view_of(self.scenarios[0].system if self.scenarios else "")

    def _can_compare(self) -> bool:
        return not self.scenarios or bool(self._opposite())

    def _not_yet(self) -> str:
        return "" if self.scenarios else "There is no run yet"

    def _opposite(self) -> dict[str, Any]:
        """The variants worth comparing with the first scenario, if any."""
        return self._system_view.opposite(self.scenarios[0]) if self.scenarios else {}

    # requests of the user

    def toggle(self) -> None:
        """Compare the run with its counterpart from now on, or return to the single run."""
        if self.on:
            self._session.compare(None)
        elif self._opposite():
            self._session.compare(self._opposite())

    def compare_from_start(self) -> None:
        """Compare from the start; a running comparison is restarted."""
        if self.on:
            self._session.restart()
        elif self._opposite():
            self._session.compare(self._opposite(), from_start=True)

    # what changes in the session

    def _follow(self, scenarios: Sequence[Scenario]) -> None:
        """Tell panels and pictures which runs are side by side."""
        self._parameters.set_methods({method_of(scenario) for scenario in scenarios})
        view = view_of(scenarios[0].system if scenarios else "")
        named = zip(view.run_styles(scenarios), scenarios, strict=True)
        runs = with_distinct_names([replace(run, dimensions=scenario.dimensions) for run, scenario in named])
        if runs != self.runs:
            self.runs = runs
            self._plots.set_runs(runs)
        self.scenarios = tuple(scenarios)
        self._canvases.set_scenarios(self.scenarios)
        self.set_theme(self._theme.colors)
        self._commands.update()

    def set_theme(self, colors: Colors) -> None:
        """Follow the theme."""
        self._canvases.set_runs(self.runs, colors)
