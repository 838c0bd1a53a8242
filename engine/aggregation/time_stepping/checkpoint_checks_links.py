"""Whether links, new links and the group under minimisation of a checkpoint are what the kernels rely on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.checkpoint_arrays import Arrays, finite, need, same_lists, unique, within
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import group_arrays as ga

_LEAST = 1e-140  # a displacement whose square is 0 would count as none


def check_links(arrays: Arrays) -> None:
    """The links of the pool, and the lists in which each disc finds its own."""
    pool, count = arrays["pool"], len(arrays["label"])
    one, two = pool[:, ts.LINK_I], pool[:, ts.LINK_J]
    within(pool[:, : ts.LINK_J + 1], 0, count, "the disc of a link")
    need((one != two).all(), "a disc is linked to itself")
    within(pool[:, ts.SLACK], 0, 2, "a link")
    row = np.arange(len(pool))
    after = np.concatenate([pool[:, ts.NEXT_I], pool[:, ts.NEXT_J]])
    same_lists(np.concatenate([one, two]), np.concatenate([row, row]), after, arrays["head"], "links")


def check_fresh(arrays: Arrays) -> None:
    """New links of the step, those inserted with their row of the pool and in the lists of their clusters."""
    si, fresh, label, pool = arrays["si"], arrays["fresh"], arrays["label"], arrays["pool"]
    phase, inserted, end = int(si[ts.PHASE]), int(si[ts.INSERTED]), int(si[ts.ROUND_END])
    need(inserted <= len(fresh) and end <= len(fresh), "the new links do not fit")
    one, two = fresh[:, ts.FRESH_I], fresh[:, ts.FRESH_J]
    within(fresh[:, : ts.FRESH_J + 1], 0, len(label), "the disc of a new link")
    need((one != two).all(), "a disc is linked to itself")
    row = fresh[:, ts.FRESH_ROW]
    within(row[:inserted], 0, max(1, len(pool)), "the row of a new link")
    need(len(pool) > 0 or inserted == 0, "the row of a new link is out of range")
    linked = pool[row[:inserted], : ts.LINK_J + 1] if inserted else pool[:0, : ts.LINK_J + 1]
    same = np.array_equal(np.sort(linked, axis=1), np.sort(fresh[:inserted, : ts.FRESH_J + 1], axis=1))
    need(same, "a new link is not the one of its row")
    chain = np.full(len(label), -1, np.int64)
    if phase == ts.REST:
        need(np.array_equal(arrays["chain"], chain), "the new links are not linked as they should be")
        return
    need((row[inserted:] == -1).all(), "the row of a new link does not fit")
    if phase < ts.DETECT:
        need(len(fresh) == 0, "there are new links before they were looked for")
    if phase < ts.MINIMISE:
        need(inserted == end == 0, "there are new links before they were looked for")
    if phase == ts.FINISH:
        need(inserted == len(fresh), "the new links do not fit")
    need(inserted <= int(arrays["rows"][0]), "there are too many new links")
    apart = np.flatnonzero(label[one[:inserted]] != label[two[:inserted]])
    owner = np.concatenate([label[one[apart]], label[two[apart]]])
    after = np.concatenate([fresh[apart, ts.FRESH_NEXT_I], fresh[apart, ts.FRESH_NEXT_J]])
    same_lists(owner, np.concatenate([apart, apart]), after, arrays["chain"], "new links")


def check_group(arrays: Arrays) -> None:
    """The group that is being minimised: its bodies, its links, where discs or clusters stand in it."""
    si, gi, gf, sf = arrays["si"], arrays["gi"], arrays["gf"], arrays["sf"]
    count, bodies, links = len(arrays["label"]), int(gi[ga.BODIES]), int(gi[ga.LINKS])
    patch, by_cluster = int(si[ts.PATCH]), bool(si[ts.BY_CLUSTER])
    place = np.full(count, -1, np.int64)
    need(gi[ga.MODE] <= ga.PROJECT, "a group is minimised in no known way")
    if patch == ts.NO_GROUP:
        need(bodies == 0 and links == 0, "there is a group where none is minimised")
        need(np.array_equal(arrays["place"], place), "the places in the group do not fit")
        return
    need(si[ts.PHASE] == ts.MINIMISE and si[ts.CURSOR] < si[ts.ROUND_END], "a group is minimised out of turn")
    need(si[ts.ROUND_END] <= si[ts.INSERTED], "a group is minimised out of turn")
    member = arrays["member"][:bodies].astype(np.int64)
    unique(member, count, "the bodies of a group")
    need(bodies >= 1, "a group is empty")
    if by_cluster:
        need((arrays["label"][member] == member).all(), "a group holds a cluster that is gone")
        need(links <= si[ts.INSERTED], "a group has too many links")
    place[member] = np.arange(bodies)
    need(np.array_equal(arrays["place"], place), "the places in the group do not fit")
    body, lf, li = arrays["body"], arrays["lf"], arrays["li"]
    _check_bodies(body, max(sf[ts.LX], sf[ts.LY]))
    within(li[:, : ga.BODY_B + 1], 0, bodies, "the body of a link")
    within(li[:, ga.TAG], 0, max(1, len(arrays["pool"])), "the row of a link")
    need(len(arrays["pool"]) > 0 or links == 0, "the row of a link is out of range")
    finite(lf, "a link of a group")
    need((lf[:, [ga.SIGMA2, ga.PER_S]] > 0.0).all(), "a link of a group has no length")
    need(((lf[:, ga.LAMBDA] >= 0.0) & (lf[:, ga.LAMBDA] <= 2.0)).all(), "a multiplier is out of range")
    if patch == ts.UNDER_WAY:
        need(gi[ga.WAKES] == 0, "a group has discs to wake")
        _check_mobile(arrays, by_cluster)
    else:
        need(si[ts.PATCH_CURSOR] <= bodies, "a group has been gone through too far")
    need(0.0 <= gf[ga.SCALE] <= 1.0 and 0.0 <= gf[ga.SPEED] <= 4.0, "a number of the minimisation is out of range")


def _check_bodies(body: NDArray[np.float64], side: float) -> None:
    """Displacements that can be, limits on both sides of 0."""
    limits = [ga.X_LOW, ga.X_HIGH, ga.Y_LOW, ga.Y_HIGH]
    finite(np.delete(body, limits, axis=1), "a body of a group")
    shifts = np.abs(body[:, [ga.DX, ga.DY]])
    need((shifts <= 1e3 * side).all(), "a body of a group is far away")
    need(((shifts == 0.0) | (shifts >= _LEAST)).all(), "a body of a group has hardly moved")
    need((body[:, ga.MOBILITY] >= 0.0).all() and (body[:, ga.STRIDE] >= 0.0).all(), "a body of a group cannot be")


def _check_mobile(arrays: Arrays, by_cluster: bool) -> None:
    """Bodies that move, limits that hold them; each link is in the group once, for a disc of it that moves."""
    body, li = arrays["body"], arrays["li"]
    low, high = body[:, [ga.X_LOW, ga.Y_LOW]], body[:, [ga.X_HIGH, ga.Y_HIGH]]
    need((low <= 0.0).all() and (high >= 0.0).all(), "the limits of a body do not fit")
    need((body[:, ga.STRIDE] > 0.0).all(), "a body of a group cannot move")
    mobile = body[:, ga.MOBILITY] > 0.0
    if by_cluster:
        need(mobile.all(), "a body of a group cannot move")
        return
    need((mobile[li[:, ga.BODY_A]] | mobile[li[:, ga.BODY_B]]).all(), "a link of a group holds nothing that moves")
    unique(li[:, ga.TAG], max(1, len(arrays["pool"])), "the links of a group")
    pair = arrays["member"][li[:, : ga.BODY_B + 1]]
    linked = arrays["pool"][li[:, ga.TAG], : ts.LINK_J + 1]
    need(np.array_equal(np.sort(pair, axis=1), np.sort(linked, axis=1)), "a link of a group is not the one of its row")
