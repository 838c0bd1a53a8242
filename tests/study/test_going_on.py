"""A study that another process watches, and one that gets more seeds in the folder where it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from aggviewer.cli.app import run_command
from engine.errors import InputError
from engine.study import one_run, running
from engine.study import run as run_study
from engine.study.one_run import Row
from engine.study.store import Arrivals, Store
from tests.study.studies import TINY, tiny


def test_more_seeds_go_on_in_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    run_study(tiny(seeds={"first": 3, "count": 1}), workers=0, out=out)
    performed: list[tuple[int, int]] = []
    real = one_run._performed

    def performing(order: Any, task: Any) -> Row:
        performed.append((task.point, task.seed))
        return real(order, task)

    monkeypatch.setattr(one_run, "_performed", performing)
    result = run_study(tiny(seeds={"first": 3, "count": 2}), workers=0, out=out)
    assert sorted(performed) == [(point, 4) for point in range(4)]
    assert len(result.runs) == 8
    values = tomllib.loads((out / "study.toml").read_text(encoding="utf-8"))
    assert values["seeds"] == {"first": 3, "count": 2}
    assert values["made_with"]["scenario"]


@pytest.mark.parametrize(
    "changes",
    [
        {"seeds": {"first": 3, "count": 1}},  # fewer
        {"seeds": {"first": 2, "count": 4}},  # others
        {"seeds": {"first": 3, "count": 4}, "title": "Another"},
    ],
)
def test_a_study_that_differs_otherwise_is_refused_there(tmp_path: Path, changes: dict[str, Any]) -> None:
    out = tmp_path / "out"
    run_study(tiny(seeds={"first": 3, "count": 2}), workers=0, out=out)
    with pytest.raises(InputError, match="contains another study"):
        run_study(tiny(**changes), workers=0, out=out)


def test_rows_are_taken_once_in_the_order_in_which_they_come(tmp_path: Path) -> None:
    arrivals = Arrivals(tmp_path)
    assert arrivals.take() == []  # there is no file yet
    assert not list(tmp_path.iterdir())  # and it makes none
    store = Store(tmp_path)
    store.add([Row(3, 1, "done", numbers={"n": 1.5}), Row(0, 1, "failed", error="why")])
    assert [(row.point, row.status) for row in arrivals.take(1)] == [(3, "done")]
    assert [(row.point, row.error) for row in arrivals.take(9)] == [(0, "why")]
    assert arrivals.take() == []
    store.add([Row(0, 1, "done", numbers={"n": 2})])  # the last row, replaced
    store.add([Row(3, 2, "done", numbers={"n": None})])
    assert [(row.point, row.seed, row.numbers) for row in arrivals.take()] == [(0, 1, {"n": 2}), (3, 2, {"n": None})]
    assert arrivals.final(3, 2) is None
    store.close()
    arrivals.close()


def test_a_final_state_is_read_beside_the_process_that_writes(tmp_path: Path) -> None:
    run_study(tiny(seeds={"first": 3, "count": 1}), workers=0, out=tmp_path, keep=True)
    arrivals = Arrivals(tmp_path)
    (row, *_) = arrivals.take()
    final = arrivals.final(row.point, row.seed)
    assert final["positions"].shape == (16, 2)
    arrivals.close()


def test_a_dry_run_says_which_quantities_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "study.toml"
    import tomli_w

    file.write_text(tomli_w.dumps({key: value for key, value in TINY.items() if key != "measure"}), encoding="utf-8")
    assert run_command(["study", str(file), "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["runs"] == 12
    assert found["quantities"]["contacts_relative"] == "relative contacts N_c"
    assert "events.merge" in found["quantities"]
    result = running.run(tiny(seeds={"first": 3, "count": 1}, measure={}), workers=0)
    assert set(result.summary()["quantity"]) <= set(found["quantities"])
