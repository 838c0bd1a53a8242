"""Which fields the discs of each system have, and which of them a name means there."""

from __future__ import annotations

from engine.fields import Field
from engine.system import system as system_called
from engine.system import systems


def fields_of(system: str) -> tuple[Field, ...]:
    """What each disc of `system` has; the first is what they are coloured by where nothing else is chosen. InputError
    where there is no such system."""
    return system_called(system).fields


def known_fields() -> tuple[Field, ...]:
    """One field for each name that any system has: those of a file of which nobody knows the system."""
    found: dict[str, Field] = {}
    for system in systems():
        for field in system.fields:
            found.setdefault(field.name, field)
    return tuple(found.values())


def chosen_of(fields: tuple[Field, ...], name: str) -> Field:
    """The field called `name`, the first one where there is none of that name."""
    return next((field for field in fields if field.name == name), fields[0])
