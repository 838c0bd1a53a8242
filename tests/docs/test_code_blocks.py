"""The blocks of code in the documents do what they say: Python, scenarios, studies and command lines.

A block of TOML that begins with ``# NAME.toml`` is that file for the programs of its page. A block
below the line ``<!-- an outline: ... -->`` is left out: it stands for a file or a program that is not here.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aggviewer.extensions.lessons.model import Lesson
from engine.scenario import Scenario
from engine.study import Study
from engine.study.grid import Grid
from engine.study.source import is_study

PROJECT = Path(__file__).parents[2]
PAGES = [*sorted((PROJECT / "docs").rglob("*.md")), PROJECT / "README.md"]
LONG = ("command-line.md", "how-to.md")  # their programs take ten seconds and more
# each program is a process of its own, copied from one that has imported what takes long
AT_WORK = """
import gc, json, os, runpy, sys, traceback

# what most of them use is loaded once: each runs in a copy of this process
import aggviewer.cli.analyse, aggviewer.cli.app, aggviewer.cli.render, aggviewer.cli.run, aggviewer.cli.study
import aggviewer.canvas.picture, aggviewer.export.film, engine.study.running, matplotlib.pyplot, numba, pandas
import scipy.ndimage, scipy.optimize, scipy.stats

engine.warm_up()
gc.freeze()
for line in sys.stdin:
    folder, programs = json.loads(line)
    why = ""
    for program in programs:
        child = os.fork()
        if not child:
            os.chdir(folder)
            for number, name, flags in ((0, os.devnull, os.O_RDONLY), (1, os.devnull, os.O_WRONLY),
                                        (2, "errors.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)):
                os.dup2(os.open(name, flags), number)
            kind, what, *words = program
            sys.argv = [kind, *words]
            ended = 0
            try:
                if kind == "-m":
                    runpy.run_module(what, run_name="__main__", alter_sys=True)
                else:
                    exec(compile(what, "<blocks of the page>", "exec"), {"__name__": "__main__"})
            except SystemExit as end:
                ended = end.code or 0
            except BaseException:
                traceback.print_exc()
                ended = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended)  # to take apart all that was copied takes 0.2 seconds
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            why = f"has ended with status {status}: {' '.join(program)}"
            break
    print(json.dumps(why), flush=True)
"""
BLOCK = re.compile(r"(?<!-->\n)^```(python|toml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of each block, in order."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def programs(page: Path, *, studies_run: bool = True) -> list[list[str]]:
    """What is to be run, in order: neighbouring blocks of Python as one program, command lines each.

    studies_run : else a study is only tried (``--dry-run``).
    """
    found: list[list[str]] = []
    for language, text in blocks(page):
        if language == "console":
            for line in text.splitlines():
                name, *words = shlex.split(line)
                assert name == "aggviewer"
                if words[0] == "study" and not studies_run:
                    words.append("--dry-run")
                found.append(["-m", name, *words])
        elif language == "python" and found and found[-1][0] == "-c":
            found[-1][1] += "\n" + text
        elif language == "python":
            found.append(["-c", text])
    return found


@pytest.fixture(scope="module")
def at_work() -> Iterator[subprocess.Popen[str]]:
    """A process that runs the programs of one page after the other.

    It has no threads of libraries: a copy of it would have what they have locked at that moment, and not them.
    """
    alone = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    with subprocess.Popen(
        [sys.executable, "-c", AT_WORK],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(PROJECT)} | alone, text=True,
    ) as process:  # fmt: skip
        yield process
        process.stdin.close()


def run_page(page: Path, folder: Path, at_work: subprocess.Popen[str], *, studies_run: bool) -> None:
    """Run the programs of a page in a folder with the files that it names."""
    for language, text in blocks(page):
        named = re.match(r"# (\w+\.toml)\n", text)
        if language == "toml" and named:
            (folder / named[1]).write_text(text, encoding="utf-8")
    at_work.stdin.write(json.dumps([str(folder), programs(page, studies_run=studies_run)]) + "\n")
    at_work.stdin.flush()
    why = json.loads(at_work.stdout.readline())
    errors = folder / "errors.txt"
    said = errors.read_text(encoding="utf-8").strip() if errors.exists() else ""
    # the last line of the traceback comes first: a summary of many tests has room for no more
    assert not why, f"{said.splitlines()[-1] if said else 'nothing was said'}; {why}\n{said}"


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) if page.name in LONG else page for page in PAGES if programs(page)],
    ids=lambda page: page.name,
)
def test_programs_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path, at_work: subprocess.Popen[str]) -> None:
    run_page(page, tmp_path, at_work, studies_run=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if programs(page) != programs(page, studies_run=False)],
    ids=lambda page: page.name,
)
def test_studies_of_a_page_run(page: Path, tmp_path: Path, at_work: subprocess.Popen[str]) -> None:
    run_page(page, tmp_path, at_work, studies_run=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scenarios_of_a_page_can_be_read(page: Path) -> None:
    whole: dict[str, Any] = {}
    for language, text in blocks(page):
        if language == "toml":
            values = tomllib.loads(text)
            if "step" in values:
                Lesson.model_validate(values)
            elif is_study(values):
                whole = values
                Grid(Study.from_values(whole))
            elif whole and set(values) < set(Study.model_fields):  # a piece, read with the study above it
                Grid(Study.from_values(whole | values))
            else:
                Scenario.from_toml(text)
