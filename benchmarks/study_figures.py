"""`make figures`: studies are run, and what docs/ shows of them is written anew.

That is tables between their marks, figures, and the report of `degond-2024`.

The studies go on where an earlier call was stopped. Their folders are in build/figures. With names of studies on the
command line, only these are run, and only what is made of them alone is written.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl

from benchmarks import study_tables
from benchmarks.pages import DOCS, put
from engine.study import load_study, run
from engine.study.figures import draw
from engine.study.result import StudyResult
from engine.study.style import STYLE

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

TABLES: tuple[tuple[str, str, tuple[str, ...], Callable[..., list[str]]], ...] = (
    ("studies.md", "claims", ("degond-2024",), study_tables.claims),
    ("time-stepping.md", "agreement", ("degond-2024", "rigid-clusters"), study_tables.agreement),
    ("hard-discs.md", "pressure", ("hard-disc-pressure",), study_tables.pressure),
    ("hard-discs.md", "small", ("hard-disc-pressure",), study_tables.small),
    ("hard-discs.md", "conservation", ("hard-disc-pressure",), study_tables.conservation),
    ("hard-discs.md", "cooling", ("haff-cooling",), study_tables.cooling),
    ("hard-discs.md", "impacts", ("bannerman-2014",), study_tables.impacts),
    ("hard-discs.md", "three-body", ("bannerman-2014",), study_tables.three_body),
    ("hard-discs.md", "bouncing ball", ("bannerman-2014",), study_tables.plates),
    ("jamming.md", "exponents", ("jamming-density",), study_tables.exponents),
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
    began = time.perf_counter()
    if unknown := sorted(set(names) - set(SCALES)):
        raise SystemExit(f"no study of docs/ is called {', '.join(unknown)}; there are {', '.join(SCALES)}")
    results = {name: made(name, scale) for name, scale in SCALES.items() if not names or name in names}
    for name, (study, title) in FIGURES.items():
        if study in results:
            write_figure(results[study], title, DOCS / "images" / f"{name}.svg")
    for page, marks, studies, table in TABLES:
        if results.keys() >= set(studies):
            put(page, marks, "\n".join(table(*(results[study] for study in studies))))
    print(f"Written into docs/ in {(time.perf_counter() - began) / 60.0:.1f} minutes; all reports: {FOLDER}")


if __name__ == "__main__":
    main(sys.argv[1:])
