"""`make figures`: studies are run, and what docs/ shows of them is written anew.

That is tables between their marks, figures, and the report of `degond-2024`. The studies go on where an earlier call
was stopped. Their folders are in build/figures. With names of studies on the command line, only these are run, and only
what is made of them alone is written.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.tables import DOCS, put, table
from engine.hard_discs.theory import REFERENCE_Z
from engine.initial import initial_state
from engine.study import load_study, run
from engine.study.figures import draw
from engine.study.grid import GridPoint
from engine.study.labels import STYLE, place, value
from engine.study.report import StudyResult
from engine.study.series import values_of, with_error

PROJECT = Path(__file__).parents[1]
FOLDER = Path("build") / "figures"
"""Relative to the project, so that the reports name no place of this machine."""

SCALES = {
    "degond-2024": "standard",
    "rigid-clusters": "standard",
    "hard-disc-pressure": "quick",
    "haff-cooling": "quick",
    "bannerman-2014": "quick",
    "jamming-density": "quick",
}
"""The studies that docs/ has tables or figures of, and how large they are run."""

REPORTS = ("degond-2024",)
"""Those whose report is in docs/reports as it was made."""

FIGURES = {
    "study-contacts": ("degond-2024", "Relative contacts (figure 7)"),
    "study-dimension": ("degond-2024", "Fractal dimension, V_f = 0.2 (figure 11)"),
    "study-aspect": ("degond-2024", "Aspect ratio (figure 13)"),
    "impact-separations": ("bannerman-2014", "Separations at impact, ρσ³ = 0.5 (figure 3)"),
    "bouncing-ball": ("bannerman-2014", "Plates where naive detection still finds a next event"),
    "packing-gaps": ("jamming-density", "Gaps"),
}
"""File in docs/images without its suffix, study and title of the figure."""

Estimate = tuple[float, float]
"""A mean and its standard error."""

_BINS = 5  # of the densities of forces and gaps, in each decade; see engine.analysis.packing
_NEAR = 200.0  # units in the last place


def mean(result: StudyResult, quantity: str, at: dict[str, Any]) -> Estimate:
    """The mean of a quantity at the first point with these values."""
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
    both = [(result, _with_pairs(result)) for result in (deformable, rigid)]
    lines: list[str] = []
    for name, heading in (("contacts_relative", "N_c"), ("fractal_dimension", "D_f"), ("pairs", "P(10 R)")):
        lines += [*_against_exact(heading, name, *both), ""]
    return lines[:-1]


def _against_exact(
    heading: str, name: str, deformable: tuple[StudyResult, pd.DataFrame], rigid: tuple[StudyResult, pd.DataFrame]
) -> list[str]:
    """Relative differences, taken seed by seed, as in the claims of the studies."""
    names = ["f = 0.25", "f = 0.5", "f = 1"]
    rows = []
    for filled in values(deformable[0], "discs.volume_fraction"):
        beside = filled == rigid[0].grid.scenario.discs.volume_fraction
        for count in values(deformable[0], "discs.count"):
            found = _differences(*deformable, name, {"discs.volume_fraction": filled, "discs.count": count})
            stiff = _differences(*rigid, name, {"discs.count": count}) if beside else {}
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
            good = runs[(runs["point"] == point.number) & (runs["status"] == "done")]
            tables[str(result.grid.told(point)[0][1])] = good.set_index("seed")[name]
    exact = tables.pop("event-driven", None)
    if exact is None:
        return {}
    base = float(exact.mean())
    return {"event-driven": _estimate(exact)} | {
        method: _estimate((one - exact).dropna() / base) for method, one in tables.items()
    }


def _estimate(series: pd.Series) -> Estimate:
    return float(series.mean()), float(series.std(ddof=1)) / math.sqrt(len(series))


def _percent(of: Estimate) -> str:
    return f"{with_error(100.0 * of[0], 100.0 * of[1])} %"


def _with_pairs(result: StudyResult) -> pd.DataFrame:
    """The runs with a column ``pairs``: discs within ten radii of a disc, from the pair distribution of each run."""
    grid = result.grid
    radius = cache(lambda number: float(initial_state(grid.scenario_at(grid.points[number])).radii[0]))
    found = {
        (number, seed): float(np.interp(10.0 * radius(number), one["x"], one["y"]))
        for (number, seed), one in result.curves("pair_distribution").groupby(["point", "seed"])
    }
    keys = zip(result.runs["point"], result.runs["seed"], strict=True)
    return result.runs.assign(pairs=[found.get(key, math.nan) for key in keys])


def pressure(result: StudyResult) -> list[str]:
    """Z and the collision rate of 16 384 discs beside the literature."""
    rows = []
    for filled, rate in {0.30: 2.40016, 0.50: 7.0103, 0.65: 16.719}.items():
        known = next(one for one in REFERENCE_Z if one.phi == filled)
        at = {"discs.count": 16384, "discs.volume_fraction": filled}
        z, omega = (mean(result, name, at) for name in ("compressibility", "reduced_collision_rate"))
        from_rate = (1.0 + math.sqrt(math.pi) / 4.0 * omega[0], math.sqrt(math.pi) / 4.0 * omega[1])
        row = [f"{filled:g}", with_error(*z), with_error(known.z, known.error), f"{z[0] / known.z - 1.0:+.3%}"]
        rows.append([*row, with_error(*omega), f"{rate:g}", with_error(*from_rate)])
    return table(["φ", "Z", "literature", "off by", "ω", "literature", "Z from ω"], rows)


def small(result: StudyResult) -> list[str]:
    """72 discs at φ = 0.65 in two boxes, as β P σ²."""
    scale = 4.0 * 0.65 / math.pi
    rows = []
    for name, height, known, error in (
        ("1 : √3/2", 7.794228634059947, 6.945931, 66e-6),
        ("square", 9.0, 6.901074, 71e-6),
    ):
        at = {"discs.count": 72, "box.size": [9.0, height], "discs.volume_fraction": 0.65}
        found, own_error = (scale * one for one in mean(result, "compressibility", at))
        off = (found - known) / math.hypot(own_error, error)
        rows.append([name, with_error(found, own_error), with_error(known, error), f"{off:+.1f}"])
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
    names = ("over_haff_after_20", "temperature_over_haff", "clustering_onset")
    rows = []
    for filled in values(result, "discs.volume_fraction"):
        for restitution in values(result, "hard_discs.restitution"):
            at = {"discs.volume_fraction": filled, "hard_discs.restitution": restitution}
            rows.append([f"{filled:g}", f"{restitution:g}", *(with_error(*mean(result, name, at)) for name in names)])
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
    """Three-body events per collision: a column for each φ, a row for each ε."""
    fractions = values(result, "discs.volume_fraction")
    rows = []
    for restitution in values(result, "hard_discs.restitution"):
        row = [f"{restitution:g}"]
        for filled in fractions:
            at = {"discs.volume_fraction": filled, "hard_discs.restitution": restitution}
            share = mean(result, "three_body_share", at)
            row.append(with_error(*share) if share[0] > 0.0 else f"none in {_collisions(result, at):.0e}")
        rows.append(row)
    return table(["ε", *(f"φ = {filled:g}" for filled in fractions)], rows)


def _collisions(result: StudyResult, at: dict[str, float]) -> float:
    """The collisions of all runs at a point."""
    runs = result.runs
    for key, one in at.items():
        runs = runs[runs[key] == one]
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
            cells = [f"{with_error(exponent, error)} ({count})" for exponent, error, count in found]
            rows.append([name, f"up to {10.0 ** (end / _BINS):.2g}", *cells, f"{known}"])
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


TABLES: tuple[tuple[str, str, tuple[str, ...], Callable[..., list[str]]], ...] = (
    ("studies.md", "claims", ("degond-2024",), claims),
    ("time-stepping.md", "agreement", ("degond-2024", "rigid-clusters"), agreement),
    ("hard-discs.md", "pressure", ("hard-disc-pressure",), pressure),
    ("hard-discs.md", "small", ("hard-disc-pressure",), small),
    ("hard-discs.md", "conservation", ("hard-disc-pressure",), conservation),
    ("hard-discs.md", "cooling", ("haff-cooling",), cooling),
    ("hard-discs.md", "impacts", ("bannerman-2014",), impacts),
    ("hard-discs.md", "three-body", ("bannerman-2014",), three_body),
    ("hard-discs.md", "bouncing ball", ("bannerman-2014",), plates),
    ("jamming.md", "exponents", ("jamming-density",), exponents),
)
"""Page, name of the marks, and from which studies what stands between them is made, and how."""


def made(name: str, scale: str) -> StudyResult:
    """Run a study by the command that anybody has; its result. SystemExit where it fails."""
    began = time.perf_counter()
    out = FOLDER / name
    command = ["study", name, "--scale", scale, "--keep", "final", "--out", str(out)]
    done = subprocess.run([sys.executable, "-m", "aggviewer", *command], cwd=PROJECT, check=False)
    if done.returncode:
        raise SystemExit(f"aggviewer {' '.join(command)} has ended with status {done.returncode}")
    print(f"aggviewer {' '.join(command)}: {time.perf_counter() - began:.0f} s\n", flush=True)
    if name in REPORTS:
        (DOCS / "reports").mkdir(exist_ok=True)
        shutil.copyfile(PROJECT / out / "report.html", DOCS / "reports" / f"{name}.html")
    return run(load_study(name, scale=scale), out=PROJECT / out)


def write_figure(result: StudyResult, title: str, path: Path) -> None:
    """A figure of a study as SVG."""
    (wanted,) = (one for one in result.study.figure if one.title == title)
    with mpl.rc_context(STYLE):
        draw(result, wanted).savefig(path, metadata={"Date": None})
    path.write_text(re.sub(r"[ \t]+$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8")


def main(names: list[str]) -> None:
    """Run the studies, write figures and tables. names : of the studies, none for all. SystemExit if there is no such
    study."""
    if unknown := sorted(set(names) - set(SCALES)):
        raise SystemExit(f"no study of docs/ is called {', '.join(unknown)}; there are {', '.join(SCALES)}")
    results = {name: made(name, scale) for name, scale in SCALES.items() if not names or name in names}
    for name, (study, title) in FIGURES.items():
        if study in results:
            write_figure(results[study], title, DOCS / "images" / f"{name}.svg")
    for page, marks, studies, lines_of in TABLES:
        if results.keys() >= set(studies):
            put(page, marks, lines_of(*(results[study] for study in studies)))
    print(f"Written into docs/; all reports: {FOLDER}")


if __name__ == "__main__":
    main(sys.argv[1:])
