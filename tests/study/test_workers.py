"""Studies on clusters: the same rows whoever computes them, and who is refused."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from engine import indicators, plugins
from engine.errors import InputError
from engine.study import one_run, running, schedule
from engine.study import run as run_study
from engine.study import workers as crews
from engine.study.one_run import RunTask, perform
from engine.study.workers import ClusterError, DaskWorkers, local
from tests.study.processes import ByHand, wait_for, without_times
from tests.study.studies import MANY, tiny

DEADLY = """
import os
from engine.indicators import Indicator

PLUG_POINTS = 1


def measure(sample):
    if len(sample.radii) == 25:
        os._exit(9)
    return 1.0


def register(points):
    points.indicator(Indicator("deadly", "Deadly", measure))
"""
OTHER_VERSION = "import engine\n\nengine.__version__ = '9.9'\n"
WITHOUT_THE_PROGRAM = """
import sys


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "engine":
            raise ModuleNotFoundError(f"No module named {name!r}")


sys.meta_path.insert(0, Blocked())
"""


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ByHand]:
    """A cluster that was started by hand."""
    found = ByHand(tmp_path_factory.mktemp("cluster"))
    yield found
    found.kill()


@pytest.fixture(scope="module")
def wanted() -> pd.DataFrame:
    """The rows of `MANY`, computed in this process."""
    return without_times(run_study(tiny(**MANY), workers=0).runs)


def test_a_cluster_gives_the_same_bits_as_this_process(crew: DaskWorkers, wanted: pd.DataFrame) -> None:
    told = []
    result = run_study(tiny(**MANY), client=crew._client, progress=told.append)
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)
    assert (told[-1].done, told[-1].failed, told[-1].total, told[-1].running) == (120, 0, 120, 0)
    assert len(set(result.runs["seconds"])) > 100  # each run has been timed by itself
    assert crew._client.status == "running"  # it stays open


def test_workers_stay_out_of_the_way(crew: DaskWorkers) -> None:
    """They have a lower priority than the command."""
    wanted = min(19, os.nice(0) + 10)
    assert list(crew._client.run(os.nice, 0).values()) == [wanted, wanted]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 8])
def test_any_number_of_workers_gives_the_same_bits(count: int, wanted: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(without_times(run_study(tiny(**MANY), workers=count).runs), wanted, check_exact=True)


@pytest.fixture
def no_plugin_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plug-in that a test loads is forgotten afterwards."""
    monkeypatch.setattr(indicators.INDICATORS, "parts", indicators.INDICATORS.parts)
    monkeypatch.setattr(plugins, "_known", {})


def test_a_run_that_kills_its_worker_fails_and_the_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_plugin_stays: None
) -> None:
    # each try costs the start of a worker; how often a run is tried is tested with the schedule, in test_bad_days
    monkeypatch.setattr(schedule, "_TRIES", 2)
    monkeypatch.setattr(crews, "_GONE_AFTER", 300.0)  # beside other work the next worker takes long to start
    plugin = tmp_path / "deadly.py"
    plugin.write_text(DEADLY, encoding="utf-8")
    assert not plugins.load_file(plugin).problem
    changes = {
        "vary": [{"key": "discs.count", "values": [16, 25, 36]}],
        "seeds": {"count": 1},
        "measure": {"quantities": ["deadly", "contacts_relative"]},
    }
    own = local(1)
    try:
        result = run_study(tiny(**changes), client=own._client, out=tmp_path / "out")
        own._client.wait_for_workers(1, timeout=300.0)  # one that is just starting cannot be closed
    finally:
        own.close()
    assert (result.complete, result.failed) == (True, 1)
    rows = pd.read_csv(tmp_path / "out" / "runs.csv")
    assert rows.groupby("discs.count")["status"].agg(set).to_dict() == {16: {"done"}, 25: {"failed"}, 36: {"done"}}
    assert rows[rows["status"] == "failed"]["error"].str.fullmatch(r"the worker \S+ has died").all()


def test_a_cluster_by_its_address_gives_the_same(by_hand: ByHand, wanted: pd.DataFrame) -> None:
    by_hand.start(1)
    before = threading.active_count()
    result = run_study(tiny(**MANY), scheduler=by_hand.address)
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)
    wait_for(lambda: threading.active_count() <= before + 1)  # the connection is closed


def test_a_scheduler_that_goes_away_is_waited_for(
    by_hand: ByHand, wanted: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crews, "_GONE_AFTER", 300.0)
    by_hand.start(1)
    killed: list[float] = []

    def kill_once(standing: running.Standing) -> None:
        if standing.running and not killed:  # before the first row
            by_hand.kill()
            killed.append(time.monotonic())
            threading.Thread(target=by_hand.start, args=(1,)).start()

    result = run_study(tiny(**MANY), scheduler=by_hand.address, out=tmp_path, progress=kill_once)
    assert killed
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)


def test_a_scheduler_that_stays_away_ends_the_study_and_the_rows_stay(
    by_hand: ByHand, tmp_path: Path, wanted: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crews, "_GONE_AFTER", 1.0)
    by_hand.start(1)
    address, done = by_hand.address, []

    def kill_once(standing: running.Standing) -> None:
        if standing.done > 20 and not done:
            done.append(standing.done)
            by_hand.kill()

    with pytest.raises(ClusterError, match=rf"the scheduler at {address} has gone away for more than 1 s"):
        run_study(tiny(**MANY), scheduler=address, out=tmp_path, progress=kill_once)
    result = run_study(tiny(**MANY), workers=0, out=tmp_path)
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)


@pytest.mark.parametrize(
    ("preload", "has"),
    [(OTHER_VERSION, "version 9.9"), (WITHOUT_THE_PROGRAM, "no aggviewer that it can import")],
    ids=["version", "nothing"],
)
def test_a_worker_that_is_not_like_this_program_is_refused_by_name(
    by_hand: ByHand, tmp_path: Path, preload: str, has: str
) -> None:
    by_hand.kill(scheduler=False)
    by_hand.start(0)
    file = tmp_path / "first.py"
    file.write_text(preload, encoding="utf-8")
    by_hand.worker(file)
    wait_for(lambda: by_hand.seen() == 1)
    with pytest.raises(InputError, match=rf"the worker tcp://127.0.0.1:\d+ has {has}, and this is version"):
        run_study(tiny(), scheduler=by_hand.address)
    by_hand.kill(scheduler=False)
    wait_for(lambda: by_hand.seen() == 0)


def test_a_scheduler_without_workers_is_said(by_hand: ByHand) -> None:
    by_hand.kill(scheduler=False)
    by_hand.start(0)
    with pytest.raises(InputError, match=rf"the scheduler at {by_hand.address} has no workers"):
        run_study(tiny(), scheduler=by_hand.address)


def test_a_worker_that_comes_later_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    order = running.order_of(running.Grid(tiny()))
    monkeypatch.setattr(one_run.engine, "__version__", "9.9")
    with pytest.raises(InputError, match=r"a worker on \S+ has version 9.9, and the study is run by version"):
        perform(order, [RunTask(0, 1, {"seed": 1})])


def test_a_scheduler_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "_CONNECT", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(InputError, match=rf"--scheduler {address} does not answer: "):
            run_study(tiny(), scheduler=address, out=tmp_path / "out")
