"""The model of a study in TOML (``format = 1``): what runs, what varies, what is measured, drawn and fitted. `Study` is
frozen and validated; `engine.study.grid` checks whether its scenarios can be run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from engine.errors import InputError
from engine.runs.loop import RunLimits, as_key
from engine.scenario.model import MAX_SEED
from engine.scenario.section import Section, as_tuple
from engine.study.problems import KeyPath, input_error

_RANGE = frozenset({"from", "to", "steps"})
MAX_RUNS = 10_000_000
"""Of one study."""

Texts = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]
AxisValues = Annotated[tuple[Any, ...], BeforeValidator(as_tuple)]
Interval = Annotated[tuple[float, float], BeforeValidator(as_tuple)]
Intervals = Annotated[tuple[Interval, ...], BeforeValidator(as_tuple)]

_NAMES = "names of [[point]]"


def flat(tables: Any) -> Any:
    """Nested tables with dotted keys instead: ``discs.count = 3`` means the same with quotes as without. Ranges stay;
    anything but a table is returned unchanged."""
    if not isinstance(tables, dict):
        return tables
    found: dict[str, Any] = {}
    for key, value in tables.items():
        if isinstance(value, dict) and not _RANGE & value.keys():
            found |= {f"{key}.{rest}": one for rest, one in flat(value).items()}
        else:
            found[key] = value
    return found


def told(description: str, allowed: str, **more: Any) -> Any:
    """A key with its meaning, and its allowed values if its type does not show them: docs/study_keys.py."""
    return Field(description=description, json_schema_extra={"allowed": allowed}, **more)


class ValueRange(Section):
    """Values at equal distances, or equal ratios, from one number to another."""

    start: float = told("The first value.", "a number", alias="from")
    to: float = told("The last value.", "a number")
    steps: int = told("Number of values.", "a whole number", ge=1, le=10_000)
    log: bool = told("Equal ratios instead of equal distances.", "true or false", default=False)
    square: bool = told("Use the nearest square numbers, for a square lattice.", "true or false", default=False)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.log and not (self.start > 0.0 and self.to > 0.0):
            raise InputError("from and to must be above 0 if log is true", "from")
        if self.square and not (self.start >= 1.0 and self.to >= 1.0):
            raise InputError("from and to must be at least 1 if square is true", "from")
        if self.steps == 1 and self.start != self.to:
            raise InputError("steps must be at least 2 if from and to differ, not 1", "steps")
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
    """One axis of the grid: a key of the scenario, or several that change together, and its values."""

    key: str = told("The key of the scenario to vary.", "a key of a scenario", default="")
    keys: Texts = told(
        "Instead of `key`: keys that change together, as one axis.", "a list of keys of a scenario", default=()
    )
    values: AxisValues = told(
        "The values in order; with `keys`, a list of values for each point.", "a list", default=()
    )
    range: ValueRange | None = told("Instead of `values`: a range of numbers.", "a table, see below", default=None)
    names: Texts = told("Names to show instead of the values.", "a list of strings, one for each value", default=())
    title: str = told("Name to show instead of the key.", "a string", default="")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if bool(self.key) == bool(self.keys):
            raise InputError("vary needs either key or keys", "key")
        if bool(self.values) == (self.range is not None):
            raise InputError(f"vary of {self.name} needs either values, at least one, or a range", "values")
        if self.keys and self.range is not None:
            raise InputError(f"vary of {self.name} needs values: a range is for a single key", "range")
        if self.names and (len(self.names) != len(self.values) or len(set(self.names)) != len(self.names)):
            raise InputError(f"vary of {self.name} needs a different name for each of its values", "names")
        for value in self.values if self.keys else ():
            if not isinstance(value, list | tuple) or len(value) != len(self.keys):
                raise InputError(
                    f"vary of {self.name} needs {len(self.keys)} numbers or strings in each value, not {value!r}",
                    "values",
                )
        return self

    @property
    def name(self) -> str:
        """The name of the axis: its key, or its keys with commas."""
        return self.key or ", ".join(self.keys)

    @property
    def all_keys(self) -> tuple[str, ...]:
        """All keys that vary along the axis."""
        return self.keys or (self.key,)


class Skip(Section):
    """Points of the grid that are not run: those with the values of `at` and with `x` in the interval `between`."""

    at: dict[str, Any] = told(
        'Points with these values: ``{ "discs.count" = 100 }``.',
        "a table of varied keys with a value each",
        default_factory=dict,
    )
    x: str = told("The number that `between` limits.", "a varied key", default="")
    between: Interval | None = told("Points with x from one number to another.", "a pair of numbers", default=None)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if bool(self.x) != (self.between is not None):
            raise InputError("skip needs both x and between, or neither", "skip")
        if not self.at and not self.x:
            raise InputError("skip needs at, or x with between, to choose points", "skip")
        return self

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether a point of the grid with these values is not run."""
        if any(values.get(key) != value for key, value in self.at.items()):
            return False
        if self.between is None:
            return True
        low, high = self.between
        x = values.get(self.x)
        return isinstance(x, int | float) and low <= x <= high


