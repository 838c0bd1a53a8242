"""The view of discs that bounce."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import ADVANCED, BOUNDARY, SHEAR, SHEAR_RATE, Inert, Layout, Value
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.analyst import SystemAnalysis
from aggviewer.session.data import LaneStatus
from aggviewer.systems.base import Side, SystemView
from aggviewer.systems.cell_plots import cell_plots
from aggviewer.systems.hard_discs.analysis import GasAnalysis
from aggviewer.systems.hard_discs.collisions import PressurePlot, SeparationsPlot
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot
from aggviewer.systems.hard_discs.flow import FLOWS, FlowTemperaturePlot, VelocityProfilePlot, ViscosityPlot
from aggviewer.systems.hard_discs.motion import (
    AutocorrelationPlot,
    FluctuationsPlot,
    MeanSquareDisplacementPlot,
    PairCorrelationPlot,
    SpeedsPlot,
)
from aggviewer.systems.state_plots import (
    HeightProfilePlot,
    RadialProfilePlot,
    StructureFactorPlot,
    VelocityCorrelationPlot,
)
from engine.hard_discs.section import HardDiscs
from engine.scenario import Scenario
from engine.words import count

WALL_RESTITUTION = "hard_discs.wall_restitution"
PLATES = "hard_discs.plates"
GRAVITY = "hard_discs.gravity"
GROWTH = "hard_discs.growth_rate"
GROWTH_ENDS = ("hard_discs.growth_to_fraction", "hard_discs.growth_to_pressure")
SECTIONS = {
    "Preparation": ("hard_discs.equilibration",),
    "Collisions": (
        "hard_discs.restitution",
        WALL_RESTITUTION,
        PLATES,
    ),
    "Gravity": (GRAVITY,),
    "Growth": (GROWTH, *GROWTH_ENDS),
    ADVANCED: ("hard_discs.contact_time", "hard_discs.on_collapse", "hard_discs.count_impacts"),
}
CONTROLS = {
    "hard_discs.restitution": Control(step=0.01, slider=(0.0, 1.0)),
    "hard_discs.equilibration": Control(step=1.0, slider=(0.0, 100.0)),
    WALL_RESTITUTION: Control(step=0.01, slider=(0.0, 1.0)),
    "hard_discs.contact_time": Control(step=1e-4),
    GRAVITY: Control(step=0.05),
    GROWTH: Control(step=0.001, slider=(0.0, 0.1)),
    GROWTH_ENDS[0]: Control(step=0.01, slider=(0.1, 0.9)),
}
RESTITUTION = "hard_discs.restitution"
_INELASTIC = 0.9  # the restitution to compare elastic discs with


def inert(value: Value, methods: Collection[str]) -> Inert:
    """The parameters without effect: see `Layout.inert`."""
    reasons: dict[str, str] = {}
    notes = {}
    boundary = value(BOUNDARY)
    if boundary != "periodic":
        reasons[SHEAR_RATE] = "Needs a box that is periodic along every axis."
        notes[SHEAR] = reasons[SHEAR_RATE]
    if boundary == "periodic":
        reasons[WALL_RESTITUTION] = reasons[GRAVITY] = "A periodic box has no walls."
        notes["Collisions"] = "At walls: a periodic box has none."
        notes["Gravity"] = "Needs a floor to fall on; this box is periodic."
    elif not isinstance(boundary, str):
        notes["Gravity"] = "Only along an axis with walls: a floor to fall on."
    if value(GROWTH) == 0.0:
        reasons |= dict.fromkeys(GROWTH_ENDS, "Used only while discs grow.")
        notes["Growth"] = "Grow to: used only while discs grow."
    return Inert(reasons, notes)


LAYOUT = Layout(
    SECTIONS, CONTROLS, inert=inert, simple=("discs.count", "discs.volume_fraction", RESTITUTION), in_plane=(PLATES,)
)


class HardDiscsView(SystemView):
    """The view of a gas of hard discs."""

    events = "Collisions between discs and with walls"

    def analysis(self) -> SystemAnalysis:
        """A new analysis of gases, one for each lane."""
        return GasAnalysis()

    def plots(self) -> tuple[Plot, ...]:
        """The plots, the energy first."""
        return (
            EnergyDecayPlot(),
            SpeedsPlot(),
            PressurePlot(),
            PairCorrelationPlot(),
            FluctuationsPlot(),
            MeanSquareDisplacementPlot(),
            SeparationsPlot(),
            StructureFactorPlot(),
            AutocorrelationPlot(),
            VelocityCorrelationPlot(),
            HeightProfilePlot(),
            RadialProfilePlot(),
            ViscosityPlot(),
            VelocityProfilePlot(),
            FlowTemperaturePlot(),
            *cell_plots(),
        )

    def layout(self) -> Layout:
        """The parameters of this system."""
        return LAYOUT

    def progress(self, status: LaneStatus) -> str:
        """The progress of one side of a comparison."""
        return f"{count(status.events.get('collision', 0))} collisions"

    def side(self, scenario: Scenario) -> Side:
        """The heading of a picture in a comparison: the restitution."""
        return Side(key=RESTITUTION)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """The keys for inelastic collisions, or for elastic ones."""
        return {RESTITUTION: 1.0 if scenario.section(HardDiscs).restitution < 1.0 else _INELASTIC}

    def run_styles(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """Names and styles of the runs in plots: their restitutions."""
        return [
            RunStyle(
                f"ε = {scenario.section(HardDiscs).restitution:g}",
                "event-driven",
                shade,
                traits=frozenset({FLOWS} if scenario.shear.rate else ()),
            )
            for shade, scenario in enumerate(scenarios)
        ]
