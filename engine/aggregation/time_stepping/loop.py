"""One time step after the other: free flight, walls, overlaps, minimisation, velocities (section 3)."""

from __future__ import annotations

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import (
    AT_CLUSTERS,
    AT_EVENTS,
    AT_STEP,
    AT_TIME,
    FRESH_FULL,
    LOG_FULL,
    NOTHING_MOVES,
    OUT_OF_WORK,
    Stepping,
)
from engine.aggregation.time_stepping.flight import (
    count_cells,
    detect,
    detect_wide,
    fly,
    sort_cells,
    sum_cells,
    turn_round,
)
from engine.aggregation.time_stepping.links import link_touching
from engine.aggregation.time_stepping.minimise import minimise
from engine.aggregation.time_stepping.motion import bounce, find_fastest, join, note_link, set_velocity
from engine.kernels import borrowed, inner, kernel

CHUNK = 65536  # discs between two looks at the work that is left


@kernel
def start(arrays: Stepping) -> None:
    """Derive clusters, momenta and energy from discs, labels and the velocities and masses in `motion`."""
    st = borrowed(arrays)
    n = len(st.label)
    motion = st.motion
    si = st.si
    for i in range(n):
        motion[i, ts.MOMX] = motion[i, ts.MASS] * motion[i, ts.VX]
        motion[i, ts.MOMY] = motion[i, ts.MASS] * motion[i, ts.VY]
        st.ring[i] = i
    for i in range(n):
        c = st.label[i]
        if c != i:
            motion[c, ts.MOMX] += motion[i, ts.MOMX]
            motion[c, ts.MOMY] += motion[i, ts.MOMY]
            motion[c, ts.MASS] += motion[i, ts.MASS]
            st.ring[i] = st.ring[c]
            st.ring[c] = i
    energy = 0.0
    for c in range(n):
        if st.label[c] == c:
            st.seat[c] = si[ts.M]
            st.live[si[ts.M]] = c
            si[ts.M] += 1
            set_velocity(st, c)
            energy += 0.5 * (motion[c, ts.MOMX] ** 2 + motion[c, ts.MOMY] ** 2) / motion[c, ts.MASS]
    st.sf[ts.ENERGY] = energy
    log_step(st)
    find_fastest(st)


@kernel
def link_start(arrays: Stepping) -> bool:
    """Link the discs that touch in the clusters of the initial state. False where the pool was too short."""
    st = borrowed(arrays)
    n = len(st.label)
    st.pos[1] = st.pos[0]
    st.start[:] = 0
    count_cells(st, 0, n)
    sum_cells(st)
    sort_cells(st, 0, n)
    return link_touching(st)


@inner
def log_step(st: Stepping) -> None:
    """Time, clusters and kinetic energy at the whole step; there must be a free row."""
    k = st.si[ts.LOGGED]
    st.log_f[k, 0] = st.sf[ts.T]
    st.log_f[k, 1] = st.si[ts.M]
    st.log_f[k, 2] = st.sf[ts.ENERGY]
    st.si[ts.LOGGED] = k + 1


@inner
def step_length(st: Stepping) -> float:
    """Δt of the next step: fixed, or f R_max / max |V_k| (3.3)."""
    if st.sf[ts.STEP] > 0.0:
        return float(st.sf[ts.STEP])
    return float(st.sf[ts.FRACTION] * st.sf[ts.R_MAX] / st.sf[ts.V_MAX])


@inner
def finish(st: Stepping) -> None:
    """Close the step: velocities turned by walls, clusters joined, the new positions made those of the whole step."""
    si = st.si
    sf = st.sf
    for k in range(si[ts.HITS]):
        bounce(st, st.hit_c[k], st.hit[k, 0], st.hit[k, 1])
        st.mark[st.hit_c[k]] = -1
    for k in range(si[ts.FRESH]):
        for end in range(2):
            st.chain[st.label[st.fresh[k, end]]] = -1
    for k in range(si[ts.FRESH]):
        if st.pool[st.fresh[k, ts.FRESH_ROW], ts.SLACK]:
            continue
        c = st.label[st.fresh[k, 0]]
        d = st.label[st.fresh[k, 1]]
        if c != d:
            note_link(st, st.fresh[k, 0], st.fresh[k, 1])
            join(st, c, d)
    for k in range(si[ts.MOVED]):
        st.drift[st.moved[k]] = 0.0
    row = si[ts.STEPS] % ts.CONVERGENCE_KEPT
    sf[ts.T] += sf[ts.DT]
    sf[ts.NOW] = max(sf[ts.NOW], sf[ts.T])
    st.conv[row, 0] = sf[ts.T]
    st.conv[row, 1] = si[ts.STEP_ITERATIONS]
    st.conv[row, 2] = sf[ts.STEP_RESIDUAL]
    st.conv[row, 3] = si[ts.STEP_FAILED]
    st.conv[row, 4] = si[ts.FRESH]
    st.conv[row, 5] = si[ts.STEP_ROUNDS]
    st.conv[row, 6] = sf[ts.WORST_X]
    st.conv[row, 7] = sf[ts.WORST_Y]
    si[ts.WHICH] = 1 - si[ts.WHICH]
    si[ts.STEPS] += 1
    si[ts.WORK] += 8 * si[ts.FRESH] + si[ts.MOVED]
    find_fastest(st)
    log_step(st)
    si[ts.PHASE] = ts.REST


