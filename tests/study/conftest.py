"""Figures are most of the time of a small study: they are drawn where a test asks for them."""

from __future__ import annotations

import pytest

from engine.study import figures, running


@pytest.fixture
def drawn() -> None:
    """With figures, as SVG alone: one way of writing is enough where a test is not about the files."""


@pytest.fixture
def drawn_in_all_formats() -> None:
    """With figures, in each format."""


@pytest.fixture(autouse=True)
def nothing_is_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No figures in studies that are run in this process, but where a test names `drawn` or
    `drawn_in_all_formats`."""
    if "drawn" in request.fixturenames:
        monkeypatch.setattr(figures, "_SUFFIXES", ("svg",))
    elif "drawn_in_all_formats" not in request.fixturenames:
        monkeypatch.setattr(running, "draw_all", lambda result, folder: [])
