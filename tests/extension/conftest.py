"""Plug-ins in this process, gone after each test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import indicators, plugins
from engine.files import formats
from engine.scenario import tables
from tests.cli.conftest import call as call

POINTS = Path(__file__).with_name("points.py")


@pytest.fixture(autouse=True)
def registries_as_they_were(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """Whatever a test loads is forgotten after it; gives the parts of the systems, indicators and formats before."""
    registries = (tables.SYSTEMS, indicators.INDICATORS, formats.FORMATS)
    before = tuple(registry.parts for registry in registries)
    for registry in registries:
        monkeypatch.setattr(registry, "parts", registry.parts)
    monkeypatch.setattr(plugins.LATE_PARTS, "parts", ())
    monkeypatch.setattr(plugins, "_known", {})
    return before


@pytest.fixture
def points() -> plugins.PlugIn:
    """The plug-in with free points, loaded."""
    return plugins.load_file(POINTS)
