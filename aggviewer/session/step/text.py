"""What is said about each picture of a step, with the numbers of the paper's equations. No Qt."""

from __future__ import annotations


def counted(number: int, one: str, more: str = "") -> str:
    """``1 pair``, ``2 pairs``; more : the plural where it is not with an s."""
    return f"{number} {one}" if number == 1 else f"{number} {more or one + 's'}"


def of_flight(dt: float, reflects: bool) -> str:
    """dt : 0 where there is no step; reflects : a wall turns a cluster round."""
    if dt == 0.0:
        return "Nothing moves: there is no step to look into."
    walls = ", and a wall reflects a whole cluster (2.2)" if reflects else ""
    return f"Free flight for Δt = {dt:.3g}: clusters move by V Δt (2.1) as if alone{walls}."


def of_overlaps(count: int) -> str:
    """count : pairs found after the flight."""
    found = counted(count, "pair of discs overlaps", "pairs of discs overlap")
    return f"{found}: |Xᵢ − Xⱼ| < Rᵢ + Rⱼ (2.10). Each becomes a link."


def of_minimisation(number: int, new: int, iterations: int) -> str:
    """number : of the round, from 1; new : links that are made at its start; iterations : of the whole step."""
    if not iterations:
        return "Every overlap is within the tolerance already: the links are made and nothing has to move."
    if number > 1 and new:
        return f"The motion has made {counted(new, 'new overlap')}: linked as well, and minimised again (step 2d)."
    if number > 1:
        return "Links that later groups have disturbed are minimised once more (step 2d)."
    return "Links pull, overlaps push: W = ½ Σ |Xᵢ − Xⱼ|² (3.5) becomes least under φ ≤ 0 (3.4)."


NOT_CONVERGED = "Not every group has converged: its contacts were set one by one, by projection."
LEFT_OUT = "Too many iterations to keep all: some motion is left out."


def of_velocities(joined: int, into: int, reflected: int, *, collides: bool, moves: bool) -> str:
    """joined : clusters that have become `into` others; reflected : those that a wall alone has turned round."""
    turned = f"{counted(reflected, 'cluster')} turned round at a wall (2.2)" if reflected else ""
    if joined:
        became = f"{counted(joined, 'cluster')} became {into}, with the mean velocity by mass (2.9)"
        return f"{became}; {turned}." if turned else f"{became}."
    if collides:
        return "The new links join discs of one cluster: velocities stay as they were."
    nothing = "Nothing overlaps: no links, no minimisation" if moves else "Nothing moves"
    return f"{nothing}; {turned}." if turned else f"{nothing}, and velocities stay."
