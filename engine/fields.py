"""Quantities of each disc, each described once: its name, what it is in words, how it follows from a frame, and how a
scale of colours reads it.

Each system lists the fields that its discs have. What they can be coloured by, the legend, what is said of the disc
under the pointer and the columns of files follow from the list.
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
    name : what people type and files hold; stable.
    label : for menus and legends, such as ``Time since contact``.
    values : gives one number per disc, (N,), from a frame and its discs; None where this frame does not say.
    symbol, unit : such as ``|V|`` and ``length / time``; empty where there is none.
    kind : ``continuous``; ``integer``, a count; ``category``, numbers from 0 that `classes` names, or without these
        any whole numbers from 0, where discs with the same number belong together; ``angle``, from -π to π.
    scale : makes the scale of colours of a run; None takes the usual one of `kind`.
    log : colours go by the logarithm; needs a `scale` whose limits are above 0.
    classes : names of the categories, each of which says enough to stand alone.
    one : gives the value of one disc where that is quicker than to compute all, for what is said of the disc under the
        pointer.
    measure : what takes long and is therefore computed beside the simulation, where `values` gives None.
    absent : what counts as the value of every disc while nothing is known; None shows another field then.
    needs : what a file has to hold for it, in words.

    Raises
    ------
    ValueError
        For a logarithmic scale without limits.
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
        """Whether its numbers only say which discs belong together."""
        return self.kind == "category" and not self.classes

    def of_disc(self, frame: Frame, discs: Discs, disc: int) -> Any:
        """The value of one disc, None where the frame does not say."""
        if self.one is not None:
            return self.one(frame, discs, disc)
        values = self.values(frame, discs)
        return None if values is None else values[disc]

    def new_scale(self) -> Scale:
        """The scale of its colours for a run that begins."""
        if self.scale is not None:
            return self.scale()
        if self.kind == "angle":
            return Turn()
        if self.kind == "category":
            return Fixed(0.0, max(float(len(self.classes) - 1), 1.0))
        return Scale()


def said(name: str) -> Values:
    """The values that the simulation itself has put into `Frame.fields` under this name."""
    return lambda frame, discs: frame.fields.get(name)


def _sizes(frame: Frame, discs: Discs) -> NDArray[np.int64]:
    """Number of discs in each disc's cluster."""
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
    """Contacts that the simulation knows, those with walls too."""
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
