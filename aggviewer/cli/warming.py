"""`aggviewer doctor --warm`: compile everything in advance, in as many processes as there are processors."""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import typer

from aggviewer.session.precompile import Part, all_parts, fill_cache
from engine.runs.summary import to_json

if TYPE_CHECKING:
    from rich.console import Console


def warm_all(as_json: bool = False, console: Console | None = None) -> int:
    """Fill the cache; returns the exit status, 1 if no folder can be written. as_json : print the result as JSON.

    console : where the progress bars are drawn; by default on stderr if that is a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from engine.kernels import CACHE_DIR

    if CACHE_DIR is None:
        typer.echo(
            "The compiled kernels cannot be stored: no folder for them can be written, so each start compiles again.",
            err=True,
        )
        return 1
    began, parts = time.monotonic(), all_parts()
    console = console or Console(stderr=True, quiet=not sys.stderr.isatty())
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[what]}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars, ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def compile_part(part: Part) -> None:
            bar = bars.add_task(name_of(part), total=1.0, what="")

            def report(done: int, total: int, what: str) -> None:
                bars.update(bar, completed=done / total, what=what)

            fill_cache(report, *part)
            bars.update(bar, completed=1.0, what="ready")

        list(pool.map(compile_part, parts))
    seconds = time.monotonic() - began
    if as_json:
        typer.echo(to_json({"parts": [name_of(part) for part in parts], "seconds": seconds, "cache": str(CACHE_DIR)}))
    else:
        typer.echo(f"Compiled everything in {seconds:.0f} s: {CACHE_DIR}")
    return 0


def name_of(part: Part) -> str:
    """The name of a part: its set of kernels, or ``picture``."""
    return part[1] if len(part) > 1 else "picture"
