"""The view of discs that jam, and what it measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import ADVANCED, BOUNDARY, Layout
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session import Notice
from aggviewer.session.analyst import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from aggviewer.session.data import Analysis, Status
from aggviewer.session.notices import attempt, tell_saved
from aggviewer.style import numbers
from aggviewer.systems.base import Reading, RunningSystem, Side, SystemView, new_start
from aggviewer.systems.cell_plots import cell_plots
from aggviewer.systems.jamming.convergence import JamConvergencePlot
from aggviewer.systems.jamming.packing import (
    ForcesPlot,
    GapsPlot,
    JamContactsPlot,
    JamFractionPlot,
    JamStructureFactorPlot,
)
from aggviewer.systems.jamming.starting import Jam, TakeOut
from aggviewer.widgets.command import EXPORT, Command, Place
from aggviewer.widgets.part import Context
from engine.files import FileFrame, write_contacts
from engine.files.contacts import BONDS_ENDING
from engine.files.writing import cannot_write
from engine.frame import Frame, Network, StressPatch
from engine.jamming.section import Jamming
from engine.scenario import Scenario, describe
from engine.simulation import Simulation
from engine.words import body_names, count

_NOT_YET = ("empty", "compiling", "loading")
"""States of the session without discs."""

_LEAST = 2  # number of discs that cannot jam

_LIMITS = ("jamming.tolerance_inflation", "jamming.tolerance_displacement", "jamming.max_iterations")
SECTIONS = {"Jamming": ("jamming.start",), ADVANCED: ("jamming.rules", "jamming.solver", *_LIMITS)}
CONTROLS = {
    "jamming.tolerance_inflation": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.tolerance_displacement": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.max_iterations": Control(step=1, slider=(10, 1e4), log=True),
}
_SIMPLE = ("discs.count", "discs.radii", BOUNDARY)  # the fraction at the start hardly changes where they jam
LAYOUT = Layout(SECTIONS, CONTROLS, without=frozenset({"Motion"}), simple=_SIMPLE)  # they begin at rest
RULES = "jamming.rules"
_RULES = {"trust-region": "trust region", "calippso": "CALiPPSO"}


class JammingView(SystemView):
    """Packings made by a chain of linear programs."""

    start_word = "Jamming"
    offers = frozenset({"forces", "take_out"})

    def analysis(self) -> SystemAnalysis:
        """A new analysis of packings, one for each lane."""
        return PackingAnalysis()

    def plots(self) -> tuple[Plot, ...]:
        """The plots, the convergence first."""
        return (
            JamConvergencePlot(),
            ForcesPlot(),
            GapsPlot(),
            JamContactsPlot(),
            JamFractionPlot(),
            JamStructureFactorPlot(),
            *cell_plots(lambda analysis: analysis.data.arrangement),
        )

    def layout(self) -> Layout:
        """The parameters of this system."""
        return LAYOUT

    def commands(self, context: Context) -> Iterator[Command]:
        """Commands that jam the discs on screen, remove some of a packing, and export contacts."""
        return jamming_commands(context)

    def rate(self, status: Status) -> Reading:
        """Iterations per second."""
        text = f"{numbers.rate(status.speed_reached)} {numbers.pace_unit(self.clock)}"
        return Reading(text, "Iterations per second of wall time")

    def side(self, scenario: Scenario) -> Side:
        """The heading of a picture in a comparison: the rules."""
        rules = describe(RULES)
        return Side(text=rules.choices[scenario.section(Jamming).rules], tip=rules.tooltip)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """The keys that choose the other rules."""
        return {RULES: next(rules for rules in _RULES if rules != scenario.section(Jamming).rules)}

    def run_styles(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """Names and styles of the runs in plots: their rules."""
        return [
            RunStyle(_RULES[scenario.section(Jamming).rules], "event-driven", shade)
            for shade, scenario in enumerate(scenarios)
        ]


@dataclass(frozen=True, eq=False)
class JammingData:
    """Data for the plots of discs that jam, in addition to indicators and history. The indicators are those of the
    packing at that time, None if its contacts are not known.

    Parameters
    ----------
    scenario : with its present settings.
    ended : whether the chain of linear programs has ended.
    patches : the patches with extra self-stresses.
    arrangement : the indicators that do not need contacts, as attributes.
    """

    scenario: Scenario
    ended: bool = False
    patches: tuple[StressPatch, ...] = ()
    arrangement: Any = None


@dataclass(frozen=True)
class ObservedPacking:
    """scenario : with its present settings; ended : whether the chain has ended; network : of the frame (never
    modified), None before contacts carry forces."""

    scenario: Scenario
    ended: bool
    network: Network | None


class PackingAnalysis(SystemAnalysis):
    """Measures packings: contacts, forces, gaps and rattlers."""

    def observe(self, simulation: Simulation, frame: Frame, measured: MeasuredState) -> ObservedPacking:
        """Copy what the indicators need in addition to positions. On the simulation's thread."""
        return ObservedPacking(simulation.scenario, measured.ended, frame.network)

    def count(self, simulation: Simulation, measured: MeasuredState) -> JammingData:
        """The settings of the run, and whether it has ended. On the simulation's thread."""
        return JammingData(simulation.scenario, measured.ended)

    def measure(self, state: StateCopy) -> Analysis:
        """Measure the wanted indicators. On the analysis thread."""
        found, patches = None, ()
        discs, observed = state.discs, state.observed
        from engine import analysis as engine_analysis  # slow, and not needed before

        def sample() -> engine_analysis.Sample:
            return engine_analysis.Sample(state.positions, state.radii, discs.box, periodic=discs.periodic, joins=False)

        arrangement = StateIndicators(state.disc_set.scenario.system, sample)
        there = arrangement.measure(state.wanted_indicators)
        if observed.network is not None:
            patches = observed.network.patches
            found = engine_analysis.analyse_packing(
                engine_analysis.Held(state.positions, state.radii, discs.box, discs.periodic, observed.network)
            )
        data = JammingData(observed.scenario, observed.ended, patches, arrangement)
        return state.analysis(found, data, there, arrangement)


