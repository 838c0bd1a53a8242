"""A study as its TOML says it (``format = 1``): what runs, what varies, what is measured, drawn and fitted.

`Study` is frozen and checked in itself; whether its scenarios can be run is for `engine.study.grid` to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from engine.errors import InputError
from engine.runs.limits import Limits, as_key
from engine.scenario.model import MAX_SEED
from engine.scenario.section import Section, about, as_tuple

_RANGE = frozenset({"from", "to", "steps"})
MAX_RUNS = 10_000_000
"""Of one study."""

Texts = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]
Values = Annotated[tuple[Any, ...], BeforeValidator(as_tuple)]
Interval = Annotated[tuple[float, float], BeforeValidator(as_tuple)]
Pairs = Annotated[tuple[Interval, ...], BeforeValidator(as_tuple)]


def flat(tables: Any) -> Any:
    """Nested tables with dotted keys instead: ``discs.count = 3`` means the same with quotes as without. Ranges stay;
    what is no table is given back as it is."""
    if not isinstance(tables, dict):
        return tables
    found: dict[str, Any] = {}
    for key, value in tables.items():
        if isinstance(value, dict) and not _RANGE & value.keys():
            found |= {f"{key}.{rest}": one for rest, one in flat(value).items()}
        else:
            found[key] = value
    return found


class Range(Section):
    """Values at equal distances, or equal ratios, from one number to another."""

    start: float = Field(alias="from")
    to: float
    steps: int = Field(ge=1, le=10_000)
    log: bool = False
    square: bool = False

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.log and not (self.start > 0.0 and self.to > 0.0):
            raise InputError("from and to must be above 0 where log is true", "from")
        if self.square and not (self.start >= 1.0 and self.to >= 1.0):
            raise InputError("from and to must be at least 1 where square is true", "from")
        if self.steps == 1 and self.start != self.to:
            raise InputError("steps must be at least 2 where from and to differ, not 1", "steps")
        return self

    def values(self, whole: bool) -> tuple[float, ...]:
        """The values, each once; `whole` and `square` numbers are the nearest ones."""
        found: list[float] = []
        for k in range(self.steps):
            share = k / (self.steps - 1) if self.steps > 1 else 0.0
            if k == self.steps - 1:
                value = self.to  # without the rounding of powers
            elif self.log:
                value = self.start * (self.to / self.start) ** share
            else:
                value = self.start + share * (self.to - self.start)
            if self.square:
                value = float(round(math.sqrt(value)) ** 2)
            if whole:
                value = round(value)
            if value not in found:
                found.append(value)
        return tuple(found)


class Vary(Section):
    """One axis of the grid: a key of the scenario, or several that change together, and its values.

    Attributes
    ----------
    names : what people read instead of each of the values; title : instead of the key or keys.
    """

    key: str = ""
    keys: Texts = ()
    values: Values = ()
    range: Range | None = None
    names: Texts = ()
    title: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if bool(self.key) == bool(self.keys):
            raise InputError("vary needs either key or keys", "key")
        if bool(self.values) == (self.range is not None):
            raise InputError(f"vary of {self.name} needs either values, at least one, or a range", "values")
        if self.keys and self.range is not None:
            raise InputError(f"vary of {self.name} needs values: a range is for a single key", "range")
        if self.names and (len(self.names) != len(self.values) or len(set(self.names)) != len(self.names)):
            raise InputError(f"vary of {self.name} needs a name of its own for each of its values", "names")
        for value in self.values if self.keys else ():
            if not isinstance(value, list | tuple) or len(value) != len(self.keys):
                raise InputError(
                    f"vary of {self.name} needs {len(self.keys)} numbers or texts in each of its values, not {value!r}",
                    "values",
                )
        return self

    @property
    def name(self) -> str:
        """Its key, or its keys with commas."""
        return self.key or ", ".join(self.keys)

    @property
    def all_keys(self) -> tuple[str, ...]:
        """Its key or keys."""
        return self.keys or (self.key,)


class Seeds(Section):
    """The seeds, one run each at every point of the grid."""

    first: int = about("First seed", "", 1, ge=0, le=MAX_SEED)
    count: int = about("Seeds", "", 20, ge=1, le=MAX_RUNS)


class Stop(Section):
    """The limits of each run, as those of ``aggviewer run``."""

    until_time: float | None = None
    until_clusters: int | None = None
    until_events: int | None = None
    max_wall: float | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self.limits().check()
        return self

    def limits(self) -> Limits:
        """The same for the loop of a run."""
        return Limits(self.until_time, self.until_clusters, self.until_events, self.max_wall, named=as_key)


class Measure(Section):
    """What of each run is kept: numbers, dotted names of the JSON of ``run`` (none: all), and whole curves."""

    quantities: Texts = ()
    curves: Texts = ()


class Figure(Section):
    """A figure: a quantity over a parameter, or the mean of a curve; a line for each value of `by`.

    Attributes
    ----------
    y : a quantity, or the name of a curve.
    x : the parameter or quantity below it; "" for a curve.
    by : the parameter that tells the lines apart, "" for one line.
    at : parameters that have these values; all others are left out.
    log : axes that are logarithmic.
    reference : points that are drawn as such, with `source` in the caption.
    formulas : curves of the literature by their names (`engine.study.formulas`).
    """

    y: str
    x: str = ""
    by: str = ""
    at: dict[str, Any] = Field(default_factory=dict)
    log: Literal["", "x", "y", "xy"] = ""
    title: str = ""
    reference: Pairs = ()
    source: str = ""
    formulas: Texts = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.formulas and not self.x:
            raise InputError("figure with formulas needs x", "formulas")
        return self


class Fit(Section):
    """A law through the means of a quantity, for each value of `by`.

    Attributes
    ----------
    law : ``power`` y = a x^b, ``exponential`` y = a e^(b x), ``linear`` y = a + b x, ``constant`` y = a.
    between : only points with x in this interval.
    """

    y: str
    x: str
    by: str = ""
    at: dict[str, Any] = Field(default_factory=dict)
    law: Literal["power", "exponential", "linear", "constant"] = "power"
    between: Interval | None = None


class Claim(Section):
    """A statement of a paper or a theory, which the report holds against the data.

    Attributes
    ----------
    says : the statement, a sentence; source : where it stands.
    y, at : the quantity, and parameters that must have these values.
    expect, within : the mean at every point is `expect` up to `within`.
    x, trend : the means rise or fall with x.
    x, exponent : they follow a power of x, with an exponent in this interval.
    key, base, below : relative to the same points with ``key = base``, the mean differs by less than `below` (a share).
    on_average : that holds for the average of the differences, not for each of them.
    x, formula, below : relative to a curve of the literature (`engine.study.formulas`), the means differ by less than
        `below`.
    x, between : only points with x in this interval count.
    """

    says: str
    source: str = ""
    y: str
    at: dict[str, Any] = Field(default_factory=dict)
    expect: float | None = None
    within: float | None = None
    x: str = ""
    trend: Literal["", "rises", "falls"] = ""
    exponent: Interval | None = None
    key: str = ""
    base: Any = None
    below: float | None = None
    on_average: bool = False
    formula: str = ""
    between: Interval | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        texts = (self.trend, self.key, self.formula)
        if sum(map(bool, texts)) + (self.expect is not None) + (self.exponent is not None) != 1:
            raise InputError("claim needs one of expect, trend, exponent, key or formula", "claim")
        if self.formula and (not self.x or self.below is None):
            raise InputError("claim with formula needs x, and below, the largest relative difference", "below")
        if self.between is not None and (not self.x or self.key):
            raise InputError("claim with between needs x, and no key", "between")
        if self.expect is not None and self.within is None:
            raise InputError("claim with expect needs within, the largest difference that it allows", "within")
        if (self.trend or self.exponent is not None) and not self.x:
            raise InputError("claim about a trend or an exponent needs x", "x")
        if self.key and (self.base is None or self.below is None):
            raise InputError("claim with key needs base, the value to compare with, and below", "base")
        return self


class Pool(Section):
    """The exponent of a power law at small values, of all runs together.

    Attributes
    ----------
    title : what it is the exponent of.
    exponent, count : the quantities of a run: its exponent by maximum likelihood, and how many values that rests on.
    by, at : as those of a figure.
    expect, source : the value of the literature, and where it stands.
    """

    title: str
    exponent: str
    count: str
    by: str = ""
    at: dict[str, Any] = Field(default_factory=dict)
    expect: float | None = None
    source: str = ""


class Study(Section):
    """A whole study; see docs/studies.md."""

    format: Literal[1] = 1
    title: str = ""
    description: str = ""
    scenario: str
    base: Annotated[dict[str, Any], BeforeValidator(flat)] = Field(default_factory=dict)
    vary: Annotated[tuple[Vary, ...], BeforeValidator(as_tuple)] = ()
    seeds: Seeds = Seeds()
    stop: Stop = Stop()
    measure: Measure = Measure()
    figure: Annotated[tuple[Figure, ...], BeforeValidator(as_tuple)] = ()
    fit: Annotated[tuple[Fit, ...], BeforeValidator(as_tuple)] = ()
    pool: Annotated[tuple[Pool, ...], BeforeValidator(as_tuple)] = ()
    claim: Annotated[tuple[Claim, ...], BeforeValidator(as_tuple)] = ()
    scales: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        seen = set[str]()
        for axis in self.vary:
            for key in axis.all_keys:
                if key in seen:
                    raise InputError(f"{key} is varied twice", key)
                if key in self.base:
                    raise InputError(f"{key} stands in [base] and is varied too", key)
                seen.add(key)
        for key in (*seen, *self.base):
            if key == "seed":
                raise InputError("seed cannot be set or varied: seeds.first and seeds.count say which there are", key)
        if self.seeds.first + self.seeds.count - 1 > MAX_SEED:
            raise InputError(f"seeds.first + seeds.count must be at most {MAX_SEED}", "seeds.first")
        return self

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> Study:
        """A study from nested tables as TOML gives them; InputError names the key at fault."""
        try:
            return Study.model_validate(dict(values))
        except ValidationError as error:
            raise _input_error(error) from None

    def to_values(self) -> dict[str, Any]:
        """Nested tables with every key that says something; reading them gives an equal study."""
        values: dict[str, Any] = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
        return {"format": self.format} | values


def with_scale(values: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """The tables of a study with what is different at a scale. InputError where it has no such scale.

    ``standard`` is there always, and the study as it is where the file does not say otherwise.
    """
    scales = values.get("scales", {})
    changes = scales.get(scale) if isinstance(scales, dict) else None
    if changes is None:
        if scale == "standard":
            return dict(values)
        known = ", ".join(dict.fromkeys(["standard", *scales])) if isinstance(scales, dict) else "standard"
        raise InputError(f"--scale must be one of {known}, not {scale}", "scale")
    return with_changes(values, changes)


def with_changes(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a study with some keys set.

    A key is one of the study's tables (``seeds.count``, ``stop.until_time``, ``measure.quantities``), ``vary.`` and the
    key of an axis with a list of values or a range, or a key of the scenario, which goes to ``base``. None leaves out.
    """
    changed = {key: _copied(value) for key, value in values.items()}
    for key, value in flat(changes).items():
        table, _, rest = key.partition(".")
        if table == "vary":
            _vary(changed, rest, value)
        elif table in ("seeds", "stop", "measure") and rest:
            changed.setdefault(table, {})[rest] = value
        elif table == "base" and rest:
            changed.setdefault("base", {})[rest] = value
        elif key in ("seeds", "stop", "measure"):
            keys = ", ".join(f"{key}.{name}" for name in _model_at((key,)).model_fields)
            raise InputError(f"{key} is a table of a study: set one of {keys}", key)
        elif key in ("title", "description", "scenario"):
            changed[key] = value
        else:
            if any(key in _keys_of(axis) for axis in changed.get("vary", [])):
                raise InputError(f"{key} is varied by this study: set vary.{key} to a list of values", key)
            changed.setdefault("base", {})[key] = value
    return changed


