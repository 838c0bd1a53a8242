"""`aggviewer doctor`, and a probe of OpenGL that cannot take it down."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aggviewer.canvas.surface import DrawingTimes
from aggviewer.cli import doctor
from aggviewer.session.precompile import all_parts
from aggviewer.window.settings import WindowSettings
from tests.cli.conftest import Call


def test_json_report(call: Call) -> None:
    done = call("doctor", "--json")
    assert done.status == 0
    found = done.json
    assert found["packages"]["numpy"]
    assert found["packages"]["PyQt6"]
    assert found["machine"]["cpus"] >= 1
    assert found["numba"]["cache_writable"] is True
    assert found["numba"]["threading_layer"] in ("tbb", "omp", "workqueue")
    assert "resources" in found["folders"]["resources"]
    assert "threading_layer" in call("doctor").out
    if os.environ.get("DISPLAY"):
        assert found["opengl"]["version"]


@pytest.mark.parametrize(
    ("probe", "words"),
    [
        ("import os; os.abort()", "ended by SIGABRT"),
        ("import sys; sys.exit('no driver')", "no driver"),
        ("import time; time.sleep(60)", "no answer within"),
    ],
)
def test_a_broken_driver_is_reported(monkeypatch: pytest.MonkeyPatch, probe: str, words: str) -> None:
    monkeypatch.setenv("DISPLAY", os.environ.get("DISPLAY", ":0"))
    monkeypatch.setattr(doctor, "_PROBE", probe)
    if "sleep" in probe:
        monkeypatch.setattr(doctor, "_PROBE_SECONDS", 0.0)
    assert words in doctor.examine()["opengl"]["error"]


def test_no_display_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert doctor.examine()["opengl"] == {"error": "no display"}


def test_the_report_says_what_draws_the_discs_and_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = WindowSettings(tmp_path / "window.ini")
    monkeypatch.setattr("aggviewer.window.settings.WindowSettings", lambda: settings)
    assert doctor.examine()["picture"]["chosen"] == "auto"
    settings.picture_times = DrawingTimes("OpenGL 4.5, llvmpipe", 20.5, 7.25, 2500)
    assert doctor.examine()["picture"] == {
        "chosen": "auto",
        "drawn_by": "painter",
        "opengl_ms": 20.5,
        "painter_ms": 7.25,
        "discs": 2500,
        "renderer": "OpenGL 4.5, llvmpipe",
    }
    settings.surface = "opengl"
    assert doctor.examine()["picture"]["drawn_by"] == "opengl"
    settings.picture_times = None
    assert doctor.examine()["picture"] == {"chosen": "opengl", "drawn_by": "opengl"}
    settings.surface, settings.picture_times, settings.software_opengl = "auto", None, "llvmpipe"
    assert doctor.examine()["picture"] == {"chosen": "auto", "drawn_by": "painter", "software_opengl": "llvmpipe"}


@pytest.mark.parametrize(
    ("renderer", "picture"),
    [
        ("llvmpipe (LLVM 15)", {"drawn_by": "painter", "software_opengl": "llvmpipe (LLVM 15)"}),
        ("NVIDIA H100", {"measured": "not measured yet; the window measures it when it first shows many discs"}),
    ],
)
def test_before_the_first_start_it_says_what_that_will_draw_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, renderer: str, picture: dict[str, str]
) -> None:
    settings = WindowSettings(tmp_path / "window.ini")
    monkeypatch.setattr("aggviewer.window.settings.WindowSettings", lambda: settings)
    monkeypatch.setattr(doctor, "_opengl", lambda: {"renderer": renderer})
    assert doctor.examine()["picture"] == {"chosen": "auto", **picture}
    monkeypatch.setenv("AGGVIEWER_CANVAS", "opengl")
    forced = {"chosen": "opengl", "chosen_by": "AGGVIEWER_CANVAS", "drawn_by": "opengl"}
    assert doctor.examine()["picture"] == forced


@pytest.mark.parametrize(("library", "part"), [("numba", "numba"), ("aggviewer.canvas.create", "picture")])
def test_the_report_is_made_without_a_library_that_cannot_be_imported(
    call: Call, monkeypatch: pytest.MonkeyPatch, library: str, part: str
) -> None:
    """numba says so where numpy is too new for it; PyQt6 where libraries of the system are missing."""
    monkeypatch.setitem(sys.modules, library, None)
    done = call("doctor", "--json")
    assert done.status == 0
    assert done.json[part]["error"].startswith("cannot be imported: ")
    assert done.json["packages"]["numpy"]


def test_warm_compiles_every_part(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[tuple[str, ...]] = []

    def fill(report: Callable[[int, int, str], None], *part: str) -> None:
        report(1, 2, "half")
        filled.append(part)

    monkeypatch.setattr(doctor, "fill_cache", fill)
    done = call("doctor", "--warm")
    assert done.status == 0
    assert sorted(filled) == sorted(all_parts())
    assert "Compiled everything" in done.out
    assert "picture" in call("doctor", "--warm", "--json").json["parts"]


def test_warm_without_a_folder_says_so(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.kernels.CACHE_DIR", None)
    done = call("doctor", "--warm")
    assert done.status == 1
    assert "no folder" in done.err
