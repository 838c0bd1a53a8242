"""The loop over time steps: free flight, walls, overlaps, minimisation, velocities (section 3).

`build_lists` makes again what a checkpoint does not contain: the lists of links, velocities, the greatest speed.
"""

from __future__ import annotations

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import (
    AT_STEP,
    BUCKETS_FULL,
    FRESH_FULL,
    LOG_FULL,
    NO_CALENDAR,
    Stepping,
    put_worst_place,
    worst_place,
)
from engine.aggregation.time_stepping.calendar import (
    back_to_all,
    begin_calendar,
    begin_grid,
    enter_at_end,
    is_crowded,
    needs_buckets,
    reflect_awake,
    sleep,
    wake_clusters,
    wants_calendar,
)
from engine.aggregation.time_stepping.calendar_arrays import Calendar, put_wall_shift
from engine.aggregation.time_stepping.cluster_search import move_leaf
from engine.aggregation.time_stepping.flight import (
    bend_flight,
    fly,
    order_hits,
    position,
    reflect_clusters,
)
from engine.aggregation.time_stepping.links import insert_link, link_touching
from engine.aggregation.time_stepping.meeting import meet
from engine.aggregation.time_stepping.minimise import minimise
from engine.aggregation.time_stepping.motion import (
    anchor,
    anchor_reflected,
    bounce,
    close_ring,
    find_fastest,
    merge,
    note_link,
    note_reflections,
    record_join,
    renew_turning,
    rounded_step,
    set_velocity,
    settle,
    take_place,
)
from engine.aggregation.time_stepping.overlaps import (
    count_cells,
    detect,
    detect_wide,
    number_of_rows,
    order_new_links,
    sort_all_discs,
    sort_cells,
    sum_cells,
)
from engine.aggregation.time_stepping.pose import turning
from engine.geometry.minimum_image import has_walls
from engine.geometry.vectors import (
    Vector,
    box_sides,
    dot,
    every,
    minus,
    momentum,
    place,
    plus,
    put_momentum,
    put_place,
    row_of,
    times,
    velocity,
)
from engine.kernels import borrowed, inlined, inner, kernel
from engine.records import Records
from engine.slices import AT_CLUSTERS, AT_EVENTS, AT_TIME, LONG_AHEAD, NOTHING_MOVES, OUT_OF_WORK

CHUNK = 65536  # discs between two checks of the work done


@kernel
def start(arrays: Stepping) -> None:
    """Derive the initial clusters, momenta, anchors and energy.

    Velocity and mass of each disc are in the row of `clusters` with its number, its position in that of `discs`.
    """
    st = borrowed(arrays)
    n = len(st.label)
    clusters = st.clusters
    sim = st.sim[0]
    for i in range(n):
        put_momentum(clusters[i], times(clusters[i].mass, velocity(clusters[i])))
        st.ring[i] = i
    for i in range(n):
        c = st.label[i]
        if c != i:
            put_momentum(clusters[c], plus(momentum(clusters[c]), momentum(clusters[i])))
            clusters[c].mass += clusters[i].mass
            st.ring[i] = st.ring[c]
            st.ring[c] = i
    energy = 0.0
    for c in range(n):
        if st.label[c] == c:
            # the frame of a cluster has its origin at the disc that names it
            put_place(clusters[c], position(st, c))
            clusters[c].time = sim.time
            st.seat[c] = sim.clusters
            st.live[sim.clusters] = c
            sim.clusters += 1
            set_velocity(st, c)
            p = momentum(clusters[c])
            energy += 0.5 * dot(p, p) / clusters[c].mass
    for i in range(n):
        put_place(st.discs[i], rounded_step(st, minus(position(st, i), place(clusters[st.label[i]]))))
    sim.energy = energy
    sim.by_cluster = sim.rigid
    find_fastest(st)
    log_step(st)


@kernel
def link_start(arrays: Stepping) -> bool:
    """Link the touching discs in the initial clusters. False if there was no free row: make room and call again."""
    st = borrowed(arrays)
    sort_all_discs(st)
    return link_touching(st)


