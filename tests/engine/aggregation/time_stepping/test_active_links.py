"""Which links of a group count as contacts at the end of a minimisation, at exactly the tolerance too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from engine.aggregation.time_stepping import arrow_hurwicz as step
from engine.aggregation.time_stepping import links as parts
from engine.aggregation.time_stepping.arrays import BODY, GROUP, GROUP_LINK, LINK, SIMULATION
from engine.kernels import kernel
from engine.records import Records

drop_open_links = kernel(parts.drop_open_links.py_func)
drop_stretched_links = kernel(parts.drop_stretched_links.py_func)
misses_contacts = kernel(parts.misses_contacts.py_func)
kept_residual = kernel(parts.kept_residual.py_func)
update_multipliers = kernel(step.update_multipliers.py_func)

TOLERANCE = 2.0**-10
BEYOND = 1.5 * TOLERANCE


class Few(NamedTuple):
    """What these functions read and write of the arrays of the method."""

    sim: Records
    group: Records
    bodies: Records
    group_links: Records
    links: Records
    label: np.ndarray


def group_of(phis: list[float], ends: list[tuple[int, int]], label: list[int]) -> Few:
    """A group of discs, each a body, with links of these φ / s."""
    group, bodies = np.zeros(1, GROUP), np.zeros(len(label), BODY)
    group["bodies"], group["links"], group["tolerance"] = len(label), len(phis), TOLERANCE
    group_links = np.zeros(len(phis), GROUP_LINK)
    group_links["phi"], group_links["row"] = phis, np.arange(len(phis))
    links = np.zeros(len(phis), LINK)
    for k, (a, b) in enumerate(ends):
        group_links[k]["a"], group_links[k]["b"] = links[k]["i"], links[k]["j"] = a, b
    return Few(np.zeros(1, SIMULATION), group, bodies, group_links, links, np.array(label, np.int32))


@pytest.mark.parametrize(("phi", "dropped"), [(0.0, 0), (-TOLERANCE, 0), (-BEYOND, 1), (TOLERANCE, 0), (BEYOND, 0)])
def test_a_link_is_open_beyond_the_tolerance(phi: float, dropped: int) -> None:
    st = group_of([phi], [(0, 1)], [0, 1])
    drop_open_links(st)
    assert st.links["slack"].tolist() == [dropped]


@pytest.mark.parametrize(("phi", "misses"), [(-TOLERANCE, False), (TOLERANCE, False), (-BEYOND, True), (BEYOND, True)])
def test_a_contact_is_missed_by_a_gap_or_an_overlap_beyond_the_tolerance(phi: float, misses: bool) -> None:
    st = group_of([0.0, phi], [(0, 1), (1, 2)], [0, 0, 0])
    assert misses_contacts(st) is misses
    assert kept_residual(st) == abs(phi)
    st.links["slack"][1] = 1
    assert kept_residual(st) == 0.0, "a link that was dropped has no residual"


RING = [(0, 1), (1, 2), (2, 0)]


def test_a_stretched_link_is_dropped_where_contacts_hold_its_discs_together() -> None:
    """Contacts at exactly the tolerance are contacts."""
    st = group_of([-TOLERANCE, TOLERANCE, -BEYOND], RING, [0, 0, 0])
    drop_stretched_links(st)
    assert st.links["slack"].tolist() == [0, 0, 1]


def test_stretched_links_that_alone_hold_a_cluster_together_stay() -> None:
    st = group_of([0.0, -BEYOND, -BEYOND], RING, [0, 0, 0])
    drop_stretched_links(st)
    assert st.links["slack"].tolist() == [0, 0, 0]


def test_a_stretched_link_between_two_clusters_is_dropped() -> None:
    st = group_of([0.0, -BEYOND, -BEYOND], RING, [0, 0, 1])
    drop_stretched_links(st)
    assert st.links["slack"].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("distance", "before", "after", "natural"),
    [
        (2.0, 0.5, 0.5, 0.0),  # at contact
        (2.2, 0.1, 0.0, 0.0),  # stretched: no force, and no condition is missed
        (2.2, 0.9, 0.9 - 0.84, 0.06),
        (1.8, 0.5, 0.5 + 0.76, 0.76),  # overlapping
        (1.8, 1.9, step.LAMBDA_MAX, 0.76),
    ],
)
def test_multipliers_push_and_never_pull(distance: float, before: float, after: float, natural: float) -> None:
    """λ := λ + β φ on [0, 2], β = 1, φ = 4 - d²; the condition is min(λ, -φ) = 0."""
    bodies, links, wake = np.zeros(2, BODY), np.zeros(1, GROUP_LINK), np.zeros(4, np.int32)
    links["x"], links["sigma2"], links["per_s"], links["multiplier"], links["b"] = distance, 4.0, 1.0, before, 1
    bodies["mobility"] = 1.0
    worst, found, wakes = update_multipliers(bodies, links, wake, 1, 0.1, 1.0, 0.0, TOLERANCE)
    assert links["multiplier"][0] == pytest.approx(after)
    assert (worst, found) == pytest.approx((abs(4.0 - distance**2), natural), abs=1e-12)
    assert wakes == 0
