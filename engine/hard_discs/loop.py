"""The event loop."""

from __future__ import annotations

from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays, pointers
from engine.hard_discs.impacts import bounce, collide, has_collapsed
from engine.hard_discs.log import write_row
from engine.hard_discs.motion import move_to
from engine.hard_discs.prediction import predict, predict_with
from engine.hard_discs.queue import NO_ROOM, first, has_room, insert
from engine.hard_discs.shells import renew_shell
from engine.kernels import inlined, inner, kernel, whole
from engine.slices import AT_EVENTS, AT_TIME, FIRST_OF_ITS_OWN, NOTHING_MOVES, OUT_OF_WORK

INF = float("inf")

# why `run` returns, beside the statuses of `engine.slices`
LISTS_FULL, QUEUE_FULL, EPOCH_OVER, STALLED, LOOK_AT_PRESSURE = range(FIRST_OF_ITS_OWN, FIRST_OF_ITS_OWN + 5)


@inlined
def _goes_on(st: DiscArrays) -> bool:
    """Whether an event will happen, if only in another epoch."""
    if st.state.growing:
        return True
    for i in range(st.state.count):  # noqa: SIM110 (numba has no generators here)
        if st.entry[i].event < INF:
            return True
    return False


@inner
def _run(st: DiscArrays, until: float, max_events: int, max_work: int) -> int:
    """As `run`, called with pointers to the arrays."""
    state = st.state
    motion = st.motion
    entry = st.entry
    last_work = state.work + max_work
    last_event = state.pair_collisions + state.wall_collisions + max_events
    epoch_end = state.epoch_length
    while True:
        happened = state.pair_collisions + state.wall_collisions
        if happened >= last_event:
            return AT_EVENTS
        if state.work >= last_work:
            return OUT_OF_WORK
        if state.epoch_events >= epoch_end:
            return EPOCH_OVER
        if happened >= state.stall_check:
            state.stall_check = happened + d.STALL_AFTER
            moved = state.now - state.stall_time
            state.stall_time = state.now
            if moved <= state.stall_bound and not state.collapsed:
                return STALLED
        if state.pair_collisions >= state.z_check:
            return LOOK_AT_PRESSURE
        if not has_room(st):
            return QUEUE_FULL
        i = first(st)
        if i == NO_ROOM:
            return QUEUE_FULL
        if i < 0:
            if not _goes_on(st):
                return NOTHING_MOVES
            if state.epoch_end > until:
                state.now = max(state.now, until)
                return AT_TIME
            state.now = state.epoch_end
            return EPOCH_OVER
        t = entry[i].event
        if t > until:
            state.now = max(state.now, until)
            return AT_TIME
        # rounding may put an event a unit in the last place before the last one; the clock never runs backwards
        t = max(t, state.now)
        state.now = t
        move_to(st, i, t)
        if entry[i].event < motion[i].renewal:
            fresh = renew_shell(st, i, motion[i].renewal - t)
            if fresh < 0:
                return LISTS_FULL
            state.work += 1
            state.epoch_events += 1
            state.shell_events += 1
            if motion[i].flags & d.ACROSS:
                motion[i].renewal = INF
                predict(st, i, t)
            else:
                predict_with(st, i, t, fresh)
            insert(st, i)
            continue
        what = whole(entry[i].what)
        before = st.newest[(happened - 1) & (d.RING - 1)].time
        j = whole(-1)
        touching = whole(0)
        if what >= 0:
            if motion[what].hits == entry[i].partner_hits:
                move_to(st, what, t)
                touching = collide(st, i, what, t)
            else:
                touching = -1
            if touching >= 0:
                j = what
                motion[j].renewal = INF
            else:
                state.stale_events += 1
        elif what == d.SHELL:
            if not state.sheared and renew_shell(st, i, 0.0) < 0:
                return LISTS_FULL
            state.shell_events += 1
        else:
            bounce(st, i, t)
        motion[i].renewal = INF
        state.work += 1
        state.epoch_events += 1
        k = i
        overlaps = -2 * touching
        while True:
            overlaps += predict(st, k, t)
            insert(st, k)
            if k == j or j < 0:
                break
            k = j
        if j >= 0:
            if overlaps > 0:
                state.three_body_events += 1
            if state.pair_collisions >= state.next_row:
                write_row(st)
            if t - before <= state.stall_bound and has_collapsed(st, i, j):
                return STALLED


@kernel
def run(st: DiscArrays, until: float, max_events: int, max_work: int) -> int:
    """Process events in order until one of the limits is reached, or until Python has to see to something.

    Where a run is interrupted has no influence on the results.

    Parameters
    ----------
    st
        The state.
    until
        Time, relative to the beginning of the epoch.
    max_events
        Collisions and impacts at walls.
    max_work
        Events of any kind.

    Returns
    -------
    AT_TIME, AT_EVENTS or OUT_OF_WORK for a limit; LISTS_FULL and QUEUE_FULL: neighbour lists or event queue need larger
    arrays; EPOCH_OVER; NOTHING_MOVES: there will be no more events; STALLED: the clock has not advanced, or a few discs
    collapse; LOOK_AT_PRESSURE: it is time to check the pressure of growing discs.
    """
    return _run(pointers(st), until, max_events, max_work)
