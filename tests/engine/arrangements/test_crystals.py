"""Perfect crystals: neighbours and densities from textbooks, and which numbers of discs fill them."""

from __future__ import annotations

from itertools import product
from math import pi, prod, sqrt

import numpy as np
import pytest
from scipy.spatial import cKDTree

from aggviewer.parameters.field_row import Draft
from engine.arrangements.crystals import LONGEST, MOST_STRETCHED
from engine.arrangements.table import ARRANGEMENTS
from engine.errors import InputError
from engine.initial import initial_state
from engine.scenario import Scenario

CRYSTALS = {name: one.crystal for name, one in ARRANGEMENTS.items() if one.crystal is not None}

# neighbours at the least distance, those at the next one, its ratio to the least, and what they fill when they touch
TEXTBOOK = {
    "square": (4, 4, sqrt(2.0), pi / 4.0),
    "hexagonal": (6, 6, sqrt(3.0), pi / sqrt(12.0)),
    "fcc": (12, 6, sqrt(2.0), pi / sqrt(18.0)),
    "bcc": (8, 6, sqrt(4.0 / 3.0), pi * sqrt(3.0) / 8.0),
    "hcp": (12, 6, sqrt(2.0), pi / sqrt(18.0)),
}
ABOUT = 700  # discs or spheres


def crystal_of(name, fraction=0.1, **values):
    """A scenario of about 700 discs or spheres in a periodic box."""
    wanted = {
        "system": "hard-discs",
        "dimensions": len(CRYSTALS[name].sides),
        "box.boundary": "periodic",
        "discs.arrangement": name,
        "discs.count": CRYSTALS[name].fitting(ABOUT)[0],
        "discs.volume_fraction": fraction,
    }
    return Scenario().with_values(wanted | {key.replace("__", "."): value for key, value in values.items()})


def test_every_crystal_has_its_textbook_values() -> None:
    assert CRYSTALS.keys() == TEXTBOOK.keys()


@pytest.mark.parametrize("name", TEXTBOOK)
def test_neighbours_are_as_many_and_as_far_as_in_textbooks(name: str) -> None:
    first, second, ratio, filled = TEXTBOOK[name]
    state = initial_state(crystal_of(name))
    assert prod(state.box) == pytest.approx(len(state.radii))
    tree = cKDTree(state.positions, boxsize=state.box)
    near = tree.query(state.positions, first + second + 2)[0][:, 1:]
    assert near[:, :first] == pytest.approx(near[0, 0], rel=1e-9)
    assert near[:, first : first + second] == pytest.approx(ratio * near[0, 0], rel=1e-9)
    assert (near[:, -1] > 1.01 * ratio * near[0, 0]).all()
    # they touch where textbooks say, and denser ones are refused
    largest = initial_state(crystal_of(name, fraction=filled * (1.0 - 1e-9))).radii[0]
    assert 2.0 * largest == pytest.approx(near[0, 0], rel=1e-8)
    with pytest.raises(InputError, match="volume_fraction must be at most"):
        initial_state(crystal_of(name, fraction=filled * (1.0 + 1e-6)))


def test_the_two_close_packings_differ_in_the_order_of_their_layers() -> None:
    def opposite(name: str) -> float:
        """The share of neighbours that have another one straight across."""
        state = initial_state(crystal_of(name))
        ties = cKDTree(state.positions, boxsize=state.box).query(state.positions, 13)[1][0]
        ways = state.positions[ties[1:]] - state.positions[ties[0]]
        ways -= state.box * np.round(ways / state.box)
        return float(np.mean([np.abs(ways + way).max(axis=1).min() < 1e-9 for way in ways]))

    assert opposite("fcc") == 1.0
    assert opposite("hcp") == 0.5  # only within the layer


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("given", [False, True])
def test_a_number_that_leaves_a_site_vacant_is_refused_and_the_nearest_ones_are_said(name: str, given: bool) -> None:
    crystal = CRYSTALS[name]
    sides, each = crystal.sides, len(crystal.sites)
    box = 10.0 * sides if given else None
    if given:
        box[0] *= 1.02
    most = MOST_STRETCHED if given else LONGEST
    every = np.array(list(product(range(1, 26), repeat=len(sides))))
    stretch = (1.0 if box is None else box) / (every * sides)
    fits = stretch.max(axis=1) / stretch.min(axis=1) <= most * (1.0 + 1e-12)
    full = set((each * every[fits].prod(axis=1)).tolist())
    for count in (60, 100, 333, 500):
        below, above = (pick(one for one in full if sign * (one - count) >= 0) for pick, sign in ((max, -1), (min, 1)))
        assert crystal.fitting(count, box) == sorted({below, above}), count
        values = {"discs.count": count} | ({} if box is None else {"box.size": tuple(box.tolist())})
        if count not in full:
            with pytest.raises(InputError, match=f"discs.count must be {below} or {above} to fill") as refused:
                crystal_of(name, **{key.replace(".", "__"): value for key, value in values.items()})
            assert refused.value.key == "discs.count"


def test_a_box_that_fits_no_lattice_is_refused_at_its_field() -> None:
    with pytest.raises(InputError, match=r"box\.size fits no hexagonal lattice of about 4 sites") as refused:
        crystal_of("hexagonal", discs__count=4, box__size=3.0)
    assert refused.value.key == "box.size"


@pytest.mark.parametrize("name", TEXTBOOK)
def test_between_walls_all_are_inside(name: str) -> None:
    state = initial_state(crystal_of(name, box__boundary="walls"))
    assert (state.positions > state.radii[0]).all()
    assert (state.positions < state.box - state.radii[0]).all()
    assert state.positions.mean(axis=0) == pytest.approx(0.5 * state.box)
    with pytest.raises(InputError, match="volume_fraction must be at most") as refused:
        initial_state(crystal_of(name, box__boundary="walls", fraction=1.001 * TEXTBOOK[name][3]))
    most = float(str(refused.value).split("at most ")[1].split()[0])
    dense = initial_state(crystal_of(name, box__boundary="walls", fraction=most))
    apart = cKDTree(dense.positions).query(dense.positions, 2)[0][:, 1].min()
    inside = np.minimum(dense.positions, dense.box - dense.positions).min()
    assert min(apart, 2.0 * inside) == pytest.approx(2.0 * dense.radii[0], rel=1e-3)
    assert most > 0.6 * TEXTBOOK[name][3]


def test_the_number_in_the_panel_goes_to_the_nearest_that_fills_the_crystal() -> None:
    draft = Draft(Scenario())
    draft.set("discs.arrangement", "hexagonal")
    assert draft.changes == {"discs.arrangement": "hexagonal"}  # 2 500 do already
    draft.set("discs.count", 2502)
    assert draft.value("discs.count") == 2500
    draft.set("discs.count", 2507)
    assert draft.value("discs.count") == 2508
    draft.set("discs.arrangement", "random")
    draft.set("discs.count", 2509)
    assert draft.value("discs.count") == 2509
