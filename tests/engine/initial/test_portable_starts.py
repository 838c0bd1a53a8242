"""Starts have the same bits whatever the processor can do, and the functions behind them are those of mathematics."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import mpmath
import numpy as np
import pytest

from engine import portable
from tests.engine.initial.starts import hashes

TURN = 2.0 * np.pi
HASHES = ["7ac51f88", "dff221b9", "84e72268", "67bc8493"]


def without(*parts: str) -> dict[str, str]:
    """The environment of a process without the extensions of the processor in numpy, the C library or kernels."""
    from numpy._core import _multiarray_umath as compiled  # type: ignore[attr-defined]

    plain = {
        "numpy": {"NPY_DISABLE_CPU_FEATURES": " ".join(compiled.__cpu_dispatch__)},
        "C library": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable"},
        "kernels": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "OPENBLAS_CORETYPE": "Prescott"},
    }
    return dict(os.environ) | {key: value for part in parts for key, value in plain[part].items()}


def in_a_child(environment: dict[str, str], *options: str) -> dict[str, str]:
    """The hashes of starts in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.initial.starts", *options],
        env=environment, capture_output=True, text=True, check=True, timeout=900,
    )  # fmt: skip
    return dict(line.split(": ") for line in done.stdout.splitlines())


def test_a_start_has_the_same_bits_without_the_extensions_of_the_processor() -> None:
    """Logarithms, exponentials, sines: numpy takes them from AVX-512 and the C library from fused multiply-add where
    there are any."""
    here = hashes()
    assert len(here) > 40
    assert in_a_child(without("numpy", "C library")) == here


@pytest.fixture(scope="module")
def every_start() -> dict[str, str]:
    """The hashes of all starts on this processor as it is."""
    return hashes(everything=True)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["numpy", "C library", "kernels"])
def test_every_bundled_start_has_the_same_bits_on_a_plainer_processor(part: str, every_start: dict[str, str]) -> None:
    assert len(every_start) > 120
    assert in_a_child(without(part), "--all") == every_start


def test_the_functions_behind_starts_have_these_bits_everywhere() -> None:
    """Hashes from a processor with fused multiply-add and AVX-512: where they differ, so does every start."""
    rng = np.random.default_rng(3)
    found = [
        portable.cos_sin(TURN * rng.random(5000)),
        portable.exp(rng.standard_normal(5000)),
        portable.normal(rng, 20_000),
        np.array([portable.log1p(x) for x in (0.01, 0.09, 1.0, -0.5)] + [portable.power(0.7, 1.0 / 3.0)]),
    ]
    assert [hashlib.sha256(one.tobytes()).hexdigest()[:8] for one in found] == HASHES


def units_off(found: np.ndarray, exact: list[mpmath.mpf]) -> float:
    """The largest error in units in the last place."""
    return max(
        abs(float((mpmath.mpf(float(x)) - y) / mpmath.mpf(float(np.spacing(abs(x))))))
        for x, y in zip(found, exact, strict=True)
    )


def test_sine_and_cosine_are_right_to_the_last_place() -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([TURN * rng.random(400), [0.0, 0.1259, 0.126, 0.855469, 2.426265, np.pi, np.nextafter(TURN, 0)]])
    found = portable.cos_sin(x)
    with mpmath.workdps(50):
        assert units_off(found[:, 0], [mpmath.cos(mpmath.mpf(float(one))) for one in x]) < 0.56
        assert units_off(found[:, 1], [mpmath.sin(mpmath.mpf(float(one))) for one in x]) < 0.56


def test_exponentials_and_logarithms_are_right_to_the_last_place() -> None:
    x = np.concatenate([np.random.default_rng(5).normal(0.0, 3.0, 400), [0.0, 600.0, -600.0]])
    with mpmath.workdps(50):
        assert units_off(portable.exp(x), [mpmath.exp(mpmath.mpf(float(one))) for one in x]) < 0.52
        for one in (1e-9, 0.09, 4.0, -0.75):
            assert portable.log1p(one) == float(mpmath.log(1 + mpmath.mpf(one)))
        assert portable.power(0.7, 0.5) == float(mpmath.sqrt(mpmath.mpf(0.7)))


def test_normal_numbers_are_those_of_the_generator_and_leave_it_where_it_would_be() -> None:
    """Only those in the tail may differ, in the last place."""
    ours, numpys = np.random.default_rng(2), np.random.default_rng(2)
    found, plain = portable.normal(ours, (30_000, 2)), numpys.standard_normal((30_000, 2))
    tail = np.abs(plain) > 3.6541528853610088
    assert 8 < tail.sum() < 30
    assert np.array_equal(found[~tail], plain[~tail])
    np.testing.assert_allclose(found[tail], plain[tail], rtol=2.5e-16)
    assert ours.random() == numpys.random()


def test_the_tail_is_computed_again_by_its_own_logarithm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number beyond 3.65 is r + log(U) / r: with a logarithm that is 1 % smaller it lies 1 % nearer to r."""
    plain = np.random.default_rng(2).standard_normal(60_000)
    right = portable.log1p
    monkeypatch.setattr(portable, "log1p", lambda x: 0.99 * right(x))
    found = portable.normal(np.random.default_rng(2), 60_000)
    tail = np.abs(plain) > 3.6541528853610088
    ratio = (np.abs(found[tail]) - 3.6541528853610088) / (np.abs(plain[tail]) - 3.6541528853610088)
    assert ratio == pytest.approx(0.99, abs=1e-9)