@inner
def log_step(st: Stepping) -> None:
    """Append time, clusters and kinetic energy at the end of a step to the history; there must be a free row."""
    sim = st.sim[0]
    entry = st.log[sim.logged]
    entry.time = sim.time
    entry.clusters = sim.clusters
    entry.kinetic_energy = sim.energy
    sim.logged += 1


@inner
def step_length(st: Stepping) -> float:
    """Δt of the next step: fixed, or f R_max / max |V_k| (3.3)."""
    if st.sim[0].fixed_step > 0.0:
        return float(st.sim[0].fixed_step)
    return float(st.sim[0].fraction * st.sim[0].largest_radius / st.sim[0].fastest)


@inlined
def work_to_finish(st: Stepping) -> int:
    """The units of work that the last phase of a step, `finish`, takes."""
    return int(8 * st.sim[0].fresh + 2 * st.sim[0].moved)


@inlined
def settle_all(turns: Vector, st: Stepping, cal: Calendar) -> bool:
    """Settle the clusters that have joined or changed their shape in this step, where they turn; see `settle`."""
    if len(turns) > 0:
        for k in range(st.sim[0].moved):
            settle(turns, st, cal, st.label[st.moved[k]])
        for k in range(st.sim[0].fresh):
            settle(turns, st, cal, st.label[st.fresh[k].i])
        return bool(st.sim[0].moved > 0)
    return False


@inner
def finish(st: Stepping, cal: Calendar) -> None:
    """End the step: new anchors for changed clusters, reflected velocities, merges."""
    sim = st.sim[0]
    time = sim.time + sim.dt
    note_reflections(st, cal)
    for k in range(sim.hits):
        anchor_reflected(st, cal, st.hit_c[k])
    for k in range(sim.moved):
        i = st.moved[k]
        c = st.label[i]
        if st.clusters[c].time != time:
            anchor(st, cal, c)
        before = place(st.discs[i])
        take_place(st, i)
        if cal.control[0].ready:
            move_leaf(st, cal, c, i, before)
    merges = sim.merges
    for k in range(sim.hits):
        bounce(st, k)
        st.mark[st.hit_c[k]] = -1
    for k in range(sim.fresh):
        st.chain[st.label[st.fresh[k].i]] = -1
        st.chain[st.label[st.fresh[k].j]] = -1
    for k in range(sim.fresh):
        new = st.fresh[k]
        if st.links[new.row].slack:
            continue
        c = st.label[new.i]
        d = st.label[new.j]
        if c != d:
            note_link(st, new.i, new.j)
            record_join(st, new.i, new.j)
            merge(st, cal, c, d, new.i, new.j)
            st.merged[st.label[new.i]] = time
        else:
            close_ring(turning(st.clusters[c]), st, new.i, new.j)
    for k in range(sim.moved):
        st.drift[st.moved[k]] = 0.0
    reshaped = settle_all(turning(st.clusters[0]), st, cal)
    sim.time = time
    sim.now = max(sim.now, sim.time)
    kept = st.convergence[sim.steps % ts.CONVERGENCE_KEPT]
    kept.time = sim.time
    kept.iterations = sim.step_iterations
    kept.residual = sim.step_residual
    kept.not_converged = sim.step_failed
    kept.links = sim.fresh
    kept.rounds = sim.step_rounds
    put_place(kept, worst_place(sim))
    sim.iterations += sim.step_all_iterations
    sim.minimisations += sim.step_minimisations
    sim.not_converged += sim.step_failed
    sim.restarts += sim.step_restarts
    sim.undone += sim.step_undone
    sim.rounds += sim.step_rounds
    sim.steps += 1
    sim.work += work_to_finish(st)
    sleep(st, cal)
    if sim.merges > merges or sim.hits > 0 or reshaped:
        find_fastest(st)
    log_step(st)
    sim.phase = ts.REST


@inner
def begin_phase(st: Stepping, phase: int) -> None:
    """Begin a phase of the step."""
    st.sim[0].phase = phase
    st.sim[0].cursor = 0


