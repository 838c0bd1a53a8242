"""The contents of a session file as plain data, and `session.json`: everything in it that is not an array, with the log
of the run, and the checks of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from aggviewer.document.mark_kinds import KINDS
from aggviewer.document.registry import DocumentState, read_state
from aggviewer.document.view import ViewModel
from aggviewer.session.log import Beginning, Log, LogEntry, RepeatableCommand, RunCommand, Unknown, from_plain
from engine import system as engine_system
from engine.errors import MAX_COUNT, InputError
from engine.files.checks import MAX_SCENARIO, plain
from engine.files.session_file import FORMAT, LaneHead, SessionPart, check_lanes, parse_json, place_of
from engine.saved import checked_scenario
from engine.scenario import describe
from engine.simulation import Checkpoint
from engine.words import count, typeset

_MOST_NAMED = 4  # most kinds of marks named in a sentence

SavedAs = Literal["running", "paused", "finished"]


@dataclass
class SessionState:
    """Everything needed to continue a session later.

    Parameters
    ----------
    lanes : the exact checkpoint of the simulation, or of both simulations of a comparison.
    scenarios : the scenario of each as the user sees it, TOML. Keys that the checkpoint's method does not use may
        differ from the checkpoint's.
    time, clusters, count : simulation time, M and N of the first lane, for lists of files.
    document : the view and the speed.
    variant : the settings of the second lane that differ.
    marks_left_out : the file's kinds of marks that this version does not know.
    pool_left_out : whether the file has a pool of packings, as of earlier versions.
    log : how the run came about; None in a file of an earlier version.
    saved_as : the state of the session when saved, restored on opening; None if unknown.
    program : the version that wrote the file.
    saved_at : when, in seconds since 1970.
    """

    lanes: list[Checkpoint]
    scenarios: list[str]
    time: float
    clusters: int
    count: int
    document: DocumentState = field(default_factory=DocumentState)
    variant: dict[str, Any] | None = None
    marks_left_out: Sequence[str] = ()
    pool_left_out: bool = False
    log: Log | None = None
    saved_as: SavedAs | None = None
    program: str = ""
    saved_at: float = 0.0

    @property
    def left_out(self) -> str:
        """A sentence about the parts of the file that were not loaded; "" if there are none."""
        number, kinds = len(self.marks_left_out), sorted(set(self.marks_left_out))
        words = []
        if kinds:
            named = ", ".join(plain(kind) for kind in kinds[:_MOST_NAMED])
            marks = "1 mark was" if number == 1 else f"{number} marks were"
            words.append(f"{marks} not loaded, because this version does not know them: {named}")
        if self.pool_left_out:
            words.append("its pool of packings was not loaded: to pool packings, run a study (in the menu of a plot)")
        return "; ".join(words)

    def describe(self) -> str:
        """One line about the session, for lists."""
        methods = [lane.method for lane in self.lanes]
        return described_run(self.count, self.clusters, self.time, methods, self.lanes[0].system)


def described_run(discs: int, clusters: int, time: float, methods: Sequence[str], name: str) -> str:
    """The contents of a session file in one line; see `SessionState`. name : of the system."""
    system = engine_system.system(name)
    words = [f"N = {count(discs)}"]
    if system.clock.counts:
        words.append(f"{system.title.lower()}, {system.clock.name} {count(time)}")
    else:
        words += [" and ".join(dict.fromkeys(methods)), f"{system.clock.symbol} = {typeset(time, '.4g')}"]
    if system.joins:
        words.append(f"{count(clusters)} cluster{'' if clusters == 1 else 's'}")
    return ", ".join(words)


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
    """The log stored in a file. InputError if a command or scenario in it is damaged. Without the scenarios of its
    beginnings it only tells what was done."""
    if head is None:
        return None
    entries = tuple(LogEntry(_command(one), tuple(one.lanes), one.time, one.effect, one.words) for one in head.entries)
    beginnings = tuple(
        Beginning(checked_scenario(one.scenario), then=None if one.then is None else checked_scenario(one.then))
        for one in head.beginnings
    )
    if any(one.scenario.discs.file or one.scenario.discs.count != count for one in beginnings):
        beginnings = ()  # these beginnings do not lead to the discs of the file
    return Log(beginnings, entries, min(head.since, len(entries)) if beginnings else len(entries))


def _command(head: EntryHead) -> RunCommand:
    found = from_plain(head.kind, head.values)
    if isinstance(found, Unknown):
        return Unknown(head.words)
    for key in found.values:
        describe(key)  # InputError for one that does not exist
    return found


_LONGEST_KIND = 40  # letters of the name of a kind of marks

_Name = Field(max_length=40)
_One = bool | int | float | str | None
_Value = _One | Annotated[Sequence[_One], Field(max_length=64)]
"""The value of a scenario key; a vector such as gravity is a sequence."""


class SessionHead(SessionPart):
    """The whole of `session.json`. Two fields are not part of the file: `marks_left_out` lists its kinds of marks that
    this version does not know, `pool_left_out` says whether it has a pool of packings."""

    format: int = Field(ge=FORMAT, le=FORMAT)
    program: str = _Name
    saved_at: float = Field(ge=0.0, le=1e12)
    time: float = Field(ge=0.0)
    clusters: int = Field(ge=1, le=MAX_COUNT)
    count: int = Field(ge=1, le=MAX_COUNT)
    lanes: list[LaneHead] = Field(min_length=1, max_length=2)
    document: dict[Annotated[str, _Name], Any] = Field(max_length=64)
    variant: dict[str, _Value] | None = Field(max_length=64)
    log: LogHead | None
    saved_as: SavedAs | None
    marks_left_out: list[str] = Field([], exclude=True)
    pool_left_out: bool = Field(False, exclude=True)


_LEFT_OUT = {"marks_left_out", "pool_left_out"}
_SAME = SessionHead.model_fields.keys() - {"format", "lanes", "document", "log", *_LEFT_OUT}
"""The keys of `session.json` whose values are those of a `SessionState` under the same names."""


def head_text(state: SessionState) -> bytes:
    """The text of `session.json` for a state. InputError if a session file cannot store it."""
    lanes = [
        LaneHead(
            system=lane.system,
            method=lane.method,
            checkpoint=lane.scenario,
            scenario=scenario,
        )
        for lane, scenario in zip(state.lanes, state.scenarios, strict=True)
    ]
    same = {name: vars(state)[name] for name in _SAME}
    document = state.document.dump("session", state.lanes[0].system)
    try:
        log = log_head(state.log)
        head = SessionHead(format=FORMAT, lanes=lanes, document=document, log=log, **same)
    except ValidationError as error:
        raise InputError(f"a session file cannot store the value of {place_of(error)}") from None
    return head.model_dump_json(indent=1).encode()


def parse_head(data: bytes, where: str) -> SessionHead:
    """Parse and check `session.json` of a file from anywhere.

    Raises InputError, whose message begins with `where`, unless all of it is valid.
    """
    values = parse_json(data, where)
    try:
        head = SessionHead.model_validate(_without_unknown_marks(_upgraded(values)))
    except ValidationError as error:
        raise InputError(f"{where}: session.json is damaged at {place_of(error)}") from None
    try:
        read_state(head.document, "session")
    except InputError as error:
        raise InputError(f"{where}: in session.json, {error}") from None
    if (head.variant is not None) != (len(head.lanes) == 2):
        raise InputError(f"{where}: session.json is damaged: a comparison needs two simulations and their difference")
    for scenario in check_lanes(head.lanes, where):
        scenario.with_values(head.variant or {})
    return head


def state_of(head: SessionHead, lanes: list[Checkpoint]) -> SessionState:
    """The state from a checked `session.json` and its checkpoints."""
    same = {name: vars(head)[name] for name in _SAME | _LEFT_OUT}
    document = read_state(head.document, "session")
    scenarios = [lane.scenario for lane in head.lanes]
    return SessionState(lanes, scenarios, document=document, log=log_of(head.log, head.count), **same)


def _upgraded(values: Any) -> Any:
    """Convert a head of format 4, 5 or 6 to the present format; others are unchanged."""
    if not isinstance(values, dict):
        return values
    if values.get("format") == 4:
        values = _with_document(values)
    if values.get("format") == 5:
        values = _with_pace_and_marks(values)
    if values.get("format") == 6:
        packings = values.pop("packings", [])
        values.pop("colors", None)  # colours of clusters, which now follow from the state alone
        values = values | {"format": FORMAT, "log": None, "pool_left_out": bool(packings)}
    return values


def _with_pace_and_marks(values: dict[str, Any]) -> dict[str, Any]:
    """Convert a head of format 5 to format 6, whose document has the speed and the marks."""
    document = values.get("document")
    today = {name: value for name, value in values.items() if name not in ("speed", "fast", "picked", "marks")}
    pace = {"limit": "speed", "speed": values.get("speed")}
    if pace["speed"] is None:
        pace = {"limit": "frames" if values.get("fast") else "none"}
    run = {"marks": {"discs": values.get("picked", ""), "marks": values.get("marks", [])}}
    if isinstance(document, dict):
        document = document | {"pace": pace, "run": run}
    return today | {"format": 6, "document": document}


def _with_document(values: dict[str, Any]) -> dict[str, Any]:
    """Convert a head of format 4 to format 5."""
    today = {name: value for name, value in values.items() if name not in ("view", "plots", "plot_alone", "plot_looks")}
    view, alone, looks = values.get("view"), values.get("plot_alone"), values.get("plot_looks")
    usual = ViewModel().model_dump(mode="json")
    plots: dict[str, Any] = {"chosen": () if alone is None else (alone,)}
    if looks is not None:
        plots["looks"] = looks
    view = usual | view if isinstance(view, dict) else view
    return today | {"format": 5, "document": {"view": view, "plots": plots}}


def _without_unknown_marks(values: Any) -> Any:
    """A head without marks of unknown kinds, which `marks_left_out` lists."""
    try:
        marks = values["document"]["run"]["marks"]
        unknown = [mark for mark in marks["marks"] if _is_unknown(mark)]
        known = [mark for mark in marks["marks"] if not _is_unknown(mark)]
    except (KeyError, TypeError):  # there are none, or they are damaged
        return values | {"marks_left_out": []} if isinstance(values, dict) else values
    document = values["document"]
    run = document["run"] | {"marks": marks | {"marks": known}}
    return values | {"document": document | {"run": run}, "marks_left_out": [mark["kind"] for mark in unknown]}


def _is_unknown(mark: Any) -> bool:
    kind = mark.get("kind") if isinstance(mark, dict) else None
    return isinstance(kind, str) and 0 < len(kind) <= _LONGEST_KIND and kind not in KINDS