# commands


def jamming_commands(context: Context) -> Iterator[Command]:
    """Commands to jam the discs on screen, remove discs from a packing, and export contacts."""
    yield Command(
        "run.jam",
        "Jam this",
        partial(_jam_shown, context),
        ("J",),
        "Let the {discs} on screen grow and push each other aside until none can grow: a chain of linear programs",
        "mdi6.vector-polygon",
        menu=Place("Run", 3, 1),
        bar=Place("left", 2, 3),
        available=lambda: context[RunningSystem].offers("jam"),
        reason=lambda: _reason_against_jamming_shown(context),
    )
    yield Command(
        "run.take_out",
        "Remove from packing",
        partial(_take_out, context),
        ("Ctrl+Del",),
        "Remove the selected {discs} from the packing; the others grow again until they jam",
        "mdi6.circle-off-outline",
        menu=Place("Run", 3, 2),
        of_discs=True,
        available=lambda: context[RunningSystem].offers("take_out"),
        reason=lambda: _reason_against_taking_out(context),
    )
    yield Command(
        "file.contacts",
        "Contacts…",
        partial(_save_contacts, context),
        tooltip="The contacts of the packing with their forces, as a table (CSV)",
        menu=Place(EXPORT, 2, 3),
        words="export save forces table csv",
        title="Export contacts…",
        available=lambda: context[RunningSystem].offers("forces"),
    )


def reason_against_jamming(status: Status) -> str:
    """Why the discs on screen cannot be jammed, empty if they can."""
    if status.state in _NOT_YET or not status.lanes:
        return "There are no {discs} yet."
    if status.count <= _LEAST:
        return "Jamming needs at least three {discs}."
    return ""


def _reason_against_jamming_shown(context: Context) -> str:
    shown = context.shown()
    if shown is not None and (shown.frame.strain or shown.frame.shear_rate):
        return "{Discs} that flow, or have flowed, cannot be jammed: the images above the box are ahead of it."
    return reason_against_jamming(context.session.status())


def _jam_shown(context: Context) -> None:
    """Jam the discs on screen, whatever their system."""
    reason = _reason_against_jamming_shown(context)
    context.files.begin("jam")
    if reason:
        _refuse(context, "These {discs} cannot be jammed", reason, "jam")
    else:
        context.session.give(Jam(new_start(context.session.status())))


def _reason_against_taking_out(context: Context) -> str:
    """Why no disc can be removed from the packing, empty if some can."""
    shown, selected = context.shown(), context.session.marking.value.selected
    network = None if shown is None else shown.frame.network
    if network is None or not len(network.pairs):
        return "The contacts are not known yet; run it first."
    if not selected:
        return "No {disc} is selected; click one"
    left = selected.count - len(selected)
    return "" if left > _LEAST else "Jamming needs at least three {discs}."


def _take_out(context: Context) -> None:
    """Restart the run without the discs that are selected."""
    reason = _reason_against_taking_out(context)
    context.files.begin("take out")
    if reason:
        _refuse(context, "No {disc} can be removed", reason, "take out")
    else:
        context.session.give(TakeOut(new_start(context.session.status()), context.session.marking.value.selected))


def _refuse(context: Context, title: str, reason: str, about: str) -> None:
    fill = body_names(context.commands.dimensions).fill
    context.notify(Notice("warning", fill(title), fill(reason), about=about))


def _save_contacts(context: Context) -> None:
    """Save the contacts of the packing on screen, as a table or as bonds."""
    shown = context.shown()
    network = None if shown is None else shown.frame.network
    context.files.begin("state")
    if shown is None or network is None or not len(network.pairs):
        context.notify(Notice("warning", "No contacts yet", "Run until contacts carry forces.", about="state"))
        return
    packing = FileFrame.of(shown.frame, shown.discs).copy()  # a copy: the buffers change while the user chooses a file
    pairs, walls = len(network.pairs), int(np.count_nonzero(network.pairs[:, 1] < 0))
    path = context.files.to_save(
        "state", "contacts.csv", "Save the contacts", "Table (*.csv);;Bonds, for OVITO (*.local)"
    )
    if path is None:
        return

    def write() -> None:
        try:
            write_contacts(path, packing)
        except OSError as error:
            raise cannot_write(path, error) from None

    if attempt(write, context.notify, "state"):
        without = walls if path.suffix.lower() == BONDS_ENDING else 0  # a bond joins two discs
        more = f". {count(without)} contacts with walls are left out; a table (CSV) includes them." if without else ""
        tell_saved(f"{count(pairs - without)} contacts saved", path, context.notify, "state", more)
