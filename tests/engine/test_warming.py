"""After `warm_up` nothing is compiled or loaded any more, whatever the method is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import json, sys
import engine
from engine import Scenario

method = sys.argv[1]
engine.warm_up(method=method)

def compiled():
    return {
        f"{name}.{key}": len(value.signatures)
        for name, module in list(sys.modules.items()) if name.startswith("engine.")
        for key, value in vars(module).items() if isinstance(getattr(value, "signatures", None), list)
    }

before = compiled()
for clusters in ("deformable", "rigid"):
    for boundary in ("walls", "periodic"):
        values = {"discs.count": 100, "box.boundary": boundary, "aggregation.method": method,
                  "aggregation.time_stepping.clusters": clusters, "aggregation.time_stepping.fraction": 1.0}
        simulation = engine.create(Scenario().with_values(values))
        simulation.advance(1.0)
        simulation.advance(9.0, 1e-6)
        if method == "time-stepping":
            simulation.trace_step()
            simulation.links()
            simulation.convergence()
        simulation = engine.carry_on(engine.restore(simulation.checkpoint()), simulation.scenario)
        simulation.advance(until_clusters=5)
        simulation.frame(), simulation.settled(), simulation.state(), simulation.history(), simulation.invariants()
after = compiled()
print(json.dumps([sum(before.values()), [name for name in after if after[name] != before.get(name)]]))
"""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_nothing_is_compiled_after_warming_up(method):
    done = subprocess.run(
        [sys.executable, "-c", RUN, method],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    ready, late = json.loads(done.stdout)
    assert ready > 10
    assert late == []
