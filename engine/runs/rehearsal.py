"""A small run of the same kind as a large one, to find out beforehand what the large one gives and takes."""

from __future__ import annotations

from engine.scenario import Scenario, fields
from engine.system import system_of


def small_scenario(scenario: Scenario, count: int) -> Scenario:
    """So many discs on a lattice, of the system of a scenario and computed by its method; all else as by default."""
    kind = system_of(scenario)
    how = [key for key, field in fields().items() if field.carried and key.startswith(f"{kind.table}.")]
    return Scenario().with_values(
        {"system": kind.name, "dimensions": scenario.dimensions, "discs.count": count}
        | {key: scenario.value(key) for key in how}
    )
