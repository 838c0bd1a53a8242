"""The minimisation of a step: group after group, for the new links and for those that displacements make."""

from __future__ import annotations

from engine.aggregation.time_stepping import arrow_hurwicz as ah
from engine.aggregation.time_stepping.arrays import (
    AT_STEP,
    ENDED,
    FRESH_FULL,
    LINKS_FULL,
    NO_GROUP,
    UNDER_WAY,
    UNDONE_GROUP,
    Stepping,
    put_worst_place,
)
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.flight import position
from engine.aggregation.time_stepping.groups import (
    close_group,
    link_contacts_of_body,
    move_group,
    start_group,
    wake_listed,
)
from engine.aggregation.time_stepping.links import (
    MOST_ROUNDS,
    drop_open_links,
    drop_stretched_links,
    insert_new_links,
    kept_residual,
    misses_contacts,
    overlap,
    set_slack,
)
from engine.aggregation.time_stepping.undo import can_undo, undo
from engine.kernels import inner
from engine.slices import OUT_OF_WORK


@inner
def close_minimisation(st: Stepping, status: int) -> None:
    """End the minimisation of a group: count its iterations, move its discs, or undo its flight."""
    sim = st.sim[0]
    group = st.group[0]
    sim.step_minimisations += 1
    sim.step_all_iterations += group.iterations
    sim.step_restarts += group.restarts
    failed = status == ah.NOT_CONVERGED
    sim.step_failed += failed
    if group.iterations > sim.step_iterations:
        sim.step_iterations = group.iterations
        put_worst_place(sim, position(st, st.member[0]))
    if failed and can_undo(st) and misses_contacts(st):
        undo(st, st.fresh[sim.cursor].i)
        sim.by_cluster = 1
        sim.step_undone += 1
        sim.group_state = UNDONE_GROUP
    else:
        if failed:
            drop_open_links(st)
        elif group.residual > group.tolerance:
            drop_stretched_links(st)
        move_group(st)
        sim.group_state = ENDED
    sim.step_residual = max(sim.step_residual, kept_residual(st))
    sim.group_cursor = 0


@inner
def return_to_overlap(st: Stepping) -> bool:
    """Return to a new link whose discs overlap again because a later group has not converged; False if there is
    none."""
    if st.sim[0].step_failed == 0 or st.sim[0].step_rounds >= MOST_ROUNDS:
        return False
    for k in range(st.sim[0].fresh):
        if overlap(st, st.fresh[k].i, st.fresh[k].j) > st.group[0].tolerance:
            set_slack(st, st.fresh[k].row, 0)
            st.sim[0].cursor = k
            st.sim[0].by_cluster = st.sim[0].rigid
            return True
    return False


@inner
def minimise(st: Stepping, cal: Calendar, last_work: int, iterations: int) -> int:
    """Minimise one group after the other until all new links, including those made by displacements, are at contact.

    Parameters
    ----------
    last_work
        Return when this much work is done.
    iterations
        Return after this many iterations, and at the end of each group, for tracing a step. 0: before the first one.

    Returns
    -------
    int
        AT_STEP when all is done, OUT_OF_WORK, or FRESH_FULL or LINKS_FULL if an array was too short.
    """
    sim = st.sim[0]
    if iterations <= 0:
        return OUT_OF_WORK
    while True:
        if not insert_new_links(st):
            return LINKS_FULL
        if sim.group_state == UNDER_WAY:
            while True:
                status = ah.iterate(st.bodies, st.group_links, st.wake, st.group[0])
                sim.work += 1 + (st.group[0].links + st.group[0].bodies) // 2
                if status == ah.GOES_ON:
                    wake_listed(st)
                else:
                    close_minimisation(st, status)
                    break
                iterations -= 1
                if sim.work >= last_work or iterations <= 0:
                    return OUT_OF_WORK
            if iterations <= 1:
                return OUT_OF_WORK
        if sim.group_state >= ENDED:
            while sim.group_cursor < st.group[0].bodies:
                if not link_contacts_of_body(st, cal, sim.group_cursor, sim.group_state == UNDONE_GROUP):
                    return FRESH_FULL if sim.fresh == len(st.fresh) else LINKS_FULL
                sim.group_cursor += 1
            close_group(st)
            sim.group_state = NO_GROUP
            new = st.fresh[sim.cursor]
            caught = sim.by_cluster and overlap(st, new.i, new.j) > st.group[0].tolerance
            sim.by_cluster = sim.rigid and not caught
            if caught:
                set_slack(st, new.row, 0)
            else:
                sim.cursor += 1
        if sim.cursor == sim.round_end:
            if sim.cursor == sim.fresh and not return_to_overlap(st):
                return AT_STEP
            sim.round_end = sim.fresh
            sim.step_rounds += 1
        if sim.work >= last_work:
            return OUT_OF_WORK
        sim.work += 2
        new = st.fresh[sim.cursor]
        i = new.i
        j = new.j
        if st.links[new.row].slack or abs(overlap(st, i, j)) <= st.group[0].tolerance:
            sim.cursor += 1
            continue
        start_group(st, i, j)
        sim.group_state = UNDER_WAY
