"""Simulations to be saved, of every kind, and states made of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

import engine
from aggviewer.document.document import Document
from aggviewer.session.saved.state import SessionState
from engine import Scenario
from engine.boundary import Periodic
from tests.builders.states import random_state

ROOT = Path(__file__).parents[2]
METHOD = "aggregation.method"
CLUSTERS = "aggregation.time_stepping.clusters"

HOW = {
    "event-driven": {METHOD: "event-driven"},
    "all-pairs": {METHOD: "event-driven", "aggregation.event_driven.search": "all-pairs"},
    "deformable": {METHOD: "time-stepping", CLUSTERS: "deformable"},
    "rigid": {METHOD: "time-stepping", CLUSTERS: "rigid"},
}


def started(method, boundary, spread=0.0, count=120, seed=3):
    """A simulation at its start; method: one of `HOW`."""
    values = HOW[method] | {"box.boundary": boundary}
    state = random_state(
        np.random.default_rng(seed),
        count,
        periodic=Periodic.of_boundary(boundary, 2),
        fraction=0.25,
        spread=spread,
        joined=3,
    )
    return engine.create(Scenario().with_values(values), state)


def amid(method, boundary, spread=0.0, count=120, seed=3):
    """One that is on its way: half of the clusters are gone; time stepping is in the middle of a minimisation."""
    simulation = started(method, boundary, spread, count, seed)
    simulation.advance(until_clusters=count // 2)
    if HOW[method][METHOD] == "time-stepping":
        while simulation._sim["group_state"] == 0:  # no group is under way
            simulation._continue_step(3)
    return simulation


def state_of(*simulations, **more):
    """What a session would save."""
    first = simulations[0]
    state = SessionState(
        lanes=[simulation.checkpoint() for simulation in simulations],
        scenarios=[simulation.scenario.to_toml() for simulation in simulations],
        time=first.time,
        clusters=first.settled().clusters,
        count=first.count,
        document=Document().state,
    )
    return replace(state, **more)


def facts(simulation):
    """All that may be compared, bit for bit."""
    frame, history = simulation.frame(), simulation.history()
    return [
        np.array([frame.time, frame.kinetic_energy, frame.clusters]),
        frame.positions,
        frame.velocities,
        frame.cluster,
        history.time,
        history.clusters,
        history.kinetic_energy,
    ]


def assert_same(one, two):
    for a, b in zip(facts(one), facts(two), strict=True):
        np.testing.assert_array_equal(a, b)
    # of copies: a step that is under way would go on, which a file does not hold
    first, second = (engine.restore(run.checkpoint()).advance(run.time) for run in (one, two))
    assert first.events == second.events
    assert first.steps == second.steps


@contextmanager
def child(code, folder, *names):
    """A program that has made an autosave in `folder`, and runs until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder), *names],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "saved\n"
        yield process
        process.send_signal(signal.SIGKILL)
        process.wait(60)
