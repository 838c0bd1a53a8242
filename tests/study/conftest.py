"""What takes most of the time of a small study is done where a test asks for it: figures, and starting workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from distributed import Client, LocalCluster

from engine.study import figures, running


@pytest.fixture(scope="package")
def cluster() -> Iterator[LocalCluster]:
    """A Dask cluster at an address, whose only worker is a thread of this process: it starts at once."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as found:
        with Client(found) as client:
            client.submit(int).result()  # begins the thread
        yield found


@pytest.fixture(scope="module")
def without_figures() -> Iterator[None]:
    """No figures in the study that all tests of a file share."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(running, "draw_all", lambda result, folder: [])
        yield


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
