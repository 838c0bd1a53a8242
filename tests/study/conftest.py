"""What takes most of the time of a small study is done where a test asks for it: figures, and starting workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.study import figures, running
from engine.study.workers import DaskWorkers, local


@pytest.fixture(scope="package")
def crew() -> Iterator[DaskWorkers]:
    """A local cluster of two workers, for all tests of this folder that are not about how workers start and end."""
    found = local(2)
    yield found
    found.close()


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
