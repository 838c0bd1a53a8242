"""Karush–Kuhn–Tucker conditions at the end of every minimisation of whole runs, with the scheme's own multipliers.

A group stops at one of two places (docs of `engine.aggregation.time_stepping.arrow_hurwicz`). Either all links
are at contact, |φ| <= ε, and forces are balanced to F = 10 ε
radii; or links end stretched, and |min(λ, -φ)| <= ε with forces balanced to ε.
The forces there are those of the damped system, ∂L/∂X plus (γ/α) Σ λ φ ∂φ/∂X, whose second term is of the order of ε:
the gradient of L is allowed so much more. Lengths are in radii, φ in squares of the mean radius of a link.
"""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrow_hurwicz import LAMBDA_MAX, STRIDE_RADII
from engine.records import along, columns
from engine.slices import AT_CLUSTERS, NOTHING_MOVES, OUT_OF_WORK
from tests.builders.states import CLUSTERS, FRACTION, stepping

TOLERANCE = 1e-3
FORCES = 10 * TOLERANCE


def started(clusters, fraction, seed, boundary, dimensions):
    values = {"seed": seed, "discs.count": 225, "discs.volume_fraction": 0.25, "box.boundary": boundary}
    values |= {"dimensions": dimensions}
    return engine.create(stepping(**values, **{CLUSTERS: clusters, FRACTION: fraction}))


def ends_of_groups(simulation):
    """Go on iteration by iteration; yields the arrays at the end of each group, and whether it has converged."""
    failed = 0
    while True:
        status = simulation._continue_step(1)
        st = simulation._st
        if status in (AT_CLUSTERS, NOTHING_MOVES):
            return
        if status == OUT_OF_WORK and st.sim["group_state"][0] in (ts.ENDED, ts.UNDONE_GROUP):
            yield st, st.sim["not_converged"][0] == failed
            failed = int(st.sim["not_converged"][0])


def check(st):
    """The conditions of one group; returns whether links of it are stretched, and its largest force."""
    group = st.group[0]
    bodies, links = st.bodies[: group["bodies"]], st.group_links[: group["links"]]
    count = len(bodies)
    a, b = links["a"], links["b"]
    dimensions = st.pos.shape[1]
    moved = columns(bodies, *along("d", dimensions))
    d = columns(links, *along("", dimensions)) + moved[a] - moved[b]
    phi = 4 * (1 - (d**2).sum(axis=1) / links["sigma2"])
    multiplier = links["multiplier"]
    assert (multiplier >= 0).all()
    assert phi.max() <= TOLERANCE
    assert np.abs(np.minimum(multiplier, -phi)).max() <= TOLERANCE
    contact = np.abs(phi) <= TOLERANCE
    assert (np.abs(phi) * multiplier)[contact].max() <= TOLERANCE * LAMBDA_MAX
    assert multiplier[~contact].max(initial=0) <= TOLERANCE
    gradient, second = np.zeros((count, dimensions)), np.zeros(count)
    pull = (1 - 2 * multiplier)[:, None] * d
    np.add.at(gradient, a, pull)
    np.add.at(gradient, b, -pull)
    weight = group["gamma"] / group["alpha"] * 2 * multiplier * np.abs(phi) * np.sqrt((d**2).sum(axis=1))
    np.add.at(second, a, weight)
    np.add.at(second, b, weight)
    size = bodies["stride"] / STRIDE_RADII
    force, allowed = np.sqrt((gradient**2).sum(axis=1)) / size, second / size
    # bodies that stay frozen are held to the same
    assert (force <= (FORCES if contact.all() else TOLERANCE) + allowed + 1e-12).all()
    return not contact.all(), force.max()


@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
@pytest.mark.parametrize(("boundary", "dimensions"), [("walls", 2), ("periodic", 2), ("walls", 3)])
def test_conditions_hold_at_the_end_of_every_minimisation(clusters, boundary, dimensions):
    ended = stretched = 0
    largest = 0.0
    for fraction, seed in ((0.5, 0), (1.0, 1 if dimensions == 2 else 4)):
        simulation = started(clusters, fraction, seed, boundary, dimensions)
        for st, converged in ends_of_groups(simulation):
            if converged and not against_a_wall(st):
                with_gaps, force = check(st)
                ended, stretched, largest = ended + 1, stretched + with_gaps, max(largest, force)
        # taken in single iterations or at once, it is the same run
        whole = started(clusters, fraction, seed, boundary, dimensions)
        whole.advance()
        np.testing.assert_array_equal(whole.state().positions, simulation.state().positions)
    assert ended > (300 if dimensions == 2 else 200)
    assert largest > 0.5 * FORCES
    if clusters == "rigid":
        assert stretched > 0


def against_a_wall(st):
    """Whether a body of the group leans on a wall: the wall's force then balances it, and is not in L."""
    bodies = st.bodies[: st.group["bodies"][0]]
    moved, *limits = (columns(bodies, *along(name, st.pos.shape[1])) for name in ("d", "_low", "_high"))
    return bool(((moved <= limits[0]) | (moved >= limits[1])).any())
