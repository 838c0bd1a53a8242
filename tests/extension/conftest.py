"""Plug-ins in this process, gone after each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import indicators, plugins
from engine.files import formats
from engine.scenario import tables
from tests.cli.conftest import call as call

POINTS = Path(__file__).with_name("points.py")


@pytest.fixture(autouse=True)
def registries_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test loads is forgotten after it."""
    for registry in (tables.SYSTEMS, indicators.INDICATORS, formats.FORMATS):
        monkeypatch.setattr(registry, "parts", registry.parts)
    monkeypatch.setattr(plugins.LATE_PARTS, "parts", ())
    monkeypatch.setattr(plugins, "_known", {})
    monkeypatch.setattr(plugins, "_parts", {})


@pytest.fixture
def points() -> plugins.PlugIn:
    """The plug-in with free points, loaded."""
    return plugins.load_file(POINTS)
