"""The tables of docs/ that are taken from studies, as lines of Markdown; `benchmarks.study_figures` writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.hard_discs.theory import REFERENCE_Z
from engine.study.grid import GridPoint
from engine.study.labels import place, value
from engine.study.result import StudyResult
from engine.study.series import values_of, with_error

Estimate = tuple[float, float]
"""A mean and its standard error."""

_BINS = 5  # of the densities of forces and gaps, in each decade; see engine.analysis.power_laws
_NEAR = 200.0  # units in the last place


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of Markdown."""
    return ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]


def mean(result: StudyResult, quantity: str, **wanted: Any) -> Estimate:
    """The mean of a quantity at the first point with these values, with ``__`` for the dots of the keys."""
    at = {key.replace("__", "."): one for key, one in wanted.items()}
    means = values_of(result.summary(), quantity)
    for point in result.grid.crossed:
        if all(point.values.get(key) == one for key, one in at.items()):
            return means.get(point.number, (math.nan, math.nan))
    raise KeyError(f"no point of {result.study.title} has {at}")


def values(result: StudyResult, key: str) -> list[Any]:
    """The values of a parameter, each once, where more than one disc runs."""
    return list(dict.fromkeys(point.values[key] for point in _gases(result) if key in point.values))


def _gases(result: StudyResult) -> list[GridPoint]:
    """The points of the grid but those with a single ball."""
    return [point for point in result.grid.crossed if point.values.get("discs.count", 2) > 1]


def claims(result: StudyResult) -> list[str]:
    """A row for each claim of a study, with what the data say."""
    rows = [
        [f"{one.claim.says} ({one.claim.source})", f"**{one.verdict}**", one.because.replace("\N{NO-BREAK SPACE}", " ")]
        for one in result.verdicts
    ]
    return [row.replace("_", r"\_") for row in table(["statement", "", "data"], rows)]


def agreement(deformable: StudyResult, rigid: StudyResult) -> list[str]:
    """N_c, the fractal dimension and P(10 R) of the exact method, and how far time stepping is from them."""
    lines = []
    for name, heading in (("contacts_relative", "N_c"), ("fractal_dimension", "D_f")):
        runs = {id(result): result.runs for result in (deformable, rigid)}
        lines += [*_against_exact(heading, name, runs, deformable, rigid), ""]
    runs = {id(result): _pairs_within_ten_radii(result) for result in (deformable, rigid)}
    lines += _against_exact("P(10 R)", "pairs", runs, deformable, rigid)
    return lines


def _against_exact(
    heading: str, name: str, runs: dict[int, pd.DataFrame], deformable: StudyResult, rigid: StudyResult
) -> list[str]:
    """Relative differences, taken seed by seed, as in the claims of the studies."""
    names = ["f = 0.25", "f = 0.5", "f = 1"]
    rows = []
    for filled in values(deformable, "discs.volume_fraction"):
        beside = rigid if filled == rigid.grid.scenario.discs.volume_fraction else None
        for count in values(deformable, "discs.count"):
            at = {"discs.volume_fraction": filled, "discs.count": count}
            found = _differences(deformable, runs[id(deformable)], name, at)
            stiff = _differences(rigid, runs[id(rigid)], name, {"discs.count": count}) if beside else {}
            row = [f"{filled:g}", str(count), with_error(*found["event-driven"])]
            row += [_percent(found[one]) for one in names]
            row += [_percent(stiff[f"{one}, rigid"]) if f"{one}, rigid" in stiff else "" for one in names]
            rows.append(row)
    return table(["V_f", "N", f"{heading}, exact", *names, *(f"{one}, rigid" for one in names)], rows)


def _differences(result: StudyResult, runs: pd.DataFrame, name: str, at: dict[str, Any]) -> dict[str, Estimate]:
    """By the names of the methods: the mean of the exact one, and the relative differences of the others from it."""
    tables: dict[str, pd.Series] = {}
    for point in result.grid.crossed:
        if all(point.values.get(key) == one for key, one in at.items()):
            method = str(result.grid.told(point)[0][1])
            good = runs[(runs["point"] == point.number) & (runs["status"] == "done")]
            tables[method] = good.set_index("seed")[name]
    exact = tables.get("event-driven")
    if exact is None:
        return {}
    base = float(exact.mean())
    found = {"event-driven": (base, float(exact.std(ddof=1)) / math.sqrt(len(exact)))}
    for method, one in tables.items():
        if method != "event-driven":
            off = (one - exact).dropna() / base
            found[method] = (float(off.mean()), float(off.std(ddof=1)) / math.sqrt(len(off)))
    return found


def _percent(of: Estimate) -> str:
    return f"{with_error(100.0 * of[0], 100.0 * of[1])} %"


