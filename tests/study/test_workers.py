"""Studies on clusters: the same rows whoever computes them, and who is refused."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from distributed import Client, LocalCluster

import engine
from engine import plugins
from engine.errors import InputError
from engine.study import one_run, running
from engine.study import run as run_study
from engine.study import workers as crews
from engine.study.one_run import RunTask, perform
from engine.study.workers import ClusterError, check_workers, local
from tests.study.processes import wait_for, without_times
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


@pytest.fixture(scope="module")
def wanted() -> pd.DataFrame:
    """The rows of `MANY`, computed in this process."""
    return without_times(run_study(tiny(**MANY), workers=0).runs)


def test_a_cluster_gives_the_same_bits_as_this_process(cluster: LocalCluster, wanted: pd.DataFrame) -> None:
    told = []
    with Client(cluster) as client:
        result = run_study(tiny(**MANY), client=client, progress=told.append)
        assert client.status == "running"  # it stays open
    pd.testing.assert_frame_equal(without_times(result.runs), wanted, check_exact=True)
    assert (told[-1].done, told[-1].failed, told[-1].total, told[-1].running) == (120, 0, 120, 0)
    assert len(set(result.runs["seconds"])) > 100  # each run has been timed by itself


@pytest.mark.slow
def test_runs_of_a_lost_worker_are_done_again(cluster: LocalCluster, wanted: pd.DataFrame) -> None:
    broken: list[int] = []
    before = set(threading.enumerate())

    async def hang_up() -> None:
        for stream in cluster.scheduler.client_comms.values():
            stream.comm.abort()

    def hang_up_once(standing: running.Standing) -> None:
        if standing.done > 20 and standing.running and not broken:
            broken.append(standing.running)
            cluster.sync(hang_up)

    result = run_study(tiny(**MANY), scheduler=cluster.scheduler_address, progress=hang_up_once)
    assert broken
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)
    assert not [one for one in set(threading.enumerate()) - before if one.name == "IO loop"]  # the client is closed


def test_a_scheduler_that_stays_away_ends_the_study_and_the_rows_stay(
    tmp_path: Path, wanted: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crews, "_GONE_AFTER", 0.5)
    own = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    )
    address = own.scheduler_address

    def close_once(standing: running.Standing) -> None:
        if standing.done > 20:
            own.close()

    with pytest.raises(ClusterError, match=rf"the scheduler at {address} has been unreachable for more than"):
        run_study(tiny(**MANY), scheduler=address, out=tmp_path, progress=close_once)
    result = run_study(tiny(**MANY), workers=0, out=tmp_path)
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)


def test_a_client_that_has_closed_by_itself_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does when its scheduler has gone for long: often while the study notices, sometimes just before."""
    own = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    )
    crew = crews.at(own.scheduler_address)
    monkeypatch.setattr(crew.client, "_timeout", 0.1)  # connecting may take longer
    own.close()
    wait_for(lambda: crew.client.status == "closed")
    crew.close()


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 8])
def test_any_number_of_workers_gives_the_same_bits(count: int, wanted: pd.DataFrame) -> None:
    with closing(local(count)) as crew:
        lowest = min(19, os.nice(0) + 10)  # they stay out of the way of the command
        assert list(crew.client.run(os.nice, 0).values()) == [lowest] * count
        result = run_study(tiny(**MANY), client=crew.client)
    pd.testing.assert_frame_equal(without_times(result.runs), wanted, check_exact=True)


@pytest.mark.slow
def test_a_run_that_kills_its_worker_fails_and_the_others_do_not(tmp_path: Path) -> None:
    plugin = tmp_path / "deadly.py"
    plugin.write_text(DEADLY, encoding="utf-8")
    assert not plugins.load_file(plugin).problem
    changes = {
        "vary": [{"key": "discs.count", "values": [16, 25, 36]}],
        "seeds": {"count": 1},
        "measure": {"quantities": ["deadly", "contacts_relative"]},
    }
    result = run_study(tiny(**changes), workers=1, out=tmp_path / "out")
    assert (result.complete, result.failed) == (True, 1)
    rows = pd.read_csv(tmp_path / "out" / "runs.csv")
    assert rows.groupby("discs.count")["status"].agg(set).to_dict() == {16: {"done"}, 25: {"failed"}, 36: {"done"}}
    assert rows[rows["status"] == "failed"]["error"].str.fullmatch(r"the worker \S+ has died").all()


class Answering:
    """A client whose workers answer with these versions."""

    def __init__(self, answers: dict[str, object]) -> None:
        self.answers, self.scheduler, self.address = answers, self, "tcp://there:1"

    def run(self, function: object, on_error: str) -> dict[str, object]:
        return self.answers


@pytest.mark.parametrize(
    ("answers", "refused"),
    [
        ({}, "the scheduler at tcp://there:1 has no workers"),
        ({"a": engine.__version__, "b": "9.9"}, "the worker b has version 9.9, and this is version"),
        ({"a": ModuleNotFoundError("engine")}, "the worker a has no aggviewer to import, and this is version"),
    ],
)
def test_workers_that_are_not_like_this_program_are_refused(answers: dict[str, object], refused: str) -> None:
    with pytest.raises(InputError, match=refused):
        check_workers(Answering(answers))
    check_workers(Answering({"a": engine.__version__}))


def test_a_worker_that_comes_later_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    order = running.order_of(running.Grid(tiny()))
    monkeypatch.setattr(one_run.engine, "__version__", "9.9")
    with pytest.raises(InputError, match=r"a worker on \S+ has version 9.9, but the study runs with version"):
        perform(order, [RunTask(0, 1, {"seed": 1})])


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x"])
def test_a_scheduler_that_is_not_there_is_said(address: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"--scheduler {address} does not answer: "):
        run_study(tiny(), scheduler=address, out=tmp_path / "out")
