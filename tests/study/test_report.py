"""The report and its figures: one file, nothing from outside, names escaped; opened in a real browser."""

from __future__ import annotations

import io
import itertools
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas
from matplotlib.image import imread

from engine.plotting.projection import FROM_ABOVE, axes_of, flat_view, shaded
from engine.study import run as run_study
from engine.study.figures import chosen_figures, draw
from engine.study.grid import Grid
from engine.study.labels import COLORS, SIZE, as_html, as_mathtext, capitalised, has_symbols, looks, set_scales
from engine.study.report import StudyResult, picture
from tests.study.studies import TINY, tiny

MADE = sorted((Path(__file__).parents[2] / "docs" / "reports").glob("*.html"))
NASTY = '<script>alert("x")</script> & co'
FULL: dict[str, Any] = {
    "title": NASTY,
    "description": "Symbols such as V_f have their index below.",
    "figure": [
        {
            "y": "contacts_relative", "x": "discs.count", "by": "discs.volume_fraction", "log": "x", "title": NASTY,
            "reference": [[16, 0.5], [36, 0.5]], "source": "a paper",
        },
        {"y": "box_counting", "by": "discs.count", "at": {"discs.volume_fraction": 0.2}, "log": "xy"},
    ],
    "fit": [{"y": "contacts_relative", "x": "discs.count", "by": "discs.volume_fraction", "law": "power"}],
    "claim": [{"says": NASTY, "source": NASTY, "y": "contacts_relative", "expect": 0.5, "within": 0.1}],
}  # fmt: skip
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
needs_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Debian's package chromium")
OF_A_PAGE = 101845102  # Chromium's number for what a page asks for; the browser itself asks for other things
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """A study with everything that a report may hold."""
    found = run_study(tiny(**FULL), workers=0, out=tmp_path_factory.mktemp("report") / "full", keep=True)
    assert [one.verdict for one in found.verdicts] == ["holds"]
    return found


@pytest.fixture(scope="module")
def folder(result: StudyResult) -> Path:
    """Its folder."""
    assert result.folder is not None
    return result.folder