class SinglePoint(Section):
    """A point of a study that is not on the grid, with a name and values of its own."""

    name: str = told("Its name in the report, in figures and in claims.", "a string")
    set: Annotated[dict[str, Any], BeforeValidator(flat)] = told(
        "Keys of the scenario with other values at this point.", "a table", default_factory=dict
    )
    seeds: int | None = told(
        "Number of runs at this point, with the first seeds; default: as at the other points.",
        "a whole number",
        default=None,
        ge=1,
        le=MAX_RUNS,
    )
    keep: bool = told("Keep its final states and show one in the report.", "true or false", default=False)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.name:
            raise InputError("point needs a name", "name")
        if "seed" in self.set:
            raise InputError("seed cannot be set here; use seeds.first and seeds", "set")
        return self


class Seeds(Section):
    """The seeds, one run each at every point of the grid."""

    first: int = told("The seed of the first run of each point.", "a whole number", default=1, ge=0, le=MAX_SEED)
    count: int = told(
        "Runs at each point, with the seeds first, first + 1, …", "a whole number", default=20, ge=1, le=MAX_RUNS
    )


class StudyLimits(Section):
    """The limits of each run, like those of ``aggviewer run``."""

    until_time: float | None = told("A run stops at this simulation time.", "a number of at least 0", default=None)
    until_clusters: int | None = told(
        "A run stops when this many clusters are left.", "a whole number of at least 1", default=None
    )
    until_events: int | None = told("A run stops after this many events.", "a whole number of at least 0", default=None)
    max_wall: float | None = told(
        "A run stops after this many seconds of real time. If this limit acts, results depend on the machine.",
        "a number above 0",
        default=None,
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self.limits().check()
        return self

    def limits(self) -> RunLimits:
        """These limits as the loop of a run takes them."""
        return RunLimits(self.until_time, self.until_clusters, self.until_events, self.max_wall, named=as_key)


class CurveSlope(Section):
    """The exponent of a power law through a curve of each run, which can be used like a quantity."""

    name: str = told("Name in tables, figures and claims.", "a string that is not the name of another quantity")
    curve: str = told("The curve; it need not be in measure.curves.", "a curve as in measure.curves")
    between: Interval | None = told("Only points with x in this range.", "a pair of numbers", default=None)
    decades: float | None = told(
        "Instead of `between`: use only this many of the last decades of x.", "a number above 0", default=None, gt=0.0
    )
    sign: Literal[1, -1] = told("-1 to reverse the sign of the exponent, as for D_f.", "", default=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not (self.name and self.curve):
            raise InputError("measure.slope needs a name and a curve", "name")
        if self.between is not None and self.decades is not None:
            raise InputError("measure.slope takes either between or decades, not both", "decades")
        return self


class KeptQuantities(Section):
    """The results kept from each run: numbers, by dotted names of the JSON of ``run`` (none: all), and whole curves."""

    quantities: Texts = told(
        "Numbers to keep from each run, by their dotted names in the JSON of ``aggviewer run``; default: all.",
        "a list of strings",
        default=(),
    )
    curves: Texts = told(
        "Curves to keep from each run: indicators with lists, and ``history.`` with a column of the history.",
        "a list of strings",
        default=(),
    )
    slope: Annotated[tuple[CurveSlope, ...], BeforeValidator(as_tuple)] = told(
        "Exponents of the curves of each run.", "tables [[measure.slope]]", default=()
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        names = [*self.quantities, *(one.name for one in self.slope)]
        for one in self.slope:
            if names.count(one.name) > 1:
                raise InputError(f"there are two quantities {one.name}; each slope needs its own name", "slope")
        return self

    @property
    def numbers(self) -> tuple[str, ...]:
        """The quantities and slopes; none if all numbers of a run are kept."""
        return (*(one.name for one in self.slope), *self.quantities) if self.quantities else ()


class StudyFigure(Section):
    """A figure: a quantity over a parameter, or the mean of a curve; a line for each value of `by`."""

    y: str = told("The quantity to draw; without `x`, a curve.", "one of measure.quantities or of measure.curves")
    x: str = told(
        "The horizontal axis: a varied key or another quantity.",
        "a varied key or one of measure.quantities",
        default="",
    )
    by: str = told("Draw a line for each value of this key.", "a varied key", default="")
    at: dict[str, Any] = told(
        'Only points of the grid with these values: ``{ "discs.count" = 100 }``.',
        "a table of varied keys with a value each",
        default_factory=dict,
    )
    points: Texts = told("Instead of the grid: a curve for each of these single points.", _NAMES, default=())
    key: str = told("Instead of `y`: its relative difference from the same point …", "a varied key", default="")
    base: Any = told("… in which `key` has this value.", "one of its values", default=None)
    log: Literal["", "x", "y", "xy"] = told("Logarithmic axes.", "", default="")
    title: str = told("Title in the report; default: made from `y` and `x`.", "a string", default="")
    reference: Intervals = told(
        "Points of a dashed line; a single point is drawn as a cross.", "a list of pairs [x, y]", default=()
    )
    source: str = told("Source of the reference, for legend and caption.", "a string", default="")
    formulas: Texts = told("Curves from the literature, by name.", "names in engine/study/laws.py", default=())

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.formulas and not self.x:
            raise InputError("figure with formulas needs x", "formulas")
        if self.points and (self.x or self.by or self.at):
            raise InputError("figure with points shows a curve, so it takes no x, by or at", "points")
        if bool(self.key) != (self.base is not None) or (self.key and not self.x):
            raise InputError("figure of differences needs x, key and base, the value to compare with", "key")
        return self


class Fit(Section):
    """A law through the means of a quantity or through a mean curve, for each value of `by`."""

    y: str = told(
        "The quantity whose means are fitted; without `x`, a curve.",
        "one of measure.quantities or of measure.curves",
    )
    x: str = told("What the quantity depends on.", "a varied key or one of measure.quantities", default="")
    by: str = told("Fit a law for each value of this key.", "a varied key", default="")
    at: dict[str, Any] = told(
        'Only points of the grid with these values: ``{ "discs.count" = 100 }``.',
        "a table of varied keys with a value each",
        default_factory=dict,
    )
    points: Texts = told("Instead of the grid: a law for each of these single points.", _NAMES, default=())
    law: Literal["power", "exponential", "linear", "constant"] = told(
        "``power`` y = a x^b, ``exponential`` y = a e^(b x), ``linear`` y = a + b x, ``constant`` y = a.",
        "",
        default="power",
    )
    between: Interval | None = told("Only points with x in this range.", "a pair of numbers", default=None)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.points and (self.x or self.by or self.at):
            raise InputError("fit with points is for a curve, so it takes no x, by or at", "points")
        return self


class Claim(Section):
    """A statement of a paper or a theory, which the report compares with the data."""

    says: str = told("The statement, as a sentence.", "a string")
    source: str = told("Its source.", "a string", default="")
    y: str = told("The quantity it is about.", "one of measure.quantities")
    at: dict[str, Any] = told(
        'Only points of the grid with these values: ``{ "discs.count" = 100 }``.',
        "a table of varied keys with a value each",
        default_factory=dict,
    )
    points: Texts = told("Instead of the grid: these single points.", _NAMES, default=())
    expect: float | None = told("The mean at each point is this number …", "a number", default=None)
    within: float | None = told("… within this difference.", "a number", default=None)
    x: str = told(
        "The variable of `trend`, `exponent` and `formula`.", "a varied key or one of measure.quantities", default=""
    )
    trend: Literal["", "rises", "falls"] = told("The means rise or fall with x.", "", default="")
    exponent: Interval | None = told(
        "The means follow a power of x, with an exponent from one number to another.", "a pair of numbers", default=None
    )
    key: str = told("Each point is compared with the same point …", "a varied key", default="")
    base: Any = told("… in which `key` has this value …", "one of its values", default=None)
    below: float | None = told("… and the relative difference of the means is below this.", "a number", default=None)
    on_average: bool = told("The average of the differences decides, not each of them.", "true or false", default=False)
    formula: str = told(
        "A curve from the literature over x; the means must differ from it by less than `below`.",
        "a name in engine/study/laws.py",
        default="",
    )
    between: Interval | None = told("Only points with x in this range.", "a pair of numbers", default=None)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        texts = (self.trend, self.key, self.formula)
        if sum(map(bool, texts)) + (self.expect is not None) + (self.exponent is not None) != 1:
            raise InputError("claim needs one of expect, trend, exponent, key or formula", "claim")
        if self.points and (self.expect is None or self.at or self.x):
            raise InputError("claim about points needs expect, and takes no at or x", "points")
        if self.formula and (not self.x or self.below is None):
            raise InputError("claim with formula needs x, and below, the largest relative difference", "below")
        if self.between is not None and (not self.x or self.key):
            raise InputError("claim with between needs x and takes no key", "between")
        if self.expect is not None and self.within is None:
            raise InputError("claim with expect needs within, the largest difference that it allows", "within")
        if (self.trend or self.exponent is not None) and not self.x:
            raise InputError("claim about a trend or an exponent needs x", "x")
        if self.key and (self.base is None or self.below is None):
            raise InputError("claim with key needs base, the value to compare with, and below", "base")
        return self


class Pool(Section):
    """The exponent of a power law at small values, of all runs together."""

    title: str = told("Name of the exponent.", "a string")
    exponent: str = told("The exponent of a run, by maximum likelihood.", "one of measure.quantities")
    count: str = told("Number of values used for it.", "one of measure.quantities")
    by: str = told("Give an exponent for each value of this key.", "a varied key", default="")
    at: dict[str, Any] = told(
        'Only points of the grid with these values: ``{ "discs.count" = 100 }``.',
        "a table of varied keys with a value each",
        default_factory=dict,
    )
    largest: str = told("Only points with the largest value of this key.", "a varied key", default="")
    systematic: float = told(
        "Known change of the exponent with the fit range; it counts as a second error.",
        "a number", default=0.0, ge=0.0,
    )  # fmt: skip
    expect: float | None = told("The value in the literature.", "a number", default=None)
    source: str = told("Source of that value.", "a string", default="")


class Study(Section):
    """A whole study; see docs/studies.md."""

    format: Literal[1] = told("The version of these rules.", "", default=1)
    title: str = told("Title of the report.", "a string", default="")
    description: str = told("Description for the report.", "a string", default="")
    scenario: str = told("The scenario: a bundled one by name, or a file in the same folder.", "a string")
    base: Annotated[dict[str, Any], BeforeValidator(flat)] = told(
        "Keys of the scenario with other values in all runs.", "a table", default_factory=dict
    )
    vary: Annotated[tuple[Vary, ...], BeforeValidator(as_tuple)] = told(
        "Axes of the grid.", "tables [[vary]]", default=()
    )
    skip: Annotated[tuple[Skip, ...], BeforeValidator(as_tuple)] = told(
        "Points of the grid to leave out.", "tables [[skip]]", default=()
    )
    point: Annotated[tuple[SinglePoint, ...], BeforeValidator(as_tuple)] = told(
        "Single points in addition to the grid.", "tables [[point]]", default=()
    )
    seeds: Seeds = told("Runs at each point.", "a table", default=Seeds())
    stop: StudyLimits = told("When each run ends.", "a table", default=StudyLimits())
    measure: KeptQuantities = told("What to keep from each run.", "a table", default=KeptQuantities())
    figure: Annotated[tuple[StudyFigure, ...], BeforeValidator(as_tuple)] = told(
        "Figures of the report; default: one for each quantity and curve that is named.",
        "tables [[figure]]",
        default=(),
    )
    fit: Annotated[tuple[Fit, ...], BeforeValidator(as_tuple)] = told("Laws to fit.", "tables [[fit]]", default=())
    pool: Annotated[tuple[Pool, ...], BeforeValidator(as_tuple)] = told(
        "Exponents from all runs together.", "tables [[pool]]", default=()
    )
    claim: Annotated[tuple[Claim, ...], BeforeValidator(as_tuple)] = told(
        "Statements to check against the data.", "tables [[claim]]", default=()
    )
    scales: dict[str, dict[str, Any]] = told(
        "Changes for ``--scale NAME``.", "tables [scales.NAME]", default_factory=dict
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        seen = set[str]()
        for axis in self.vary:
            for key in axis.all_keys:
                if key in seen:
                    raise InputError(f"{key} is varied twice", key)
                if key in self.base:
                    raise InputError(f"{key} is in [base] and also varied", key)
                seen.add(key)
        for key in (*seen, *self.base):
            if key == "seed":
                raise InputError("seed cannot be set or varied; use seeds.first and seeds.count", key)
        most = max(self.seeds.count, *(one.seeds or 1 for one in self.point), 1)
        if self.seeds.first + most - 1 > MAX_SEED:
            raise InputError(f"seeds.first + seeds.count must be at most {MAX_SEED}", "seeds.first")
        names = [one.name for one in self.point]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"there are two points {name}; each needs its own name", "point")
        return self

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> Study:
        """A study from nested tables of TOML; InputError names the invalid key."""
        try:
            return Study.model_validate(dict(values))
        except ValidationError as error:
            raise input_error(error, _model_at) from None

    def to_values(self) -> dict[str, Any]:
        """Nested tables with all keys that differ from their defaults; reading them gives an equal study."""
        values: dict[str, Any] = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
        return {"format": self.format} | values


def _model_at(location: KeyPath) -> type[Section]:
    models: dict[str, type[Section]] = {
        "vary": Vary, "range": ValueRange, "seeds": Seeds, "stop": StudyLimits, "measure": KeptQuantities,
        "figure": StudyFigure, "fit": Fit, "claim": Claim, "pool": Pool, "skip": Skip, "point": SinglePoint,
        "slope": CurveSlope,
    }  # fmt: skip
    names = [part for part in location if isinstance(part, str)]
    return models.get(names[-1], Study) if names else Study
