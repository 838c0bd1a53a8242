"""When a run stops."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import InputError, either
from engine.system import system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario
    from engine.simulation import Simulation


def as_option(name: str) -> str:
    """The name of a limit on the command line: ``until_time`` is ``--until-time`` there."""
    return "--" + name.replace("_", "-")


def as_key(name: str) -> str:
    """The name of a limit in a study: ``stop.until_time``."""
    return f"stop.{name}"


@dataclass(frozen=True)
class RunLimits:
    """When to stop, whichever comes first; None is no limit.

    Parameters
    ----------
    until_time : simulation time, at least 0.
    until_clusters : number of clusters M that are left, at least 1.
    until_events : merges, collisions and wall reflections, or iterations, since the start; at least 0.
    max_wall : seconds from the first event to the last file, above 0.
    named : how messages name a limit: `as_option` or `as_key`.
    offered : the limits that messages propose for a run that has no end.
    """

    until_time: float | None = None
    until_clusters: int | None = None
    until_events: int | None = None
    max_wall: float | None = None
    named: Callable[[str], str] = as_option
    offered: tuple[str, ...] = ("until_time", "until_events", "max_wall")

    def check(self) -> None:
        """Raise InputError for a limit that makes no sense."""
        if self.until_time is not None and not (math.isfinite(self.until_time) and self.until_time >= 0.0):
            raise self._refused("until_time", f"must be a number of at least 0, not {self.until_time}")
        if self.until_clusters is not None and self.until_clusters < 1:
            raise self._refused("until_clusters", f"must be a whole number of at least 1, not {self.until_clusters}")
        if self.until_events is not None and self.until_events < 0:
            raise self._refused("until_events", f"must be a whole number of at least 0, not {self.until_events}")
        if self.max_wall is not None and not (math.isfinite(self.max_wall) and self.max_wall > 0.0):
            raise self._refused("max_wall", f"must be a number above 0, not {self.max_wall}")

    def check_ends(self, scenario: Scenario) -> None:
        """Raise InputError if nothing would ever end the run."""
        kind = system_of(scenario)
        if kind.joins:
            return
        if self.until_clusters is not None:
            raise self._refused("until_clusters", "is only for discs that stick; here their number never changes")
        limited = (self.until_time, self.until_events, self.max_wall) != (None, None, None)
        if not limited and not kind.ends(scenario):
            ways = either(self.named(name) for name in self.offered)
            raise InputError(f"{kind.endless}; set an end with {ways}", "stop")

    def check_ahead(self, simulation: Simulation) -> None:
        """Raise InputError if a saved session is beyond the time already: nothing runs backwards."""
        if self.until_time is not None and self.until_time < simulation.time:
            raise self._refused(
                "until_time",
                f"must be at least the time that the session has reached, {simulation.time:g}, not {self.until_time:g}",
            )

    def _refused(self, name: str, why: str) -> InputError:
        return InputError(f"{self.named(name)} {why}", self.named(name))
