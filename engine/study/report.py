"""The result of a study, and its report: one self-contained HTML file."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tomli_w

from engine.files.writing import replacing
from engine.plotting.projection import flat_view
from engine.study import folder as folders
from engine.study.claims import Verdict, judge
from engine.study.figures import WrittenFigure, draw, in_words, named_figures, nothing_to_draw
from engine.study.grid import Grid
from engine.study.labels import COLORS, as_html, at, axis_title, capitalised, label, place, value
from engine.study.laws import fit, pool
from engine.study.model import Vary
from engine.study.series import values_of, with_error
from engine.study.store import Store
from engine.study.tables import StudyTables, quantities_of
from engine.words import count, typeset, typeset_text

if TYPE_CHECKING:
    import matplotlib.figure

NAME = "report.html"
_MAY_BREAK = "\N{ZERO WIDTH SPACE}"
_BREAK = re.compile(r"(?<=[·/])(?=\w)|(?<=\w\w_)(?=\w)")
_MOST_COLUMNS = 12  # quantities in the report; all are in summary.csv
_BLOCK = 6  # quantities side by side: so many fit on a printed page
_MOST_ROWS = 500
_MOST_VALUES = 40  # of an axis
_MOST_FAILURES = 50
_MOST_STATES = 60
_STATE_SIZE = 260  # pixels
_STATE_COLORS = 32  # of a palette: a fourth of the bytes that a picture has without one


def write(result: StudyResult, folder: Path, drawn: list[WrittenFigure]) -> list[Verdict]:
    """Write report.html into the folder of a study. drawn : its figures. Returns the verdicts on the claims."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def breakable(text: str) -> Markup:
        """A text with its symbols as HTML; units and long names may be broken over lines."""
        return Markup(as_html(_BREAK.sub(_MAY_BREAK, text)).replace(_MAY_BREAK, "<wbr>"))

    template = (resources.files("resources") / "studies" / "report.html.jinja").read_text(encoding="utf-8")
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    page.filters["symbols"] = breakable
    verdicts = verdicts_of(result)
    text = page.from_string(template).render(**_contents(result, folder, drawn, verdicts))
    with replacing(folder / NAME) as partial:
        partial.write_text(text, encoding="utf-8")
    return verdicts


def verdicts_of(result: StudyResult) -> list[Verdict]:
    """The verdicts on the claims of the study."""
    summary = result.summary()
    return [judge(claim, result.runs, summary, result.grid) for claim in result.study.claim]


def _contents(result: StudyResult, folder: Path, drawn: list[WrittenFigure], verdicts: list[Verdict]) -> dict[str, Any]:
    study, grid = result.study, result.grid
    failures = result.runs[result.runs["error"] != ""]
    blocks, note = _blocks(result)
    made_with = folders.read(folder)[1]
    states = _states(result)
    return {
        "title": study.title or f"Study of {study.scenario}",
        "description": study.description,
        "lead": _lead(result),
        "verdicts": [replace(one, because=typeset_text(one.because)) for one in verdicts],
        "varied": [(_axis_label(axis, grid), _values(grid, axis)) for axis in grid.axes],
        "figures": [
            {"title": one.title, "caption": one.caption, "data": _encoded(folder / "figures" / f"{one.name}.svg")}
            for one in drawn
            if not one.problem
        ],
        "not_drawn": [one for one in drawn if one.problem],
        "states": states,
        "states_seed": study.seeds.first,
        "fits": _fits(result),
        "pools": _pools(result),
        "blocks": blocks,
        "table_note": note,
        "failures": [
            {"where": _place(int(row["point"]), grid), "seed": row["seed"], "error": row["error"]}
            for row in failures.head(_MOST_FAILURES).to_dict("records")
        ],
        "more_failures": count(max(0, len(failures) - _MOST_FAILURES)) if len(failures) > _MOST_FAILURES else "",
        "made": _made(made_with),
        "command": f"aggviewer study study.toml --out {folder.name}",
        "toml": tomli_w.dumps(study.to_values()),
    }


def _lead(result: StudyResult) -> str:
    grid = result.grid
    done = int((result.runs["status"] == "done").sum())
    text = f"{count(done)} of {count(len(grid))} runs: {count(len(grid.crossed))} points, "
    text += f"{count(result.study.seeds.count)} seeds each"
    if grid.beside:
        text += f", and {count(len(grid.beside))} single points"
    if result.failed:
        text += f"; {count(result.failed)} runs have failed"
    return text + ("." if result.complete else "; the study is not complete.")


def _axis_label(axis: Vary, grid: Grid) -> str:
    return axis.title or ", ".join(label(key, grid) for key in axis.all_keys)