def _pairs_within_ten_radii(result: StudyResult) -> pd.DataFrame:
    """The runs with a column ``pairs``: discs within ten radii of a disc, from the pair distribution of each run."""
    radius = _radius(result)
    found = {
        key: float(np.interp(10.0 * radius(key[0]), one["x"], one["y"]))
        for key, one in result.curves("pair_distribution").groupby(["point", "seed"])
    }
    runs = result.runs
    keys = zip(runs["point"], runs["seed"], strict=True)
    return runs.assign(pairs=[found.get((point, seed), math.nan) for point, seed in keys])


def _radius(result: StudyResult) -> Any:
    """The radius of the discs at a point of the grid."""
    from engine.initial import initial_state

    known: dict[int, float] = {}

    def radius(number: int) -> float:
        if number not in known:
            known[number] = float(initial_state(result.grid.scenario_at(result.grid.points[number])).radii[0])
        return known[number]

    return radius


def pressure(result: StudyResult) -> list[str]:
    """Z and the collision rate of 16 384 discs beside the literature."""
    rates = {0.30: 2.40016, 0.50: 7.0103, 0.65: 16.719}
    rows = []
    for filled, rate in rates.items():
        known = next(one for one in REFERENCE_Z if one.phi == filled)
        at = {"discs__count": 16384, "discs__volume_fraction": filled}
        z, omega = (mean(result, name, **at) for name in ("compressibility", "reduced_collision_rate"))
        from_rate = (1.0 + math.sqrt(math.pi) / 4.0 * omega[0], math.sqrt(math.pi) / 4.0 * omega[1])
        rows.append(
            [f"{filled:g}", with_error(*z), with_error(known.z, known.error), f"{z[0] / known.z - 1.0:+.3%}",
             with_error(*omega), f"{rate:g}", with_error(*from_rate)]
        )  # fmt: skip
    return table(["φ", "Z", "literature", "off by", "ω", "literature", "Z from ω"], rows)


def small(result: StudyResult) -> list[str]:
    """72 discs at φ = 0.65 in two boxes, as β P σ²."""
    scale = 4.0 * 0.65 / math.pi
    rows = []
    for name, box, known, error in (
        ("1 : √3/2", [9.0, 7.794228634059947], 6.945931, 66e-6),
        ("square", [9.0, 9.0], 6.901074, 71e-6),
    ):
        z = mean(result, "compressibility", discs__count=72, box__size=box, discs__volume_fraction=0.65)
        off = (z[0] * scale - known) / math.hypot(z[1] * scale, error)
        rows.append([name, with_error(z[0] * scale, z[1] * scale), with_error(known, error), f"{off:+.1f}"])
    return table(["box", "β P σ²", "literature", "in standard errors"], rows)


def conservation(result: StudyResult) -> list[str]:
    """The largest errors of all runs with so many discs."""
    good = result.runs[result.runs["status"] == "done"]
    rows = []
    for count, group in good.groupby("discs.count"):
        largest = [f"{group[name].abs().max():.1e}" for name in ("energy_drift", "momentum_error")]
        events = [f"{group[name].sum():.0f}" for name in ("stabilising_events", "three_body_events")]
        rows.append([value(int(count)), str(len(group)), *largest, *events])
    heads = ["N", "runs", "largest energy drift", "largest momentum error", "stabilising events", "three-body events"]
    return table(heads, rows)


def cooling(result: StudyResult) -> list[str]:
    """T over Haff's law after 20 and after 80 collisions a disc."""
    rows = []
    for filled in values(result, "discs.volume_fraction"):
        for restitution in values(result, "hard_discs.restitution"):
            at = {"discs__volume_fraction": filled, "hard_discs__restitution": restitution}
            names = ("over_haff_after_20", "temperature_over_haff", "clustering_onset")
            rows.append([f"{filled:g}", f"{restitution:g}", *(with_error(*mean(result, name, **at)) for name in names)])
    return table(["φ", "ε", "T over Haff after C = 20", "at the end", "clusters from C"], rows)


def impacts(result: StudyResult) -> list[str]:
    """How far apart spheres are at their collisions."""
    rows = []
    for point in _gases(result):
        found = result.curves("impact_separations")
        share = found[found["point"] == point.number].groupby("x")["y"].mean()
        distance = np.abs(np.asarray(share.index, np.float64))
        order = np.argsort(distance, kind="stable")
        below = np.cumsum(share.to_numpy()[order])
        middle = distance[order][min(int(np.searchsorted(below, 0.5)), len(order) - 1)]
        beyond = 1.0 - float(share.to_numpy()[distance <= _NEAR].sum())
        overlapping = values_of(result.summary(), "overlapping_impacts")[point.number]
        rows.append([place(point, result.grid), _percent(overlapping), f"{middle:.0f} ulp", f"{max(beyond, 0.0):.1g}"])
    return table(["", "overlapping", "median of the distance", "beyond 200 ulp"], rows)


def three_body(result: StudyResult) -> list[str]:
    """Three-body events per collision."""
    heads, rows = _over_restitution(result)
    for restitution, row in rows.items():
        for filled in values(result, "discs.volume_fraction"):
            at = {"discs__volume_fraction": filled, "hard_discs__restitution": restitution}
            share = mean(result, "three_body_share", **at)
            row.append(with_error(*share) if share[0] > 0.0 else f"none in {_collisions(result, at):.0e}")
    return table(heads, list(rows.values()))