@inner
def enter(st: Stepping, phase: int) -> None:
    """Begin a phase of the step."""
    st.si[ts.PHASE] = phase
    st.si[ts.CURSOR] = 0


@inner
def begin_step(st: Stepping) -> None:
    """Set the counters of a step to 0."""
    si = st.si
    sf = st.sf
    si[ts.HITS] = si[ts.FRESH] = si[ts.INSERTED] = si[ts.MOVED] = si[ts.ROUND_END] = 0
    si[ts.STEP_ITERATIONS] = si[ts.STEP_ROUNDS] = si[ts.STEP_FAILED] = 0
    sf[ts.DRIFT] = sf[ts.STEP_RESIDUAL] = sf[ts.WORST_X] = sf[ts.WORST_Y] = 0.0
    enter(st, ts.FLIGHT)


@inner
def step(st: Stepping, last_work: int, iterations: int) -> int:
    """Carry the step under way on; AT_STEP when it is done, OUT_OF_WORK or ..._FULL otherwise."""
    si = st.si
    n = len(st.label)
    out = st.pos[1 - si[ts.WHICH]]
    while True:
        if si[ts.WORK] >= last_work:
            return OUT_OF_WORK
        phase = si[ts.PHASE]
        at = si[ts.CURSOR]
        end = min(n, at + CHUNK)
        if phase == ts.FLIGHT:
            si[ts.HITS] = fly(st, out, st.hit_c, st.mark, si[ts.HITS], st.sf[ts.DT], at, end)
            si[ts.CURSOR] = end
            si[ts.WORK] += (end - at) // 4
            if end == n:
                enter(st, ts.REFLECT)
        elif phase == ts.REFLECT:
            end = min(si[ts.HITS], at + 64)
            si[ts.WORK] += turn_round(st, out, st.hit_c, st.hit, at, end) // 2
            si[ts.CURSOR] = end
            if end == si[ts.HITS]:
                enter(st, ts.COUNT)
        elif phase == ts.COUNT:
            if at == 0:
                st.start[:] = 0
            count_cells(st, at, end)
            si[ts.CURSOR] = end
            si[ts.WORK] += (end - at) // 4
            if end == n:
                sum_cells(st)
                si[ts.WORK] += len(st.start) // 16
                enter(st, ts.SORT)
        elif phase == ts.SORT:
            sort_cells(st, at, end)
            si[ts.CURSOR] = end
            si[ts.WORK] += (end - at) // 4
            if end == n:
                enter(st, ts.DETECT)
        elif phase == ts.DETECT:
            rows = si[ts.ROWS]
            if at == rows + len(st.wide):
                enter(st, ts.MINIMISE)
                continue
            if at < rows:
                done = detect(st, at)
                si[ts.WORK] += n // (2 * rows)
            else:
                done = detect_wide(st, at - rows)
            if not done:
                return FRESH_FULL
            si[ts.CURSOR] = at + 1
        elif phase == ts.MINIMISE:
            status = minimise(st, last_work, iterations)
            if status != AT_STEP:
                return status
            si[ts.PHASE] = ts.FINISH
        else:
            if si[ts.LOGGED] == len(st.log_f):
                return LOG_FULL
            finish(st)
            return AT_STEP


@kernel
def run(
    arrays: Stepping,
    until_time: float,
    until_clusters: int,
    max_events: int,
    max_work: int,
    one_step: bool,
    iterations: int,
) -> int:
    """Take steps until one of the limits is reached; returns which (AT_TIME, ...).

    Where it is cut has no influence on what follows. one_step : come back after a whole step as well.
    """
    st = borrowed(arrays)
    si = st.si
    sf = st.sf
    last_work = si[ts.WORK] + max_work
    last_event = si[ts.MERGES] + si[ts.WALLS] + max_events
    while True:
        if si[ts.PHASE] == ts.REST:
            if si[ts.M] <= until_clusters:
                return AT_CLUSTERS
            if si[ts.MERGES] + si[ts.WALLS] >= last_event:
                return AT_EVENTS
            if sf[ts.ENERGY] <= 0.0 or sf[ts.V_MAX] == 0.0:
                return NOTHING_MOVES
            if sf[ts.NOW] == sf[ts.T]:
                sf[ts.DT] = step_length(st)
            if sf[ts.T] + sf[ts.DT] > until_time:
                sf[ts.NOW] = max(sf[ts.NOW], until_time)
                return AT_TIME
            if si[ts.WORK] >= last_work:
                return OUT_OF_WORK
            begin_step(st)
        status = step(st, last_work, iterations)
        if status != AT_STEP or one_step:
            return status
