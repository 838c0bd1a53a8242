"""Films of growth up to its end: which pace shows it, and where in the film it is seen."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.export import film
from aggviewer.export.sources import SimulationSource, first_flight_time
from aggviewer.export.spec import FilmSpec, Growth, merge_times
from tests.cli.conftest import Call, call

__all__ = ["call"]


def small(dimensions: int) -> engine.Scenario:
    return engine.load_scenario("lattice-400").with_values(
        {"dimensions": dimensions, "discs.count": 400 - 57 * (dimensions - 2)}
    )


@pytest.mark.parametrize("dimensions", [2, 3])
def test_by_the_logarithm_of_time_growth_is_seen_from_the_beginning_to_the_end_of_a_film(dimensions: int) -> None:
    source = SimulationSource(engine.create(small(dimensions)))
    ended = source.at_end()
    growth = Growth(merge_times(ended.history()), ended.time, first_flight_time(source))
    assert len(growth.times) == source.count - 1
    assert growth.times[-1] == growth.end
    assert growth.early(0.0, growth.end)
    spec = FilmSpec(start=0.0, end=growth.end, length=94 / 30)
    frames = {}
    for log in (False, True):
        moments = FilmSpec(**{**vars(spec), "log_time": log}).moments(0.0, inf, 0, growth.flight)
        assert len(moments) == 95
        frames[log] = growth.frames(moments)
        clusters = [source.frame_at(float(time)).clusters for time in moments.values] if log else []
        if log:  # the plain way: where the film itself shows fewer clusters than before
            assert sorted(set(frames[log])) == [k for k in range(1, 95) if clusters[k] < clusters[k - 1]]
    assert len(set(frames[True])) > 95 / 2
    assert len(set(frames[True])) > 1.5 * len(set(frames[False]))
    assert np.median(frames[True]) >= 20 > 10 > np.median(frames[False])


def test_the_frames_and_words_of_merges_at_known_times() -> None:
    growth = Growth(np.array([1.0, 2.0, 3.0, 4.5, 9.0]), 9.0)
    moments = FilmSpec(fps=1.0, speed=1.0, start=1.0, end=10.0).moments(0.0, inf, 0)
    assert growth.frames(moments).tolist() == [1, 2, 4, 8], "a merge at the first frame has happened before"
    assert growth.words(moments, 1.0) == "4 merges: half in the first 2.0 s, 90 % in the first 8.0 s of 10.0 s"
    one = FilmSpec(fps=2.0, speed=1.0, start=8.0, end=10.0).moments(0.0, inf, 0)
    assert growth.words(one, 2.0) == "1 merge: half in the first 1.0 s, 90 % in the first 1.0 s of 2.5 s"
    none = FilmSpec(fps=1.0, speed=1.0, start=9.0, end=10.0).moments(0.0, inf, 0)
    assert growth.words(none, 1.0) == "No merges"


def test_growth_is_early_where_half_of_it_is_over_in_a_quarter_of_the_time() -> None:
    assert Growth(np.array([1.0, 2.0, 9.0]), 10.0).early(0.0, 10.0)
    assert not Growth(np.array([1.0, 2.6, 9.0]), 10.0).early(0.0, 10.0)
    assert not Growth(np.array([1.0, 2.0, 9.0]), 10.0).early(2.0, 10.0), "what was before the film does not count"
    assert not Growth(np.zeros(0), 10.0).early(0.0, 10.0)


def test_of_a_history_each_merge_counts_once() -> None:
    history = engine.create(small(2)).history()
    time, clusters = np.array([0.0, 1.0, 2.0, 3.0]), np.array([9, 8, 8, 5])
    found = merge_times(type(history)(**{**vars(history), "time": time, "clusters": clusters}))
    assert found.tolist() == [1.0, 3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("options", "log"),
    [
        ((), True),
        (("--length", "1"), True),
        (("--even-time",), False),
        (("--log-time",), True),
        (("--speed", "9"), False),
    ],
)
def test_a_film_on_the_command_line_up_to_one_cluster_goes_by_the_logarithm_unless_told_otherwise(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], log: bool
) -> None:
    made: list[FilmSpec] = []

    def write(path: Path, spec: FilmSpec, *_: Any, **__: Any) -> int:
        made.append(spec)
        return 1

    monkeypatch.setattr(film, "write_film", write)
    done = call("render", "lattice-100", "--out", tmp_path / "a.gif", *options)
    assert done.status == 0, done.err
    assert [spec.log_time for spec in made] == [log]
    assert ("most merges are early" in done.err) == (log and "--log-time" not in options)
