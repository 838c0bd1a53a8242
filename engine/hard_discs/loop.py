"""The loop that takes events in order."""

from __future__ import annotations

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.impacts import bounce, collide
from engine.hard_discs.log import write_row
from engine.hard_discs.prediction import bring_to, predict
from engine.hard_discs.queue import first, insert, remove
from engine.hard_discs.shells import renew_shell
from engine.kernels import inlined, inner, kernel, whole

INF = float("inf")

# why `run` came back
AT_TIME, AT_EVENTS, OUT_OF_WORK, POOL_FULL, EPOCH_OVER, NOTHING_MOVES, STALLED, LOOK_AT_PRESSURE = range(8)


@inlined
def _goes_on(st: Discs) -> bool:
    """Whether something will happen, if only in another epoch."""
    if st.si[d.GROWING]:
        return True
    for i in range(st.si[d.COUNT]):  # noqa: SIM110 (numba has no generators here)
        if st.rec[(i << 3) + d.EVENT] < INF:
            return True
    return False


@inner
def _run(st: Discs, until: float, max_events: int, max_work: int) -> int:
    """`run` with pointers."""
    si = st.si
    sf = st.sf
    rec = st.rec
    ri = st.ri
    last_work = si[d.WORK] + max_work
    last_event = si[d.PAIRS] + si[d.WALLS] + max_events
    epoch_end = si[d.EPOCH_LENGTH]
    while True:
        happened = si[d.PAIRS] + si[d.WALLS]
        if happened >= last_event:
            return AT_EVENTS
        if si[d.WORK] >= last_work:
            return OUT_OF_WORK
        if si[d.EPOCH_EVENTS] >= epoch_end:
            return EPOCH_OVER
        if happened >= si[d.STALL_CHECK]:
            si[d.STALL_CHECK] = happened + d.STALL_AFTER
            moved = sf[d.NOW] - sf[d.STALL_TIME]
            sf[d.STALL_TIME] = sf[d.NOW]
            if moved <= sf[d.STALL_BOUND] and not si[d.COLLAPSED]:
                return STALLED
        if si[d.PAIRS] >= si[d.Z_CHECK]:
            return LOOK_AT_PRESSURE
        i = first(st)
        if i < 0:
            if not _goes_on(st):
                return NOTHING_MOVES
            if sf[d.REBASE] > until:
                sf[d.NOW] = max(sf[d.NOW], until)
                return AT_TIME
            sf[d.NOW] = sf[d.REBASE]
            return EPOCH_OVER
        o = i << 3
        t = rec[o + d.EVENT]
        if t > until:
            sf[d.NOW] = max(sf[d.NOW], until)
            return AT_TIME
        # rounding may put an event before the last one by a unit in the last place: time never runs backwards
        t = max(t, sf[d.NOW])
        sf[d.NOW] = t
        what = whole(ri[o + d.WHAT])
        bring_to(st, i, t)
        j = whole(-1)
        touching = whole(0)
        if what >= 0:
            remove(st, i)
            if ri[(what << 3) + d.HITS] == ri[o + d.PARTNER_HITS]:
                bring_to(st, what, t)
                touching = collide(st, i, what, t)
            else:
                touching = -1
            if touching >= 0:
                j = what
                remove(st, j)
                rec[(j << 3) + d.EVENT] = INF
            else:
                si[d.STALE] += 1
        elif what == d.SHELL:
            if not renew_shell(st, i):
                return POOL_FULL
            remove(st, i)
            si[d.SHELLS] += 1
        else:
            remove(st, i)
            bounce(st, i, t)
        rec[o + d.EVENT] = INF
        si[d.WORK] += 1
        si[d.EPOCH_EVENTS] += 1
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
                si[d.THREE_BODY] += 1
            if si[d.PAIRS] >= si[d.NEXT_ROW]:
                write_row(st)


@kernel
def run(st: Discs, until: float, max_events: int, max_work: int) -> int:
    """Take events in order until one of the limits is reached; returns which (AT_TIME, ...).

    until : relative to the epoch. Where it is cut has no influence on what follows.
    """
    return _run(pointers(st), until, max_events, max_work)
