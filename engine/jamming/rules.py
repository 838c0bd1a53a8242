"""The limits of each iteration: which pairs have rows, how far discs may move, how much they may grow.

A rule is made once for a run: `reach` is called before every iteration, and `learn` with its outcome. A checkpoint
saves `memory`, and `recall` restores it; for any memory from a file, `reach` gives no wider limits than in a run. Both
rules keep discs without a row apart: the growth is limited accordingly. A rule that `hurries` accepts a good point
while discs move far: with the distances themselves (see `interior_point.solver`), or of a linear program with the
second-order term (see `second_order`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi, sqrt

import numpy as np

from engine.arrays import Floats
from engine.geometry.cells import usual_radius

_ROOM = 0.01  # √Γ - 1 over the square of the bound, in usual radii, that an iteration is always allowed


@dataclass(frozen=True)
class Reach:
    """The limits of one iteration.

    Attributes
    ----------
    cutoff : pairs closer than this have rows; 0: the pairs that can meet.
    bound : s_b.
    most : greatest Γ - 1.
    left : about how much of Γ the last iteration may have left.
    """

    cutoff: float
    bound: float
    most: float
    left: float = inf


@dataclass(frozen=True)
class Outcome:
    """The result of an iteration, from which a rule finds the limits of the next one.

    Attributes
    ----------
    inflation : √Γ - 1.
    moved : max |s_i,μ| of stable discs, in usual radii (see `usual_radius`).
    balanced : all discs with a force on them are held by forces alone, none by the bound.
    capped : the growth was limited by `Reach.most`.
    left : how much of Γ the iteration may have left.
    """

    inflation: float
    moved: float
    balanced: bool
    capped: bool
    left: float


class PackageRules:
    """The rules of the public package CALiPPSO, by the growth of the last iteration. R: the largest radius now.

    ========================  ==============  ====================================
    √Γ - 1 of the last one    cutoff          bound
    ========================  ==============  ====================================
    above 5e-4 (start: 0.01)  l_0             (l_0 / 2 - max(1.5, √Γ) R) / √d
    1e-5 to 5e-4              min(4 R, l_0)   0.1 R
    at most 1e-5              min(2.7 R, l_0) 0.01 R
    ========================  ==============  ====================================

    l_0 is four times the largest radius at the start.

    Parameters
    ----------
    radii : (N,), at the start.
    dimensions : d.
    """

    _FASTEST = 0.6  # more than √Γ - 1 of any iteration: the first row of the table allows 0.5
    hurries = False
    tolerance_inflation = 1e-12
    tolerance_displacement = 1e-9

    def __init__(self, radii: Floats, dimensions: int) -> None:
        self._widest = 4.0 * float(radii.max())
        self._dimensions = dimensions
        self.begin()

    def begin(self) -> None:
        """Allow as much as at the start, where nothing is known of the next iteration."""
        self._inflation = 0.01

    def reach(self, radii: Floats) -> Reach:
        """The limits of the next iteration; radii (N,) as they are now."""
        radius, root = float(radii.max()), sqrt(self._dimensions)
        if self._inflation > 5e-4:
            cutoff = self._widest
            bound = (0.5 * self._widest - max(1.5, 1.0 + self._inflation) * radius) / root
        elif self._inflation > 1e-5:
            cutoff, bound = min(4.0 * radius, self._widest), 0.1 * radius
        else:
            cutoff, bound = min(2.7 * radius, self._widest), 0.01 * radius
        if bound < 0.01 * radius or cutoff < 2.7 * radius:  # discs exceed l_0: the package has no rule
            self._widest = 4.0 * radius
            return self.reach(radii)
        apart = (cutoff - 2.0 * root * bound) / (2.0 * radius)
        return Reach(cutoff, bound, apart * apart - 1.0)

    def learn(self, outcome: Outcome) -> None:
        """Take the outcome of an iteration into account."""
        self._inflation = outcome.inflation

    def memory(self) -> tuple[float, ...]:
        """The bound l_0 and the inflation √Γ - 1 of the last iteration, for a checkpoint."""
        return (self._widest, self._inflation)

    def recall(self, memory: tuple[float, ...]) -> None:
        """Continue with the numbers that `memory` returned before."""
        widest, inflation = memory[:2]
        self._widest = min(widest, 1.01 * self._widest)  # discs only grow, but for rounding
        self._inflation = min(inflation, self._FASTEST)


class TrustRegion:
    """A bound that follows the displacements: three times the largest move of stable discs, or three times the bound
    itself if it held back a stable disc. Rows are the pairs that can meet within the bound while radii grow by at most
    ten times the last growth. Parameters as for `PackageRules`.
    """

    hurries = True
    tolerance_inflation = 1e-8
    tolerance_displacement = 1e-8

    def __init__(self, radii: Floats, dimensions: int) -> None:
        self._limits = (1e-7, 0.5 / sqrt(dimensions))  # in units of the usual radius, as is the bound
        self.begin()

    def begin(self) -> None:
        """Allow as much as at the start, where nothing is known of the next iteration."""
        self._bound = 0.25
        self._growth = 1.0  # greatest √Γ - 1 of the next iteration
        self._left = inf  # of the growth Γ, by the last iteration

    def reach(self, radii: Floats) -> Reach:
        """The limits of the next iteration; radii (N,) as they are now."""
        radius = usual_radius(radii)
        # the space that undirected displacements make is of the order of their square
        widest = 1.0 + max(self._growth, _ROOM * self._bound * self._bound)
        return Reach(0.0, self._bound * radius, widest * widest - 1.0, self._left)

    def learn(self, outcome: Outcome) -> None:
        """Take the outcome of an iteration into account."""
        leaning = not outcome.balanced or outcome.capped or outcome.moved >= 0.999 * self._bound
        wanted = 3.0 * (self._bound if leaning else outcome.moved)
        self._bound = self._limited(wanted)
        self._growth = max((100.0 if outcome.capped else 10.0) * outcome.inflation, 1e-6)
        self._left = max(outcome.left, 1e-15)

    def memory(self) -> tuple[float, ...]:
        """The bound in usual radii, and the greatest √Γ - 1, of the next iteration; what may be left of the growth."""
        return (self._bound, self._growth) if self._left == inf else (self._bound, self._growth, self._left)

    def recall(self, memory: tuple[float, ...]) -> None:
        """Continue with the numbers that `memory` returned before."""
        bound, self._growth, *left = memory
        self._bound, self._left = self._limited(bound), left[0] if left else inf

    def _limited(self, bound: float) -> float:
        return min(max(bound, self._limits[0]), self._limits[1])


RULES: dict[str, type[PackageRules] | type[TrustRegion]] = {"calippso": PackageRules, "trust-region": TrustRegion}


def highest_growth(radii: Floats, box: Floats) -> float:
    """Γ at which discs and spheres would fill the box: no packing grows further. Not below 1. radii : (N,); box :
    (d,)."""
    fraction = volume_fraction(radii, box)
    return float(max(1.0, fraction ** (-2.0 / len(box))))


def volume_fraction(radii: Floats, box: Floats) -> float:
    """Part of the box that discs (d = 2) or spheres (d = 3) fill. radii : (N,); box : (d,)."""
    dimensions = len(box)
    unit = pi if dimensions == 2 else 4.0 * pi / 3.0
    return float(unit * np.sum(radii**dimensions) / np.prod(box))
