"""Phrases that must not come back because they sound translated, with what to write instead.

The tests search strings and docstrings of the program, its scenarios, studies and lessons, and the documents. To add a
phrase, write it in lower case with its replacement into `INSTEAD`, and rewrite every place that the test names.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]

INSTEAD = {
    "a click computes": "click to compute",
    "a click opens": "click to open",
    "a click sorts": "click to sort",
    "a drag draws": "drag to draw",
    "a scenario of one's own": "your own scenario",
    "and the same call goes on": "repeat the same command to continue",
    "and the simulating": "plus simulation",
    "are as they were": "are unchanged",
    "are computed otherwise": "are computed differently",
    "as ever": "as usual",
    "at one glance": "at a glance",
    "begins again": "restarts, or: starts again",
    "bundled are ": "the bundled ones are",
    "cannot be made:": "failed:",
    "cannot be said": "not decided",
    "carry on with exact": "continue with",
    "collisions a disc": "collisions per disc",
    "declared already": "already declared",
    "does not say its box": "does not give its box",
    "double click": "double-click",
    "drawn on the processor": "software rendering",
    "else would": "otherwise",
    "events a collision": "events per collision",
    "every file that is there": "all files written so far",
    "for ever ": "forever",
    "for ever,": "forever",
    "for ever.": "forever",
    "from a stranger": "from strangers",
    "goes back by": "steps back",
    "goes on as it was": "continues unchanged",
    "goes on where it stopped": "continues where it stopped",
    "goes on where it was stopped": "continues where it stopped",
    "goes on with the same bits": "continues bit for bit",
    "has become shorter": "was shortened",
    "has taken the place of": "has replaced",
    "have no room in": "do not fit in",
    "holds no study": "contains no study",
    "however many cores": "any number of cores",
    "in place of opening": "instead of opening",
    "in the clipboard": "on the clipboard, or: copied",
    "in the place of": "instead of, or: in place of",
    "inputerror where": "InputError if",
    "is at work": "is busy",
    "is computed otherwise": "is computed differently",
    "is no study": "is not a study",
    "is not there any more": "no longer exists",
    "known once contacts carry": "available once contacts carry forces",
    "let go of": "release, or: released",
    "lets go of": "releases",
    "loaded already": "already loaded",
    "looked back": "shown at an earlier time",
    "make room for each other": "push each other aside",
    "makes no sense with": "cannot be combined with",
    "making room": "pushing each other aside, or: steps until nothing moves",
    "may be repeated": "can be repeated",
    "megabytes that": "Timeline memory (MB)",
    "name a file in it": "choose a file in it",
    "no disc is selected: click": "No disc is selected; click one",
    "nobody can say": "not known",
    "none where": "None if",
    "nothing is left of it": "the incomplete file was removed",
    "nothing to converge": "needs no iterations",
    "of one's own": "your own",
    "one of these opens with": "open one with",
    "one of these runs with": "run one with",
    "pixels an inch": "pixels per inch",
    "predicted anew": "predicted again",
    "put aside": "set aside",
    "range of a fit": "fit range",
    "range of the fit": "fit range",
    "remove or mend": "remove or correct",
    "right click": "right-click",
    "rounds of making": "steps until",
    "stands twice": "appears twice",
    "stands where": "marks show where",
    "take out of the packing": "remove from packing",
    "takes the place of": "replaces",
    "the person": "the user",
    "the same call goes on": "repeat the same command to continue",
    "the shell cannot be told": "the shell is not known",
    "there is no memory for": "not enough memory for",
    "thinks better of": "cancels",
    "to the clipboard at once": "copied at once",
    "unless told": "unless given",
    "wanted no more": "no longer wanted",
    "went on as it was": "continued unchanged",
    "what has been written is kept": "files written so far are in",
    "what is asked of": "say what is meant",
    "what people read": "label, unit and help text",
    "what was there is kept": "your current run is unchanged",
    "whatever its ending says": "despite its ending",
    "when a person is watching": "in a terminal",
    "where a person is watching": "in a terminal",
    "where that cannot be": "if that is impossible",
    "whoever": "the one who, or: code that",
    "without a word": "silently",
    "without being closed": "closed unexpectedly",
    "would else": "would otherwise",
}

DOCUMENTS = [*sorted((PROJECT / "docs").rglob("*.md")), PROJECT / "README.md", PROJECT / "CONTRIBUTING.md"]
RESOURCES = [one for one in sorted((PROJECT / "resources").rglob("*")) if one.suffix in {".toml", ".jinja", ".html"}]
PROGRAM = [one for folder in ("aggviewer", "engine") for one in sorted((PROJECT / folder).rglob("*.py"))]


def strings(source: str) -> list[str]:
    """The strings of a Python file including docstrings; values inserted into f-strings become an ellipsis."""
    found: list[str] = []
    nodes = list(ast.walk(ast.parse(source)))
    within = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    formats = {id(node.format_spec) for node in nodes if isinstance(node, ast.FormattedValue)}
    for node in nodes:
        if id(node) in formats:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in within:
            found.append(node.value)
    return found


@cache
def words() -> dict[str, str]:
    """The text of each file by its path: lower case, with single spaces."""
    texts = {one: one.read_text(encoding="utf-8") for one in [*DOCUMENTS, *RESOURCES]}
    texts |= {one: "\n".join(strings(one.read_text(encoding="utf-8"))) for one in PROGRAM}
    return {str(one.relative_to(PROJECT)): re.sub(r"\s+", " ", text).lower() for one, text in texts.items()}


@pytest.mark.parametrize("phrase", INSTEAD)
def test_a_phrase_does_not_come_back(phrase: str) -> None:
    begins = re.compile(rf"\b{re.escape(phrase)}")
    where = [path for path, text in words().items() if phrase in text and begins.search(text)]
    assert not where, f"instead of “{phrase}” write “{INSTEAD[phrase]}” in {', '.join(where)}"


def test_strings_of_all_kinds_are_found() -> None:
    source = '"""Of a module."""\nname = "a" " b"\ndef f(x):\n    """Of a function."""\n    return f"c {x:.3f} d"\n'
    assert sorted(strings(source)) == ["Of a function.", "Of a module.", "a b", "c … d"]
