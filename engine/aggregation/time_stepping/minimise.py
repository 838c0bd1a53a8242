"""The minimisation of a step: group after group, over the new links and those that the motion makes."""

from __future__ import annotations

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import arrow_hurwicz as ah
from engine.aggregation.time_stepping import group_arrays as ga
from engine.aggregation.time_stepping.arrays import (
    AT_STEP,
    ENDED,
    FRESH_FULL,
    NO_GROUP,
    OUT_OF_WORK,
    POOL_FULL,
    UNDER_WAY,
    UNDONE_GROUP,
    Stepping,
)
from engine.aggregation.time_stepping.contacts import kept_residual, misses_contacts, slacken, slacken_idle
from engine.aggregation.time_stepping.groups import (
    apply_group,
    close_group,
    seed_group,
    touch_group,
    wake_listed,
)
from engine.aggregation.time_stepping.links import MOST_ROUNDS, insert_fresh, overlap
from engine.aggregation.time_stepping.undo import can_undo, undo
from engine.kernels import inner


@inner
def close_minimisation(st: Stepping, status: int) -> None:
    """Count what a group has taken, and move its discs."""
    si = st.si
    sf = st.sf
    gi = st.gi
    gf = st.gf
    si[ts.MINIMISATIONS] += 1
    si[ts.ITERATIONS] += gi[ga.ITERATIONS]
    si[ts.RESTARTS] += gi[ga.RESTARTS]
    failed = status == ga.NOT_CONVERGED
    si[ts.NOT_CONVERGED] += failed
    si[ts.STEP_FAILED] += failed
    if gi[ga.ITERATIONS] > si[ts.STEP_ITERATIONS]:
        si[ts.STEP_ITERATIONS] = gi[ga.ITERATIONS]
        pos = st.pos[1 - si[ts.WHICH]]
        sf[ts.WORST_X] = pos[st.member[0], 0]
        sf[ts.WORST_Y] = pos[st.member[0], 1]
    if failed and can_undo(st) and misses_contacts(st):
        undo(st, st.fresh[si[ts.CURSOR], ts.FRESH_I])
        si[ts.BY_CLUSTER] = 1
        si[ts.UNDONE] += 1
        si[ts.PATCH] = UNDONE_GROUP
    else:
        if failed:
            slacken(st)
        elif gf[ga.RESIDUAL] > gf[ga.TOLERANCE]:
            slacken_idle(st)
        apply_group(st)
        si[ts.PATCH] = ENDED
    sf[ts.STEP_RESIDUAL] = max(sf[ts.STEP_RESIDUAL], kept_residual(st))
    si[ts.PATCH_CURSOR] = 0


@inner
def left_over(st: Stepping) -> bool:
    """Go back to a new link that still overlaps, because a later group that did not converge has disturbed it."""
    if st.si[ts.STEP_FAILED] == 0 or st.si[ts.STEP_ROUNDS] >= MOST_ROUNDS:
        return False
    for k in range(st.si[ts.FRESH]):
        if overlap(st, st.fresh[k, ts.FRESH_I], st.fresh[k, ts.FRESH_J]) > st.gf[ga.TOLERANCE]:
            st.pool[st.fresh[k, ts.FRESH_ROW], ts.SLACK] = 0
            st.si[ts.CURSOR] = k
            st.si[ts.BY_CLUSTER] = st.si[ts.RIGID]
            return True
    return False


@inner
def minimise(st: Stepping, last_work: int, iterations: int) -> int:
    """Go through the new links, and those that the motion makes, until all hold; AT_STEP when that is so.

    iterations : come back after so many iterations, and after the end of a group (for those who watch it); 0: before
    the first.
    """
    si = st.si
    if iterations <= 0:
        return OUT_OF_WORK
    while True:
        if not insert_fresh(st):
            return POOL_FULL
        if si[ts.PATCH] == UNDER_WAY:
            while True:
                status = ah.iterate(st.body, st.lf, st.li, st.wake, st.gi, st.gf)
                si[ts.WORK] += 1 + (st.gi[ga.LINKS] + st.gi[ga.BODIES]) // 2
                if status == ga.GOES_ON:
                    wake_listed(st, True)
                else:
                    close_minimisation(st, status)
                    break
                iterations -= 1
                if si[ts.WORK] >= last_work or iterations <= 0:
                    return OUT_OF_WORK
            if iterations <= 1:
                return OUT_OF_WORK
        if si[ts.PATCH] >= ENDED:
            while si[ts.PATCH_CURSOR] < st.gi[ga.BODIES]:
                if not touch_group(st, si[ts.PATCH_CURSOR], si[ts.PATCH] == UNDONE_GROUP):
                    return FRESH_FULL if si[ts.FRESH] == len(st.fresh) else POOL_FULL
                si[ts.PATCH_CURSOR] += 1
            close_group(st)
            si[ts.PATCH] = NO_GROUP
            new = st.fresh[si[ts.CURSOR]]
            caught = si[ts.BY_CLUSTER] and overlap(st, new[ts.FRESH_I], new[ts.FRESH_J]) > st.gf[ga.TOLERANCE]
            si[ts.BY_CLUSTER] = si[ts.RIGID] and not caught
            if caught:
                st.pool[new[ts.FRESH_ROW], ts.SLACK] = 0
            else:
                si[ts.CURSOR] += 1
        if si[ts.CURSOR] == si[ts.ROUND_END]:
            if si[ts.CURSOR] == si[ts.FRESH] and not left_over(st):
                return AT_STEP
            si[ts.ROUND_END] = si[ts.FRESH]
            si[ts.STEP_ROUNDS] += 1
            si[ts.ROUNDS] += 1
        if si[ts.WORK] >= last_work:
            return OUT_OF_WORK
        si[ts.WORK] += 2
        new = st.fresh[si[ts.CURSOR]]
        i = new[ts.FRESH_I]
        j = new[ts.FRESH_J]
        if st.pool[new[ts.FRESH_ROW], ts.SLACK] or abs(overlap(st, i, j)) <= st.gf[ga.TOLERANCE]:
            si[ts.CURSOR] += 1
            continue
        seed_group(st, i, j)
        si[ts.PATCH] = UNDER_WAY
