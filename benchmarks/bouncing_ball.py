"""Figure 7 of Bannerman et al. 2014 over many plates: how naive and stable detection end, as a table and a figure.

    python -m benchmarks.bouncing_ball [--plates 1000000] [--write]

`--write` puts the table between the markers of docs/hard-discs.md and draws docs/images/bouncing-ball.svg; without it,
the table is printed. Some minutes.
"""

from __future__ import annotations

import argparse
import time
from html import escape
from math import log10
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.ball import DETECTIONS, LIMIT, Drop, Sample, fall, sample
from engine.hard_discs.theory import rest_time

RESTITUTIONS = (0.5, 0.7, 0.9, 0.95)
FEWER = 10  # times fewer plates but for the restitution of figure 7: up to 20 000 events each
BEGIN, END = "<!-- bouncing ball: begin -->", "<!-- bouncing ball: end -->"
DOCS = Path(__file__).parent.parent / "docs"
COLORS = {0.5: "#cc79a7", 0.7: "#0072b2", 0.9: "#d55e00", 0.95: "#7a7a00"}


def plates(count: int, seed: int = 1) -> NDArray[np.float64]:
    """Uniform in [0, 1], random to the last digit of a float."""
    rng = np.random.default_rng(seed)
    return rng.random(count) + rng.random(count) * 2.0**-53


def table(count: int) -> tuple[list[str], dict[float, Sample]]:
    """The lines of the table, and the samples of naive detection by restitution."""
    heads = (
        "ε",
        "detection",
        "plates",
        "halted",
        "at rest",
        f"still bouncing after {LIMIT} events",
        "events to the halt",
    )
    heads += ("events to rest", "rest off the closed form by at most")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    naive: dict[float, Sample] = {}
    sample(plates(10), "naive")  # compiled
    for restitution in RESTITUTIONS:
        origins = plates(count if restitution == RESTITUTIONS[0] else count // FEWER)
        drop = Drop(restitution=restitution)
        end = rest_time(drop.drop, drop.gravity, restitution)
        for detection in DETECTIONS:
            began = time.perf_counter()
            found = sample(origins, detection, drop)
            print(f"{restitution} {detection}: {time.perf_counter() - began:.1f} s", flush=True)
            rests, halt = found.at_rest, found.mean_events_at_halt
            endless = 1.0 - found.fraction_halted - rests.mean()
            shares = " | ".join(f"{share:.2%}" for share in (found.fraction_halted, rests.mean(), endless))
            off = np.abs(found.time[rests] - end).max()
            first = "" if halt is None else f"{halt:.1f}"
            ends = f"{first} | {found.events[rests].mean():.1f} | {off:.0e}"
            lines.append(f"| {restitution:g} | {detection} | {len(origins)} | {shares} | {ends} |")
            if detection == "naive":
                naive[restitution] = found
    lines += [
        "",
        "| ε | bounces until the rebound is below 1 ulp, contact at 5, drop 1.5 | the same, drop 5 |",
        "|---|---|---|",
    ]
    for restitution in RESTITUTIONS:
        counts = [fall(Drop(4.5, drop, restitution), "stable").bounces_before_lost() for drop in (1.5, 5.0)]
        lines.append(f"| {restitution:g} | {counts[0]} | {counts[1]} |")
    return lines, naive


def figure(naive: dict[float, Sample]) -> str:
    """SVG: the share of plates at which naive detection has not halted, over the number of events."""
    width, height, left, right, top, bottom = 640, 360, 64, 136, 24, 52
    low, high = log10(10.0), log10(20_000.0)

    def x(events: float) -> float:
        return left + (width - left - right) * (log10(events) - low) / (high - low)

    def y(share: float) -> float:
        return height - bottom - (height - top - bottom) * (share - 0.4) / 0.65

    def text(
        at_x: float, at_y: float, words: str, anchor: str = "middle", color: str = "#1b1f24", turn: str = ""
    ) -> str:
        place = f'x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" fill="{color}"'
        return f'<text font-size="13" {place}{turn}>{escape(words)}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for share in (0.4, 0.6, 0.8, 1.0):
        parts.append(f'<path d="M{left} {y(share):.1f}H{width - right}" stroke="#d8dce2"/>')
        parts.append(text(left - 8, y(share) + 4, f"{share:.1f}", "end"))
    for events in (10, 100, 1000, 10_000):
        parts.append(f'<path d="M{x(events):.1f} {height - bottom}v5" stroke="#59636e"/>')
        parts.append(text(x(events), height - bottom + 20, f"{events}"))
    parts.append(text((left + width - right) / 2, height - 10, "events"))
    middle = (top + height - bottom) / 2
    turn = f' transform="rotate(-90 18 {middle:.1f})"'
    parts.append(text(18, middle, "share of plates that go on", turn=turn))
    parts.append(f'<path d="M{left} {y(1.0):.1f}H{width - right}" stroke="#009e73" stroke-width="2"/>')
    parts.append(text(width - right + 8, y(1.0) + 4, "stable, any ε", "start", "#00755a"))
    for row, (restitution, found) in enumerate(naive.items()):
        halts, counts = np.unique(found.events[found.halted], return_counts=True)
        share, path = 1.0, f"M{x(max(halts[0], 10)):.1f} {y(1.0):.1f}"
        for events, count in zip(halts.tolist(), counts.tolist(), strict=True):
            at = x(max(events, 10))
            path += f"H{at:.1f}"
            share -= count / len(found.events)
            path += f"V{y(share):.1f}"
        path += f"H{width - right}"
        parts.append(f'<path d="{path}" fill="none" stroke="{COLORS[restitution]}" stroke-width="2"/>')
        parts.append(
            text(width - right + 8, y(0.62) + 20 * row, f"naive, ε = {restitution:g}", "start", COLORS[restitution])
        )
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Make the table and the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plates", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines, naive = table(given.plates)
    if given.write:
        document = DOCS / "hard-discs.md"
        head, rest = document.read_text(encoding="utf-8").split(BEGIN)
        written = "\n".join(lines)
        document.write_text(f"{head}{BEGIN}\n{written}\n{END}{rest.split(END)[1]}", encoding="utf-8")
        (DOCS / "images" / "bouncing-ball.svg").write_text(figure(naive), encoding="utf-8")
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
