"""Figures 3 and 5 of Bannerman et al. (2014) from runs of our own, for docs/hard-discs.md.

    python -m benchmarks.hard_discs_figures [--events K] [--write]

Where discs lose energy, every run begins with a new elastic gas and ends after `LONGEST` collisions a disc or with its
collapse; as many runs are added up as it takes. Some ten minutes with the defaults.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import new_figure, save
from benchmarks.hard_discs import gas, run
from benchmarks.pages import put

COUNT = 13_500
SHOWN = 200  # units in the last place to both sides
LONGEST = 100  # collisions a disc in a run that cools
IMPACTS_AT = ((0.1, 1.0), (0.5, 1.0), (0.5, 0.8), (0.5, 0.5))
FRACTIONS = (0.1, 0.3, 0.5, 0.65)
RESTITUTIONS = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)


@dataclass
class Counted:
    """What has been counted over some runs: collisions, three-body and stabilising events, impact separations."""

    collisions: int
    three_body: int
    stabilising: int
    edges: NDArray[np.float64]
    impacts: NDArray[np.int64]


def count(fill: float, restitution: float, events: int) -> Counted:
    """Over at least `events` collisions of equal discs in a periodic box."""
    total = Counted(0, 0, 0, np.empty(0), np.zeros(0, np.int64))
    seed = 0
    while total.collisions < events:
        seed += 1
        simulation = gas(COUNT, fill, seed=seed)
        run(simulation, 20 * COUNT)
        simulation.set("hard_discs.restitution", restitution)
        simulation.reset_measures()
        simulation.count_impacts = True
        left = events - total.collisions
        run(simulation, left if restitution == 1.0 else min(left, LONGEST * COUNT // 2))
        found = simulation.measures()
        edges, impacts = simulation.impact_histogram()
        total.collisions += found.pair_collisions
        total.three_body += found.three_body_events
        total.stabilising += found.stabilising_events
        total.impacts = impacts if not len(total.impacts) else total.impacts + impacts
        total.edges = edges
    return total


def impact_separations(events: int) -> list[str]:
    """Figure 3: how far apart discs are at their collisions."""
    figure, (axes,) = new_figure()
    lines = ["| φ | ε | collisions | overlapping | median of the distance | beyond 200 |", "|---|---|---|---|---|---|"]
    for fill, restitution in IMPACTS_AT:
        found = count(fill, restitution, events)
        middle = 0.5 * (found.edges[1:] + found.edges[:-1])
        share = found.impacts / found.impacts.sum()
        near = np.abs(middle) <= SHOWN
        axes.step(middle[near], share[near], where="mid", label=f"φ = {fill:g}, ε = {restitution:g}")
        order = np.argsort(np.abs(middle), kind="stable")
        median = np.abs(middle)[order][np.searchsorted(np.cumsum(share[order]), 0.5)]
        overlapping, beyond = share[middle < 0].sum(), share[~near].sum()
        what = f"{fill:g} | {restitution:g} | {found.collisions:.0e}"
        lines.append(f"| {what} | {overlapping:.1%} | {median:.0f} ulp | {beyond:.2g} |")
    axes.set(yscale="log", xlabel="|r_ij| − σ at an impact, in units in the last place of σ", ylabel="share of impacts")
    axes.axvline(0.0, color="#59636e", linewidth=0.8)
    axes.legend(fontsize=9)
    save(figure, "impact-separations")
    return lines


def three_body(events: int) -> list[str]:
    """Figure 5: how often a disc overlaps two others at an impact."""
    figure, (axes,) = new_figure()
    lines = [
        f"| ε | {' | '.join(f'φ = {fill:g}' for fill in FRACTIONS)} |",
        "|---" * (len(FRACTIONS) + 1) + "|",
    ]
    rates = np.full((len(RESTITUTIONS), len(FRACTIONS)), np.nan)
    for row, restitution in enumerate(RESTITUTIONS):
        words = []
        for column, fill in enumerate(FRACTIONS):
            found = count(fill, restitution, events)
            rate = found.three_body / found.collisions
            rates[row, column] = rate if rate > 0.0 else np.nan
            words.append(f"{rate:.1e}" if rate > 0.0 else f"< {1 / found.collisions:.0e}")
        lines.append(f"| {restitution:g} | {' | '.join(words)} |")
    for column, fill in enumerate(FRACTIONS):
        axes.plot(RESTITUTIONS, rates[:, column], "o-", label=f"φ = {fill:g}")
    axes.set(yscale="log", xlabel="restitution ε", ylabel="three-body events a collision")
    axes.legend(fontsize=9)
    save(figure, "three-body-events")
    return lines


def main() -> None:
    """Make the figures and their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000_000, help="collisions of each curve or point")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name, make in (("impacts", impact_separations), ("three-body", three_body)):
        text = "\n".join(make(given.events))
        if given.write:
            put("hard-discs.md", name, text)
        else:
            print(text)


if __name__ == "__main__":
    main()