def _collisions(result: StudyResult, at: dict[str, float]) -> float:
    """The collisions of all runs at a point."""
    runs = result.runs
    for key, one in at.items():
        runs = runs[runs[key.replace("__", ".")] == one]
    return float((runs["collisions_per_disc"] * runs["discs.count"]).sum()) / 2.0


def plates(result: StudyResult) -> list[str]:
    """How a ball falls on many plates, by naive and by stable detection."""
    names = ("naive.halted", "naive.bounces", "naive.events_to_halt", "stable.halted", "stable.off", "gap.off")
    rows = []
    for point in result.grid.points:
        if point.values["hard_discs.plates"]:
            means = [values_of(result.summary(), f"plates.{name}")[point.number] for name in names]
            shares = [_percent(means[0]), _percent(means[1]), with_error(*means[2]), _percent(means[3])]
            restitution = point.values["hard_discs.restitution"]
            rows.append([f"{restitution:g}", *shares, *(f"{off:.0e}" for off, _ in means[4:])])
    heads = ["ε", "naive: halts", "bounces forever", "events to the halt", "stable: halts", "rest off the closed form"]
    return table([*heads, "with the gap stored"], rows)


def _over_restitution(result: StudyResult) -> tuple[list[str], dict[float, list[str]]]:
    """The head of a table with a column for each φ, and the beginnings of its rows, one for each ε."""
    heads = ["ε", *(f"φ = {filled:g}" for filled in values(result, "discs.volume_fraction"))]
    return heads, {restitution: [f"{restitution:g}"] for restitution in values(result, "hard_discs.restitution")}


def exponents(result: StudyResult) -> list[str]:
    """The exponents of small forces and gaps of the largest packings of each kind, below smaller and smaller ends."""
    kinds: dict[str, list[int]] = {}
    most = max(point.values["discs.count"] for point in result.grid.crossed)
    for point in result.grid.crossed:
        # equal discs are crystals with faults; small packings have fewer of the smallest gaps
        if point.values["discs.radii"] != "equal" and point.values["discs.count"] == most:
            kinds.setdefault(str(result.grid.told(point)[0][1]), []).append(point.number)
    rows = []
    for name, curve, known, ends in (
        ("extended contacts, small forces", "packing.extended_forces", 0.423, (-3, -5, -8, -10)),
        ("bucklers, small forces", "packing.buckler_forces", 0.174, (-5, -7, -10, -12)),
        ("small gaps", "packing.gaps", -0.413, (-8, -10, -13, -15)),
    ):
        pools = [pooled_counts(result, curve, points) for points in kinds.values()]
        for end in ends:
            found = [exponent_below(counts, end) for counts in pools]
            rows.append([name, f"up to {10.0 ** (end / _BINS):.2g}", *map(_exponent, found), f"{known}"])
    return table(["values", "range", *kinds, "known"], rows)


def pooled_counts(result: StudyResult, curve: str, points: Sequence[int]) -> dict[int, float]:
    """How many values of all runs at these points are in each bin, by k: from 10^(k/5) to 10^((k + 1)/5).

    The edges of the bins are the same in all runs, so that densities times the number of values can be added up.
    """
    found = result.curves(curve)
    totals = result.runs.set_index(["point", "seed"])[f"{curve}.count"]
    counts: dict[int, float] = {}
    chosen = found[found["point"].isin(points)]
    for point, seed, x, density in zip(chosen["point"], chosen["seed"], chosen["x"], chosen["y"], strict=True):
        k = math.floor(_BINS * math.log10(x))
        width = 10.0 ** ((k + 1) / _BINS) - 10.0 ** (k / _BINS)
        counts[k] = counts.get(k, 0.0) + density * width * float(totals[point, seed])
    return counts


def exponent_below(counts: dict[int, float], end: int) -> tuple[float, float, int]:
    """θ of P(x) ~ x^θ below 10^(end/5) that the counts of the bins are most likely from, its standard error, and how
    many values it rests on.

    Bins of equal width in log x have shares that fall as p^j from the end, p = 10^(-(θ + 1)/5): a geometric
    distribution, whose p is most likely m / (1 + m) with the mean m of j.
    """
    below: NDArray[np.float64] = np.array([(end - 1 - k, n) for k, n in counts.items() if k < end]).reshape(-1, 2)
    total = float(below[:, 1].sum())
    m = float(below.prod(axis=1).sum()) / total if total else 0.0
    if m <= 0.0:
        return math.nan, math.nan, round(total)
    p, width = m / (1.0 + m), math.log(10.0) / _BINS
    return -math.log(p) / width - 1.0, (1.0 - p) / math.sqrt(total * p) / width, round(total)


def _exponent(found: tuple[float, float, int]) -> str:
    return f"{with_error(*found[:2])} ({found[2]})"
