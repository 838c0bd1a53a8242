"""One time step as a story that can be played to and fro: the three pictures of the paper's figure 2. No Qt."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aggviewer.session.step import text as words
from aggviewer.session.step.motion import Flight, Floats, Iterations, nearest_image
from aggviewer.session.step.places import Place, find_places
from aggviewer.session.step.velocities import Velocities

if TYPE_CHECKING:  # the engine's kernels are imported by the worker, after the window is up
    from engine.aggregation.time_stepping.trace import StepTrace

Kind = Literal["flight", "overlaps", "minimisation", "velocities"]
ArrowRole = Literal["velocity", "velocity_before"]
Pairs = NDArray[np.int32]

FLIGHT_TICKS, OVERLAP_TICKS, VELOCITY_TICKS = 24, 8, 16
"""Ticks from the first to the last picture of a chapter; a round of the minimisation has one per iteration."""


@dataclass(frozen=True)
class Chapter:
    """A part of the step. first : its first tick; last : its last one; round : of the minimisation, from 1, else 0;
    before : iterations of earlier rounds; short : the title where there is little room."""

    kind: Kind
    title: str
    short: str
    first: int
    last: int
    round: int = 0
    before: int = 0


@dataclass(frozen=True)
class Arrows:
    """Velocities: starts (K, 2), vectors (K, 2) in world lengths."""

    role: ArrowRole
    starts: Floats
    vectors: Floats


@dataclass(frozen=True)
class StoryFrame:
    """What is seen at a tick. Arrays are not to be changed and stay as they are until the next `at`.

    positions (N, 2), cluster (N,): the discs; time : simulation time; overlapping (K, 2): pairs that overlap now by
    more than the tolerance; links (L, 2): of before the step; new_links (F, 2): those made so far; strength : 0…1, of
    what has just appeared; iteration : of the round, None outside a minimisation; residual : after that iteration,
    else None.
    """

    chapter: Chapter
    text: str
    time: float
    positions: Floats
    cluster: NDArray[np.int32]
    overlapping: Pairs
    links: Pairs
    new_links: Pairs
    arrows: tuple[Arrows, ...]
    strength: float
    iteration: int | None = None
    residual: float | None = None


class StepStory:
    """The timeline of a traced step: ticks 0…`last` in `chapters`. Going on, back or anywhere costs what has moved.

    radii (N,), box (2,): of the system; tolerance : of the minimisation, as max |φ| / s.
    """

    def __init__(
        self, trace: StepTrace, radii: ArrayLike, box: ArrayLike, periodic: bool, tolerance: float = 1e-3
    ) -> None:
        self.trace = trace
        self.radii = np.asarray(radii, dtype=np.float64)
        self.box = np.asarray(box, dtype=np.float64)
        self.periodic = periodic
        self.tolerance = tolerance
        radius = float(self.radii.mean())
        self._flight = Flight(trace, self.radii, self.box, periodic)
        self._iterations = Iterations(trace)
        self._velocities = Velocities(trace, radius, self.box, periodic)
        self._link_chapter = self._when_links_appear()
        self._watched = self._pairs_that_may_overlap()
        self.chapters = self._make_chapters()
        self._firsts = [chapter.first for chapter in self.chapters]
        self.places: list[Place] = find_places(trace.new_links, trace.flown, radius, self.box, periodic)
        """Where clusters collide, the place with most links first."""

    @property
    def last(self) -> int:
        """The last tick."""
        return self.chapters[-1].last

    @property
    def collides(self) -> bool:
        """Whether any discs overlap after the flight."""
        return len(self.trace.new_links) > 0

    @property
    def moves(self) -> bool:
        """False for a trace without a step: nothing moves, or one cluster is left."""
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
        """What is seen at a tick, 0…`last`."""
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
        parts: list[tuple[Kind, str, str, int, int, int]] = [("flight", "Free flight", "Flight", FLIGHT_TICKS, 0, 0)]
        if self.collides:
            parts.append(("overlaps", "Overlaps", "Overlaps", OVERLAP_TICKS, 0, 0))
            lengths = self._round_lengths() or [0]
            before = 0
            for number, length in enumerate(lengths, 1):
                single = len(lengths) == 1
                title = "Minimisation" if single else f"Minimisation, round {number}"
                short = "Minimise" if single else f"Round {number}"
                parts.append(("minimisation", title, short, length, number, before))
                before += length
        parts.append(("velocities", "New velocities", "Velocities", VELOCITY_TICKS, 0, 0))
        chapters, first = [], 0
        for kind, title, short, ticks, number, before in parts:
            chapters.append(Chapter(kind, title, short, first, first + ticks, number, before))
            first += ticks + 1
        return chapters

    def _round_lengths(self) -> list[int]:
        """Iterations of each round; rounds in which there was nothing to do have none and are left out."""
        return [int(count) for count in np.unique(self.trace.round, return_counts=True)[1]]

    def _when_links_appear(self) -> NDArray[np.int64]:
        """(F,) the round, from 1, at whose start each new link is there; one more than there are: after the last.

        The trace keeps their order, not their rounds: a link that the motion has made overlaps at the end of a round.
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

    def _pairs_that_may_overlap(self) -> Pairs:
        """New links, and the old ones of discs that the minimisation moves."""
        moved = np.zeros(len(self.radii), bool)
        moved[self._iterations.moved] = True
        links = self.trace.links
        return np.concatenate([self.trace.new_links, links[moved[links].any(axis=1)]])

    def _depth(self, pairs: Pairs, positions: Floats) -> Floats:
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
        text = words.of_flight(trace.dt, len(self._flight.bent) > 0)
        return self._frame(chapter, text, positions, arrows=(arrows,), time=trace.time + share * trace.dt)

    def _overlap(self, chapter: Chapter, share: float) -> StoryFrame:
        pairs = self.trace.overlapping
        text, strength = words.of_overlaps(len(pairs)), 0.25 + 0.75 * share
        return self._frame(chapter, text, self.trace.flown, overlapping=pairs, strength=strength)

    def _minimise(self, chapter: Chapter, iteration: int) -> StoryFrame:
        trace = self.trace
        done, total = chapter.before + iteration, len(trace.residual)
        positions = self._iterations.positions(done)
        depth = self._depth(self._watched, positions)
        here = self._link_chapter <= chapter.round
        hidden = np.zeros(len(self._watched), bool)
        hidden[: len(here)] = ~here
        text = words.of_minimisation(chapter.round, int(np.sum(self._link_chapter == chapter.round)), total)
        if not trace.converged and done == total and iteration:
            text = words.NOT_CONVERGED
        elif not trace.complete and iteration:
            text = f"{text} {words.LEFT_OUT}"
        return self._frame(
            chapter,
            text,
            positions,
            overlapping=self._watched[(depth > self.tolerance) & ~hidden],
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
        text = words.of_velocities(
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

    def _arrows(self, role: ArrowRole, discs: NDArray[np.int64], positions: Floats, velocities: Floats) -> Arrows:
        return Arrows(role, positions[discs], velocities[discs] * self._velocities.scale)

    def _frame(
        self,
        chapter: Chapter,
        text: str,
        positions: Floats,
        *,
        cluster: NDArray[np.int32] | None = None,
        overlapping: Pairs | None = None,
        new_links: Pairs | None = None,
        arrows: tuple[Arrows, ...] = (),
        strength: float = 1.0,
        time: float | None = None,
        iteration: int | None = None,
        residual: float | None = None,
    ) -> StoryFrame:
        trace = self.trace
        none = trace.new_links[:0]
        return StoryFrame(
            chapter=chapter,
            text=text,
            time=trace.time + trace.dt if time is None else time,
            positions=positions,
            cluster=trace.clusters_before if cluster is None else cluster,
            overlapping=none if overlapping is None else overlapping,
            links=trace.links,
            new_links=none if new_links is None else new_links,
            arrows=arrows,
            strength=strength,
            iteration=iteration,
            residual=residual,
        )
