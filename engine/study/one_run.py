"""One run of a study, done by a worker: from a scenario and a seed to a row of the table.

Everything here is plain data, so that it goes to any worker of a cluster.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import engine
from engine.errors import InputError
from engine.runs.loop import RunLimits, simulate
from engine.runs.summary import measured
from engine.scenario import Scenario
from engine.study.machine import on_one
from engine.study.model import CurveSlope
from engine.study.quantities import CurveQuantity, Number, chosen, curve, numbers, slope_of
from engine.system import system_of

_TRIES = 3  # of a run that fails for another reason than its scenario


@dataclass(frozen=True)
class Order:
    """What all runs of a study have in common.

    Parameters
    ----------
    scenario : TOML, complete.
    limits : when each run stops.
    kernels : the sets of kernels that the runs need.
    quantities : names of numbers; none: all that a run has.
    curves : names of curves; slopes : exponents of curves.
    keep : the final state is kept too.
    plugins : files of plug-ins that the scenario needs.
    alone : runs are timed: one at a time, each on one processor.
    version : of the program that asks; others do not answer.
    """

    scenario: str
    limits: RunLimits
    kernels: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    curves: tuple[str, ...] = ()
    slopes: tuple[CurveSlope, ...] = ()
    keep: bool = False
    plugins: tuple[str, ...] = ()
    alone: bool = False
    version: str = engine.__version__

    @property
    def curves_read(self) -> tuple[str, ...]:
        """The names of all curves that a run has to return, each once."""
        return tuple(dict.fromkeys((*self.curves, *(one.curve for one in self.slopes))))

    @property
    def indicators(self) -> frozenset[str] | None:
        """The first parts of all names that are wanted, so that no other indicator is measured; None: all of them."""
        if not self.quantities:
            return None
        return frozenset(name.partition(".")[0] for name in (*self.quantities, *self.curves_read))


@dataclass(frozen=True)
class RunTask:
    """A requested run: its point and seed, its changes to the scenario, and whether its final state is always kept."""

    point: int
    seed: int
    changes: dict[str, Any]
    keep: bool = False


@dataclass(frozen=True)
class Row:
    """The result of a run.

    Parameters
    ----------
    point, seed : name it.
    status : ``done`` or ``failed``; error : why it has failed, or why an indicator of it has, a sentence.
    numbers : by name; None for what has no value in this run.
    stop_reason : why it has ended, as ``run`` says it.
    curves : by name.
    final : positions (N, d), radii (N,), cluster (N,) and box (d,) of the last state, if it is kept.
    seconds : with measuring, without compiling; host : where.
    """

    point: int
    seed: int
    status: str
    error: str = ""
    numbers: dict[str, Number] = field(default_factory=dict)
    stop_reason: str = ""
    curves: dict[str, CurveQuantity] = field(default_factory=dict)
    final: dict[str, Any] | None = None
    seconds: float = 0.0
    host: str = ""


def perform(order: Order, tasks: Sequence[RunTask]) -> list[Row]:
    """Do these runs one after the other; one that fails becomes a row that says why. Without runs, only load the
    kernels.

    InputError if this is another version of the program than the one that asks.
    """
    _check_version(order)
    if not tasks:
        prepare(order)
    with on_one() if order.alone else nullcontext():
        return [_tried(order, task) for task in tasks]


def prepare(order: Order) -> None:
    """Load the kernels that the runs need; compile them if necessary."""
    _scenario(order)  # with its plug-ins, which may have kernels
    for kernels in order.kernels:
        _warm(kernels)


def failed(task: RunTask, why: str, seconds: float = 0.0) -> Row:
    """The row of a run without results."""
    return Row(task.point, task.seed, "failed", error=" ".join(why.split()), seconds=seconds, host=socket.gethostname())


def _check_version(order: Order) -> None:
    if order.version != engine.__version__:
        raise InputError(
            f"a worker on {socket.gethostname()} has version {engine.__version__}, but the study runs with version "
            f"{order.version}: all must be the same",
            "scheduler",
        )


def _tried(order: Order, task: RunTask) -> Row:
    began = time.perf_counter()
    for left in reversed(range(_TRIES)):
        try:
            return _performed(order, task)
        except InputError as error:
            return failed(task, str(error), time.perf_counter() - began)
        except Exception as error:
            if not left:
                return failed(task, f"{type(error).__name__}: {error}", time.perf_counter() - began)
    raise AssertionError("unreachable")


def _performed(order: Order, task: RunTask) -> Row:
    began = time.perf_counter()
    scenario = _scenario(order).with_values(task.changes)
    compile_s = _warm(system_of(scenario).kernels(scenario))
    started = time.perf_counter()
    from engine.initial import initial_state

    state = initial_state(scenario)
    setup_s = time.perf_counter() - started
    started = time.perf_counter()
    simulation = engine.create(scenario, state)
    work_s = time.perf_counter() - started
    began_at = system_of(scenario).start(simulation, order.indicators)
    ended = simulate(simulation, order.limits, spent=work_s)
    frame = simulation.settled()
    summary = measured(
        simulation, frame, ended, compile_s=compile_s, setup_s=setup_s, indicators=order.indicators, start=began_at
    )
    found = {name: curve(name, summary, simulation.history()) for name in order.curves_read}
    slopes: dict[str, Number] = {one.name: slope_of(found[one.curve], one) for one in order.slopes}
    final = None
    if order.keep or task.keep:
        final = {
            "positions": frame.positions.copy(),
            "radii": simulation.radii * frame.radius_factor,
            "cluster": frame.cluster.copy(),
            "box": simulation.box.copy(),
        }
    return Row(
        task.point,
        task.seed,
        "done",
        error="; ".join((summary["problems"] or {}).values()),
        numbers=slopes | (chosen(summary, order.quantities) if order.quantities else numbers(summary)),
        stop_reason=ended.reason,
        curves={name: one for name in order.curves if (one := found[name]) is not None},
        final=final,
        seconds=time.perf_counter() - began - compile_s,
        host=socket.gethostname(),
    )


@lru_cache(maxsize=4)
def _scenario(order: Order) -> Scenario:
    """The scenario of an order, read once in each process; its plug-ins are loaded before."""
    from engine import plugins

    plugins.load_installed()
    for file in order.plugins:
        plugins.load_file(file)
    return Scenario.from_toml(order.scenario)


_warmed: dict[str, float] = {}


def _warm(kernels: str) -> float:
    """Compile or load a set of kernels, once in each process; returns the seconds, 0 when that was done before."""
    if kernels in _warmed:
        return 0.0
    _warmed[kernels] = engine.warm_up(None, kernels)
    return _warmed[kernels]