def _vary(values: dict[str, Any], key: str, value: Any) -> None:
    if not isinstance(value, list | dict):
        raise InputError(f"vary.{key} must be a list of values or a range {{ from, to, steps }}, not {value!r}", key)
    for axis in values.get("vary", []):
        if key in (axis.get("key"), ", ".join(axis.get("keys", [])), ",".join(axis.get("keys", []))):
            for part in ("values", "range", "names"):
                axis.pop(part, None)
            axis["range" if isinstance(value, dict) else "values"] = value
            return
    values.setdefault("vary", []).append({"key": key, "range" if isinstance(value, dict) else "values": value})


def _keys_of(axis: Any) -> list[str]:
    return [axis["key"]] if "key" in axis else list(axis.get("keys", []))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


_ALLOWED = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "float_type": "a number",
    "int_type": "a whole number",
    "model_type": "a table",
    "string_type": "a text",
    "tuple_type": "a list",
    "finite_number": "a number that is not nan and not infinite",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


def _input_error(error: ValidationError) -> InputError:
    """The first error as one sentence with its key, such as ``vary[2].values``, counted from 1."""
    first = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    key = _located(first["loc"])
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        inner = key.rpartition(".")[0] if cause.key.startswith("stop.") else key
        return InputError(f"{key}: {cause}" if key and inner else str(cause), key or cause.key)
    if first["type"] == "extra_forbidden":
        table = key.rpartition(".")[0]
        model = _model_at(first["loc"][:-1])
        known = [info.alias or name for name, info in model.model_fields.items()]
        close = get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"did you mean {close[0]}? {table or 'A study'}" if close else table or "a study"
        return InputError(f"{key} is not a key of a study; {hint} has {', '.join(known)}", key)
    if first["type"] == "missing":
        return InputError(f"{key} is missing", key)
    if first["type"] in _BOUNDS:
        name, words = _BOUNDS[first["type"]]
        return InputError(f"{key} must be {words} {first['ctx'][name]:g}, not {_shown(first.get('input'))}", key)
    if first["type"] == "tuple_type" and isinstance(first.get("input"), dict):
        return InputError(f"{key} must be a list of tables: write [[{key}]], with two brackets", key)
    allowed = _ALLOWED.get(first["type"])
    if ".reference[" in key and first["type"] == "tuple_type":
        allowed = "a pair [x, y]"
    if key.endswith(".range") and allowed is not None:
        allowed = "a table such as { from = 1, to = 9, steps = 3 }"
    if allowed is None:
        text = first["msg"]
        text = text[0].lower() + text[1:]
        text = text.removeprefix("input ").removeprefix("value ").replace("should be", "must be")
        shown = f", not {_shown(first.get('input'))}" if first["type"] == "literal_error" else ""
        return InputError(f"{key} {text}{shown}", key)
    return InputError(f"{key} must be {allowed}, not {_shown(first.get('input'))}", key)


def _located(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _model_at(location: tuple[int | str, ...]) -> type[Section]:
    models: dict[str, type[Section]] = {
        "vary": Vary, "range": Range, "seeds": Seeds, "stop": Stop, "measure": Measure, "figure": Figure, "fit": Fit,
        "claim": Claim, "pool": Pool,
    }  # fmt: skip
    names = [part for part in location if isinstance(part, str)]
    return models.get(names[-1], Study) if names else Study


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = " ".join((f'"{value}"' if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= 60 else text[:57] + "..."
