"""A session with a fake engine, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aggviewer.session import Notice, Session
from tests.cli.conftest import call as call
from tests.session.fakes import FakeEngine


@pytest.fixture
def engine() -> FakeEngine:
    """Builds simulations that are plain arithmetic."""
    return FakeEngine()


@pytest.fixture
def session(engine: FakeEngine) -> Iterator[Session]:
    """A session over the fake engine."""
    made = Session(engine, measuring_view_of=engine.measuring_view_of)
    yield made
    made.close()


@pytest.fixture
def notices(session: Session) -> list[Notice]:
    """What the session told the person."""
    got: list[Notice] = []
    session.notices.sent.connect(got.append)
    return got
