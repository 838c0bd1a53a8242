"""Files that are spoiled at random: each is read, or refused with one sentence, with little memory.

`make fuzz` runs 10 000 cases; AGGVIEWER_FUZZ_CASES sets their number.
"""

from __future__ import annotations

import os
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.files import FileFrame, open_trajectory, write
from engine.files.csv_format import metadata_path
from engine.state_file import open_scenario
from tests.builders.file_frames import some_frames
from tests.fuzz.mutation import KINDS, real_file, spoiled

CASES = int(os.environ.get("AGGVIEWER_FUZZ_CASES", "160"))
MOST_MEMORY = 1 << 26  # bytes; the files have some kilobytes

cases = settings(
    max_examples=CASES // len(KINDS),
    derandomize="AGGVIEWER_FUZZ_CASES" not in os.environ,
    database=None,
    phases=(Phase.explicit, Phase.generate),  # a seed has no simpler one
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module", autouse=True)
def memory_is_watched() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def is_usable(frame: FileFrame, count: int) -> bool:
    """Whether the arrays of a frame are what `FileFrame` promises."""
    pairs = [values for values in (frame.positions, frame.velocities) if values is not None]
    sizes = [values for values in (frame.radii, frame.masses) if values is not None]
    right = all(values.shape == (count, frame.dimensions) and values.dtype == np.float64 for values in pairs)
    right &= all(values.shape == (count,) and bool((values > 0.0).all()) for values in sizes)
    right &= all(bool(np.isfinite(values).all()) for values in (*pairs, *sizes))
    if frame.cluster is not None:
        right &= frame.cluster.shape == (count,) and frame.cluster.dtype == np.int32
    if frame.box is not None:
        right &= frame.box.shape == (frame.dimensions,) and bool((np.isfinite(frame.box) & (frame.box > 0.0)).all())
        if frame.periodic:
            right &= bool(((frame.positions >= 0.0) & (frame.positions < frame.box)).all())
    return right and (frame.time is None or bool(np.isfinite(frame.time)))


def read_all(path: Path) -> bool:
    """Read what is in the file; False where it is refused as it should be."""
    refusal: InputError | None = None
    try:
        with open_trajectory(path) as trajectory:
            assert len(trajectory) >= 1
            assert trajectory.times.shape == (len(trajectory),)
            for number in {*range(min(5, len(trajectory))), len(trajectory) - 1}:
                assert is_usable(trajectory[number], trajectory.count)
    except InputError as error:
        refusal = error
    if refusal is None:
        return True
    message = str(refusal)
    assert message.isprintable()
    assert str(path) in message
    assert len(message) < 400 + len(str(path))
    assert refusal.key == str(path)
    return False


def check(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a person would see it on the terminal
        done = read_all(path)
    assert tracemalloc.get_traced_memory()[1] - before < MOST_MEMORY
    return done


@pytest.mark.parametrize("kind", KINDS)
def test_the_real_files_are_read(tmp_path: Path, kind: str) -> None:
    assert check(tmp_path / f"real{kind}", real_file(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(3600)
def test_spoiled_files(tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / f"spoiled{kind}"

    @cases
    @given(st.integers(0, 2**64))
    def run(seed: int) -> None:
        check(path, spoiled(kind, seed))

    run()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(3600)
def test_bytes_of_any_kind(tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / f"any{kind}"

    @settings(cases, max_examples=max(10, CASES // len(KINDS) // 10))
    @given(st.binary(max_size=2000), st.integers(0, 300))
    def run(data: bytes, kept: int) -> None:
        check(path, real_file(kind)[:kept] + data)

    run()


@pytest.mark.timeout(3600)
def test_spoiled_descriptions_beside_csv_files(tmp_path: Path) -> None:
    path = tmp_path / "spoiled.csv"
    write(path, some_frames(1, periodic=False))
    beside = metadata_path(path)
    whole = beside.read_bytes()

    @cases
    @given(st.integers(0, 2**64))
    def run(seed: int) -> None:
        beside.write_bytes(spoiled(".csv", seed, whole))
        check(path, path.read_bytes())

    run()


def test_descriptions_that_are_hostile(tmp_path: Path) -> None:
    path = tmp_path / "hostile.csv"
    write(path, some_frames(1, periodic=False))
    for text in (
        "[" * 100_000,
        '{"aggviewer:box": [1' + "0" * 400 + ", 1]}",
        '{"aggviewer:box": [1' + "0" * 5000 + ", 1]}",
        '{"aggviewer:box": [1, 1], "aggviewer:time": 1e999}',
        '{"aggviewer:box": ' + "[" * 900 + "]" * 900 + "}",
        '{"aggviewer:box": "' + "1" * 10_000 + '"}',
    ):
        metadata_path(path).write_text(text, encoding="utf-8")
        assert not check(path, path.read_bytes())


def test_a_hostile_scenario_in_a_recording(tmp_path: Path) -> None:
    for text in ("a = " + "[" * 100_000, "\N{NULL}", "[discs]\ncount = 1" + "0" * 5000, 'seed = "x"'):
        path = tmp_path / "hostile.gsd"
        write(path, some_frames(1, scenario=text))
        with pytest.raises(InputError) as caught:
            open_scenario(path)
        assert "\n" not in str(caught.value)
