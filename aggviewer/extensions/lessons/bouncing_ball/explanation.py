"""Explanations of the events of a ball, two or three sentences for each detection. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from aggviewer.extensions.lessons.bouncing_ball.digits import in_ulps, short
from aggviewer.extensions.lessons.bouncing_ball.model import LIMIT, BallStory
from engine.hard_discs.ball import BallEvent, Fall
from engine.hard_discs.theory import rest_time
from engine.words import count, typeset

_HIGH = 1e4  # units in the last place; rounding does not matter to bounces higher than this


@dataclass(frozen=True)
class Words:
    """A heading and what happens to each ball. If `both` is set, the same happens to both, and `naive` has the text."""

    heading: str
    naive: str
    stable: str
    both: bool = False


def explain(story: BallStory, number: int) -> Words:
    """The explanation of an event of the story."""
    heading = f"Event {number} of {story.last}"
    if number == 0:
        return Words("Release", _release(story), "", True)
    naive, stable = story.at(number)
    # equal floats have the same explanation
    same = (naive.kind, naive.velocity, naive.gap) == (stable.kind, stable.velocity, stable.gap)
    if same and number < len(story.naive.events) - 1 and number < len(story.stable.events) - 1:
        return Words(heading, _impact(story, naive, number), "", True)
    return Words(heading, _sentence(story, story.naive, number), _sentence(story, story.stable, number))


def announce(story: BallStory, number: int) -> Words:
    """The explanation of an event for learners who have to predict the end: without the number of events or the reason
    of the end."""
    if number == 0:
        words = f"The ball falls by h = {short(story.drop.drop)}. Press → for the next event, Space to play."
        return Words("Release", words, "", True)
    naive = story.event(story.naive, number)
    words = f"Impact {number}. Now the ball rises by {short(naive.rebound)}, to the peak."
    return Words(f"Event {number}", words, "", True)


def _release(story: BallStory) -> str:
    drop = story.drop
    end = rest_time(drop.drop, drop.gravity, drop.restitution)
    return (
        f"The ball falls by h = {short(drop.drop)}. Each impact sets v′ = −ε v, and each bounce is ε² = "
        f"{short(drop.restitution**2)} times as high as the one before: without rounding infinitely many, and "
        f"the ball rests at t = √(2h/g) (1 + ε)/(1 − ε) = {short(end, 6)}. A float has 53 binary digits; near the "
        f"plate the last one is worth {short(story.ulp, 2)} (1 ulp). Press → for the next event, Space to play."
    )


def _impact(story: BallStory, event: BallEvent, number: int) -> str:
    inside = f"f = {in_ulps(event.gap_ulps)} ulp"
    where = (
        f"{inside}: the ball stands inside the plate"
        if event.gap < 0.0
        else f"{inside}: the ball stands above the plate"
        if event.gap > 0.0
        else "f = 0: the ball touches the plate exactly"
    )
    rise = event.rebound / story.ulp
    if rise > _HIGH:
        return (
            f"Impact {number}: r is rounded to a float, {where}. The next impact is a root of f. Until then the ball "
            f"rises by {short(event.rebound)}, which is {short(rise, 2)} ulp: the rounding does not matter yet."
        )
    if rise >= 1.0:
        return f"Impact {number}: {where}. The ball rises by only {short(rise, 2)} ulp: now the rounding of r counts."
    return (
        f"Impact {number}: {where}. The rebound, {short(event.rebound, 2)}, is less than 1 ulp: the height r no "
        "longer resolves it, and only the clock and the velocity still change."
    )


def _sentence(story: BallStory, one: Fall, number: int) -> str:
    last = len(one.events) - 1
    event = story.event(one, number)
    if event.kind == "halt":
        if number > last:
            after = f"After {count(one.count)} events"
            return f"{after} no further one was found: nothing stopped the ball, and it fell through."
        return (
            f"The argument of the square root, v² + 2 g f, is negative, {short(event.argument, 2)}: no event is found, "
            "and the ball falls through the plate."
        )
    if event.kind == "peak":
        return (
            f"The argument is {short(event.argument, 2)}: the ball cannot leave the plate. The rule, f ≤ 0 and f′ < 0, "
            "lets it continue to its peak, where v = 0, and holds it there."
        )
    if event.kind == "rest":
        drop = story.drop
        off = event.time - rest_time(drop.drop, drop.gravity, drop.restitution)
        return (
            f"At rest at t = {typeset(event.time, '.12g')} after {count(one.count)} events: each further event would "
            "take no time. "
            f"The closed form differs by {short(off, 2)}."
        )
    if number >= last and last >= LIMIT:
        return (
            f"Still bouncing after {count(LIMIT)} events: it falls through a gap of {in_ulps(event.gap_ulps)} ulp at "
            "each, and that gives back the speed that it loses."
        )
    return _impact(story, event, number)


def words_html(words: Words, colours: Mapping[str, str]) -> str:
    """One text for both balls if the same happens to them, else one for each. colours : of ``naive``, ``stable``."""
    naive, stable = escape(words.naive), escape(words.stable)
    if words.both:
        return f"<b>{words.heading}</b> · {naive}"
    return (
        f"<b>{words.heading}</b><br><b style='color:{colours['naive']}'>Naive</b> · {naive}<br>"
        f"<b style='color:{colours['stable']}'>Stable</b> · {stable}"
    )