@inner
def begin_step(st: Stepping, cal: Calendar) -> None:
    """Set the counters of a step to 0."""
    sim = st.sim[0]
    sim.hits = sim.fresh = sim.inserted = sim.moved = sim.round_end = 0
    sim.step_iterations = sim.step_rounds = sim.step_failed = 0
    sim.step_all_iterations = sim.step_minimisations = sim.step_restarts = sim.step_undone = 0
    sim.links_before = sim.links
    sim.drift = sim.step_residual = 0.0
    put_worst_place(sim, every(0.0, box_sides(sim)))
    expect_images(turning(st.clusters[0]), st)
    control = cal.control[0]
    st.sim[0].sparse = wants_calendar(st, cal)
    if st.sim[0].sparse:
        if control.ready == 0:
            begin_calendar(st, cal)
        elif 2 * sim.clusters <= control.clusters:
            begin_grid(st, cal)
    begin_phase(st, ts.WAKE if st.sim[0].sparse else ts.FLIGHT)


@inlined
def expect_images(turns: Vector, st: Stepping) -> None:
    """No cluster has met an image of itself in this step so far."""
    if len(turns) > 0:
        st.sim[0].imaged = st.sim[0].again = 0


@inlined
def flies_again(turns: Vector, st: Stepping, cal: Calendar) -> bool:
    """Whether clusters have met images of themselves in the flight, so that it must be repeated: it bends there."""
    if len(turns) > 0:
        sim = st.sim[0]
        if sim.imaged > 0 and sim.again == 0:
            sim.again = 1
            sim.fresh = 0
            if sim.sparse == 0:
                begin_phase(st, ts.FLIGHT)
                return True
            order_hits(st.hit_c, st.mark, sim.hits)
            for k in range(sim.hits):
                c = st.hit_c[k]
                sim.work += bend_flight(st, cal, k, c, st.hit, st.shift, sim.time + sim.dt)
                if has_walls(sim.periodic):  # it meets them elsewhere
                    put_wall_shift(cal.entries[cal.row[c]], row_of(st.shift, k, place(st.clusters[c])))
                i = c
                while True:
                    st.brought[i] = ts.NOWHERE
                    i = st.ring[i]
                    if i == c:
                        break
            begin_phase(st, ts.ENTER if has_walls(sim.periodic) else ts.MEET)
            return True
    return False


@inner
def begin_minimisation(st: Stepping, cal: Calendar) -> None:
    """Start the minimisation of a step whose overlaps are known."""
    if flies_again(turning(st.clusters[0]), st, cal):
        return
    order_new_links(st)
    begin_phase(st, ts.MINIMISE)


