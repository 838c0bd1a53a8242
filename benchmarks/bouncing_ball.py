"""Figure 7 of Bannerman et al. 2014 over many plates: how naive and stable detection end, as a table and a figure.

    python -m benchmarks.bouncing_ball [--plates 200000] [--write]

`--write` puts the table between the markers of docs/hard-discs.md and draws docs/images/bouncing-ball.svg, as `make
figures` does; without it, the table is printed. A minute or two.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import new_figure, save
from benchmarks.pages import put
from engine.hard_discs.ball import DETECTIONS, LIMIT, Drop, Sample, fall, sample
from engine.hard_discs.theory import rest_time

PLATES = 200_000
RESTITUTIONS = (0.5, 0.7, 0.9, 0.95)
FEWER = 10  # times fewer plates but for the restitution of figure 7: up to 20 000 events each
DOCS = Path(__file__).parent.parent / "docs"


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
        "events to rest",
        "rest off the closed form by at most",
    )
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


def draw(naive: dict[float, Sample]) -> None:
    """The share of plates at which naive detection has not halted, over the number of events."""
    figure, (axes,) = new_figure()
    for restitution, found in naive.items():
        halts = np.sort(found.events[found.halted])
        share = 1.0 - np.arange(1, len(halts) + 1) / len(found.events)
        ends = np.append(np.insert(halts, 0, 10), LIMIT)
        axes.step(ends, np.concatenate([[1.0], share, share[-1:]]), where="post", label=f"naive, ε = {restitution:g}")
    axes.axhline(1.0, color="#1b1f24", label="stable, any ε")
    axes.set(xscale="log", xlim=(10, LIMIT), ylim=(0.4, 1.03), xlabel="events", ylabel="share of plates that go on")
    axes.legend(fontsize=9)
    save(figure, "bouncing-ball")


def write(count: int) -> None:
    """Put table and figure into docs/."""
    lines, naive = table(count)
    put("hard-discs.md", "bouncing ball", "\n".join(lines))
    draw(naive)


def main() -> None:
    """Make the table and the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plates", type=int, default=PLATES)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.write:
        write(given.plates)
    else:
        print("\n".join(table(given.plates)[0]))


if __name__ == "__main__":
    main()
