"""The plots panel: stacked live plots of one or two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from aggviewer.document.window import PlotsModel
from aggviewer.plots.body import PlotExtra
from aggviewer.plots.card import PlotCard
from aggviewer.plots.column import PlotColumn
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot, same_plots
from aggviewer.plots.point_question import PointQuestion
from aggviewer.plots.run_drawings import ReferenceList, RunLegend
from aggviewer.plots.runs import FULL, Curves, References, RunStyle, keep_curves, looks, matching_runs, references_of
from aggviewer.session.data import Analysis
from aggviewer.style import numbers
from aggviewer.style.theme import LIGHT, Colors, colors_on
from engine.errors import InputError
from engine.scenario import Scenario
from engine.system import find

_ONE_RUN = (RunStyle("ED", "event-driven"),)
_NONE = "No plot here yet"
_APART = 10  # milliseconds between making two plots
_NOTHING = "No plot has data to keep"


class PlotsPanel(QWidget):
    """The plots of the running system, for one or two runs.

    Parameters
    ----------
    plots_of : returns the plots of a system, given its name, in the order of their keys. The panel knows no system.
    title_of : returns a short title of a scenario, for the names of references.
    model : the user's settings; None for a new model.
    one_by_one : whether visible plots are made one by one, with time for the rest of the window in between.
    """

    place_asked = pyqtSignal(float, float)
    """The user wants to see a place, in the coordinates of the discs."""

    layer_asked = pyqtSignal(object, object, bool)
    """See `PlotCard`."""
    save_asked = pyqtSignal(object)
    """The user wants to export this `PlotCard`."""
    copy_asked = pyqtSignal(object)
    """The user wants to copy the data of this `PlotCard`."""
    problem = pyqtSignal(str)
    """Why a reference cannot be kept."""
    choice_changed = pyqtSignal()
    """The choice of plots has changed: see `choice`."""
    enlarged_changed = pyqtSignal()
    """Another plot is enlarged, or none any longer: see `enlarged`."""
    plot_made = pyqtSignal()
    """A plot of which only the head existed has been made."""
    wanted_changed = pyqtSignal(object)
    """The wanted indicators have changed: see `wanted_indicators`."""
    averages_changed = pyqtSignal(object)
    """Other indicators are to be averaged over the run: the set of their names."""
    again_asked = pyqtSignal(object)
    """The averages of these indicators are to begin again."""

    def __init__(
        self,
        plots_of: Callable[[str], Sequence[Plot]],
        title_of: Callable[[Scenario], str] = lambda scenario: scenario.system,
        parent: QWidget | None = None,
        *,
        model: PlotsModel | None = None,
        one_by_one: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("plots")
        self._one_by_one = one_by_one
        self.legend = RunLegend()
        self.reference_list = ReferenceList()
        self.reference_list.remove_asked.connect(self.remove_reference)
        self._declared = plots_of
        self.title_of = title_of
        self.model = model or PlotsModel()
        self.extras: list[PlotExtra] = []
        """What other parts of the window add to the plots, before the first ones are made."""
        self._references = References()  # of the present system
        self._latest: dict[int, Analysis] = {}  # of each run
        self._measured: dict[int, Analysis] = {}  # the latest that is not of counts alone
        self._cards: dict[str, tuple[PlotCard, ...]] = {}  # for each system that has run, made when it first runs
        self._system = ""
        self._runs: tuple[RunStyle, ...] = ()
        self._most: int | None = None
        self._everything = True
        self.seen: tuple[int, ...] = ()
        """The numbers of the visible plots."""
        self._was_enlarged: int | None = None  # the last value that `enlarged_changed` told
        self._wants_all = 0  # active `all_measured` contexts
        self._last_wanted: frozenset[str] | None = None  # the last value sent by `wanted_changed`
        self._closed = False
        self._looking = QTimer(self)  # several plots appear or disappear at once
        self._looking.setSingleShot(True)
        self._looking.timeout.connect(self._ask)
        self._making = QTimer(self)  # one plot at a time
        self._making.setSingleShot(True)
        self._making.timeout.connect(self._make_next)
        self._theme = LIGHT
        self._question: PointQuestion | None = None

        self._nothing = QLabel(_NONE)
        self._nothing.setProperty("quiet", True)
        self._nothing.setWordWrap(True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        self.column = PlotColumn()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.legend)
        outer.addWidget(self.reference_list)
        outer.addWidget(self._nothing, 1)
        outer.addWidget(self.column, 1)
        self.setMinimumWidth(236)
        events = self.model.events
        self._bound = (
            (events.chosen, self._arrange),
            (events.enlarged, self._arrange),
            (events.looks, self._show_looks),
            (events.ranges, self._show_fits),
            (events.averaged, self._show_averages),
            (events.references, self._show_references),
        )
        for signal, follow in self._bound:
            signal.connect(follow)
        self.set_runs(_ONE_RUN)
        self.set_theme(colors_on(self.palette().window().color().lightnessF() < 0.5))

    # the system

    @property
    def cards(self) -> tuple[PlotCard, ...]:
        """The plots of the present system, by number."""
        return self._cards.get(self._system, ())

    @property
    def system(self) -> str:
        """The name of the system whose plots are shown, initially empty."""
        return self._system

    def set_system(self, system: str, dimensions: int | None = None) -> None:
        """Show the plots of this system; those of another one lose their data. If its plots have changed because the
        discs have become spheres, they are made again. dimensions : of the box; None for that of the present runs."""
        if dimensions not in (None, self._runs[0].dimensions):
            self.set_runs([replace(run, dimensions=dimensions) for run in self._runs])
        for other in list(self._cards):
            if not same_plots([card.plot for card in self._cards[other]], self._plots_of(other)):
                self.clear_point()
                self.column.take_away(self._cards.pop(other))
        if system == self._system and system in self._cards:
            return
        again = system == self._system
        if not again:
            self.clear()
        self._make_heads(system)
        self._system = system
        self._show_averages()
        self._show_references()
        self._arrange()
        for run in range(len(self._runs)) if again else ():
            kept = [each[run] for each in (self._measured, self._latest) if run in each]
            for analysis in kept:  # a later state of counts is for other plots than the one that was measured
                self.refresh(analysis, run)

    def _plots_of(self, system: str) -> list[Plot]:
        """The plots of a system, in the words of the present runs."""
        return [plot.about(self._runs[0].dimensions) for plot in self._declared(system)]

    def _make_heads(self, system: str) -> None:
        """Make the heads of a system's plots if they do not exist yet, and set the present runs."""
        if system not in self._cards:
            made = [self._head(system, number, plot) for number, plot in enumerate(self._plots_of(system), start=1)]
            self._cards[system] = cards = tuple(made)
            for card in cards:
                for other in cards:
                    card.choice_made.connect(other.take_choice)
        for card in self._cards[system] if system != self._system else ():
            if card.runs != self._runs:
                card.set_runs(self._runs, [None] * len(self._runs))

    def _head(self, system: str, number: int, plot: Plot) -> PlotCard:
        """A hidden plot of a system, with the present runs and theme."""
        card = PlotCard(plot, number, self.extras, later=self._one_by_one)
        self.column.add(card)
        card.enlarge_asked.connect(lambda: self.focus_plot(number))
        card.place_asked.connect(self.place_asked)
        card.layer_asked.connect(self.layer_asked)
        card.keep_asked.connect(lambda: self.keep_as_reference(card))
        card.fit_chosen.connect(lambda: self.model.keep_range(_key(system, card), card.fits.chosen))
        card.choose_fit(self.model.ranges.get(_key(system, card)))
        card.look_chosen.connect(lambda: self.model.keep_look(_key(system, card), card.body.look()))
        card.save_asked.connect(lambda: self.save_asked.emit(card))
        card.copy_asked.connect(lambda: self.copy_asked.emit(card))
        card.take_look(self.model.plain_look(_key(system, card)))
        card.average_chosen.connect(lambda on: self.model.keep_averaged(_key(system, card), on))
        card.again_asked.connect(lambda: self.again_asked.emit(card.plot.averaged))
        card.show_averages(_key(system, card) in self.model.averaged)
        card.seen_changed.connect(self._ask_soon)
        # later, because what arrives in it may have to be drawn first
        card.body_made.connect(self.plot_made, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]
        card.set_runs(self._runs, [None] * len(self._runs))
        card.set_theme(self._theme)
        return card

    @property
    def _by_key(self) -> list[tuple[str, PlotCard]]:
        """All plots, also of other systems, with the names of their settings."""
        return [(_key(system, card), card) for system, cards in self._cards.items() for card in cards]

    @property
    def _every(self) -> list[PlotCard]:
        return [card for _, card in self._by_key]

    # data

    @property
    def runs(self) -> tuple[RunStyle, ...]:
        """The runs in the plots."""
        return self._runs

    def set_runs(self, runs: Sequence[RunStyle]) -> None:
        """Set one or two runs; initially there is one event-driven run. Runs that were there before keep their data,
        and so does a run that continues with another method if the number of runs is the same; other data are
        removed."""
        if not 1 <= len(runs) <= 2:
            raise ValueError(f"the plots show one run or two, not {len(runs)}")
        if tuple(runs) == self._runs:
            return
        sources = matching_runs(self._runs, runs)
        before, self._runs = self._runs, tuple(runs)
        if before and before[0].dimensions != runs[0].dimensions:
            self.set_system(self._system)
        for card in self.cards:
            card.set_runs(runs, sources)
        self.legend.set_runs(runs, looks(runs, self._theme))
        self._arrange()

    def begin(self, run: int = 0) -> None:
        """Clear a run, because its next data belong to other discs. For `Refresher.discs_shown`."""
        self._latest.pop(run, None)
        self._measured.pop(run, None)
        for card in self.cards:
            card.begin(run)

    def refresh(self, analysis: Analysis, run: int = 0) -> None:
        """Draw a measured state of the present system. A plot that fails shows a message; the others continue.

        Called at most 4 times a second; hidden and folded plots are drawn when they are shown.
        """
        if analysis.part != "measured":  # it is the latest
            self._latest[run] = analysis
        if analysis.part != "counts":
            self._measured[run] = analysis
        cards = [card for card in self.cards if card.plot.takes(analysis) and card.offer(analysis, run)]
        data = [card.prepared(analysis, run) for card in cards]
        for card, one in zip(cards, data, strict=True):
            card.set_data(one, run)

    def show_time(self, time: float, run: int = 0) -> None:
        """The picture of a run shows this time."""
        for card in self.cards:
            card.show_time(time, run)

    @property
    def wanted_indicators(self) -> frozenset[str] | None:
        """The names of the indicators that visible plots need, None for all."""
        seen = [card.plot.indicators for card in self.cards if card.seen]
        if self._wants_all or None in seen:
            return None
        return frozenset().union(*(names for names in seen if names is not None))

    @contextmanager
    def all_measured(self) -> Iterator[None]:
        """Within the block all indicators are measured, because folded plots are drawn too."""
        self._wants_all += 1
        self._ask()
        try:
            yield
        finally:
            self._wants_all -= 1
            self._ask()

    def _ask_soon(self) -> None:
        if not self._closed:
            self._looking.start(0)
            self._making.start(_APART)  # existing widgets are painted first

    def _make_next(self) -> None:
        """Make the next visible plot of which only the head exists; the others follow after other events of the window,
        since making all takes a tenth of a second."""
        waiting = [card for card in self.cards if card.seen and not card.has_body]
        if waiting:
            waiting[0].make()
            self._making.start(_APART)

    def _ask(self) -> None:
        if self.wanted_indicators != self._last_wanted:
            self._last_wanted = self.wanted_indicators
            self.wanted_changed.emit(self._last_wanted)

    def clear(self) -> None:
        """Remove all data."""
        self._latest.clear()
        self._measured.clear()
        for card in self.cards:
            for run in range(len(self._runs)):
                card.forget(run)

    # references

    @property
    def references(self) -> References:
        """The references of the present system."""
        return self._references

    def keep_as_reference(self, *cards: PlotCard) -> None:
        """Keep the present curves of these plots (by default all) as references."""
        kept, references = False, references_of(self.model, self._system)
        for run, style in enumerate(self._runs):
            analysis = self._latest.get(run)
            if analysis is None:
                continue
            name = self._name_of(analysis, style)
            for card in cards or self.cards:
                curves = card.kept_curves(run)
                if not curves:
                    continue
                if references.keep(name, card.plot.kept_as, curves) is None:
                    self.problem.emit(FULL)
                    break
                kept = True
        if kept:
            self.model.keep_references(self._system, references.to_plain)
        elif not any(card.kept_curves(run) for card in cards or self.cards for run in range(len(self._runs))):
            self.problem.emit(_NOTHING)

    def latest(self, run: int) -> Analysis | None:
        """The latest measured state of a run, by its number; None before the first."""
        return self._latest.get(run)

    def keep_study(self, system: str, name: str, curves: Mapping[str, Curves]) -> str:
        """Keep the curves of a study as a reference.

        Parameters
        ----------
        system : the name of the system of the runs.
        name : of the reference.
        curves : by plot (`Plot.kept_as`).

        Returns
        -------
        A sentence that says where they are shown. InputError if there are too many references.
        """
        keep_curves(self.model, system, name, curves)
        if system != self._system:
            named, now = find(system), find(self._system)
            title = system if named is None else named.title
            here = (
                "no run is open" if now is None else f"{now.title} runs now, and none of its plots shows these curves"
            )
            return f"Kept for the plots of {title}; {here}"
        titles = [card.title for card in self.cards if card.plot.kept_as in curves]
        return f"Kept in the plots: {', '.join(titles)}"

    def remove_reference(self, name: str) -> None:
        """Remove a reference from all plots."""
        references = references_of(self.model, self._system)
        references.remove(name)
        self.model.keep_references(self._system, references.to_plain)

    def choose_fits(self, ranges: Mapping[str, Range]) -> None:
        """Fit power laws over these ranges, by `Plot.key` of the present system."""
        chosen = {_key(self._system, card): ranges[card.key()] for card in self.cards if card.key() in ranges}
        self.model.ranges = {**self.model.ranges, **chosen}

    def _show_looks(self) -> None:
        """Apply the scales and ranges of the document."""
        for key, card in self._by_key:
            look = self.model.plain_look(key)
            if not card.has_body or card.body.look() != look:
                card.take_look(look)

    @property
    def averaged_indicators(self) -> frozenset[str]:
        """The names of the indicators that plots show as averages, also while these plots are folded."""
        return frozenset().union(*(card.plot.averaged for card in self.cards if card.averaging))

    def _show_averages(self) -> None:
        """Show averages in the plots of the document."""
        for key, card in self._by_key:
            card.show_averages(key in self.model.averaged)
        self.averages_changed.emit(self.averaged_indicators)

    def _show_fits(self) -> None:
        """Apply the fit ranges of the document."""
        for key, card in self._by_key:
            chosen = self.model.ranges.get(key)
            if not card.has_body or card.fits.chosen != chosen:
                card.choose_fit(chosen)

    def _show_references(self) -> None:
        """Show the references of the present system in its plots and in the list."""
        self._references = references_of(self.model, self._system)
        for card in self.cards:
            card.show_references(self.references.of(card.plot.kept_as))
        self.reference_list.show_references(list(self.references), self._theme)

    def _name_of(self, analysis: Analysis, style: RunStyle) -> str:
        """The name of a reference: scenario, seed, method and time of a run."""
        scenario, system = analysis.disc_set.scenario, find(self._system)
        moment = numbers.moment(analysis.time, numbers.TIME if system is None else system.clock)
        return f"{self.title_of(scenario)}, seed {scenario.seed}, {style.name}, {moment}"

    # choosing plots

    @property
    def chosen(self) -> tuple[int, ...]:
        """The numbers of the chosen plots; empty if all are shown. Those that the present system lacks stay chosen for
        the systems that have them."""
        return tuple(number for number in self.model.chosen or () if number <= len(self.cards))

    def show_only(self, number: int | None) -> None:
        """Show only one plot; None for all plots."""
        self.show_these([] if number is None else [number])

    def show_these(self, numbers: Sequence[int]) -> None:
        """Show some plots, by number; without numbers, all plots."""
        for number in numbers:
            if not 1 <= number <= len(self.cards):
                raise ValueError(f"there is no plot {number}")
        self.model.chosen = tuple(dict.fromkeys(numbers))

    @property
    def choice(self) -> tuple[int, ...] | None:
        """The numbers of the chosen plots, empty for all; None if no plot is shown. An enlarged plot is the only one,
        whatever was chosen."""
        if self.enlarged is not None:
            return (self.enlarged,)
        return None if self.model.chosen is None else self.chosen

    def choose(self, choice: Sequence[int] | None) -> None:
        """Apply a `choice`, possibly before its system has been set. None: no plot is shown until the user asks for
        one, because it would answer an open question."""
        self.model.enlarged = None
        self.model.chosen = None if choice is None else tuple(choice)

    @property
    def enlarged(self) -> int | None:
        """The number of the plot that is shown alone and large; None if none is, as in presenter mode."""
        number = self.model.enlarged
        return number if self._most is None and number is not None and number <= len(self.cards) else None

    def enlarge(self, number: int | None) -> None:
        """Show a plot alone and large, whatever is chosen; None returns to what is chosen."""
        if number is not None and not 1 <= number <= len(self.cards):
            raise ValueError(f"there is no plot {number}")
        self.model.enlarged = number

    @property
    def offered(self) -> list[PlotCard]:
        """The plots that have a meaning for the runs on the screen."""
        return [card for card in self.cards if card.plot.has_place(self._runs)]

    def _arrange(self) -> None:
        """Show the chosen plots, or, if none is chosen, those that the window offers at first."""
        large = self.enlarged
        chosen = [self.cards[number - 1] for number in ((large,) if large else self.chosen)]
        offered = self.offered
        if not self._everything:
            offered = ([card for card in offered if card.plot.simple] or offered)[:1]
        nothing = self.choice is None
        seen = [] if nothing else (chosen or offered)[: self._most]
        before = self.seen, self.column.isHidden()
        for card in self.cards:
            card.set_enlarged(card.number == large)
            if seen == [card] and (len(chosen) == 1 or self._most is not None):
                card.head.fold.setChecked(True)
        self.column.show_cards(seen, self._every, filled=self._everything or bool(chosen))
        self.seen = tuple(card.number for card in seen)
        self._nothing.setVisible(nothing)
        self.column.setVisible(not nothing)
        if large != self._was_enlarged:
            self._was_enlarged = large
            self.enlarged_changed.emit()
        if before != (self.seen, self.column.isHidden()):
            self.choice_changed.emit()

    def show_everything(self, everything: bool) -> None:
        """Show all plots if none are chosen, or only the one for beginners (`Plot.simple`)."""
        self._everything = everything
        self._arrange()

    @property
    def most(self) -> int | None:
        """The most plots shown at once, None for no limit; those chosen first stay."""
        return self._most

    @most.setter
    def most(self, most: int | None) -> None:
        self._most = most
        self._arrange()

    def keep_place(self) -> Callable[[], None]:
        """Record which plots are folded, and how far the panel is scrolled. Returns a function that restores both; the
        panel is scrolled as soon as the same plots need as much room again."""
        folds = {key: card.head.fold.isChecked() for key, card in self._by_key}
        shown = self._system
        scroll_back = self.column.keep_place(lambda: self._system == shown)

        def bring_back() -> None:
            for key, card in self._by_key:
                card.head.fold.setChecked(folds.get(key, card.head.fold.isChecked()))
            scroll_back()

        return bring_back

    def ask_point(
        self,
        name: str,
        x: float,
        take: Callable[[float], None],
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        """Ask for a y at `x` in the plot with this `Plot.key`: `take` is called with it at each click there. The plot
        shows `low` and `high`, the limits of y.

        Raises
        ------
        InputError
            The present system has no such plot.
        """
        self.clear_point()
        card = next((card for card in self.cards if card.key() == name), None)
        if card is None:
            raise InputError(f"there is no plot {name}; there are {', '.join(card.key() for card in self.cards)}")
        self._question = PointQuestion(card, x, take, low, high)

    def show_point(self, y: float) -> None:
        """Mark the y that the user has entered elsewhere as the answer to the question."""
        if self._question is not None:
            self._question.show(y)

    def end_point(self) -> None:
        """Stop taking clicks; the mark stays until the next question."""
        if self._question is not None:
            self._question.end()

    def clear_point(self) -> None:
        """Remove the mark."""
        if self._question is not None:
            self._question.clear()
            self._question = None

    def focus_plot(self, number: int) -> None:
        """Enlarge this plot and focus it; the same number again returns to the plots that were shown. If only a few can
        be shown at once, add it to the one chosen last; the same number again removes it."""
        if self._most is None:
            self.enlarge(None if self.enlarged == number else number)
        else:
            others = [other for other in self.seen if other != number]
            taken_away = number in self.seen and bool(others)
            self.show_these(others if taken_away else [*others, number][-self._most :])
        card = self.cards[number - 1]
        card.view.setFocus()
        self.column.ensureWidgetVisible(card)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Request nothing more while the other parts of the window close."""
        self._closed = True
        for signal, follow in self._bound:
            signal.disconnect(follow)
        self._looking.stop()
        self._making.stop()
        super().closeEvent(event)

    def set_theme(self, colors: Colors) -> None:
        """Apply the theme."""
        self._theme = colors
        self.legend.set_runs(self._runs, looks(self._runs, self._theme))
        self.reference_list.show_references(list(self.references), self._theme)
        for card in self._every:
            card.set_theme(colors)


def _key(system: str, card: PlotCard) -> str:
    """The name under which settings of a plot are stored."""
    return f"{system}/{card.plot.kept_as}"
