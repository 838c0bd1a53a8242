"""A plug-in in this process, gone after each test (`registries_as_they_were`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import plugins
from tests.cli.conftest import call as call

POINTS = Path(__file__).with_name("points.py")


@pytest.fixture
def points() -> plugins.PlugIn:
    """The plug-in with free points, loaded."""
    return plugins.load_file(POINTS)
