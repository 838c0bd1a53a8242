"""All indicators of a state at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.clusters import check_labels, cluster_sizes
from engine.analysis.contact_network import counts_of, pairs_of, summary
from engine.analysis.distances import PairDistribution, measure
from engine.analysis.fractal import BoxCounting, FractalFit, count_boxes, fit_dimension
from engine.analysis.shape import shape_of
from engine.analysis.state import disc_state


@dataclass(frozen=True, eq=False)
class Indicators:
    """What the arrangement of the discs looks like. None: the quantity has no meaning for this state.

    contacts_relative : N_c (4.13); contacts_histogram : (K,) int64, discs with 0, 1, …, K - 1 contacts, K >=
        7;
    pair_distribution : P(r) (4.14), ``r`` and ``p``; box_counting : N(eps) (4.15), ``eps`` and ``n``;
    fractal_dimension : D_f of aggregates, None where nothing has aggregated: every cluster is one disc or, where
    clusters are not given, no disc has a contact; fractal_fit : the line whose slope it is;
    aspect_ratio : A_r (4.11) and orientation (4.12), radians in (-pi/2, pi/2], of the largest cluster, or of
    all discs where clusters are not given; cluster_sizes : number of clusters by size.
    """

    contacts_relative: float
    contacts_histogram: NDArray[np.int64]
    pair_distribution: PairDistribution
    box_counting: BoxCounting
    fractal_dimension: float | None
    fractal_fit: FractalFit | None
    aspect_ratio: float | None
    orientation: float | None
    cluster_sizes: dict[int, int] | None

    def to_dict(self) -> dict[str, Any]:
        """The same names with plain lists, numbers and None, ready for JSON; cluster sizes become strings."""
        fit = self.fractal_fit
        sizes = self.cluster_sizes
        return {
            "contacts_relative": self.contacts_relative,
            "contacts_histogram": self.contacts_histogram.tolist(),
            "pair_distribution": {
                "r": self.pair_distribution["r"].tolist(),
                "p": self.pair_distribution["p"].tolist(),
            },
            "box_counting": {"eps": self.box_counting["eps"].tolist(), "n": self.box_counting["n"].tolist()},
            "fractal_dimension": self.fractal_dimension,
            "fractal_fit": None
            if fit is None
            else {"prefactor": fit.prefactor, "eps_min": fit.eps_min, "eps_max": fit.eps_max},
            "aspect_ratio": self.aspect_ratio,
            "orientation": self.orientation,
            "cluster_sizes": None if sizes is None else {str(size): n for size, n in sizes.items()},
        }


def analyse(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    *,
    periodic: bool,
    cluster: NDArray[np.int32] | None = None,
) -> Indicators:
    """Measure a state: contacts, pair distribution, box counting, shape and cluster sizes. O(N), one core.

    The compiled parts run without the interpreter lock. With unequal radii two discs are in contact when
    |X_i - X_j| <= 1.05 (R_i + R_j), and the R of the other ranges is the mean radius.

    Parameters
    ----------
    positions : (N, 2) centres inside the box, N >= 1; radii : (N,), > 0; box : (2,), side lengths;
    periodic : distances are to the nearest image;
    cluster : (N,) integers, discs with the same number belong together. Without it there are no cluster
        sizes, and the shape is that of all discs.

    Raises
    ------
    InputError : an array has the wrong shape, is empty, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    labels = None if cluster is None else check_labels(cluster, len(state.radii))
    counts, pairs = pairs_of(state) if state.periodic else (counts_of(state), None)
    contacts = summary(counts)
    counted = count_boxes(state.positions, state.box)
    sizes = None if labels is None else cluster_sizes(labels)
    aggregated = bool(counts.any()) if sizes is None else max(sizes) > 1
    fit = fit_dimension(counted, state.mean_radius) if aggregated else None
    shape = shape_of(state, labels, pairs)
    return Indicators(
        contacts_relative=contacts.relative,
        contacts_histogram=contacts.histogram,
        pair_distribution=measure(state),
        box_counting=counted,
        fractal_dimension=None if fit is None else fit.dimension,
        fractal_fit=fit,
        aspect_ratio=shape.aspect_ratio,
        orientation=shape.orientation,
        cluster_sizes=sizes,
    )
