"""Quantities of discs that stick, which follow from the motion of their clusters.

Where clusters turn, a disc moves with V + ω × r: speed and direction are those of its cluster, V, so that all discs of
a cluster have one colour. Where they do not turn, that is the velocity of the disc.
"""

from __future__ import annotations

from dataclasses import replace
from math import atan2, hypot

import numpy as np
from numpy.typing import NDArray

from engine.fields import DIRECTION, SPEED, Field
from engine.frame import Frame
from engine.scales import Balanced, Cooling
from engine.selection.clusters import ClusterField
from engine.state import Discs, cluster_means


def cluster_velocities(frame: Frame, masses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The velocity of the centre of mass of each disc's cluster, (N, d). masses : (N,)."""
    if "spin" not in frame.fields:
        return frame.velocities
    return cluster_means(frame.cluster, masses, frame.velocities)[frame.cluster]


def _velocity(frame: Frame, discs: Discs, disc: int) -> list[float]:
    """V of the cluster of one disc."""
    if "spin" not in frame.fields:
        return list(frame.velocities[disc].tolist())
    own = frame.cluster == frame.cluster[disc]
    masses = discs.masses[own]
    return list((masses @ frame.velocities[own] / masses.sum()).tolist())


def _speeds(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    if "spin" not in frame.fields:
        return SPEED.values(frame, discs)
    x, y, *rest = cluster_velocities(frame, discs.masses).T
    squares = x * x + y * y
    for z in rest:
        squares += z * z
    return np.asarray(np.sqrt(squares))


def _directions(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    if "spin" not in frame.fields:
        return DIRECTION.values(frame, discs)
    x, y = cluster_velocities(frame, discs.masses).T
    return np.asarray(np.arctan2(y, x))


CLUSTER_SPEED = replace(
    SPEED,
    values=_speeds,
    one=lambda frame, discs, disc: hypot(*_velocity(frame, discs, disc)),
    meaning="The speed of its cluster's centre of mass, without the motion that turning adds",
)

CLUSTER_DIRECTION = replace(
    DIRECTION,
    values=_directions,
    one=lambda frame, discs, disc: atan2(*reversed(_velocity(frame, discs, disc))),
    meaning="The angle between the velocity of its cluster's centre of mass and the x axis",
)


def _spins(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    """ω in the plane, |ω| in space."""
    spin = frame.fields.get("spin")
    return spin if spin is None or spin.ndim == 1 else np.asarray(np.linalg.norm(spin, axis=1))


SPIN = Field(
    "spin",
    "Angular velocity",
    _spins,
    symbol="ω",
    unit="1 / time",
    scale=Balanced,
    diverging=True,
    absent=0.0,
    needs="angular velocities",
    part="spin",
    meaning="How fast its cluster turns about its centre of mass, counterclockwise above 0",
    in_space=(
        ("symbol", "|ω|"),
        ("scale", Cooling),
        ("diverging", False),
        ("meaning", "How fast its cluster turns about its centre of mass"),
    ),
)

TURNING_CLUSTERS = (
    ClusterField("spin", "Angular velocity", lambda clusters: clusters.spins, "ω", "1 / time", part="spin"),
    ClusterField(
        "angular_momentum",
        "Angular momentum",
        lambda clusters: clusters.angular_momenta,
        "L",
        "mass length² / time",
        slow=True,
        meaning="I ω, about its centre of mass; in space its magnitude",
        part="spin",
    ),
    ClusterField(
        "inertia",
        "Moment of inertia",
        lambda clusters: clusters.moments_of_inertia,
        "I",
        "mass length²",
        slow=True,
        meaning="That of solid {discs} about its centre of mass, in space about the axis of ω; unknown if it touches "
        "its own periodic image",
        part="spin",
    ),
)
"""What clusters that turn have; other runs have none of these columns."""
