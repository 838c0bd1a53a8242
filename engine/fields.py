"""Fields: quantities that each disc has, such as its speed.

A field is described once, by a `Field`: its name, its label and unit, how its values follow from a frame, and its
colour scale. Each system lists the fields of its discs. The choices to colour by, the legend, the line about the disc
under the pointer and the columns of files are made from this list. Plug-ins add fields to every system (`FIELDS`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.guarding import line_of, missing, tell
from engine.registry import Registry
from engine.scales import Fixed, OneToAll, Scale, SmallCount, Span, Turn, Typical, Waiting
from engine.words import body_names

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.frame import Frame
    from engine.state import Discs

FieldKind = Literal["continuous", "integer", "category", "angle"]
FieldFunction = Callable[["Frame", "Discs"], "NDArray[Any] | None"]


def _unknown(frame: Frame, discs: Discs) -> None:
    """The values of a slow field as its `Field.values` has them: None, since no frame contains them."""
    return


@dataclass(frozen=True)
class Field:
    """A quantity that each disc has.

    Parameters
    ----------
    name : the name in files and on the command line; it never changes.
    label : the name in menus and legends, such as ``Time since contact``.
    values : gives one number per disc, (N,), from a frame and its discs; None if the frame does not hold it. It is
        called for each frame; what takes long is for `measure`.
    symbol, unit : such as ``|V|`` and ``length / time``; empty if there is none.
    kind : ``continuous``; ``integer``, a count; ``angle``, from -π to π; or ``category``: the index of one of
        `classes`, or, without classes, a label that is the same for discs that belong together.
    scale : makes the colour scale of a run; None for the default of `kind`.
    log : whether the colour scale is logarithmic; it needs a `scale` whose limits are above 0.
    steps : whether each whole number has its own colour; for small counts.
    diverging : whether its colours differ to both sides of a neutral middle; for signed amounts, with a `scale` whose
        limits are equally far from 0.
    classes : the names of the categories, each understandable by itself.
    one : gives the value of a single disc, where that is quicker than computing all; for the disc under the pointer.
    measure : computes the values where `values` gives None. It may take long, and runs on another thread than the
        simulation.
    absent : the value of every disc as long as none is known; with None, another field is shown meanwhile.
    needs : what a file must contain for this field, in words.
    part : the array in `Frame.fields` without which it is not offered where colours are chosen; "" for none.
    meaning : its definition, a sentence without a full stop, for tool tips; empty if the label says it all.
    dimensions : of the boxes in which it has a meaning, 2 for discs and 3 for spheres; None for both, which plug-ins
        have to say.
    in_space : those of these parameters that are different for spheres, with their names.

    Label, unit and definition may have gaps for discs or spheres (`engine.words`), which `fields_in` fills.

    Raises
    ------
    ValueError
        `log` is set without a `scale`.
    """

    name: str
    label: str
    values: FieldFunction = _unknown
    symbol: str = ""
    unit: str = ""
    kind: FieldKind = "continuous"
    scale: Callable[[], Scale] | None = None
    log: bool = False
    steps: bool = False
    diverging: bool = False
    classes: tuple[str, ...] = ()
    one: Callable[[Frame, Discs, int], Any] | None = None
    measure: FieldFunction | None = None
    absent: float | None = None
    needs: str = ""
    part: str = ""
    meaning: str = ""
    dimensions: tuple[int, ...] | None = None
    in_space: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.log and self.scale is None:
            raise ValueError(f"the field {self.name} has a logarithmic scale, which needs limits above 0: give a scale")

    @property
    def groups(self) -> bool:
        """Whether its values are labels that only say which discs belong together."""
        return self.kind == "category" and not self.classes

    def of_disc(self, frame: Frame, discs: Discs, disc: int) -> Any:
        """The value of one disc; None if the frame does not hold it."""
        if self.one is not None:
            return self.one(frame, discs, disc)
        values = self.values(frame, discs)
        return None if values is None else values[disc]

    def new_scale(self) -> Scale:
        """A colour scale for the beginning of a run."""
        if self.scale is not None:
            return self.scale()
        if self.kind == "angle":
            return Turn()
        if self.kind == "category":
            return Fixed(0.0, max(float(len(self.classes) - 1), 1.0))
        return Scale()


def fields_in(known: Iterable[Field], dimensions: int) -> tuple[Field, ...]:
    """The fields that have a meaning in a box of so many dimensions, with their label, unit and definition there."""
    return tuple(_field_in(field, dimensions) for field in known if dimensions in (field.dimensions or (dimensions,)))


def _field_in(field: Field, dimensions: int) -> Field:
    if dimensions > 2:
        field = replace(field, **dict(field.in_space))
    label, unit, meaning = map(body_names(dimensions).fill, (field.label, field.unit, field.meaning))
    return replace(field, label=label, unit=unit, meaning=meaning, in_space=())


def said(name: str) -> FieldFunction:
    """A function for `Field.values` that returns the array with this name in `Frame.fields`."""
    return lambda frame, discs: frame.fields.get(name)


def of_sample(measure: Callable[[Sample], NDArray[Any] | None]) -> FieldFunction:
    """A function for `Field.values` or `Field.measure` that gives a function of a `Sample`, as indicators have it: one
    function then serves the colours of discs and, by `Sample.once`, their mean.

    measure : gives one number per disc, (N,), or None.
    """

    @wraps(measure)  # messages name the line of `measure`
    def values(frame: Frame, discs: Discs) -> NDArray[Any] | None:
        from engine.analysis import Sample

        sample = Sample(
            frame.positions, _present_radii(frame, discs), discs.box, periodic=frame.around(discs),
            velocities=frame.velocities, masses=discs.masses, cluster=frame.fields.get("cluster"),
            spin=frame.fields.get("spin"), images=frame.fields.get("images"), shear_rate=frame.shear_rate,
            strain=frame.strain,
        )  # fmt: skip
        return measure(sample)

    return values


def guarded(field: Field, origin: str) -> Field:
    """The field with functions that never fail: values that cannot be had are NaN, for categories None, and one
    sentence tells why.

    origin : the plug-in that it is from.
    """
    of = f"field {field.name} of {origin}"

    def safe(function: FieldFunction) -> FieldFunction:
        def values(frame: Frame, discs: Discs) -> NDArray[Any] | None:
            try:
                found = function(frame, discs)
                return None if found is None else _checked(field, found, len(frame.positions), function)
            except (Exception, SystemExit) as error:  # exit() in a plug-in too
                tell(missing("field", field.name, origin, error), of)
                return None if field.kind == "category" else np.full(len(frame.positions), np.nan)

        return values

    def safe_one(frame: Frame, discs: Discs, disc: int) -> Any:
        try:
            return None if field.one is None else field.one(frame, discs, disc)
        except (Exception, SystemExit) as error:
            return tell(missing("field", field.name, origin, error), of)

    return replace(
        field,
        values=field.values if field.values is _unknown else safe(field.values),
        measure=None if field.measure is None else safe(field.measure),
        one=None if field.one is None else safe_one,
    )


def _checked(field: Field, found: Any, count: int, function: FieldFunction) -> NDArray[Any]:
    """The values of a plug-in, (N,). Raises InputError if they are no numbers, or not one for each disc."""
    values = np.asarray(found)
    wrong = ""
    if values.shape != (count,):
        wrong = f"an array of shape {values.shape} instead of ({count},), one number for each disc"
    elif values.dtype.kind not in "biuf":
        wrong = f"values of the type {values.dtype} instead of numbers"
    elif count and not np.isfinite(values).any():
        wrong = "NaN for every disc; return None where there is nothing to show"
    elif field.classes and not np.isin(values, np.arange(len(field.classes))).all():
        wrong = f"numbers that are no classes; these are 0 to {len(field.classes) - 1}"
    if wrong:
        raise InputError(f"it gives {wrong}{line_of(function)}")
    return values.astype(np.int8) if values.dtype.kind == "b" else values


def _fits(field: Field, others: Sequence[Field]) -> None:
    name = f"the field {field.name}"
    if not field.name.isidentifier():
        raise InputError(f"{name} must be named by letters, digits and _, so that conditions can use it")
    if field.dimensions is None:
        raise InputError(f"{name} must say where it has a meaning: give it dimensions=(2,), (3,) or (2, 3)")
    if field.dimensions not in ((2,), (3,), (2, 3)):
        raise InputError(f"{name} has dimensions={field.dimensions}; it must be (2,), (3,) or (2, 3)")


FIELDS: Registry[Field] = Registry(_fits)
"""Those that plug-ins have added to the discs of every system."""


_AT_ONCE = 16_384
"""Number of discs per block for computing squares: they stay in the cache, and no memory is allocated."""


def _sizes(frame: Frame, discs: Discs) -> NDArray[np.int64]:
    """The number of discs in the cluster of each disc."""
    sizes: NDArray[np.int64] = np.bincount(frame.cluster)[frame.cluster]
    return sizes


def _size(frame: Frame, discs: Discs, disc: int) -> int:
    cluster = frame.cluster
    return int(np.count_nonzero(cluster == cluster[disc]))


def _speeds(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    speeds = np.empty(len(frame.velocities))
    for first in range(0, len(speeds), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        x, *others = frame.velocities[part].T
        squares = x * x  # `hypot` takes ten times as long, for speeds that no run has: above 1e154 and below 1e-154
        for other in others:
            squares += other * other
        np.sqrt(squares, out=speeds[part])
    return speeds


def _speed(frame: Frame, discs: Discs, disc: int) -> float:
    return sqrt(sum(part * part for part in frame.velocities[disc].tolist()))


def _contacts(frame: Frame, discs: Discs) -> NDArray[np.int64] | None:
    """The contacts of each disc, also with walls, where the simulation knows them."""
    if frame.network is None:
        return None
    ends = frame.network.pairs.ravel()
    return np.bincount(ends[ends >= 0], minlength=len(frame.positions))


def _count_contacts(frame: Frame, discs: Discs) -> NDArray[np.int32]:
    from engine.analysis import contact_counts

    return contact_counts(frame.positions, _present_radii(frame, discs), discs.box, periodic=frame.around(discs))


def _directions(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    """The angle between the velocity of each disc and the x axis, from -π to π; 0 at rest."""
    directions: NDArray[np.float64] = np.arctan2(frame.velocities[:, 1], frame.velocities[:, 0])
    return directions


def _direction(frame: Frame, discs: Discs, disc: int) -> float:
    return float(np.arctan2(frame.velocities[disc, 1], frame.velocities[disc, 0]))


def _ages(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    """The time since the last merge of the cluster of each disc."""
    last = frame.fields.get("last_merge")
    return None if last is None else np.maximum(frame.time - last, 0.0)


def _relative_radii(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    """The radii over their mean, so that discs keep their colour while they grow."""
    radii = discs.radii
    return radii / radii.mean() if len(radii) else radii


def _present_radii(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    return discs.radii if frame.radius_factor == 1.0 else discs.radii * frame.radius_factor


def _of_cells(name: str) -> Callable[[Frame, Discs], NDArray[Any]]:
    """A function for `Field.measure` that returns this part of the Voronoi cells."""

    def measure(frame: Frame, discs: Discs) -> NDArray[Any]:
        from engine.analysis.local_cells import local_cells

        cells = local_cells(frame.positions, _present_radii(frame, discs), discs.box, periodic=frame.around(discs))
        return cells._asdict()[name]  # type: ignore[no-any-return]

    return measure


def _of_orders(name: str) -> Callable[[Frame, Discs], NDArray[Any]]:
    """A function for `Field.measure` that returns this bond order."""

    def measure(frame: Frame, discs: Discs) -> NDArray[Any]:
        from engine.analysis.bond_orders import bond_orders

        found = bond_orders(frame.positions, _present_radii(frame, discs), discs.box, periodic=frame.around(discs))
        return found._asdict()[name]  # type: ignore[no-any-return]

    return measure


def _order(frame: Frame, discs: Discs) -> NDArray[np.complex128]:
    from engine.analysis.voronoi import hexatic_order

    return hexatic_order(frame.positions, _present_radii(frame, discs), discs.box, periodic=frame.around(discs))


def _bond_order(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    from engine.analysis.voronoi import bond_order

    return bond_order(frame.positions, _present_radii(frame, discs), discs.box, periodic=frame.around(discs))


CLUSTER = Field(
    "cluster",
    "Cluster",
    lambda frame, discs: frame.cluster,
    kind="category",
    meaning="{Discs} of one cluster have one of 12 colours, which other clusters may have too",
)

SIZE = Field(
    "size",
    "Cluster size",
    _sizes,
    unit="{discs}",
    kind="integer",
    scale=OneToAll,
    log=True,
    one=_size,
    meaning="The number of {discs} in its cluster",
)

SPEED = Field(
    "speed",
    "Speed",
    _speeds,
    symbol="|V|",
    unit="length / time",
    scale=Typical,
    one=_speed,
    needs="velocities",
    meaning="The speed in the laboratory, that of a flow included",
)

DIRECTION = Field(
    "direction",
    "Direction of the velocity",
    _directions,
    symbol="arg V",
    unit="rad",
    kind="angle",
    one=_direction,
    needs="velocities",
    meaning="The angle between the velocity in the laboratory and the x axis",
    dimensions=(2,),
)

AGE = Field(
    "age",
    "Time since the last merge",
    _ages,
    unit="time",
    scale=Waiting,
    needs="times of the last merges",
    meaning="The time since the last merge of its cluster, or since the start if there was none",
)

RADIUS = Field("radius", "Radius divided by the mean", _relative_radii, symbol="R / ⟨R⟩", scale=Span)

CONTACTS = Field(
    "contacts",
    "Contacts",
    _contacts,
    kind="integer",
    scale=SmallCount,
    steps=True,
    measure=_count_contacts,
    absent=0.0,
    meaning="{Discs} within 1.05 times the sum of the radii, each image counted; in a packing, contacts that carry a "
    "force, walls included",
)

LOCAL_DENSITY = Field(
    "local_density",
    "Local density",
    _unknown,
    symbol="φ_i",
    measure=_of_cells("density"),
    absent=0.0,
    meaning="The share of its Voronoi cell that it covers",
)
"""The share of its Voronoi cell that a disc or sphere covers (`engine.analysis.local_cells`)."""

FREE_VOLUME = Field(
    "free_volume",
    "Free area",
    _unknown,
    symbol="a_f / ⟨a⟩",
    measure=_of_cells("free"),
    absent=0.0,
    meaning="The area of its Voronoi cell that it does not cover, in mean areas of the discs",
    in_space=(
        ("label", "Free volume"),
        ("symbol", "v_f / ⟨v⟩"),
        ("meaning", "The volume of its Voronoi cell that it does not fill, in mean volumes of the spheres"),
    ),
)

SIDES = Field(
    "sides",
    "Sides of its cell",
    _unknown,
    kind="integer",
    scale=SmallCount,
    steps=True,
    measure=_of_cells("sides"),
    absent=0.0,
    meaning="How many neighbours and walls its Voronoi cell touches",
    in_space=(("label", "Faces of its cell"), ("steps", False), ("scale", None)),
)

HEXATIC = Field(
    "hexatic",
    "Hexatic order",
    _unknown,
    symbol="|ψ₆|",
    scale=lambda: Fixed(0.0, 1.0),
    measure=lambda frame, discs: np.abs(_order(frame, discs)),
    absent=0.0,
    meaning="1 if the neighbours are arranged as in a triangular lattice, 0 if as in a square one",
    dimensions=(2,),
)
"""The hexatic order of a disc: 1 if its neighbours are arranged as in a triangular lattice
(`engine.analysis.voronoi.hexatic_order`)."""

HEXATIC_ANGLE = Field(
    "hexatic_angle",
    "Angle of the hexatic order",
    _unknown,
    symbol="arg ψ₆",
    unit="rad",
    kind="angle",
    measure=lambda frame, discs: np.angle(_order(frame, discs)),
    absent=0.0,
    meaning="Six times the direction of the lattice around the disc",
    dimensions=(2,),
)
"""Six times the direction of the lattice around a disc, which has a period of a sixth of a circle."""

BOND_ORDER = Field(
    "bond_order",
    "Bond order, 12 nearest",
    _unknown,
    symbol="q₆",
    scale=lambda: Fixed(0.0, 0.6),
    measure=_bond_order,
    absent=0.0,
    meaning="Quick, also for very many spheres: from the directions to the 12 nearest ones, which count alike; 0.57 "
    "in a face-centred cubic crystal, 0.48 in a hexagonal close-packed one, about 0.3 without order",
    dimensions=(3,),
)
"""The bond order of a sphere, which is large in a crystal (`engine.analysis.voronoi.bond_order`)."""


def _order_field(name: str, label: str, symbol: str, limits: tuple[float, float], values: str) -> Field:
    """A bond order of Voronoi neighbours. values : in which crystals it has which value."""
    averaged = ", averaged over the sphere and its neighbours" if name.startswith("averaged") else ""
    return Field(
        name,
        label,
        _unknown,
        symbol=symbol,
        scale=lambda: Fixed(*limits),
        diverging=limits[0] < 0.0,
        measure=_of_orders(name),
        absent=0.0,
        meaning=f"From the directions to the neighbours across the faces of its Voronoi cell, weighted by their areas"
        f"{averaged}: {values}",
        dimensions=(3,),
    )


_Q4 = "0.19 in a face-centred cubic crystal, 0.10 in a hexagonal close-packed one, 0.22 in a body-centred cubic one"
_Q6 = "0.57 in face- and body-centred cubic crystals, 0.48 in a hexagonal close-packed one"

ORDERS = (
    _order_field("q4", "Bond order q₄", "q₄", (0.0, 0.25), _Q4),
    _order_field("q6", "Bond order q₆", "q₆", (0.0, 0.6), _Q6),
    _order_field(
        "w6",
        "Bond order w₆",
        "w₆",
        (-0.05, 0.05),
        "-0.013 in a face-centred cubic crystal, 0.013 in a body-centred cubic one, -0.17 in an icosahedron",
    ),
    _order_field("averaged_q4", "Averaged q₄", "q̄₄", (0.0, 0.25), _Q4),
    _order_field("averaged_q6", "Averaged q₆", "q̄₆", (0.0, 0.6), _Q6),
)
"""The bond orders of a sphere (`engine.analysis.bond_orders`)."""

ARRANGEMENT = (
    *(CONTACTS, RADIUS, LOCAL_DENSITY, FREE_VOLUME, SIDES, HEXATIC, HEXATIC_ANGLE, BOND_ORDER),
    *ORDERS,
)
"""The fields of every system, which depend only on positions and radii."""
