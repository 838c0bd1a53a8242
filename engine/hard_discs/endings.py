"""Conditions that end a run of hard discs: an inelastic collapse, the end of growth, rest."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays, dimensions_of
from engine.hard_discs.log import fraction_now, growth_now, half_freedom, heat_now, totals
from engine.hard_discs.measures import Collapse, newest_impacts
from engine.words import body_names

NEVER = 1 << 62
_CROWD = d.STALL_AFTER // 4  # simultaneous collisions of more discs than this are a coincidence, not a collapse
_HITS = 8  # a disc takes part in a collapse if it has this many of the last collisions
_PRESSURE_OVER = 25  # pair collisions per disc (so each takes part in 50) between two checks of the pressure
_NAMED = 6  # most discs named in the message about a collapse
_QUIET_EPOCHS = 2  # a single epoch may end when all discs happen to be at the top of their flight


class Endings:
    """reason : a sentence on why the run ended in this call, "" if it did not; collapse : the first one."""

    def __init__(self) -> None:
        self.reason = ""
        self.collapse: Collapse | None = None

    def remember(self, st: DiscArrays, time: float, discs: NDArray[np.int32]) -> None:
        """Keep the first collapse: when, and between which discs, (k,)."""
        names = ", ".join(str(i) for i in discs[:_NAMED]) + (" …" if len(discs) > _NAMED else "")
        things = body_names(dimensions_of(st)).discs
        text = f"inelastic collapse at t = {time:.6g}: time stands still while {things} {names} keep colliding"
        self.collapse = Collapse(time, discs, text)

    def stalled(self, st: DiscArrays, time: float, stop: bool) -> bool:
        """Decide whether the clock stands still because of a collapse; returns whether the run ends.

        stop : whether a collapse ends it.
        """
        newest = newest_impacts(st)
        went_on = np.flatnonzero(np.diff(newest.time) > st.state.stall_bound)
        begin = int(went_on[-1]) + 1 if len(went_on) else 0  # first collision since the clock last advanced
        pairs = newest.pairs[max(begin, len(newest.pairs) - d.STALL_AFTER) :]
        names, hits = np.unique(pairs[pairs >= 0], return_counts=True)
        if not 0 < len(names) <= _CROWD:  # none in a damaged state
            return False
        if self.collapse is None:
            self.remember(st, time, names[hits >= min(_HITS, len(pairs) // len(names))].astype(np.int32))
        if stop and self.collapse is not None:
            self.reason = self.collapse.text
        st.state.collapsed = int(not stop)
        return stop

    def compressed(self, st: DiscArrays, limit: float) -> bool:
        """Whether growth ends because Z over the last collisions exceeds `limit`."""
        state = st.state
        n = int(state.count)
        heat = heat_now(state)
        spent = heat - state.z_kinetic_integral
        virial = state.virial - state.z_virial
        z = 1.0 + virial * half_freedom(st) / (float(dimensions_of(st)) * n * spent) if spent > 0.0 else np.inf
        state.z_last = min(z, 1e300)
        state.z_kinetic_integral, state.z_virial = heat, state.virial
        state.z_check = state.pair_collisions + max(_PRESSURE_OVER * n, 1)
        if not z > limit:
            return False
        self._end_growth(st, f"growth ended: Z = {z:.4g} exceeds {limit:g} at volume fraction {fraction_now(st):.6g}")
        return True

    def grown(self, st: DiscArrays, limit: float) -> bool:
        """Whether growth ends because the volume fraction has reached `limit`."""
        state = st.state
        if not state.growing or state.now < state.growth_end:
            return False
        self._end_growth(st, f"growth ended: volume fraction {limit:g} is reached")
        return True

    def _end_growth(self, st: DiscArrays, reason: str) -> None:
        """Stop the growth of the radii."""
        state = st.state
        state.radius_factor = growth_now(state)
        state.growth_rate = 0.0
        state.growing = 0
        state.z_check = NEVER
        self.reason = reason

    def at_rest(self, st: DiscArrays) -> bool:
        """Whether all discs are at rest under gravity with a contact time; asked at the end of each epoch.

        Discs that lie on each other never stop: they continue to bounce within the contact time.
        """
        state = st.state
        if not 0.0 < state.rest_kinetic < inf:
            return False
        state.quiet = state.quiet + 1 if totals(st)[2] <= state.rest_kinetic else 0
        if state.quiet < _QUIET_EPOCHS:
            return False
        self.reason = (
            f"all {body_names(dimensions_of(st)).discs} are at rest except for bounces within the contact time"
        )
        return True
