"""A description of each key of the scenario, from which the parameter panel, messages and documentation are made.

It also turns pydantic's validation errors into one sentence about the key at fault.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from engine.errors import InputError, either
from engine.scenario.model import Model, system_field
from engine.scenario.section import Section, SystemTable, registered
from engine.words import body_names

KeyKind = Literal["integer", "number", "switch", "choice", "text", "pair", "size", "step", "kinds"]


@dataclass(frozen=True)
class FieldDescription:
    """One key of the scenario.

    Parameters
    ----------
    key : with dots, ``"discs.count"``.
    kind : the type of the value, which decides the control. ``size`` is a number, a pair or None; ``step`` is a
        number or a word that stands for it; ``kinds`` is a table of sizes or the path of one.
    label, symbol, unit, tooltip : for people; the unit is "" for a pure number. Formulas in the tool tip are LaTeX
        between dollar signs.
    minimum, maximum : the bounds of a number, None for no bound.
    open_minimum, open_maximum : whether the bound itself is refused.
    choices : the allowed values with a text for each, for kind ``choice``.
    default : the value of a key that is left out.
    restart : whether a change takes effect only when the simulation starts again.
    carried : whether a change during a run makes another simulation, which continues with the same discs.
    log : whether the range spans decades, so that a control is logarithmic.
    allowed : what is allowed, the part of a sentence after "must be".
    only_in : the dimensions of the box, 2 or 3, of choices that not every box has.
    """

    key: str
    kind: KeyKind
    label: str
    symbol: str
    unit: str
    minimum: float | None
    maximum: float | None
    open_minimum: bool
    open_maximum: bool
    choices: dict[Any, str]
    default: Any
    tooltip: str
    restart: bool
    carried: bool
    log: bool
    allowed: str
    only_in: dict[str, tuple[int, ...]]


def describe(key: str) -> FieldDescription:
    """The description of a dotted key. Raises InputError, which names similar keys, for a key that does not exist."""
    try:
        return scenario_keys()[key]
    except KeyError:
        raise InputError(unknown_key(key), key) from None


def scenario_keys(dimensions: int = 2) -> dict[str, FieldDescription]:
    """All keys of the scenario, dotted, in the order of the file; with words and vectors for boxes of so many
    dimensions."""
    return _fields(registered(), dimensions)


@lru_cache(maxsize=8)  # each plug-in that adds a system makes two further ones
def _fields(systems: tuple[SystemTable, ...], dimensions: int) -> dict[str, FieldDescription]:
    found = dict(_walk(Model, ""))
    titles = {system.name: (dimensions > 2 and system.title_in_space) or system.title for system in systems}
    found["system"] = _description("system", Literal[tuple(titles)], system_field(titles))
    for system in systems:
        found |= _walk(system.section, system.table + ".")
    return {key: _for_box(field, dimensions) for key, field in found.items()}


def _for_box(field: FieldDescription, dimensions: int) -> FieldDescription:
    """The description with the words for discs or spheres in its gaps, a vector of these dimensions, and the choices
    that there are in such a box."""
    fill = body_names(dimensions).fill
    there = {one: text for one, text in field.choices.items() if dimensions in field.only_in.get(one, (dimensions,))}
    return replace(
        field,
        label=fill(field.label),
        unit=fill(field.unit),
        tooltip=fill(field.tooltip),
        choices={value: fill(text) for value, text in there.items()},
        default=(0.0,) * dimensions if field.kind == "pair" else field.default,
    )


def tunable(table: str, section: type[Section]) -> frozenset[str]:
    """The dotted keys of a system's table that `Simulation.set` takes.

    These are the keys with ``restart=False`` but without ``carried=True``.
    """
    known = _walk(section, table + ".")
    return frozenset(key for key, field in known if not field.restart and not field.carried)


def sections() -> tuple[str, ...]:
    """The dotted names of all tables."""
    found = {key.rpartition(".")[0] for key in scenario_keys()} - {""}
    found |= {name.rpartition(".")[0] for name in found} - {""}
    return tuple(sorted(found))


def unknown_key(key: str) -> str:
    """The message about a key that does not exist, with similar keys where there are any."""
    from difflib import get_close_matches

    known = [*scenario_keys(), *sections()]
    if key in known:
        return f"{key} is a table; set one of its keys"
    table, _, name = key.rpartition(".")
    beside = {other.rpartition(".")[2]: other for other in known if other.rpartition(".")[0] == table}
    close = [beside[other] for other in get_close_matches(name, beside, n=2, cutoff=0.6)]
    close = close or [other for other in known if other.rpartition(".")[2] == name][:2]  # right name, wrong table
    close = close or get_close_matches(key, known, n=2, cutoff=0.85)  # mistyped table
    if close:
        return f"{key} is not a key of a scenario; did you mean {' or '.join(close)}?"
    if not beside:
        table, beside = "", {other: other for other in known if "." not in other}
    return f"{key} is not a key of a scenario; {table or 'a scenario'} has {', '.join(beside)}"


def input_error(error: ValidationError, values: Any, table: str = "") -> InputError:
    """Turn pydantic's error into an InputError about one key.

    Parameters
    ----------
    error : what pydantic has raised. Its first error is reported; unknown keys come after all other errors.
    values : what was validated, nested dictionaries; with its name where it is a table of a scenario alone.
    table : the name of that table.
    """
    first = min(error.errors(include_url=False), key=lambda e: e["type"] != "extra_forbidden")
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause
    location = [*([table] if table else []), *(str(part) for part in first["loc"])]
    if first["type"] == "extra_forbidden":
        key = ".".join(location)
        return InputError(unknown_key(key), key)
    # pydantic appends the member of a union and the index in a pair to the key: drop parts until a key is left
    for length in range(len(location), 0, -1):
        key = ".".join(location[:length])
        if key in scenario_keys():
            return InputError(f"{key} must be {scenario_keys()[key].allowed}, not {_shown(values, key)}", key)
        if key in sections():
            return InputError(f"{key} must be a table [{key}], not {_shown(values, key)}", key)
    return InputError("a scenario must be a TOML table")


def _shown(values: Any, key: str) -> str:
    """The value of a dotted key as it is written in TOML, shortened to 60 characters."""
    for part in key.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    if isinstance(values, bool):
        return str(values).lower()
    if isinstance(values, tuple):
        values = list(values)
    text = f'"{values}"' if isinstance(values, str) else repr(values)
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def _walk(model: type[Section], prefix: str) -> Iterator[tuple[str, FieldDescription]]:
    """The keys of a table and of the tables in it, each with `prefix` before it, and their descriptions."""
    for name, info in model.model_fields.items():
        key = prefix + name
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section):
            yield from _walk(info.annotation, key + ".")
        else:
            yield key, _description(key, info.annotation, info)


def _description(key: str, annotation: Any, info: FieldInfo) -> FieldDescription:
    extra: dict[str, Any] = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    low: float | None = None
    high: float | None = None
    open_low = open_high = False
    members = [one for one in get_args(annotation) if get_origin(one) is Annotated]  # of a union
    limited = [more for one in members for more in get_args(one) if isinstance(more, FieldInfo)]
    for bound in (*info.metadata, *(bound for more in limited for bound in more.metadata)):
        if isinstance(bound, annotated_types.Ge):
            low, open_low = bound.ge, False  # type: ignore[assignment]
        elif isinstance(bound, annotated_types.Gt):
            low, open_low = bound.gt, True  # type: ignore[assignment]
        elif isinstance(bound, annotated_types.Le):
            high, open_high = bound.le, False  # type: ignore[assignment]
        elif isinstance(bound, annotated_types.Lt):
            high, open_high = bound.lt, True  # type: ignore[assignment]
    kind: KeyKind = extra.get("kind") or _kind(annotation)
    choices = dict(extra.get("choices", {}))
    allowed = extra.get("allowed") or _allowed(kind, choices, low, high, open_low, open_high)
    return FieldDescription(
        key=key,
        kind=kind,
        label=info.title or key,
        symbol=extra.get("symbol", ""),
        unit=extra.get("unit", ""),
        minimum=low,
        maximum=high,
        open_minimum=open_low,
        open_maximum=open_high,
        choices=choices,
        default=info.default,
        tooltip=info.description or "",
        restart=extra.get("restart", True),
        carried=extra.get("carried", False),
        log=extra.get("log", False),
        allowed=allowed,
        only_in=dict(extra.get("only_in", {})),
    )


def _kind(annotation: Any) -> KeyKind:
    simple: dict[Any, KeyKind] = {int: "integer", float: "number", bool: "switch", str: "text"}
    if annotation in simple:
        return simple[annotation]
    origin = get_origin(annotation)
    if origin is Literal:
        return "choice"
    if origin in (Union, types.UnionType):
        return "size" if type(None) in get_args(annotation) else "step"
    return "pair"


def _allowed(
    kind: KeyKind, choices: dict[Any, str], low: float | None, high: float | None, open_low: bool, open_high: bool
) -> str:
    words = [f'"{name}"' for name in choices]
    if kind == "choice":
        return either(words)
    if kind == "switch":
        return "true or false"
    if kind == "text":
        return "a string"
    if kind == "step":
        return either((*words, _allowed("number", {}, low, high, open_low, open_high)))
    noun = "a whole number" if kind == "integer" else "a number"
    if low is not None and high is not None and not open_low and not open_high:
        return f"{noun} from {_plain(low)} to {_plain(high)}"
    parts = []
    if low is not None:
        parts.append(f"above {_plain(low)}" if open_low else f"at least {_plain(low)}")
    if high is not None:
        parts.append(f"below {_plain(high)}" if open_high else f"at most {_plain(high)}")
    return f"{noun} {' and '.join(parts)}".rstrip()


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