@inner
def step(st: Stepping, cal: Calendar, last_work: int, iterations: int) -> int:
    """Continue the current step: returns AT_STEP when it is done, else OUT_OF_WORK, LONG_AHEAD, or which array was too
    short.

    last_work, iterations : see `minimise`.
    """
    sim = st.sim[0]
    n = len(st.label)
    out = st.pos
    while True:
        if sim.work >= last_work:
            return OUT_OF_WORK
        phase = sim.phase
        at = sim.cursor
        end = min(n, at + CHUNK)
        if phase == ts.FLIGHT:
            sim.hits = fly(st, out, st.hit_c, st.mark, sim.hits, sim.time + sim.dt, at, end)
            sim.cursor = end
            sim.work += (end - at) // 4
            if end == n:
                order_hits(st.hit_c, st.mark, sim.hits)
                begin_phase(st, ts.REFLECT)
        elif phase == ts.REFLECT:
            end = min(sim.hits, at + 64)
            time = sim.time + sim.dt
            sim.work += reflect_clusters(st, out, st.hit_c, st.hit, st.shift, time, at, end) // 2
            sim.cursor = end
            if end == sim.hits:
                begin_phase(st, ts.COUNT)
        elif phase == ts.COUNT:
            if at == 0:
                st.start[:] = 0
            count_cells(st, at, end)
            sim.cursor = end
            sim.work += (end - at) // 4
            if end == n:
                sum_cells(st)
                sim.work += len(st.start) // 16
                begin_phase(st, ts.SORT)
        elif phase == ts.SORT:
            sort_cells(st, at, end)
            sim.cursor = end
            sim.work += (end - at) // 4
            if end == n:
                begin_phase(st, ts.DETECT)
        elif phase == ts.DETECT:
            rows = number_of_rows(st)
            if at == rows + len(st.wide):
                begin_minimisation(st, cal)
                continue
            if at < rows:
                done = detect(st, at)
                sim.work += n // (2 * rows)
            else:
                done = detect_wide(st, at - rows)
            if not done:
                return FRESH_FULL
            sim.cursor = at + 1
        elif phase == ts.WAKE:
            if not wake_clusters(st, cal, last_work):
                if needs_buckets(st, cal):
                    return BUCKETS_FULL
            elif is_crowded(st, cal):
                back_to_all(st, cal)
            else:
                reflect_awake(st, cal)
                begin_phase(st, ts.ENTER)
        elif phase == ts.ENTER:
            if at == cal.control[0].awakes:
                begin_phase(st, ts.MEET)
            elif needs_buckets(st, cal):
                return BUCKETS_FULL
            else:
                enter_at_end(st, cal, cal.awake[at])
                sim.cursor = at + 1
        elif phase == ts.MEET:
            if at == cal.control[0].awakes:
                begin_minimisation(st, cal)
            elif not meet(st, cal, cal.awake[at]):
                return FRESH_FULL
            else:
                sim.cursor = at + 1
        elif phase == ts.MINIMISE:
            status = minimise(st, cal, last_work, iterations)
            if status != AT_STEP:
                return status
            sim.phase = ts.FINISH
            if sim.work + work_to_finish(st) > last_work:
                return LONG_AHEAD
        else:
            if sim.logged == len(st.log):
                return LOG_FULL
            finish(st, cal)
            return AT_STEP


@kernel
def run(
    arrays: Stepping,
    calendar: Calendar,
    until_time: float,
    until_clusters: int,
    max_events: int,
    max_work: int,
    one_step: bool,
    iterations: int,
) -> int:
    """Make steps until one of the limits is reached. Interruptions have no influence on the results.

    Parameters
    ----------
    arrays
        All of the state.
    calendar
        The calendar, which does not affect the results.
    until_time
        Simulation time. A step that would end later is not started; the time shown advances in free flight.
    until_clusters, max_events
        Checked after whole steps. Events are merges and reflections.
    max_work
        Units of work of about ten nanoseconds.
    one_step
        Also return after a whole step.
    iterations
        Return after this many iterations of a group, see `minimise`.

    Returns
    -------
    int
        Why it returned: a status of `engine.slices`, AT_STEP, or which array was too short.
    """
    st = borrowed(arrays)
    cal = borrowed(calendar)
    sim = st.sim[0]
    n = len(st.label)
    last_work = sim.work + max_work
    last_event = sim.merges + sim.walls + max_events
    while True:
        if sim.phase == ts.REST:
            if sim.clusters <= until_clusters:
                return AT_CLUSTERS
            if sim.merges + sim.walls >= last_event:
                return AT_EVENTS
            if sim.energy <= 0.0 or sim.fastest == 0.0:
                return NOTHING_MOVES
            if sim.now == sim.time:
                sim.dt = step_length(st)
            if sim.time + sim.dt > until_time:
                sim.now = max(sim.now, until_time)
                return AT_TIME
            if sim.work >= last_work:
                return OUT_OF_WORK
            control = cal.control[0]
            if control.on and len(cal.entries) == 0 and sim.clusters <= control.share * n:
                return NO_CALENDAR
            begin_step(st, cal)
        status = step(st, cal, last_work, iterations)
        if status != AT_STEP or one_step:
            return status


@kernel
def build_lists(arrays: Stepping, links: Records) -> None:
    """Add links (K,) with i, j, slack to the lists of their discs; compute velocities and the fastest cluster."""
    st = borrowed(arrays)
    for k in range(len(links)):
        insert_link(st, links[k].i, links[k].j)
        st.links[k].slack = links[k].slack
    for k in range(st.sim[0].clusters):
        set_velocity(st, st.live[k])
        renew_turning(turning(st.clusters[0]), st, st.live[k])
    find_fastest(st)
