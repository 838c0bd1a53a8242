"""The own factorisation of jamming against QDLDL and CHOLMOD: `python -m benchmarks.factorisation`.

Whole runs of the chain of linear programs, once for each factorisation, from the same start: bidisperse discs 1 : 1.4,
relaxed to a volume fraction of 0.83, and spheres 1 : 1.4 placed at random to 0.3, periodic. Seconds are those of the
processor. QDLDL comes with the package `qdldl`, CHOLMOD with `scikit-sparse`; the product imports neither, and what is
not installed is left out. Both order the unknowns by minimum degree, as they do by themselves.
docs/decisions/factorisation.md has the figures and the decision.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sparse

from benchmarks.jamming import relaxed, spheres
from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.nested_dissection import Elimination
from engine.jamming.run import JammingRun

PLACE = "engine.jamming.interior_point.solver.Factor"


class Timed:
    """A factorisation that counts its calls and their seconds, over all its instances."""

    begun = factorised = solved = 0.0
    factorisations = solutions = 0

    @classmethod
    def reset(cls) -> None:
        """Count from zero."""
        cls.begun = cls.factorised = cls.solved = 0.0
        cls.factorisations = cls.solutions = 0

    def __init__(self, tree: Elimination, direction: np.ndarray) -> None:
        """As `Factor`: the pattern, and what there is to do once for it."""
        began = time.process_time()
        self.begin(tree, direction)
        type(self).begun += time.process_time() - began

    def factorise(self, weight: np.ndarray, diagonal: np.ndarray, stop: Callable[[], bool] = lambda: False) -> bool:
        """As `Factor.factorise`."""
        began = time.process_time()
        done = self.refresh(weight, diagonal)
        type(self).factorised += time.process_time() - began
        type(self).factorisations += 1
        return done

    def solve(self, x: np.ndarray) -> np.ndarray:
        """As `Factor.solve`: in place, for one right side or several."""
        began = time.process_time()
        for side in x.reshape(-1, x.shape[-1]):
            side[:] = self.solution(side)
        type(self).solved += time.process_time() - began
        type(self).solutions += 1
        return x

    def begin(self, tree: Elimination, direction: np.ndarray) -> None:
        """What there is to do once."""
        raise NotImplementedError

    def refresh(self, weight: np.ndarray, diagonal: np.ndarray) -> bool:
        """Factorise for other weights."""
        raise NotImplementedError

    def solution(self, side: np.ndarray) -> np.ndarray:
        """Of one right side."""
        raise NotImplementedError


class Own(Timed):
    """The factorisation of the product."""

    def begin(self, tree: Elimination, direction: np.ndarray) -> None:
        """See `Timed.begin`."""
        self.factor = Factor(tree, direction)

    def refresh(self, weight: np.ndarray, diagonal: np.ndarray) -> bool:
        """See `Timed.refresh`."""
        return self.factor.factorise(weight, diagonal)

    def solve(self, x: np.ndarray) -> np.ndarray:
        """Of all right sides at once."""
        began = time.process_time()
        self.factor.solve(x)
        type(self).solved += time.process_time() - began
        type(self).solutions += 1
        return x


class Sparse(Timed):
    """One that takes a sparse matrix: its pattern is made once, its values are summed anew each time."""

    def begin(self, tree: Elimination, direction: np.ndarray) -> None:
        """See `Timed.begin`."""
        d, size = direction.shape[1], len(tree.order) * direction.shape[1]
        node = np.repeat(np.arange(len(tree.children)), np.diff(tree.links_start))
        links, start = tree.links, tree.rows_start[node]
        one = tree.rows[start + tree.one[links]].astype(np.int64)
        other = tree.other[links].astype(np.int64)
        other[other >= 0] = tree.rows[(start + other)[other >= 0]]
        rows, columns, owner, shares = [np.arange(size)], [np.arange(size)], [], []
        for a in range(d):
            for b in range(d):
                block = direction[links, a] * direction[links, b]
                for p, q, sign in ((one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)):
                    row, column = p * d + a, q * d + b
                    there = (p >= 0) & (q >= 0) & (row <= column)
                    rows.append(row[there])
                    columns.append(column[there])
                    owner.append(links[there])
                    shares.append(sign * block[there])
        self.owner, self.share = np.concatenate(owner), np.concatenate(shares)
        flat = np.concatenate(columns) * size + np.concatenate(rows)
        entries, self.entry = np.unique(flat, return_inverse=True)
        pointers = np.searchsorted(entries, np.arange(size + 1) * size)
        self.matrix = sparse.csc_matrix((np.ones(len(entries)), entries % size, pointers), shape=(size, size))
        self.made: Any = None

    def values(self, weight: np.ndarray, diagonal: np.ndarray) -> sparse.csc_matrix:
        """The upper triangle for these weights."""
        parts = np.concatenate((diagonal, weight[self.owner] * self.share))
        self.matrix.data[:] = np.bincount(self.entry, parts, len(self.matrix.data))
        return self.matrix


class Qdldl(Sparse):
    """LDLᵀ of OSQP, column by column."""

    def refresh(self, weight: np.ndarray, diagonal: np.ndarray) -> bool:
        """See `Timed.refresh`."""
        import qdldl

        matrix = self.values(weight, diagonal)
        if self.made is None:
            self.made = qdldl.Solver(matrix, upper=True)
        else:
            self.made.update(matrix, upper=True)
        return True

    def solution(self, side: np.ndarray) -> np.ndarray:
        """See `Timed.solution`."""
        return np.asarray(self.made.solve(side))


class Cholmod(Sparse):
    """The supernodal factorisation of SuiteSparse."""

    def refresh(self, weight: np.ndarray, diagonal: np.ndarray) -> bool:
        """See `Timed.refresh`."""
        from sksparse import cholmod

        lower = self.values(weight, diagonal).T.tocsc()
        if self.made is None:
            self.made = cholmod.analyze(lower)
        self.made.cholesky_inplace(lower)
        return True

    def solution(self, side: np.ndarray) -> np.ndarray:
        """See `Timed.solution`."""
        return np.asarray(self.made(side))


FACTORS: dict[str, type[Timed]] = {"own": Own, "qdldl": Qdldl, "cholmod": Cholmod}
PACKAGES = {"own": "numpy", "qdldl": "qdldl", "cholmod": "sksparse"}


def run(name: str, dimensions: int, count: int, seed: int, most: int = 1000) -> str:
    """A row of the table: a run by one factorisation, to the end or for `most` iterations."""
    kind = FACTORS[name]
    start = relaxed(count, seed) if dimensions == 2 else spheres(count, seed)
    kind.reset()
    with patch(PLACE, kind):
        chain = JammingRun(*start)
        began = time.process_time()
        while not chain.reason and len(chain.history) < most:
            chain.step()
        took = time.process_time() - began
    each = 1e3 * kind.factorised / max(kind.factorisations, 1)
    solving = 1e3 * kind.solved / max(kind.solutions, 1)
    return (
        f"| {dimensions} | {count} | {seed} | {name} | {took:.2f} | {len(chain.history)} | {kind.factorisations} | "
        f"{kind.begun:.2f} | {kind.factorised:.2f} | {kind.solved:.2f} | {each:.2f} | {solving:.2f} | "
        f"{chain.volume_fraction:.6f} |"
    )


def main() -> None:
    """Print the table as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=int, nargs="*", default=[1024, 4096, 10_000])
    parser.add_argument("--dimensions", type=int, choices=(2, 3), default=2)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--factors", nargs="*", default=[name for name in FACTORS if find_spec(PACKAGES[name])])
    parser.add_argument("--iterations", type=int, default=1000, help="at most, of each run")
    asked = parser.parse_args()
    run("own", asked.dimensions, 64, 1)  # compiles
    print(
        "| d | N | seed | factorisation | run in s | iterations | factorisations | set-up in s | factorising in s | "
        "solving in s | ms each | ms a solve | φ |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for count in asked.counts:
        for seed in asked.seeds:
            for name in asked.factors:
                print(run(name, asked.dimensions, count, seed, asked.iterations), flush=True)


if __name__ == "__main__":
    main()
