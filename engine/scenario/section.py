"""The building blocks of scenarios: tables, fields with labels, units and bounds, and the systems that have a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from engine.errors import InputError
from engine.registry import Registry


def about(title: str, description: str, default: Any, **more: Any) -> Any:
    """A field of a table, with its label, unit and help text.

    Parameters
    ----------
    title, description : the label and the tool tip, which may have formulas: LaTeX between dollar signs. They, the unit
        and the choices may have gaps for discs or spheres (`engine.words`).
    default : the value where the key is left out.
    **more : pydantic's bounds (``ge``, ``gt``, ``le``, ``lt``), and any of the attributes ``symbol``, ``unit``,
        ``allowed``, ``choices``, ``only_in``, ``restart``, ``carried`` and ``log`` of
        `engine.scenario.fields.FieldDescription`.
    """
    bounds = {name: more.pop(name) for name in ("ge", "gt", "le", "lt") if name in more}
    return Field(default, title=title, description=description, json_schema_extra=more, **bounds)


def as_tuple(value: Any) -> Any:
    """A list as a tuple, any other value as it is: TOML has only lists, and the tables hold tuples."""
    return tuple(value) if isinstance(value, list) else value


def as_list(numbers: Sequence[float]) -> str:
    """Numbers as TOML writes them, without digits that say nothing: ``[1, 2.5]``."""
    return f"[{', '.join(f'{number:g}' for number in numbers)}]"


def a_number_an_axis(dimensions: int) -> str:
    """The words with which messages describe a list of one number for each axis."""
    return "two numbers [x, y]" if dimensions == 2 else "three numbers [x, y, z]"


Positive = Annotated[float, Field(gt=0.0)]
Pair = Annotated[tuple[float, float], BeforeValidator(as_tuple)]
PositivePair = Annotated[tuple[Positive, Positive], BeforeValidator(as_tuple)]
PositiveTriple = Annotated[tuple[Positive, Positive, Positive], BeforeValidator(as_tuple)]
Components = Annotated[tuple[float, ...], BeforeValidator(as_tuple), Field(min_length=2, max_length=3)]
"""A number for each axis."""


class Section(BaseModel):
    """Base of all tables of a scenario: frozen, no unknown keys, no NaN or infinity, no conversion of types."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, validate_default=True, hide_input_in_errors=True
    )


class SystemTable(Protocol):
    """The part of `engine.system.System` that a scenario needs."""

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
    def shears(self) -> bool:
        """Whether its discs can be in a shear flow (`[shear]`)."""

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
