"""The registry of the systems that a scenario may name, each with its own table. `engine.system` fills it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from engine.errors import InputError
from engine.registry import Registry
from engine.scenario.section import Section


class SystemTable(Protocol):
    """What a scenario needs to know of a system. `engine.system.System` has it."""

    @property
    def name(self) -> str:
        """The value of ``system``."""
        ...

    @property
    def title(self) -> str:
        """The name that people read."""
        ...

    @property
    def title_in_space(self) -> str:
        """The name where it moves spheres; "" for the same."""
        ...

    @property
    def table(self) -> str:
        """The name of its table in a scenario."""
        ...

    @property
    def section(self) -> type[Section]:
        """The type of that table."""
        ...

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Of the box, 2 or 3, in which it can run."""
        ...

    @property
    def origin(self) -> str:
        """The name of the plug-in that it comes from; "" for a system of the program itself."""
        ...

    def check(self, scenario: Any) -> None:
        """Raise InputError if the tables of a scenario of this system do not fit together."""
        ...


def _fits(system: SystemTable, others: Sequence[SystemTable]) -> None:
    for other in others:
        if other.name == system.name or other.table == system.table:
            raise InputError(f"there is a system {other.name} with the table {other.table} already", "system")


SYSTEMS: Registry[SystemTable] = Registry(_fits)
"""All systems that scenarios may name."""


def registered() -> tuple[SystemTable, ...]:
    """All systems, in the order in which they were added."""
    return SYSTEMS.parts


def written_in(table: str, system: str) -> bool:
    """Whether a scenario of `system` writes the table of a system into its file.

    The table of a plug-in is written only in scenarios of its own system, so that all others can be read without the
    plug-in.
    """
    return any(other.table == table and (not other.origin or other.name == system) for other in registered())
