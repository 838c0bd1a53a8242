"""Building what a checkpoint does not contain: the lists of links, velocities, the greatest speed."""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.links import insert_link
from engine.aggregation.time_stepping.motion import find_fastest, set_velocity
from engine.kernels import borrowed, kernel
from engine.records import Records


@kernel
def build_lists(arrays: Stepping, links: Records) -> None:
    """Add links (K,) with i, j, slack to the lists of their discs; compute velocities and the fastest cluster."""
    st = borrowed(arrays)
    for k in range(len(links)):
        insert_link(st, links[k].i, links[k].j)
        st.links[k].slack = links[k].slack
    for k in range(st.sim[0].clusters):
        set_velocity(st, st.live[k])
    find_fastest(st)
