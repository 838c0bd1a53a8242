"""The arrangement of discs: contacts, distances, fractal dimension, clusters, structure factor, profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.analysis.cluster_masses import CLUSTER_MASSES, ClusterMasses
from engine.analysis.clusters import ClusterSizeDistribution, size_distribution
from engine.analysis.distances import PairDistribution
from engine.analysis.fractal import BoxCounting, FractalFit, depends_on_mesh
from engine.analysis.local_cells import CELLS, CellMeans, OrderMeans
from engine.analysis.profiles import Profile, cluster_profile, height_profile, radial_profile
from engine.analysis.sample import Sample
from engine.analysis.structure_factor import StructureFactor, structure_factor
from engine.analysis.velocities import MOTION, VelocityCorrelation
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.indicators import ANY, Averaging, Indicator, as_json, measure, plain, unsaid


@dataclass(frozen=True, eq=False)
class Indicators:
    """The indicators of the arrangement of the discs. None: the quantity is not defined for this state.

    Attributes
    ----------
    contacts_relative : N_c (4.13).
    contacts_histogram : (K,) int64, discs with 0, 1, …, K - 1 contacts, K >= 7.
    pair_distribution : P(r) (4.14), ``r`` and ``p``.
    box_counting : N(ε) (4.15), ``eps`` and ``n``; in space ``full``, the sizes of which all boxes are occupied.
    fractal_dimension : D_f of aggregates, None if nothing has aggregated: every cluster is one disc or, if clusters are
        not given, no disc has a contact.
    fractal_fit : the corresponding fit; in space without the full sizes.
    minimum_cover, minimum_cover_dimension, minimum_cover_fit : the same three by minimum cover
        (`engine.analysis.fractal`), which do not depend on where the discs lie in the box; None if nothing has
        aggregated.
    mesh_matters : whether the two dimensions differ by more than the scatter of both fits. If so, use the minimum
        cover.
    aspect_ratio, orientation : A_r (4.11) and D (4.12), radians in (-π/2, π/2], of the largest cluster, or of all discs
        if clusters are not given. In space A_r is the largest eigenvalue over the smallest, and there is no D.
    cluster_sizes : number of clusters by size.
    cluster_size_distribution : n_s in bins, with the mean sizes.
    structure_factor : S(k); None for a single disc.
    radial_profile, height_profile : density, and speed if velocities are given, against the distance from the centre of
        the box, and against y.
    cluster_profile : of the largest cluster, against the distance from its centre; None if it is small or cannot be
        unwrapped.
    cluster_masses : of all clusters, with their radii of gyration; None if clusters are not given.
    voronoi_cells : means of local density, free volume and number of sides.
    bond_orders : q₄, q₆ and w₆ of spheres; None in the plane.
    velocity_correlation : C(r); None without velocities.
    velocity_autocorrelation : None without the velocities at the start.
    """

    contacts_relative: float
    contacts_histogram: Longs
    pair_distribution: PairDistribution
    box_counting: BoxCounting
    fractal_dimension: float | None
    fractal_fit: FractalFit | None
    minimum_cover: BoxCounting | None
    minimum_cover_dimension: float | None
    minimum_cover_fit: FractalFit | None
    mesh_matters: bool | None
    aspect_ratio: float | None
    orientation: float | None
    cluster_sizes: dict[int, int] | None
    cluster_size_distribution: ClusterSizeDistribution | None
    structure_factor: StructureFactor | None
    radial_profile: Profile | None
    height_profile: Profile | None
    cluster_profile: Profile | None
    cluster_masses: ClusterMasses | None
    voronoi_cells: CellMeans | None
    bond_orders: OrderMeans | None
    velocity_correlation: VelocityCorrelation | None = None
    velocity_autocorrelation: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Values by name, with plain lists, numbers and None, ready for JSON; cluster sizes become strings."""
        return as_json(vars(self), (*STRUCTURE, *MOTION))


def _dimension(fit: FractalFit | None) -> float | None:
    return None if fit is None else fit.dimension


def _line(fit: FractalFit) -> dict[str, Any]:
    return {
        "prefactor": fit.prefactor,
        "eps_min": fit.eps_min,
        "eps_max": fit.eps_max,
        "slopes": list(fit.slopes),
        "bends": list(fit.bends),
    }


def _distribution(sample: Sample) -> ClusterSizeDistribution | None:
    return None if sample.cluster_sizes is None else size_distribution(sample.cluster_sizes)


def _of_largest(sample: Sample) -> Profile | None:
    members, points = sample.largest
    if points is None:
        return None
    velocities = sample.velocities
    if velocities is not None and len(members) < len(velocities):
        velocities = velocities[members]
    return cluster_profile(points, sample.state.mean_radius, velocities)


def _seen(sample: Sample) -> Floats | None:
    """Velocities (N, d), along periodic axes relative to the centre of mass where masses are known."""
    known = sample.velocities is not None and sample.masses is not None
    return sample.relative_velocities if known else sample.velocities


def _without_nan(found: Profile | StructureFactor) -> dict[str, Any]:
    """Replace nan, which JSON does not have: the speed in a ring without discs, the error of S(k) at a peak of a
    crystal."""
    return {
        name: [None if number != number else number for number in part] if isinstance(part, list) else part
        for name, part in plain(found).items()
    }


