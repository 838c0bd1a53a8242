"""Which links of a group are contacts when its minimisation has ended; the others are dropped."""

from __future__ import annotations

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import group_arrays as ga
from engine.aggregation.time_stepping.arrays import Stepping
from engine.kernels import inner


@inner
def slacken(st: Stepping) -> None:
    """Drop the links of the group that are not at contact."""
    for k in range(st.gi[ga.LINKS]):
        if st.lf[k, ga.PHI] < -st.gf[ga.TOLERANCE]:
            st.pool[st.li[k, ga.TAG], ts.SLACK] = 1


@inner
def slacken_idle(st: Stepping) -> None:
    """Drop the links that a minimum leaves stretched, with λ = 0: not those that alone hold their cluster together."""
    tolerance = st.gf[ga.TOLERANCE]
    # the bodies that contacts join get the same number; their velocities are needed no more
    for k in range(st.gi[ga.BODIES]):
        st.body[k, ga.OX] = k
    changed = True
    while changed:
        changed = False
        for k in range(st.gi[ga.LINKS]):
            one = st.body[st.li[k, ga.BODY_A], ga.OX]
            two = st.body[st.li[k, ga.BODY_B], ga.OX]
            if st.lf[k, ga.PHI] >= -tolerance and one != two:
                st.body[st.li[k, ga.BODY_A], ga.OX] = st.body[st.li[k, ga.BODY_B], ga.OX] = min(one, two)
                changed = True
    for k in range(st.gi[ga.LINKS]):
        row = st.li[k, ga.TAG]
        joined = st.body[st.li[k, ga.BODY_A], ga.OX] == st.body[st.li[k, ga.BODY_B], ga.OX]
        other = st.label[st.pool[row, ts.LINK_I]] != st.label[st.pool[row, ts.LINK_J]]
        if st.lf[k, ga.PHI] < -tolerance and (joined or other):
            st.pool[row, ts.SLACK] = 1


@inner
def misses_contacts(st: Stepping) -> bool:
    """Whether a link of the group is not at contact: it overlaps, or is stretched."""
    worst = 0.0
    for k in range(st.gi[ga.LINKS]):
        worst = max(worst, abs(st.lf[k, ga.PHI]))
    return bool(worst > st.gf[ga.TOLERANCE])


@inner
def kept_residual(st: Stepping) -> float:
    """max |φ| / s of the links of the group that stay."""
    worst = 0.0
    for k in range(st.gi[ga.LINKS]):
        if not st.pool[st.li[k, ga.TAG], ts.SLACK]:
            worst = max(worst, abs(st.lf[k, ga.PHI]))
    return worst
