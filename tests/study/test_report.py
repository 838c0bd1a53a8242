"""The report and its figures: one file, nothing from outside, names escaped; opened in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from engine.study import run as run_study
from engine.study.figures import draw
from tests.study.studies import TINY, tiny

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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study with everything that a report may hold."""
    path = tmp_path_factory.mktemp("report") / "full"
    result = run_study(tiny(**FULL), workers=0, out=path, keep=True)
    assert [one.verdict for one in result.verdicts] == ["holds"]
    return path


def test_the_report_is_one_file_without_an_address(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)""", page)
    assert not re.findall(r"https?://|url\(", re.sub(r"base64,[^\"]*", "", page))
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; co" in page
    assert page.count("data:image/svg+xml;base64,") == 2
    assert page.count("data:image/png;base64,") == 4  # a final state for each point
    assert "V<sub>f</sub>" in page
    assert "aggviewer study study.toml" in page


def test_a_figure_shows_the_means_with_their_errors(folder: Path) -> None:
    result = run_study(tiny(**FULL), workers=0, out=folder)
    axes = draw(result, result.study.figure[0]).axes[0]
    summary = result.summary()
    wanted = summary[(summary["quantity"] == "contacts_relative") & (summary["discs.volume_fraction"] == 0.2)]
    container = axes.containers[1]
    np.testing.assert_allclose(container[0].get_xdata(), [16.0, 36.0])
    np.testing.assert_allclose(container[0].get_ydata(), wanted["mean"])
    (bars,) = container[2]
    np.testing.assert_allclose([one[1, 1] - one[0, 1] for one in bars.get_segments()], 2.0 * wanted["error"])
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "Number of discs N"
    assert axes.get_ylabel() == "Relative contacts $N_{c}$"


def test_the_same_study_gives_the_same_figures(folder: Path, tmp_path: Path) -> None:
    run_study(tiny(**FULL), workers=0, out=tmp_path / "again")
    for path in sorted((folder / "figures").iterdir()):
        again = tmp_path / "again" / "figures" / path.name
        if path.suffix == ".png":
            np.testing.assert_array_equal(imread(path), imread(again))
        else:
            assert path.read_bytes() == again.read_bytes()


def test_a_study_that_names_no_figures_has_one_for_each_quantity(tmp_path: Path) -> None:
    run_study(tiny(), workers=0, out=tmp_path)
    assert len(list((tmp_path / "figures").glob("*.svg"))) == len(TINY["measure"]["quantities"]) + 2


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
@pytest.mark.parametrize("width", [1280, 420])
def test_a_browser_shows_it_without_an_error(folder: Path, tmp_path: Path, width: int) -> None:
    assert shown(folder / "report.html", tmp_path / "page.png", width) == ("", [])
    page = imread(tmp_path / "page.png")[:, : width - 20, :3]  # without the scroll bar
    assert page.shape[1] == width - 20
    assert (page.min(axis=(0, 1)) < 0.2).all()  # text
    assert (page.max(axis=2) - page.min(axis=2)).max() > 0.4  # colours of the figures


@needs_chromium
def test_a_request_to_the_outside_would_be_seen(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = (folder / "report.html").read_text(encoding="utf-8")
    page.write_text(text.replace("</h1>", '</h1><img src="http://example.org/x.png">', 1), encoding="utf-8")
    assert set(shown(page, tmp_path / "page.png", 800)[1]) == {"http://example.org/x.png"}
