"""`python -m tests.compiled`: compile all kernels, one child process a processor, where the cache lacks them.

Done before tests run in several processes, each of which would compile the same kernels otherwise.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

from aggviewer.session.precompile import fill_cache

# begun in this order: neighbours share few kernels, so that what is compiled twice at the same time is little
PARTS = (
    ("engine", "event-driven"),
    ("engine", "hard-discs"),
    ("engine", "time-stepping"),
    ("engine", "jamming"),
    ("aggviewer.canvas.warmup",),
)


def main() -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(min(len(PARTS), os.cpu_count() or 1)) as pool:
        for _ in pool.map(lambda part: fill_cache(lambda *progress: None, *part), PARTS):
            pass
    seconds = time.monotonic() - began
    if seconds > 1.0:
        print(f"Compiled the kernels in {seconds:.0f} s")


if __name__ == "__main__":
    main()
