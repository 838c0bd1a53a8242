"""What discs that jam look like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aggviewer.session.data import Status
from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.publish.shown import Shown
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.style import numbers
from aggviewer.systems.base import Reading, Readings, Side, SystemView
from engine.jamming.section import Jamming
from engine.scenario import Scenario, describe

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot
    from aggviewer.plots.runs import RunStyle
    from aggviewer.systems.desk import Desk
    from aggviewer.widgets.command import Command

RULES = "jamming.rules"
_RULES = {"trust-region": "trust region", "calippso": "CALiPPSO"}


class JammingView(SystemView):
    """Packings that a chain of linear programs makes."""

    heading = "Discs that jam"
    start_word = "Jamming"
    offers = frozenset({"forces", "packings"})

    def analysis(self, pool: PackingPool) -> SystemAnalysis:
        """See `SystemView.analysis`."""
        from aggviewer.systems.jamming.analysis import PackingAnalysis

        return PackingAnalysis(pool)

    def plots(self) -> tuple[type[Plot], ...]:
        """See `SystemView.plots`."""
        from aggviewer.systems.jamming.contacts import JamContactsPlot
        from aggviewer.systems.jamming.convergence import JamConvergencePlot
        from aggviewer.systems.jamming.power_laws import ForcesPlot, GapsPlot
        from aggviewer.systems.jamming.volume_fraction import JamFractionPlot

        return JamConvergencePlot, ForcesPlot, GapsPlot, JamContactsPlot, JamFractionPlot

    def layout(self) -> Layout:
        """See `SystemView.layout`."""
        from aggviewer.systems.jamming.parameters import LAYOUT

        return LAYOUT

    def commands(self, desk: Desk) -> Iterable[Command]:
        """See `SystemView.commands`: jam what is shown, further seeds, contacts into a file."""
        from aggviewer.systems.jamming.commands import jamming_commands

        return jamming_commands(desk)

    def readings(self, status: Status, shown: Shown | None) -> Readings:
        """See `SystemView.readings`: of the packing that is shown; contacts are known once they carry a force."""
        found, moment, fraction = None, status.time, "–"
        if shown is not None and shown.system.scenario.system == self.name:
            network, moment = shown.frame.network, shown.frame.time
            found = network if network is not None and len(network.pairs) else None
            radii = shown.system.radii * shown.frame.radius_factor
            fraction = f"{float(np.pi * np.square(radii).sum() / shown.system.box.prod()):.5f}"
        contacts = "–" if found is None else numbers.count(len(found.pairs))
        loose = "" if found is None else f"\n{numbers.count(int(found.rattlers.sum()))} rattlers"
        return Readings(
            moment,
            Reading(f"V<sub>f</sub> = {fraction}", f"Volume fraction of N = {numbers.count(status.count)} discs"),
            Reading(f"{contacts} contacts", f"Contacts that carry a force{loose}"),
        )

    def side(self, scenario: Scenario) -> Side:
        """See `SystemView.side`: the rules."""
        rules = describe(RULES)
        return Side(text=rules.choices[scenario.section(Jamming).rules], tip=rules.tooltip)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """See `SystemView.opposite`: the other rules."""
        return {RULES: next(rules for rules in _RULES if rules != scenario.section(Jamming).rules)}

    def runs(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """See `SystemView.runs`: their rules."""
        from aggviewer.plots.runs import RunStyle

        return [
            RunStyle(_RULES[scenario.section(Jamming).rules], "event-driven", variant)
            for variant, scenario in enumerate(scenarios)
        ]
