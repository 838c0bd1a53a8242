"""When a run stops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.system import system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario
    from engine.simulation import Simulation


@dataclass(frozen=True)
class Limits:
    """When to stop, whichever comes first; None is no limit.

    until_time : simulation time; until_clusters : M; until_events : merges, collisions and wall reflections, or
    programs, since the start; max_wall : seconds from the first event to the last file.
    """

    until_time: float | None = None
    until_clusters: int | None = None
    until_events: int | None = None
    max_wall: float | None = None

    def check(self) -> None:
        """Raise InputError for a limit that makes no sense."""
        if self.until_time is not None and not (math.isfinite(self.until_time) and self.until_time >= 0.0):
            raise InputError(f"--until-time must be a number of at least 0, not {self.until_time}")
        if self.until_clusters is not None and self.until_clusters < 1:
            raise InputError(f"--until-clusters must be a whole number of at least 1, not {self.until_clusters}")
        if self.until_events is not None and self.until_events < 0:
            raise InputError(f"--until-events must be a whole number of at least 0, not {self.until_events}")
        if self.max_wall is not None and not (math.isfinite(self.max_wall) and self.max_wall > 0.0):
            raise InputError(f"--max-wall must be a number above 0, not {self.max_wall}")

    def check_ends(self, scenario: Scenario) -> None:
        """Raise InputError where nothing would ever end the run."""
        kind = system_of(scenario)
        if kind.joins:
            return
        if self.until_clusters is not None:
            raise InputError("--until-clusters is for discs that stick; here they stay as many as they are")
        limited = (self.until_time, self.until_events, self.max_wall) != (None, None, None)
        if not limited and not kind.ends(scenario):
            raise InputError(f"{kind.endless}; say with --until-time, --until-events or --max-wall when to stop")

    def check_ahead(self, simulation: Simulation) -> None:
        """Raise InputError where a saved session is beyond the time already: nothing runs backwards."""
        if self.until_time is not None and self.until_time < simulation.time:
            raise InputError(
                f"--until-time must be at least the time that the session has reached, {simulation.time:g}, not "
                f"{self.until_time:g}"
            )
