"""The blocks of code in the documents do what they say: Python, scenarios and command lines.

A block below the line ``<!-- an outline: ... -->`` is left out: it stands for a file or a program that is not here.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from engine.scenario import Scenario

PROJECT = Path(__file__).parents[2]
PAGES = [*sorted((PROJECT / "docs").rglob("*.md")), PROJECT / "README.md"]
BLOCK = re.compile(r"(?<!-->\n)^```(python|toml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of each block, in order."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_blocks_of_a_page_run_one_after_the_other(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for language, text in blocks(page):
        if language == "toml":
            Scenario.from_toml(text)
        elif language == "console":
            for line in text.splitlines():
                words = shlex.split(line)
                assert words[0] == "aggviewer"
                command = [sys.executable, "-m", *words]
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
                assert done.returncode == 0, f"{line}: {done.stderr}"
        else:
            exec(compile(text, str(page), "exec"), names)
