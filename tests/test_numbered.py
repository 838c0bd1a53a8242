"""Files that the program keeps for itself are ordered by when they were written, whatever the clock says."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from aggviewer.extensions.studies import process
from aggviewer.names import name_with, next_number, oldest_first
from aggviewer.systems import base as starts

CLOCKS = [(2026, 2027), (2036, 2026), (2026, 2026), (1970, 2026)]  # years of the first files, and of those after them


class Clock(datetime):
    """A clock that shows any year."""

    year_shown = 2026

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return datetime(cls.year_shown, 1, 2, 3, 4, 5, 6)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    monkeypatch.setattr(starts, "datetime", Clock)
    monkeypatch.setattr(process, "datetime", Clock)
    return Clock


@pytest.mark.parametrize("years", CLOCKS)
def test_of_the_states_of_new_starts_the_last_twenty_are_kept(
    years: tuple[int, int], clock: type[Clock], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_state_dir", lambda *_, **__: str(tmp_path))
    made = []
    for number in range(25):
        clock.year_shown = years[number > 20]
        path = starts.new_start(cast(Any, SimpleNamespace(system="aggregation", time=float(number), past=None)))
        path.touch()
        date = datetime(clock.year_shown, 1, 2).timestamp()
        os.utime(path, (date, date))
        assert starts.moment_of(path.name) == f"from t = {number}.00"
        made.append(path)
    assert sorted((tmp_path / "starts").iterdir()) == made[5:]
    assert starts.moment_of("2026-01-02 03.04.05.000006 from t = 1.00.gsd") == "from t = 1.00", "of an earlier version"


@pytest.mark.parametrize("years", CLOCKS)
def test_the_study_that_was_made_last_is_the_first_in_the_menu(
    years: tuple[int, int], clock: type[Clock], tmp_path: Path
) -> None:
    old = tmp_path / "2099-01-02 03.04.05 17"  # of an earlier version
    old.mkdir()
    (old / "study.toml").touch()
    studies = process.Kept(tmp_path)
    made = []
    for number in range(4):
        clock.year_shown = years[number > 1]
        made.append(studies.new({"title": str(number)}))
        assert made[-1].moment == f"{clock.year_shown}-01-02 03:04"
    assert studies.all() == [*made[::-1], process.KeptStudy(old)]
    assert process.KeptStudy(old).moment == "2099-01-02 03:04"


def test_numbers_go_on_from_the_highest_and_names_without_one_are_older(tmp_path: Path) -> None:
    assert next_number(tmp_path / "nothing") == 1
    names = [
        name_with(12, "a.x", "kept-"),
        name_with(9, "b c"),
        "kept-20991231-235959-000000-1-0.x",
        "2099-12-31 b",
        "other",
    ]
    assert names[:2] == ["kept-000012-a.x", "000009 b c"]
    for name in names:
        (tmp_path / name).touch()
    assert next_number(tmp_path) == 13
    assert [path.name for path in oldest_first(tmp_path.iterdir())][-2:] == names[1::-1]
