"""The log of a run in `session.json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from aggviewer.session.log.command import RepeatableCommand, RunCommand, Unknown, from_plain
from aggviewer.session.log.log import Beginning, Log, LogEntry
from aggviewer.session.saved.arrays import SessionPart
from engine.checkpoint_checks import checked_scenario
from engine.files.checks import MAX_SCENARIO
from engine.scenario import describe

MAX_ENTRIES = 20_000
"""Most entries of a log in a file; of a longer one nothing is saved, and the run is made again from the saved state."""

_WORDS = 200  # most letters of the words of an entry
_Lane = Annotated[int, Field(ge=0, le=1)]


class EntryHead(SessionPart):
    """An entry; see `LogEntry`. kind, values : of its command."""

    kind: str = Field(max_length=40)
    values: dict[str, Any] = Field(max_length=64)
    lanes: list[_Lane] = Field(min_length=1, max_length=2)
    time: float
    effect: Literal["begins", "live", "anew", "waits"]
    words: str = Field(max_length=_WORDS)


class BeginningHead(SessionPart):
    """A beginning; see `Beginning`. The scenarios are TOML."""

    scenario: str = Field(max_length=MAX_SCENARIO)
    then: str | None = Field(max_length=MAX_SCENARIO)


class LogHead(SessionPart):
    """A log; see `Log`. It has no beginnings if only a file or an earlier session leads to them."""

    beginnings: list[BeginningHead] = Field(max_length=2)
    entries: list[EntryHead] = Field(max_length=MAX_ENTRIES)
    since: int = Field(ge=0, le=MAX_ENTRIES)


def log_head(log: Log | None) -> LogHead | None:
    """A log as a file holds it; None if it is too long."""
    if log is None or len(log.entries) > MAX_ENTRIES:
        return None
    return LogHead(
        beginnings=[
            BeginningHead(scenario=one.scenario.to_toml(), then=None if one.then is None else one.then.to_toml())
            for one in log.beginnings
            if all(each.by_scenario for each in log.beginnings)
        ],
        entries=[_entry_head(one) for one in log.entries],
        since=log.since,
    )


def _entry_head(entry: LogEntry) -> EntryHead:
    command, lanes, words = entry.command, list(entry.lanes), entry.words[:_WORDS]
    kind, values = (command.kind, asdict(command)) if isinstance(command, RepeatableCommand) else ("", {})
    return EntryHead(kind=kind, values=values, lanes=lanes, time=entry.time, effect=entry.effect, words=words)


def log_of(head: LogHead | None, count: int) -> Log | None:
    """The log of a file. InputError if a command or scenario in it is damaged. Without the scenario of each beginning
    it only tells what was done."""
    if head is None:
        return None
    entries = tuple(LogEntry(_command(one), tuple(one.lanes), one.time, one.effect, one.words) for one in head.entries)
    beginnings = tuple(
        Beginning(checked_scenario(one.scenario), then=None if one.then is None else checked_scenario(one.then))
        for one in head.beginnings
    )
    if any(one.scenario.discs.file or one.scenario.discs.count != count for one in beginnings):
        beginnings = ()  # they do not lead to these discs
    return Log(beginnings, entries, min(head.since, len(entries)) if beginnings else len(entries))


def _command(head: EntryHead) -> RunCommand:
    found = from_plain(head.kind, head.values)
    if isinstance(found, Unknown):
        return Unknown(head.words)
    for key in found.values:
        describe(key)  # InputError for one that does not exist
    return found
