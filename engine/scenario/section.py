"""The building blocks of scenarios: tables, and fields that carry labels, units and bounds for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def about(title: str, description: str, default: Any, **more: Any) -> Any:
    """A field of a table, with its label, unit and help text.

    Parameters
    ----------
    title, description : the label and the tool tip, which may have formulas: LaTeX between dollar signs. They, the unit
        and the choices may have gaps for discs or spheres (`engine.words`).
    default : the value where the key is left out.
    **more : pydantic's bounds (``ge``, ``gt``, ``le``, ``lt``), and any of the attributes ``symbol``, ``unit``,
        ``allowed``, ``choices``, ``restart``, ``carried`` and ``log`` of `engine.scenario.fields.FieldDescription`.
        ``above`` is the open lower bound of the numbers in a union, which has no bounds of its own.
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
    """What messages call a list with a number for each axis."""
    return "two numbers [x, y]" if dimensions == 2 else "three numbers [x, y, z]"


Positive = Annotated[float, Field(gt=0.0)]
Pair = Annotated[tuple[float, float], BeforeValidator(as_tuple)]
PositivePair = Annotated[tuple[Positive, Positive], BeforeValidator(as_tuple)]
PositiveTriple = Annotated[tuple[Positive, Positive, Positive], BeforeValidator(as_tuple)]
Vector = Annotated[tuple[float, ...], BeforeValidator(as_tuple), Field(min_length=2, max_length=3)]
"""A number for each axis."""


class Section(BaseModel):
    """Base of all tables of a scenario: frozen, no unknown keys, no NaN or infinity, no conversion of types."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, validate_default=True, hide_input_in_errors=True
    )
