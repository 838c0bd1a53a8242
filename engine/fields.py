"""Fields: quantities that each disc has, such as its speed.

A field is described once, by a `Field`: its name, its label and unit, how its values follow from a frame, and its
colour scale. Each system lists the fields of its discs. The choices to colour by, the legend, the line about the disc
under the pointer and the columns of files are made from this list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.scales import EvenCount, Fixed, OneToAll, Scale, Turn, Typical

if TYPE_CHECKING:
    from engine.simulation import Frame
    from engine.state import Discs

Kind = Literal["continuous", "integer", "category", "angle"]
Values = Callable[["Frame", "Discs"], "NDArray[Any] | None"]


@dataclass(frozen=True)
class Field:
    """A quantity that each disc has.

    Parameters
    ----------
    name : the name in files and on the command line; it never changes.
    label : the name in menus and legends, such as ``Time since contact``.
    values : gives one number per disc, (N,), from a frame and its discs; None where the frame does not hold it.
    symbol, unit : such as ``|V|`` and ``length / time``; empty where there is none.
    kind : ``continuous``; ``integer``, a count; ``angle``, from -π to π; or ``category``: the index of one of
        `classes`, or, without classes, a label that is the same for discs that belong together.
    scale : makes the colour scale of a run; None for the default of `kind`.
    log : whether the colour scale is logarithmic; it needs a `scale` whose limits are above 0.
    classes : the names of the categories, each understandable by itself.
    one : gives the value of a single disc, where that is quicker than computing all; for the disc under the pointer.
    measure : computes the values where `values` gives None. It may take long, and runs on another thread than the
        simulation.
    absent : the value of every disc as long as none is known; with None, another field is shown meanwhile.
    needs : what a file must hold for this field, in words.

    Raises
    ------
    ValueError
        `log` is set without a `scale`.
    """

    name: str
    label: str
    values: Values
    symbol: str = ""
    unit: str = ""
    kind: Kind = "continuous"
    scale: Callable[[], Scale] | None = None
    log: bool = False
    classes: tuple[str, ...] = ()
    one: Callable[[Frame, Discs, int], Any] | None = None
    measure: Callable[[Frame, Discs], NDArray[Any]] | None = None
    absent: float | None = None
    needs: str = ""

    def __post_init__(self) -> None:
        if self.log and self.scale is None:
            raise ValueError(f"the field {self.name} has a logarithmic scale, which needs limits above 0: give a scale")

    @property
    def groups(self) -> bool:
        """Whether its values are labels that only say which discs belong together."""
        return self.kind == "category" and not self.classes

    def of_disc(self, frame: Frame, discs: Discs, disc: int) -> Any:
        """The value of one disc; None where the frame does not hold it."""
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


def said(name: str) -> Values:
    """A function for `Field.values`, which gives what the simulation has put into `Frame.fields` by this name."""
    return lambda frame, discs: frame.fields.get(name)


def _sizes(frame: Frame, discs: Discs) -> NDArray[np.int64]:
    """The number of discs in the cluster of each disc."""
    sizes: NDArray[np.int64] = np.bincount(frame.cluster)[frame.cluster]
    return sizes


def _size(frame: Frame, discs: Discs, disc: int) -> int:
    cluster = frame.cluster
    return int(np.count_nonzero(cluster == cluster[disc]))


def _speeds(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    speeds: NDArray[np.float64] = np.hypot(frame.velocities[:, 0], frame.velocities[:, 1])
    return speeds


def _speed(frame: Frame, discs: Discs, disc: int) -> float:
    return float(np.hypot(*frame.velocities[disc]))


def _contacts(frame: Frame, discs: Discs) -> NDArray[np.int64] | None:
    """The contacts of each disc, also with walls, where the simulation knows them."""
    if frame.network is None:
        return None
    ends = frame.network.pairs.ravel()
    return np.bincount(ends[ends >= 0], minlength=len(frame.positions))


def _count_contacts(frame: Frame, discs: Discs) -> NDArray[np.int32]:
    from engine.analysis import contact_counts

    radii = discs.radii if frame.radius_factor == 1.0 else discs.radii * frame.radius_factor
    return contact_counts(frame.positions, radii, discs.box, periodic=discs.periodic)


CLUSTER = Field("cluster", "Cluster", lambda frame, discs: frame.cluster, kind="category")

SIZE = Field("size", "Cluster size", _sizes, unit="discs", kind="integer", scale=OneToAll, log=True, one=_size)

SPEED = Field(
    "speed", "Speed", _speeds, symbol="|V|", unit="length / time", scale=Typical, one=_speed, needs="velocities"
)

CONTACTS = Field(
    "contacts", "Contacts", _contacts, kind="integer", scale=EvenCount, measure=_count_contacts, absent=0.0
)
