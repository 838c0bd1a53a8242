"""The command `aggviewer lesson`: lists the lessons, opens one in the window, or writes its worksheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggviewer.cli.exits import tell
from aggviewer.extensions.lessons.source import bundled, find_lesson
from engine.errors import InputError
from engine.runs.summary import to_json


def lesson(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help="A bundled lesson by name, or the folder or lesson.toml of your own. Without it, list the lessons.",
        ),
    ] = "",
    worksheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a worksheet for print (.html) instead of opening the lesson."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Write the list as one JSON object to stdout.")] = False,
) -> int:
    """List the lessons, open one in the window, or write its worksheet."""
    return run_lesson(name, worksheet, json)


def run_lesson(name: str, worksheet: Path | None, as_json: bool) -> int:
    """Run the command; returns the exit status. Raises InputError.

    name : of a bundled lesson, or the folder or file of another one; empty lists the bundled ones.
    worksheet : the HTML file to write its worksheet to.
    """
    if worksheet is not None and not name:
        raise InputError("--worksheet needs a lesson: aggviewer lesson NAME --worksheet FILE", "worksheet")
    if not name:
        return _list(as_json)
    if as_json:
        raise InputError("--json is for the list of lessons: aggviewer lesson --json", "json")
    found = find_lesson(name)
    if worksheet is None:
        from aggviewer.window.app import run_window

        return run_window([str(found.file)])
    from aggviewer.extensions.lessons.worksheet import write_worksheet

    write_worksheet(found, worksheet)
    typer.echo(str(worksheet))
    return 0


def _list(as_json: bool) -> int:
    """The bundled lessons with their titles and minutes."""
    known = bundled(tell)
    if as_json:
        values = {
            found.name: {
                "title": found.lesson.title,
                "minutes": found.lesson.minutes,
                "summary": found.lesson.summary,
                "steps": len(found.lesson.step),
            }
            for found in known
        }
        typer.echo(to_json(values))
        return 0
    titles, names = [one.lesson.title for one in known], [one.name for one in known]
    title, name = (max(map(len, words), default=0) for words in (titles, names))
    for found in known:
        lesson = found.lesson
        typer.echo(f"{lesson.title:{title}}  {lesson.minutes:2} min  {found.name:{name}}  {lesson.summary}")
    typer.echo("\nOpen one with: aggviewer lesson NAME")
    return 0
