"""Why a run of hard discs ends before anyone asks it to: a collapse, the end of growth, rest."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs
from engine.hard_discs.log import fraction_now, totals
from engine.hard_discs.measures import Collapse, kinetic_time, newest_impacts

NEVER = 1 << 62
_CROWD = d.STALL_AFTER // 4  # collisions of more discs than these at one moment are a coincidence, not a collapse
_HITS = 8  # a disc that takes part in a collapse has so many of the last collisions
_PRESSURE_OVER = 25  # pair collisions a disc, 50 for each of the two, between looks at the pressure
_NAMED = 6
_QUIET_EPOCHS = 2  # one may end when all happen to be at the top of their flight


class Endings:
    """`reason`: one sentence on why it ended in this call, "" where it did not; `collapse`: the first one."""

    def __init__(self) -> None:
        self.reason = ""
        self.collapse: Collapse | None = None

    def remember(self, time: float, discs: NDArray[np.int32]) -> None:
        """Name the discs of the first collapse."""
        names = ", ".join(str(i) for i in discs[:_NAMED]) + (" …" if len(discs) > _NAMED else "")
        text = f"inelastic collapse at t = {time:.6g}: the clock stands while discs {names} go on colliding"
        self.collapse = Collapse(time, discs, text)

    def stalled(self, st: Discs, time: float, stop: bool) -> bool:
        """The clock has not moved over the last collisions: whether that is a collapse, and the end."""
        pairs = newest_impacts(st).pairs[-d.STALL_AFTER :]
        hits = np.bincount(pairs[pairs >= 0], minlength=len(st.original))
        if np.count_nonzero(hits) > _CROWD:
            return False
        if self.collapse is None:
            self.remember(time, np.flatnonzero(hits >= _HITS).astype(np.int32))
        if stop and self.collapse is not None:
            self.reason = self.collapse.text
        st.state.collapsed = int(not stop)
        return stop

    def compressed(self, st: Discs, limit: float) -> bool:
        """Growth ends where Z over the last collisions exceeds `limit`."""
        state = st.state
        n = len(st.original)
        heat = kinetic_time(st)
        spent = heat - state.z_kinetic_integral
        freedom = max(n - 1, 1) if state.periodic else n
        virial = state.virial - state.z_virial
        z = 1.0 + virial * freedom / (2.0 * n * spent) if spent > 0.0 else np.inf
        state.z_last = min(z, 1e300)
        state.z_kinetic_integral, state.z_virial = heat, state.virial
        state.z_check = state.pair_collisions + max(_PRESSURE_OVER * n, 1)
        if not z > limit:
            return False
        self._end_growth(st, f"growth ended: Z = {z:.4g} exceeds {limit:g} at volume fraction {fraction_now(st):.6g}")
        return True

    def grown(self, st: Discs, limit: float) -> bool:
        """Growth ends where the volume fraction has reached `limit`."""
        state = st.state
        if not st.state.growing or state.now < state.growth_end:
            return False
        self._end_growth(st, f"growth ended: volume fraction {limit:g} is reached")
        return True

    def _end_growth(self, st: Discs, reason: str) -> None:
        state = st.state
        state.radius_factor *= 1.0 + state.growth_rate * state.now
        state.growth_rate = 0.0
        state.growing = 0
        state.z_check = NEVER
        self.reason = reason

    def at_rest(self, st: Discs) -> bool:
        """Under gravity, with a contact time, discs that lie on each other go on with bounces as short as that."""
        if not st.state.rest_kinetic > 0.0 or not isfinite(st.state.rest_kinetic):
            return False
        quiet = totals(st)[3] <= st.state.rest_kinetic
        st.state.quiet = st.state.quiet + 1 if quiet else 0
        if st.state.quiet < _QUIET_EPOCHS:
            return False
        self.reason = "all discs are at rest but for bounces within the contact time"
        return True
