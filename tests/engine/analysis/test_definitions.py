"""The kernels of engine.analysis against the definitions, on random states of every kind."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import linregress

from engine import analysis
from engine.analysis.fractal import BoxCounting, fit_dimension
from engine.errors import InputError
from tests.reference import indicators as reference

Array = NDArray[np.float64]


class State(NamedTuple):
    positions: Array
    radii: Array
    box: Array
    periodic: bool


@st.composite
def states(draw: st.DrawFn) -> State:
    """1 to 200 discs anywhere in a box of 1 to 300 radii a side, often on the edges, in clumps, or of unequal size."""
    count = draw(st.integers(1, 200))
    # from less than a disc to many ranges of P(r); around 40 radii a search meets itself across a periodic box
    side = st.one_of(st.floats(1.0, 20.0), st.floats(20.0, 60.0), st.floats(60.0, 300.0))
    box = np.array([draw(side), draw(side)])
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    positions: Array = rng.random((count, 2))
    match draw(st.sampled_from(["spread", "clump", "line", "point"])):
        case "clump":
            positions = np.clip(positions[0] + 0.05 * rng.standard_normal((count, 2)), 0.0, 1.0)
        case "line":
            positions[:, draw(st.integers(0, 1))] = positions[0, 0]
        case "point":
            positions[:] = positions[0]
    positions *= box
    on_edge = rng.random((count, 2)) < draw(st.sampled_from([0.0, 0.2]))
    positions = np.where(on_edge, np.where(rng.random((count, 2)) < 0.5, 0.0, box), positions).astype(np.float64)
    radii = np.ones(count)
    match draw(st.sampled_from(["equal", "spread", "one giant"])):
        case "spread":
            radii = rng.lognormal(0.0, 0.5, count)
        case "one giant":
            radii[rng.integers(count)] = 40.0
    return State(positions, radii, box, draw(st.booleans()))


def lattice(columns: int, rows: int, spacing: float) -> NDArray[np.float64]:
    """Square lattice of points, lower left one at half a spacing."""
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    return (np.column_stack([x.ravel(), y.ravel()]).astype(np.float64) + 0.5) * spacing


@given(states())
@settings(max_examples=60)
def test_contacts_agree_with_the_definition(state: State) -> None:
    expected = reference.contact_matrix(*state)
    counts = analysis.contact_counts(state.positions, state.radii, state.box, periodic=state.periodic)
    assert counts.dtype == np.int32
    np.testing.assert_array_equal(counts, expected.sum(axis=1))

    pairs = analysis.contact_pairs(state.positions, state.radii, state.box, periodic=state.periodic)
    assert pairs.dtype == np.int32
    assert (pairs[:, 0] <= pairs[:, 1]).all()
    found = np.zeros_like(expected)
    np.add.at(found, tuple(pairs.T), 1)
    np.testing.assert_array_equal(found + found.T, expected)

    contacts = analysis.contacts(state.positions, state.radii, state.box, periodic=state.periodic)
    assert contacts.relative == pytest.approx(reference.relative_contacts(*state), rel=1e-14)
    assert contacts.histogram.sum() == len(state.radii)
    for number, discs in enumerate(contacts.histogram):
        assert discs == np.count_nonzero(counts == number)


@given(states())
@settings(max_examples=60)
def test_pair_distribution_agrees_with_the_definition(state: State) -> None:
    measured = analysis.pair_distribution(state.positions, state.radii, state.box, periodic=state.periodic)
    expected = reference.pair_distribution(state.positions, state.box, state.periodic, measured["r"])
    np.testing.assert_array_equal(measured["p"], expected)


@given(states())
@settings(max_examples=50)
def test_box_counting_agrees_with_the_definition(state: State) -> None:
    measured = analysis.box_counting(state.positions, state.box)
    np.testing.assert_array_equal(measured["n"], reference.box_counting(state.positions, state.box))
    np.testing.assert_array_equal(measured["eps"], state.box.max() / 2.0 ** np.arange(1, 11))


@given(states())
@settings(max_examples=40)
def test_shape_between_walls_agrees_with_numpy(state: State) -> None:
    measured = analysis.gyration(state.positions, state.radii, state.box, periodic=False)
    if len(state.positions) == 1:
        assert measured == (None, None, None)
        return
    expected = reference.gyration_tensor(state.positions)
    assert measured.tensor is not None
    np.testing.assert_allclose(measured.tensor, expected, rtol=1e-9, atol=1e-12 * state.box.max() ** 2)
    small, large = np.linalg.eigvalsh(expected)
    if measured.aspect_ratio is None:
        assert small <= 1e-10 * large
    elif measured.aspect_ratio < 1e5:
        assert measured.aspect_ratio == pytest.approx(large / small, rel=1e-6)
    if measured.orientation is not None and large > (1 + 1e-6) * small:
        assert -np.pi / 2 < measured.orientation <= np.pi / 2
        along = np.array([np.cos(measured.orientation), np.sin(measured.orientation)])
        assert abs(along @ reference.direction(state.positions)) == pytest.approx(1.0, abs=1e-6)


@given(states(), st.integers(1, 6))
@settings(max_examples=30)
def test_all_at_once_equals_one_by_one_and_is_plain_json(state: State, names: int) -> None:
    """Also: any state, however odd, gives finite numbers or None."""
    cluster = (np.arange(len(state.radii)) % names).astype(np.int32)
    arguments = (state.positions, state.radii, state.box)
    everything = analysis.analyse(*arguments, periodic=state.periodic, cluster=cluster)
    contacts = analysis.contacts(*arguments, periodic=state.periodic)
    pairs = analysis.pair_distribution(*arguments, periodic=state.periodic)
    shape = analysis.gyration(*arguments, periodic=state.periodic, cluster=cluster)
    assert everything.contacts_relative == contacts.relative
    np.testing.assert_array_equal(everything.contacts_histogram, contacts.histogram)
    np.testing.assert_array_equal(everything.pair_distribution["p"], pairs["p"])
    np.testing.assert_array_equal(everything.box_counting["n"], analysis.box_counting(*arguments[::2])["n"])
    assert (everything.aspect_ratio, everything.orientation) == (shape.aspect_ratio, shape.orientation)
    assert everything.cluster_sizes == analysis.cluster_sizes(cluster)

    plain = everything.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert {
        "contacts_relative",
        "contacts_histogram",
        "pair_distribution",
        "box_counting",
        "fractal_dimension",
        "aspect_ratio",
        "orientation",
        "cluster_sizes",
    } <= plain.keys()


def test_distances_of_the_pair_distribution_lie_inside_its_range() -> None:
    r = analysis.pair_distribution(lattice(2, 2, 3.0), np.full(4, 1.5), np.array([9.0, 9.0]), periodic=False)["r"]
    assert len(r) == 180
    assert 2 * 1.5 < r[0] < r[-1] < 20 * 1.5
    np.testing.assert_allclose(np.diff(r), 0.1 * 1.5)


def test_a_lone_disc() -> None:
    for periodic in (False, True):
        lone = analysis.analyse(
            np.array([[3.0, 3.0]]), np.ones(1), np.array([3.0, 3.0]), periodic=periodic, cluster=np.array([7], np.int32)
        )
        assert lone.contacts_relative == pytest.approx(1 / 6)
        assert lone.contacts_histogram.tolist() == [1, 0, 0, 0, 0, 0, 0]
        assert (lone.pair_distribution["p"] == 1).all()
        assert (lone.box_counting["n"] == 1).all()
        assert lone.aspect_ratio is None
        assert lone.orientation is None
        assert lone.cluster_sizes == {1: 1}


def test_two_discs() -> None:
    """They lie on a line: a direction, but no finite aspect ratio. Distance 2.09 R: in contact."""
    pair = np.array([[2.0, 2.0], [2.0, 4.09]])
    two = analysis.analyse(pair, np.ones(2), np.array([40.0, 40.0]), periodic=True, cluster=np.array([1, 1]))
    assert two.contacts_relative == pytest.approx(2 / 6)
    assert two.aspect_ratio is None
    assert two.orientation == pytest.approx(np.pi / 2)
    assert two.pair_distribution["p"][0] == 1.0  # r = 2.05 R
    assert (two.pair_distribution["p"][1:] == 2.0).all()


def test_inside_a_hexagonal_patch_every_disc_has_six_contacts() -> None:
    """With the periods of the lattice there is nothing but inside. Each disc counts itself too: N_c = 7 / 6."""
    columns, rows = 12, 10
    x, y = np.meshgrid(np.arange(columns, dtype=float), np.arange(rows, dtype=float))
    positions = np.column_stack([(2 * x + y % 2).ravel(), (np.sqrt(3) * y).ravel()])
    box = np.array([2.0 * columns, np.sqrt(3) * rows])
    radii = np.ones(len(positions))
    assert analysis.contacts(positions, radii, box, periodic=True).relative == pytest.approx(7 / 6)
    open_counts = analysis.contact_counts(positions, radii, box, periodic=False).reshape(rows, columns)
    assert (open_counts[1:-1, 1:-1] == 6).all()
    assert (open_counts[[0, -1]] < 6).all()


def test_a_square_lattice_has_no_direction_and_aspect_ratio_one() -> None:
    shape = analysis.gyration(lattice(9, 9, 2.0), np.ones(81), np.array([60.0, 60.0]), periodic=False)
    assert shape.aspect_ratio == pytest.approx(1.0)
    assert shape.orientation is None


@pytest.mark.parametrize("angle", [-1.5, -np.pi / 4, -0.3, 0.0, 0.7, np.pi / 4, np.pi / 2])
def test_orientation_of_a_turned_bar(angle: float) -> None:
    bar = lattice(20, 2, 2.0) - (20.0, 2.0)
    turned = bar @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    shape = analysis.gyration(turned + 50.0, np.ones(40), np.array([100.0, 100.0]), periodic=False)
    assert shape.orientation == pytest.approx(angle, abs=1e-9)
    # variances of n equally spaced points: (n^2 - 1) / 12 spacings^2
    assert shape.aspect_ratio == pytest.approx((20**2 - 1) / (2**2 - 1))


def test_shape_is_that_of_the_largest_cluster() -> None:
    bar, block = lattice(7, 2, 2.0), lattice(3, 3, 2.0) + 30.0
    positions = np.concatenate([block, bar])
    cluster = np.repeat(np.array([5, 2], np.int32), [9, 14])
    shape = analysis.gyration(positions, np.ones(23), np.array([50.0, 50.0]), periodic=False, cluster=cluster)
    assert shape.aspect_ratio == pytest.approx((7**2 - 1) / (2**2 - 1))


def test_cluster_sizes() -> None:
    assert analysis.cluster_sizes(np.array([4, 9, 4, 4, 1, 9, 0], np.int32)) == {1: 2, 2: 1, 3: 1}
    names = np.array([-7, 10**9, -7, 5], np.int64)  # any numbers will do
    assert analysis.cluster_sizes(names) == {1: 2, 2: 1}
    assert analysis.cluster_sizes(np.array([2**63, 2**63, 1], np.uint64)) == {1: 1, 2: 1}


def test_fractal_dimension_needs_two_box_sides_in_range() -> None:
    positions, box = lattice(4, 4, 1.0), np.array([4.0, 4.0])
    counted = analysis.box_counting(positions, box)  # eps = 2, 1, 0.5, …
    assert analysis.fit_dimension(counted, 0.5) is None  # 3 R = 1.5
    fit = analysis.fit_dimension(counted, 1 / 3)
    assert (fit.eps_min, fit.eps_max) == (1.0, 2.0)
    assert fit.dimension == pytest.approx(2.0)
    assert fit.prefactor == pytest.approx(16.0)
    small = analysis.analyse(positions, np.full(16, 0.5), box, periodic=False)
    assert small.fractal_dimension is None
    assert small.to_dict()["fractal_fit"] is None


def test_single_discs_have_no_fractal_dimension() -> None:
    positions, radii, box = lattice(16, 16, 1.0), np.full(256, 0.25), np.array([16.0, 16.0])
    loose = np.arange(256, dtype=np.int32)
    joined = np.where(loose == 1, 0, loose).astype(np.int32)  # one cluster of two
    close = np.full(256, 0.5)  # every disc touches its neighbours
    for cluster, sizes, aggregated in (
        (None, radii, False),
        (loose, radii, False),
        (loose, close, False),  # they only lie beside each other
        (joined, radii, True),
        (None, close, True),  # nobody knows better than their contacts
    ):
        found = analysis.analyse(positions, sizes, box, periodic=False, cluster=cluster)
        assert (found.fractal_dimension is not None) == aggregated
        assert (found.fractal_fit is not None) == aggregated
        assert found.box_counting["n"][0] == 4


def test_arrays_of_any_make_are_taken_and_left_alone() -> None:
    rng = np.random.default_rng(3)
    positions, radii, box = rng.random((50, 2)) * 20, np.full(50, 0.5), np.array([20.0, 20.0])
    plain = analysis.analyse(positions, radii, box, periodic=True).to_dict()
    frozen = positions.copy()
    frozen.setflags(write=False)
    strided = np.asfortranarray(positions)
    for given_positions in (frozen, strided, positions.tolist()):
        assert analysis.analyse(given_positions, list(radii), (20, 20), periodic=True).to_dict() == plain  # type: ignore[arg-type]
    shifted = positions + box * rng.integers(-2, 3, (50, 2))  # other images of the same discs
    assert analysis.contacts(shifted, radii, box, periodic=True).relative == plain["contacts_relative"]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"positions": np.empty((0, 2)), "radii": np.empty(0)}, "positions"),
        ({"positions": np.ones((3, 3))}, "positions"),
        ({"positions": np.array([[1.0, 1.0], [np.nan, 1.0], [2.0, 2.0]])}, "positions"),
        ({"positions": "three"}, "positions"),
        ({"radii": np.ones(2)}, "radii"),
        ({"radii": np.array([1.0, 0.0, 1.0])}, "radii"),
        ({"box": np.array([5.0, np.inf])}, "box"),
        ({"box": np.array([5.0, -5.0])}, "box"),
        ({"cluster": np.zeros(2, np.int32)}, "cluster"),
        ({"cluster": np.zeros(3)}, "cluster"),
    ],
)
def test_states_with_wrong_shapes_or_values_are_not_analysed(change: dict[str, object], key: str) -> None:
    arguments: dict[str, object] = {
        "positions": np.array([[1.0, 1.0], [3.0, 1.0], [4.0, 4.0]]),
        "radii": np.ones(3),
        "box": np.array([5.0, 5.0]),
        "cluster": np.zeros(3, np.int32),
    }
    analysis.analyse(**arguments, periodic=False)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        analysis.analyse(**(arguments | change), periodic=False)  # type: ignore[arg-type]
    assert caught.value.key == key


def test_the_scatter_of_the_dimension_is_the_error_of_the_slope() -> None:
    """As of a straight line through independent points, with two degrees of freedom fewer."""
    eps = 64.0 / 2.0 ** np.arange(1.0, 7.0)
    counted: BoxCounting = {"eps": eps, "n": np.array([4, 15, 50, 190, 640, 2500])}
    found = fit_dimension(counted, 0.25)
    line = linregress(np.log(eps), np.log(counted["n"]))
    assert found.dimension == pytest.approx(-line.slope, rel=1e-12)
    assert found.scatter == pytest.approx(line.stderr, rel=1e-9)
    coarse = fit_dimension(counted, 1.0)  # sides from three radii on: 32, 16, 8, 4
    assert (coarse.eps_min, coarse.eps_max) == (4.0, 32.0)
    assert coarse.dimension == pytest.approx(-linregress(np.log(eps[:4]), np.log(counted["n"][:4])).slope, rel=1e-12)
