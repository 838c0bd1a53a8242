"""What the parts of a scenario are made of: frozen tables, and fields that carry everything told about them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def about(title: str, description: str, default: Any, **more: Any) -> Any:
    """A field with everything that is told about it.

    `more` takes pydantic's bounds (ge, gt, le, lt) and: symbol, unit, allowed (the sentence part after "must be"
    where the bounds do not say it), choices (a text for each), above (open lower bound of the numbers of a union, for
    the panel), restart (False: can be changed while it runs), carried (such a change is made by another simulation that
    carries on with the same discs), log (the panel offers a logarithmic control).
    """
    bounds = {name: more.pop(name) for name in ("ge", "gt", "le", "lt") if name in more}
    return Field(default, title=title, description=description, json_schema_extra=more, **bounds)


def as_tuple(value: Any) -> Any:
    """TOML has lists only; the frozen models hold tuples."""
    return tuple(value) if isinstance(value, list) else value


Positive = Annotated[float, Field(gt=0.0)]
Pair = Annotated[tuple[float, float], BeforeValidator(as_tuple)]
PositivePair = Annotated[tuple[Positive, Positive], BeforeValidator(as_tuple)]


class Section(BaseModel):
    """What all parts of a scenario share: frozen, no unknown keys, no NaN, no conversions of type."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, validate_default=True, hide_input_in_errors=True
    )
