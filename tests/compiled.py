"""`python -m tests.compiled`: compile all kernels, one child process a processor, where the cache lacks them.

Done before tests run in several processes, each of which would compile the same kernels otherwise.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

from aggviewer.session.precompile import all_parts, fill_cache


def main() -> None:
    began = time.monotonic()
    parts = all_parts()
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:
        for _ in pool.map(lambda part: fill_cache(lambda *progress: None, *part), parts):
            pass
    seconds = time.monotonic() - began
    if seconds > 1.0:
        print(f"Compiled the kernels in {seconds:.0f} s")


if __name__ == "__main__":
    main()