def test_the_report_is_one_file_without_an_address(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)""", page)
    assert not re.findall(r"https?://|url\(", re.sub(r"base64,[^\"]*", "", page))
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; co" in page
    assert page.count("data:image/svg+xml;base64,") == 2
    assert page.count("data:image/png;base64,") == 4  # a final state for each point
    assert "<i>V</i><sub>f</sub>" in page
    assert "aggviewer study study.toml" in page
    assert "Relative contacts <i>N</i><sub>c</sub>" in page  # a column of the table, in words
    assert "0.512(3) means 0.512 ± 0.003" in page


def test_figures_are_given_to_python(result: StudyResult, folder: Path) -> None:
    found = result.figures()
    written = {f"{name}.{suffix}" for name in found for suffix in ("svg", "pdf", "png")}
    assert {path.name for path in (folder / "figures").iterdir()} == written
    assert [one.axes[0].get_ylabel() for one in found.values()] == ["Relative contacts $N_{c}$", "Box counting $N(ε)$"]
    assert found["02-box-counting"].axes[0].get_xlabel() == "Side of the cells $ε$ [length]"


def test_a_figure_without_data_is_named_and_not_drawn(tmp_path: Path, drawn: None) -> None:
    nowhere = {"y": "contacts_relative", "x": "discs.volume_fraction", "at": {"discs.count": 12345}}
    without = {"y": "fractal_dimension", "x": "discs.count"}
    study = tiny(figure=[nowhere, without], vary=[{"key": "discs.count", "values": [1]}, TINY["vary"][0]])
    result = run_study(study, workers=0, out=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "not drawn, no point of this study has <i>N</i> = 12\N{THIN SPACE}345." in page
    assert "not drawn, no run has a value of fractal_<wbr>dimension." in page
    assert result.figures() == {}
    assert list((tmp_path / "figures").iterdir()) == []


def laid_out(wanted: dict[str, Any], **changes: Any) -> Any:
    """The canvas of the only figure of a small study, laid out."""
    (figure,) = run_study(tiny(figure=[wanted], **changes), workers=0).figures().values()
    figure.draw_without_rendering()
    return figure


LONG = "a name of this value that is so long that no legend has room for it in one line, and which goes on"


@pytest.mark.slow
@pytest.mark.parametrize(
    "axis",
    [
        {"key": "discs.volume_fraction", "values": [0.1, 0.2, 0.3], "names": [LONG, "short", LONG + "!"]},
        {"key": "velocities.speed", "values": [0.1 * k for k in range(1, 26)]},
    ],
)
def test_a_legend_stands_above_the_data_and_in_the_figure(axis: dict[str, Any]) -> None:
    wanted = {"y": "contacts_relative", "x": "discs.count", "by": axis["key"], "source": "by hand",
              "reference": [[16, 0.5], [36, 0.5]]}  # fmt: skip
    figure = laid_out(wanted, vary=[axis, TINY["vary"][1]], seeds={"count": 1})
    (legend,) = figure.legends
    box, axes = legend.get_window_extent(), figure.axes[0].get_window_extent()
    assert box.y0 >= axes.y1
    assert box.x1 <= figure.bbox.x1
    assert box.y1 <= figure.bbox.y1
    assert axes.height > 0.6 * 4.0 * figure.dpi  # the figure has grown, not the axes shrunk
    assert sum(text.get_text() == "by hand" for text in legend.get_texts()) == 1


def test_a_reference_is_a_dashed_line_and_a_single_one_a_cross(result: StudyResult) -> None:
    wanted = {"y": "contacts_relative", "x": "discs.count"}
    one, other = tiny(
        figure=[wanted | {"reference": places} for places in ([[16, 0.5], [36, 0.5]], [[16, 0.5]])]
    ).figure
    line = draw(result, one).axes[0].lines[-1]
    assert (line.get_linestyle(), line.get_marker()) == ("--", "None")
    cross = draw(result, other).axes[0].lines[-1]
    assert (cross.get_linestyle(), cross.get_marker()) == ("None", "x")


def test_a_picture_of_very_many_discs_takes_few_bytes() -> None:
    rng = np.random.default_rng(1)
    state = {
        "positions": rng.random((10_000, 2)) * 100.0, "radii": np.full(10_000, 0.25),
        "cluster": rng.integers(0, 50, 10_000), "box": np.array([100.0, 100.0]),
    }  # fmt: skip
    drawn = picture(state)
    assert len(drawn) < 60_000
    colours = {tuple(one) for one in imread(io.BytesIO(drawn))[..., :3].reshape(-1, 3).round(2)}
    assert 8 < len(colours) <= 32


def test_a_picture_of_spheres_shows_those_in_front_over_those_behind() -> None:
    towards = axes_of(FROM_ABOVE)[2]
    state = {
        "positions": 5.0 + np.outer([3.0, -3.0], towards), "radii": np.array([1.0, 1.0]),
        "cluster": np.array([0, 1]), "box": np.full(3, 10.0),
    }  # fmt: skip
    image = imread(io.BytesIO(picture(state)))[..., :3]
    middle = image[image.shape[0] // 2, image.shape[1] // 2]
    front = flat_view(state["positions"], state["radii"], state["box"]).near[1:]
    in_front, behind = (shaded(np.array([to_rgb(color)]), front)[0] for color in COLORS[:2])
    middle_hue, hues = middle - middle.mean(), [color - color.mean() for color in (in_front, behind)]
    assert middle_hue @ hues[0] > 0.95 * np.sqrt((middle_hue @ middle_hue) * (hues[0] @ hues[0])), "in light"
    assert middle_hue @ hues[1] < 0.0
    for positions in (state["positions"][::-1], state["positions"]):
        seen = flat_view(positions, state["radii"], state["box"])
        assert seen.near[0] < 0.5 < seen.near[1]
        assert seen.radii[0] < 1.0 < seen.radii[1], "perspective"
        assert seen.places[0] == pytest.approx(seen.places[1]), "one behind the other"
        assert [len(edges) for edges in seen.edges] == [3, 9]


def test_powers_and_symbols_are_set_as_such() -> None:
    assert as_mathtext("M ~ t^-ξ and V_f^2") == "M ~ $t^{-ξ}$ and $V_{f}$^2"
    assert as_mathtext("P ~ h^-0.413 (a paper)") == "P ~ $h^{-0.413}$ (a paper)"
    assert as_html("<V_f> ~ t^-1") == "&lt;<i>V</i><sub>f</sub>&gt; ~ <i>t</i><sup>-1</sup>"
    assert as_html("|r_ij| of contacts_relative") == "|<i>r</i><sub>ij</sub>| of contacts_relative"
    assert [has_symbols(text) for text in ("V_f", "t^-1", "N", "at N = 4", "contacts_relative")] == [True] * 4 + [False]
    assert as_html("V_f = 0.2, N = 400") == "<i>V</i><sub>f</sub> = 0.2, <i>N</i> = 400"
    assert [capitalised(text) for text in ("z - z_iso", "exponent ξ", "T/T_Haff")] == [
        "z - z_iso", "Exponent ξ", "T/T_Haff",
    ]  # fmt: skip


@pytest.mark.parametrize("of", [list(range(40)), [f"text {k}" for k in range(40)]], ids=["numbers", "texts"])
def test_no_two_lines_look_alike(of: list[Any]) -> None:
    found = [(one.color, one.marker) for one in looks(of)]
    assert len(set(found)) == 40


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1e-12, 1.1),
        (3e5, 2),
        (1e-3, 10),
        (3e5, 30),
        (100.0, 1e4),
        *(pytest.param(*more, marks=pytest.mark.slow) for more in ((1.0, 1.5), (100.0, 4), (1e-3, 100), (1e-12, 1e9))),
    ],
)
def test_numbers_at_logarithmic_ticks_do_not_run_into_each_other(low: float, high: float) -> None:
    figure = Canvas(figsize=SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot([low, low * high], [low, low * high])
    set_scales(axes, "xy")
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    for axis, first, last in ((axes.xaxis, "x0", "x1"), (axes.yaxis, "y0", "y1")):
        shown = [one.label1 for one in [*axis.get_major_ticks(), *axis.get_minor_ticks()] if one.label1.get_text()]
        inside = axis.get_view_interval()
        boxes = [
            one.get_window_extent(renderer)
            for one in shown
            if inside[0] <= (one.get_position()[0] if axis is axes.xaxis else one.get_position()[1]) <= inside[1]
        ]
        boxes.sort(key=lambda box: getattr(box, first))
        assert len(boxes) >= 2
        assert all(getattr(a, last) < getattr(b, first) for a, b in itertools.pairwise(boxes))


def test_a_figure_shows_the_means_with_their_errors(result: StudyResult) -> None:
    axes = draw(result, result.study.figure[0]).axes[0]
    summary = result.summary()
    wanted = summary[(summary["quantity"] == "contacts_relative") & (summary["discs.volume_fraction"] == 0.2)]
    container = axes.containers[1]
    np.testing.assert_allclose(container[0].get_xdata(), [16.0, 36.0])
    np.testing.assert_allclose(container[0].get_ydata(), wanted["mean"])
    (bars,) = container[2]
    np.testing.assert_allclose([one[1, 1] - one[0, 1] for one in bars.get_segments()], 2.0 * wanted["error"])
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "Number of discs $N$"
    assert axes.get_ylabel() == "Relative contacts $N_{c}$"


@pytest.mark.slow
def test_the_same_study_gives_the_same_figures(folder: Path, tmp_path: Path, drawn_in_all_formats: None) -> None:
    run_study(tiny(**FULL), workers=0, out=tmp_path / "again")
    for path in sorted((folder / "figures").iterdir()):
        again = tmp_path / "again" / "figures" / path.name
        if path.suffix == ".png":
            np.testing.assert_array_equal(imread(path), imread(again))
        else:
            assert path.read_bytes() == again.read_bytes()


def test_a_study_that_names_no_figures_has_one_for_each_quantity_and_curve() -> None:
    measured = [name for names in TINY["measure"].values() for name in names]
    assert [one.y for one in chosen_figures(tiny(), Grid(tiny()))] == measured


def shown(page: Path, picture: Path, width: int) -> tuple[str, list[str]]:
    """Have a page shown by a browser that can reach nobody; returns what is in its console, and the addresses that the
    page asks for."""
    log = picture.with_suffix(".json")
    command = [
        *CHROMIUM, *QUIET, "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={picture}-profile",
        f"--window-size={width},1600", "--enable-logging=stderr", f"--log-net-log={log}", f"--screenshot={picture}",
        f"file://{page}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    console = "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
    return console, re.findall(rf'"traffic_annotation":{OF_A_PAGE},"url":"([^"]+)"', log.read_text(encoding="utf-8"))


@needs_chromium
@pytest.mark.parametrize("width", [1280, pytest.param(420, marks=pytest.mark.slow)])
def test_a_browser_shows_it_without_an_error(folder: Path, tmp_path: Path, width: int) -> None:
    assert shown(folder / "report.html", tmp_path / "page.png", width) == ("", [])
    page = imread(tmp_path / "page.png")[:, : width - 20, :3]  # without the scroll bar
    assert page.shape[1] == width - 20
    assert (page.min(axis=(0, 1)) < 0.2).all()  # text
    assert (page.max(axis=2) - page.min(axis=2)).max() > 0.4  # colours of the figures


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("page", MADE, ids=lambda page: page.stem)
def test_reports_in_the_docs_are_small_and_ask_nobody(page: Path, tmp_path: Path) -> None:
    assert shown(page, tmp_path / "page.png", 1280) == ("", [])
    assert page.stat().st_size < 3_000_000
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)""", text)
    assert f"aggviewer study {page.stem} --scale standard" in text
