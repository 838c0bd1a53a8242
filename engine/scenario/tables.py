"""The systems that a scenario may name, each with its own table: a registry that `engine.system` fills."""

from __future__ import annotations

from typing import Any, Protocol

from engine.scenario.section import Section


class SystemTable(Protocol):
    """What a scenario has to know of a system."""

    @property
    def name(self) -> str:
        """The value of ``system``."""
        ...

    @property
    def title(self) -> str:
        """The same for people."""
        ...

    @property
    def table(self) -> str:
        """The name of its table."""
        ...

    @property
    def section(self) -> type[Section]:
        """The model of that table."""
        ...

    @property
    def origin(self) -> str:
        """The plug-in that it comes from, "" for a system of the program itself."""
        ...

    def check(self, scenario: Any) -> None:
        """Raise InputError where the tables of a scenario of this system do not fit together."""
        ...


_registered: dict[str, SystemTable] = {}


def add(system: SystemTable) -> None:
    """Scenarios may name this system from now on."""
    _registered[system.name] = system


def remove(system: SystemTable) -> None:
    """Forget a system that was added, of a plug-in that has failed."""
    del _registered[system.name]


def registered() -> tuple[SystemTable, ...]:
    """All systems, in the order in which they were added."""
    return tuple(_registered.values())


def written_in(table: str, system: str) -> bool:
    """Whether a scenario of `system` writes this table into its file.

    That of a plug-in stands only in scenarios of its own system, so that all others can be read without the plug-in.
    """
    return all(other.table != table or not other.origin or other.name == system for other in registered())
