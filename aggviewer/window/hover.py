"""What is said about the disc under the pointer."""

from __future__ import annotations

import numpy as np

from aggviewer.session import Shown
from aggviewer.style import numbers
from engine.simulation import Network


def describe(shown: Shown | None, disc: int) -> str:
    """One line about a disc, empty where there is none."""
    if shown is None or not 0 <= disc < shown.system.count:
        return ""
    frame = shown.frame
    size = int(np.count_nonzero(frame.cluster == frame.cluster[disc]))
    speed = float(np.hypot(*frame.velocities[disc]))
    radius = float(shown.system.radii[disc]) * frame.radius_factor
    if shown.system.scenario.system == "jamming":
        return f"disc {numbers.count(disc)}, {_held(frame.network, disc)}, R = {radius:.3g}"
    if frame.collisions is not None:
        company = f"{numbers.count(int(frame.collisions[disc]))} collisions"
    else:
        company = "alone" if size == 1 else f"in a cluster of {numbers.count(size)}"
    return f"disc {numbers.count(disc)}, {company}, |V| = {speed:.3g}, R = {radius:.3g}"


def _held(network: Network | None, disc: int) -> str:
    """What holds a disc of a packing."""
    if network is None or not len(network.pairs):
        return "no contacts yet"
    if network.rattlers[disc]:
        return "a rattler"
    contacts = np.count_nonzero(network.pairs == disc)
    own = ", with a self-stress of its own" if any(disc in patch.discs for patch in network.patches) else ""
    return f"{contacts} contacts{own}"
