"""`aggviewer doctor`, and a probe of OpenGL that cannot take it down."""

from __future__ import annotations

import os

import pytest

from aggviewer.cli import doctor
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
    if os.environ.get("DISPLAY"):
        assert found["opengl"]["version"]


def test_report_for_people(call: Call) -> None:
    done = call("doctor")
    assert done.status == 0
    assert "threading_layer" in done.out


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
        monkeypatch.setattr(doctor, "_PROBE_SECONDS", 0.5)
    assert words in doctor.examine()["opengl"]["error"]


def test_no_display_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert doctor.examine()["opengl"] == {"error": "no display"}