def _values(grid: Grid, axis: Vary) -> str:
    """The values of an axis, each once; of many the first and the last."""
    found = list(dict.fromkeys(value(grid.value_on(axis, point)) for point in grid.crossed))
    if len(found) > _MOST_VALUES:
        found = [*found[: _MOST_VALUES // 2], "…", f"{found[-1]} ({count(len(found))} values)"]
    return ", ".join(found)


def _blocks(result: StudyResult) -> tuple[list[dict[str, Any]], str]:
    """The table of means in blocks that are narrow enough to be printed, each with the parameters; and a note on what
    is left out."""
    grid, summary = result.grid, result.summary()
    names = list(result.study.measure.numbers) or quantities_of(result.runs, grid)
    shown = names[:_MOST_COLUMNS]
    points = grid.crossed[:_MOST_ROWS]
    axes = [axis_title(axis) for axis in grid.axes]
    blocks, single = [], []
    for start in range(0, len(shown), _BLOCK):
        part = shown[start : start + _BLOCK]
        means = [values_of(summary, name) for name in part]
        rows = [
            [value(of) for _, of in grid.told(point)]
            + [written_with_error(*column.get(point.number, (float("nan"), 0.0))) for column in means]
            for point in points
        ]
        header = [(name, _header(name, grid)) for name in part]
        blocks.append({"axes": axes, "quantities": header, "rows": rows})
        beside = [
            [point.name] + [written_with_error(*column.get(point.number, (float("nan"), 0.0))) for column in means]
            for point in grid.beside
        ]
        single += [{"axes": ["single point"], "quantities": header, "rows": beside}] if beside else []
    blocks += single
    counts = ((len(shown), len(names), "quantities"), (len(points), len(grid.crossed), "points"))
    left_out = [f"{count(some)} of {count(every)} {what}" for some, every, what in counts if some < every]
    note = f"This table shows the first {' and '.join(left_out)}. " if left_out else ""
    return blocks, f"{note}All quantities, medians and intervals are in summary.csv, every run is in runs.csv."


def _header(name: str, grid: Grid) -> str:
    text = label(name, grid)
    return text if text == name else capitalised(text)


def _place(number: int, grid: Grid) -> str:
    return (place(grid.points[number], grid) if number < len(grid.points) else "") or "the only point"


def _fits(result: StudyResult) -> list[dict[str, Any]]:
    grid = result.grid
    found: list[dict[str, Any]] = []
    for wanted in result.study.fit:
        over = f" over {label(wanted.x, grid)}" if wanted.x else ""
        for one in fit(wanted, result):
            found.append(
                {
                    "law": f"{label(wanted.y, grid)}{over}: {wanted.law}",
                    "line": one.of if wanted.points else _line(grid, wanted.by, one.of),
                    "result": typeset_text(in_words(one)),
                    "range": "" if one.problem else f"{typeset(one.low, 'g')} to {typeset(one.high, 'g')}",
                    "points": one.count,
                }
            )
    return found


def _pools(result: StudyResult) -> list[dict[str, Any]]:
    """The pooled exponents, beside those of the literature."""
    grid = result.grid
    return [
        {
            "title": wanted.title,
            "line": _line(grid, wanted.by, one.of),
            "exponent": written_with_error(one.exponent, one.error),
            "rests_on": f"{count(one.values)} of {count(one.runs)} runs",
            "known": "" if wanted.expect is None else typeset(wanted.expect, "g"),
            "verdict": one.verdict(wanted.expect),
            "source": wanted.source,
        }
        for wanted in result.study.pool
        for one in pool(wanted, result.runs, grid)
    ]


def written_with_error(value: float, error: float) -> str:
    """`with_error` for people, ``−0.512(3)``."""
    return typeset_text(with_error(value, error))


def _line(grid: Grid, by: str, of: Any) -> str:
    """Which line of a figure this is; "" if there is one."""
    axis = grid.axis_of(by) if by else None
    return "" if axis is None else at(axis, of)


def _made(made_with: dict[str, Any]) -> list[tuple[str, str]]:
    versions = made_with.get("versions", {})
    plugins = made_with.get("plugins", [])
    return [
        ("Versions", ", ".join(f"{name} {number}" for name, number in versions.items())),
        ("Machine", str(made_with.get("machine", ""))),
        ("Plug-ins", ", ".join(plugins) or "none"),
        ("Command", f"aggviewer {made_with.get('command', '')}" if made_with.get("command") else "by the Python API"),
    ]


def _states(result: StudyResult) -> list[dict[str, str]]:
    """The final states of the first seed that are kept, a picture for each point."""
    found: list[dict[str, str]] = []
    for number, _, state in result.store.finals(result.study.seeds.first):
        if len(found) < _MOST_STATES and number < len(result.grid.points):
            data = base64.b64encode(picture(state)).decode("ascii")
            found.append({"data": data, "caption": _place(number, result.grid)})
    return found


def picture(state: dict[str, Any]) -> bytes:
    """A final state as PNG: each cluster in a colour. Spheres are seen as in the first view of their box."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure
    from PIL import Image

    from engine.plotting.circles import DiscCollection
    from engine.plotting.solids import add_spheres

    seen = flat_view(state["positions"], state["radii"], state["box"])
    ranks = np.unique(state["cluster"], return_inverse=True)[1]
    width, height = seen.size
    figure = Figure(figsize=(1.0, float(np.clip(height / width, 0.2, 5.0))), dpi=_STATE_SIZE)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    faces = np.array([to_rgb(color) for color in COLORS])[ranks % len(COLORS)]
    if len(state["box"]) > 2:
        add_spheres(axes, seen, faces)
    else:
        DiscCollection(axes, seen.places, seen.radii, faces, "none", 0.0)
    axes.set(xlim=(0.0, width), ylim=(0.0, height), xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(color="#d8dce2", linewidth=0.4)
    whole, buffer = io.BytesIO(), io.BytesIO()
    figure.savefig(whole, format="png")
    with Image.open(whole) as image:
        image.convert("RGB").quantize(_STATE_COLORS).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")


class StudyResult(StudyTables):
    """The tables and figures of a study, or of its runs so far.

    Attributes
    ----------
    folder : the folder of its files; None if none were written.
    verdicts : the verdicts on the claims of the study, if its report was written.
    """

    def __init__(self, grid: Grid, store: Store, folder: Path | None) -> None:
        super().__init__(grid, store)
        self.folder = folder
        self.verdicts: list[Verdict] = []

    def figures(self) -> dict[str, matplotlib.figure.Figure]:
        """The figures of the study, for matplotlib, by the names that their files have in ``figures/``; those without
        data are left out."""
        return {name: draw(self, wanted) for name, wanted in named_figures(self) if not nothing_to_draw(self, wanted)}