STRUCTURE_FACTOR = Indicator(
    "structure_factor",
    "structure factor",
    lambda sample: structure_factor(sample.state),
    "S(k)",
    to_json=_without_nan,
    dimensions=ANY,
    averaging=Averaging(("s",), "k", error="error"),
)
RADIAL_PROFILE = Indicator(
    "radial_profile",
    "density from the centre of the box",
    lambda sample: radial_profile(sample.state, _seen(sample)),
    "ρ(r)",
    to_json=_without_nan,
    dimensions=ANY,
    averaging=Averaging(("density", "speed"), "edges"),
)
HEIGHT_PROFILE = Indicator(
    "height_profile",
    "density over the height",
    lambda sample: height_profile(sample.state, _seen(sample)),
    "ρ(h)",
    to_json=_without_nan,
    dimensions=ANY,
    averaging=Averaging(("density", "speed"), "edges"),
)

STRUCTURE = (
    Indicator("contacts_relative", "relative contacts", lambda sample: sample.contacts.relative, "N_c", dimensions=ANY),
    Indicator(
        "contacts_histogram",
        "{discs} with 0, 1, … contacts",
        lambda sample: sample.contacts.histogram,
        in_words=lambda counts: " ".join(map(str, counts)),
        dimensions=ANY,
        averaging=Averaging(absent=0.0),
    ),
    Indicator(
        "pair_distribution",
        "pair distribution",
        lambda sample: sample.pair_distribution,
        "P(r)",
        dimensions=ANY,
        averaging=Averaging(("p",), "r"),
    ),
    Indicator(
        "box_counting",
        "box counting",
        lambda sample: sample.boxes,
        "N(ε)",
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "fractal_dimension",
        "fractal dimension",
        lambda sample: _dimension(sample.fractal_fit),
        "D_f",
        of_clusters=True,
        dimensions=ANY,
    ),
    Indicator(
        "fractal_fit",
        "fit of the fractal dimension",
        lambda sample: sample.fractal_fit,
        to_json=_line,
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "minimum_cover",
        "box counting by minimum cover",
        lambda sample: sample.minimum_cover,
        "N_min(ε)",
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "minimum_cover_dimension",
        "fractal dimension by minimum cover",
        lambda sample: _dimension(sample.minimum_cover_fit),
        "D_min",
        of_clusters=True,
        dimensions=ANY,
    ),
    Indicator(
        "minimum_cover_fit",
        "fit of the minimum cover",
        lambda sample: sample.minimum_cover_fit,
        to_json=_line,
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "mesh_matters",
        "whether the mesh of box counting decides the dimension",
        lambda sample: depends_on_mesh(sample.fractal_fit, sample.minimum_cover_fit),
        in_words=unsaid,
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "aspect_ratio",
        "aspect ratio",
        lambda sample: sample.shape.aspect_ratio,
        "A_r",
        of_clusters=True,
        dimensions=ANY,
    ),
    Indicator(
        "orientation",
        "orientation",
        lambda sample: sample.shape.orientation,
        "D",
        of_clusters=True,
        dimensions=(2,),
        averaging=None,
    ),
    Indicator(
        "cluster_sizes",
        "cluster sizes",
        lambda sample: sample.cluster_sizes,
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "cluster_size_distribution",
        "cluster size distribution",
        _distribution,
        "n_s",
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    STRUCTURE_FACTOR,
    RADIAL_PROFILE,
    HEIGHT_PROFILE,
    Indicator(
        "cluster_profile",
        "density from the centre of the largest cluster",
        _of_largest,
        "V_f(r)",
        to_json=_without_nan,
        of_clusters=True,
        dimensions=ANY,
        averaging=None,
    ),
    CLUSTER_MASSES,
    *CELLS,
)
"""The indicators of every system; those of clusters are None if discs do not join."""


def analyse(
    positions: Floats,
    radii: Floats,
    box: Floats,
    *,
    periodic: Periodic | bool,
    cluster: Ints | None = None,
    velocities: Floats | None = None,
    masses: Floats | None = None,
    start_velocities: Floats | None = None,
) -> Indicators:
    """Measure a state: contacts, distances, box counting, clusters, structure factor, profiles. O(N), one core.

    The compiled parts run without the interpreter lock. With unequal radii two discs are in contact when
    |X_i - X_j| <= 1.05 (R_i + R_j), and the R of the other ranges is the mean radius.

    Parameters
    ----------
    positions : (N, d) centres inside the box, N >= 1.
    radii : (N,), > 0.
    box : (d,), side lengths, d = 2 or 3.
    periodic : along which axes: contacts are to all images, distances of pairs to the nearest one.
    cluster : (N,) integers, discs with the same number belong together. Without it there are no cluster
        sizes, and the shape is that of all discs.
    velocities : (N, d); without them, or without masses, there are no speeds and no correlations of velocities.
    masses : (N,), > 0.
    start_velocities : (N, d), at the start; without them there is no autocorrelation.

    Raises
    ------
    InputError : an array has the wrong shape, is empty, or holds values that are not finite or not positive.
    """
    sample = Sample(
        positions,
        radii,
        box,
        periodic=periodic,
        cluster=cluster,
        velocities=velocities,
        masses=masses,
        start_velocities=start_velocities,
    )
    return Indicators(**measure(sample, (*STRUCTURE, *MOTION)))
