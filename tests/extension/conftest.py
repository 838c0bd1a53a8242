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
    monkeypatch.setattr(tables, "_registered", dict(tables._registered))
    monkeypatch.setattr(indicators, "_registered", list(indicators._registered))
    monkeypatch.setattr(formats, "_formats", list(formats._formats))
    monkeypatch.setattr(plugins, "_known", {})
    monkeypatch.setattr(plugins, "_late", [])


@pytest.fixture
def points() -> plugins.PlugIn:
    """The plug-in with free points, loaded."""
    return plugins.load_file(POINTS)
