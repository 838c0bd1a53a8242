"""One time step as a sequence of pictures that can be played forwards and backwards, after figure 2 of the paper."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aggviewer.extensions.stepping.motion import Flight, IterationPositions, Velocities, find_places
from engine.arrays import Floats, Ints
from engine.boundary import Periodic
from engine.geometry.nearest import nearest_image
from engine.words import count, typeset

if TYPE_CHECKING:
    from aggviewer.extensions.stepping.layer import ArrowRole
    from engine.aggregation.time_stepping.trace import StepTrace


ChapterKind = Literal["flight", "overlaps", "minimisation", "velocities"]

FLIGHT_TICKS, OVERLAP_TICKS, VELOCITY_TICKS = 24, 8, 16
"""Number of ticks in a chapter; a round of the minimisation has one per iteration instead."""


@dataclass(frozen=True)
class Chapter:
    """A part of the step.

    Attributes
    ----------
    kind : what happens.
    first, last : its ticks.
    round : of the minimisation, from 1; 0 in other chapters.
    before : iterations of earlier rounds.
    """

    kind: ChapterKind
    first: int
    last: int
    round: int = 0
    before: int = 0


@dataclass(frozen=True)
class VelocityVectors:
    """Velocity arrows of discs (K,): starts (K, 2) and vectors (K, 2) in world units."""

    role: ArrowRole
    discs: NDArray[np.int64]
    starts: Floats
    vectors: Floats


@dataclass(frozen=True)
class StoryFrame:
    """The picture at a tick. Its arrays must not be changed, and are valid until the next `StepStory.at`.

    Attributes
    ----------
    chapter, text : the part of the step, and a sentence about it.
    time : simulation time.
    positions, cluster : (N, 2) and (N,), of the discs.
    overlapping : (K, 2), pairs that overlap by more than the tolerance.
    links, new_links : (L, 2) and (F, 2), links from before the step, and those made so far.
    arrows : of velocities.
    strength : 0…1, opacity of items that have just appeared.
    iteration : of the round, None outside a minimisation.
    residual : max |φ| / s after that iteration, else None.
    """

    chapter: Chapter
    text: str
    time: float
    positions: Floats
    cluster: NDArray[np.int32]
    overlapping: Ints
    links: Ints
    new_links: Ints
    arrows: tuple[VelocityVectors, ...] = ()
    strength: float = 1.0
    iteration: int | None = None
    residual: float | None = None


class StepStory:
    """The timeline of a traced step: ticks 0…`last` in `chapters`. Ticks can be shown in any order, at the cost of the
    moves in between.

    Parameters
    ----------
    trace : the step.
    radii : (N,).
    box, periodic : (2,), and along which axes it is periodic, or one truth value for all.
    before : the story of an earlier step of the same run, to use the same arrow scale; None for the first.

    Attributes
    ----------
    chapters : in order.
    places : where clusters collide, the place with most links first.
    """

    def __init__(
        self,
        trace: StepTrace,
        radii: ArrayLike,
        box: ArrayLike,
        periodic: Periodic | bool,
        before: StepStory | None = None,
    ) -> None:
        self.trace = trace
        self.radii = np.asarray(radii, dtype=np.float64)
        self.box = np.asarray(box, dtype=np.float64)
        self.periodic = Periodic.of(periodic, len(self.box))
        radius = float(self.radii.mean())
        self._flight = Flight(trace, self.radii, self.box, self.periodic)
        self._iterations = IterationPositions(trace)
        scale = 0.0 if before is None else before.arrow_scale
        self._velocities = Velocities(trace, radius, self.box, self.periodic, scale)
        self._link_rounds = self._when_links_appear()
        self._watched = self._pairs_that_may_overlap()
        self.chapters = self._make_chapters()
        self._firsts = [chapter.first for chapter in self.chapters]
        self.places = find_places(trace.new_links, trace.flown, radius, self.box, self.periodic)

    @property
    def arrow_scale(self) -> float:
        """Length of a velocity arrow per speed."""
        return self._velocities.scale

    @property
    def last(self) -> int:
        """The last tick."""
        return self.chapters[-1].last

    @property
    def times(self) -> NDArray[np.float64]:
        """The ticks, 0 … `last`, (K,), as in `aggviewer.session.past.memory.Source`."""
        return np.arange(self.last + 1, dtype=np.float64)

    @property
    def collides(self) -> bool:
        """Whether any discs overlap after the flight."""
        return len(self.trace.new_links) > 0

    @property
    def moves(self) -> bool:
        """False for a trace without a step, because nothing moves or only one cluster is left."""
        return self.trace.dt > 0.0

    def chapter_at(self, tick: int) -> Chapter:
        """The chapter of a tick."""
        return self.chapters[bisect_right(self._firsts, tick) - 1]

    def tick_of_iteration(self, index: int) -> int:
        """The tick that shows the state after the iteration `index`, 0…Q - 1, of the step."""
        rounds = [chapter for chapter in self.chapters if chapter.kind == "minimisation"]
        chapter = max((c for c in rounds if c.before <= index), key=lambda c: c.before)
        return min(chapter.first + 1 + index - chapter.before, chapter.last)

    def at(self, tick: int) -> StoryFrame:
        """The picture at a tick, 0…`last`."""
        chapter = self.chapter_at(tick)
        k = tick - chapter.first
        share = k / max(1, chapter.last - chapter.first)
        if chapter.kind == "flight":
            return self._fly(chapter, share)
        if chapter.kind == "overlaps":
            return self._overlap(chapter, share)
        if chapter.kind == "minimisation":
            return self._minimise(chapter, k)
        return self._renew(chapter, share)

    # chapters

    def _make_chapters(self) -> list[Chapter]:
        parts: list[tuple[ChapterKind, int, int, int]] = [("flight", FLIGHT_TICKS, 0, 0)]
        if self.collides:
            parts.append(("overlaps", OVERLAP_TICKS, 0, 0))
            before = 0
            for number, length in enumerate(self._round_lengths() or [0], 1):
                parts.append(("minimisation", length, number, before))
                before += length
        parts.append(("velocities", VELOCITY_TICKS, 0, 0))
        chapters, first = [], 0
        for kind, ticks, number, before in parts:
            chapters.append(Chapter(kind, first, first + ticks, number, before))
            first += ticks + 1
        return chapters

    def _round_lengths(self) -> list[int]:
        """Iterations of each round; rounds without work are omitted."""
        return [int(count) for count in np.unique(self.trace.round, return_counts=True)[1]]

    def _when_links_appear(self) -> NDArray[np.int64]:
        """The round, from 1, at whose start each new link exists, (F,); links made at the end get one more than the
        number of rounds.

        The trace contains their order but not their rounds. The discs of a link created by the minimisation overlap at
        the end of a round.
        """
        pairs, found = self.trace.new_links, len(self.trace.overlapping)
        when = np.ones(len(pairs), np.int64)
        ends = np.cumsum(self._round_lengths())
        late = pairs[found:]
        if not len(late):
            return when
        when[found:] = len(ends) + 1
        for number, end in reversed(list(enumerate(ends.tolist(), 2))):
            overlaps = self._depth(late, self._iterations.positions(end)) > 0.0
            when[found:][overlaps] = number
        when[found:] = np.minimum.accumulate(when[found:][::-1])[::-1]
        return when

    def _pairs_that_may_overlap(self) -> Ints:
        """The new links, and earlier links of discs moved by the minimisation, (K, 2)."""
        moved = np.zeros(len(self.radii), bool)
        moved[self._iterations.moved] = True
        links = self.trace.links
        return np.concatenate([self.trace.new_links, links[moved[links].any(axis=1)]])

    def _depth(self, pairs: Ints, positions: Floats) -> Floats:
        """φ / s of pairs (K, 2): how far they overlap, 0 at contact, 4 where the centres meet."""
        between = nearest_image(positions[pairs[:, 0]] - positions[pairs[:, 1]], self.box, self.periodic)
        reach = self.radii[pairs].sum(axis=1)
        depth: Floats = 4.0 * (1.0 - (between**2).sum(axis=1) / reach**2)
        return depth

    # frames

    def _fly(self, chapter: Chapter, share: float) -> StoryFrame:
        trace = self.trace
        positions = self._flight.positions(share)
        arrows = self._arrows("velocity", self._velocities.flying, positions, trace.velocities_before)
        text = _about_flight(trace.dt, len(self._flight.bent) > 0)
        return self._frame(chapter, text, positions, arrows=(arrows,), time=trace.time + share * trace.dt)

    def _overlap(self, chapter: Chapter, share: float) -> StoryFrame:
        pairs = self.trace.overlapping
        text, strength = _about_overlaps(len(pairs)), 0.25 + 0.75 * share
        return self._frame(chapter, text, self.trace.flown, overlapping=pairs, strength=strength)

    def _minimise(self, chapter: Chapter, iteration: int) -> StoryFrame:
        trace = self.trace
        done, total = chapter.before + iteration, len(trace.residual)
        positions = self._iterations.positions(done)
        depth = self._depth(self._watched, positions)
        here = self._link_rounds <= chapter.round
        hidden = np.zeros(len(self._watched), bool)
        hidden[: len(here)] = ~here
        text = _about_minimisation(chapter.round, int(np.sum(self._link_rounds == chapter.round)), total)
        if not trace.converged and done == total and iteration:
            text = _NOT_CONVERGED
        elif not trace.complete and iteration:
            text = f"{text} {_LEFT_OUT}"
        return self._frame(
            chapter,
            text,
            positions,
            overlapping=self._watched[(depth > trace.tolerance) & ~hidden],
            new_links=trace.new_links[here],
            iteration=iteration,
            residual=float(trace.residual[done - 1]) if iteration else None,
        )

    def _renew(self, chapter: Chapter, share: float) -> StoryFrame:
        trace, velocities = self.trace, self._velocities
        discs = velocities.changed
        before = self._arrows("velocity_before", discs, trace.after, trace.velocities_before)
        turning = (1.0 - share) * trace.velocities_before + share * trace.velocities_after
        after = self._arrows("velocity", discs, trace.after, turning)
        text = _about_velocities(
            velocities.joined,
            velocities.after_joining,
            velocities.reflected,
            collides=self.collides,
            moves=self.moves,
        )
        return self._frame(
            chapter,
            text,
            trace.after,
            cluster=trace.clusters_after,
            new_links=trace.new_links,
            arrows=(before, after),
            strength=share,
        )

    def _arrows(
        self, role: ArrowRole, discs: NDArray[np.int64], positions: Floats, velocities: Floats
    ) -> VelocityVectors:
        return VelocityVectors(role, discs, positions[discs], velocities[discs] * self._velocities.scale)

    def _frame(self, chapter: Chapter, text: str, positions: Floats, **more: Any) -> StoryFrame:
        """A picture of the end of the flight without new links, with the fields in `more` replaced."""
        trace = self.trace
        none = trace.new_links[:0]
        usual: dict[str, Any] = {"time": trace.time + trace.dt, "cluster": trace.clusters_before}
        usual |= {"overlapping": none, "new_links": none}
        return StoryFrame(chapter=chapter, text=text, positions=positions, links=trace.links, **(usual | more))


def counted(number: int, one: str, more: str = "") -> str:
    """``1 pair``, ``2 pairs``; more : an irregular plural."""
    return f"{count(number)} {one if number == 1 else more or one + 's'}"


def _about_flight(dt: float, reflects: bool) -> str:
    """dt : 0 if there is no step; reflects : whether a wall reflects a cluster."""
    if dt == 0.0:
        return "Nothing moves, so there is no step to show."
    walls = ", and walls reflect whole clusters (2.2)" if reflects else ""
    return f"Free flight for Δt = {typeset(dt, '.3g')}: each cluster moves by V Δt (2.1), ignoring the others{walls}."


def _about_overlaps(count: int) -> str:
    """A sentence about the pairs of discs that overlap after the flight. count : their number."""
    found = counted(count, "pair of discs overlaps", "pairs of discs overlap")
    return f"{found}: |Xᵢ − Xⱼ| < Rᵢ + Rⱼ (2.10). Each becomes a link."


def _about_minimisation(number: int, new: int, iterations: int) -> str:
    """number : of the round, from 1; new : links that are made at its start; iterations : of the whole step."""
    if not iterations:
        return "All overlaps are already within the tolerance: links form, but nothing has to move."
    if number > 1 and new:
        return f"The motion caused {counted(new, 'new overlap')}: linked too, and minimised again (step 2d)."
    if number > 1:
        return "Links disturbed by later groups are minimised again (step 2d)."
    return "Links pull, overlaps push: W = ½ Σ |Xᵢ − Xⱼ|² (3.5) is minimised subject to φ ≤ 0 (3.4)."


_NOT_CONVERGED = "Some groups did not converge; their contacts were set one by one, by projection."
_LEFT_OUT = "Too many iterations to keep: part of the motion is not shown."


def _about_velocities(joined: int, into: int, reflected: int, *, collides: bool, moves: bool) -> str:
    """joined : clusters that became `into` others; reflected : clusters that were only reflected by a wall."""
    turned = f"{counted(reflected, 'cluster')} reflected at a wall (2.2)" if reflected else ""
    if joined:
        became = f"{counted(joined, 'cluster')} became {into}, with the mass-weighted mean velocity (2.9)"
        return f"{became}; {turned}." if turned else f"{became}."
    if collides:
        return "The new links join discs of the same cluster: velocities do not change."
    nothing = "Nothing overlaps: no links, no minimisation" if moves else "Nothing moves"
    return f"{nothing}; {turned}." if turned else f"{nothing}, and velocities do not change."
