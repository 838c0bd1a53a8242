"""The log of a run: how it began, and the commands that were given to it since, as values.

A command has its words, what it does to the present run, and how the log makes it again. From a log a run is made again
with the same bits, also by a Python script.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

import engine
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry
from engine.scenario import Scenario, scenario_keys
from engine.system import system_of

if TYPE_CHECKING:
    from engine.simulation import Checkpoint, Progress, Simulation

CANNOT_CHANGE_RECORDING = "a recording cannot be changed; start a new simulation from one of its frames"

C = TypeVar("C", bound="RepeatableCommand")


@dataclass(frozen=True)
class RunCommand(ABC):
    """Something that was asked of a run: a value that is never changed.

    A command is given to `Session.give`. It is carried out on the simulation's thread and is one step of *Undo*.
    The log of a run (`Log`) notes the commands that begin or change it, some by the values that they set. Of one that
    begins or replaces a run a file keeps only its words; one that changes a run is a `RepeatableCommand`.

    Attributes
    ----------
    at_once : whether long work is interrupted to do it now.
    replaces : whether a run that is being built is abandoned for it. True for scenarios and files, of which a slider or
        a list may give many in a row; never for a command that starts from the present run, which must be built first.
    """

    at_once: ClassVar[bool] = True
    replaces: ClassVar[bool] = False

    @property
    def subject(self) -> str:
        """What it changes: commands of one gesture with the same subject, as in a drag, are one step of *Undo*."""
        return ""

    @abstractmethod
    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history, such as "restart" or "α = 0.2". scenario : the running one."""

    def against_recording(self) -> InputError | None:
        """Why it cannot be done to a recording; None if it can. Then it is not carried out."""
        return None

    @abstractmethod
    def carry_out(self, loader: Any) -> Sequence[RunCommand]:
        """Do it to the present run of the session's `Loader`, and note it in its log. On the simulation's thread.

        Returns the commands that undo it while the run goes on. It is empty for a command that has replaced the present
        run, since *Undo* then returns to the earlier one. InputError if it is not allowed; then nothing has changed.
        """


Begun = TypeVar("Begun", bound=RunCommand)


@dataclass(frozen=True)
class RepeatableCommand(RunCommand):
    """A command that changes a run, which the log makes again: it is saved with a session, and films and scripts repeat
    it.

    kind : its name in session files.
    """

    kind: ClassVar[str] = ""

    def against_recording(self) -> InputError | None:
        """A recording cannot be changed; see `RunCommand`."""
        return InputError(CANNOT_CHANGE_RECORDING)

    @abstractmethod
    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """Do to a simulation what was done to that of the run; the same one, or another that continues from it.

        waiting : values of keys set earlier, for which the method of that time had no use.
        """

    @abstractmethod
    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """The lines of Python that do the same to the variable `simulation`. waiting : as for `again`."""

    @property
    def values(self) -> Mapping[str, Any]:
        """The keys of the scenario that the command sets, with their values."""
        return {}


@dataclass(frozen=True)
class Unknown(RunCommand):
    """A command of a session file that this program only knows by name: one that began a run, or one of a plug-in that
    is not loaded. It cannot be made again.

    name : its words.
    """

    name: str

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history, which was stored with it."""
        return self.name

    def carry_out(self, loader: Any) -> Sequence[RunCommand]:
        """InputError: this program does not know the command."""
        raise InputError(f"this program does not know the command {self.name}")


def _fits(command: type[RepeatableCommand], others: Sequence[type[RepeatableCommand]]) -> None:
    if not command.kind or command.kind in {other.kind for other in others}:
        raise InputError(f"the command {command.__name__} needs its own kind, not {command.kind!r}")


def _fits_of_plug_in(command: Any, others: Sequence[Any]) -> None:
    if not (isinstance(command, type) and issubclass(command, RunCommand)):
        raise InputError("its command of a run is not a class derived from RunCommand")
    if not issubclass(command, RepeatableCommand):
        raise InputError(f"the command {command.__name__} cannot be made again: derive it from RepeatableCommand")
    _fits(command, (*COMMANDS.parts, *others))


COMMANDS: Registry[type[RepeatableCommand]] = Registry(_fits)
"""The program's own commands that a session file may contain."""

plugins.check("run_command", _fits_of_plug_in)


def register(command: type[C]) -> type[C]:
    """Add a command to the registry; used as a decorator."""
    COMMANDS.add(command)
    return command


def commands() -> dict[str, type[RepeatableCommand]]:
    """All commands that a session file may contain, by their kind."""
    return {one.kind: one for one in (*COMMANDS.parts, *plugins.added_parts("run_command"))}


@cache
def _adapter(command: type[RepeatableCommand]) -> TypeAdapter[RepeatableCommand]:
    return TypeAdapter(command)


def from_plain(kind: str, values: Mapping[str, Any]) -> RepeatableCommand | Unknown:
    """The command of a file; `Unknown` if this program has none of this kind. InputError if its arguments do not
    fit."""
    found = commands().get(kind)
    if found is None:
        return Unknown(kind)
    known = {field.name for field in fields(found)}
    if not values.keys() <= known:
        raise InputError(f"the command {kind} has no argument {min(values.keys() - known)}")
    try:
        return _adapter(found).validate_python(dict(values))
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise InputError(f"the command {kind} is damaged at {place}") from None


Effect = Literal["begins", "live", "anew", "waits"]
"""How a log repeats a command; see `LogEntry`."""


@dataclass(frozen=True)
class Beginning:
    """The first state of a run.

    Parameters
    ----------
    scenario : in which it began.
    start : the state in which it began, if its scenario does not lead there again: that of a saved session, or of a
        file, which may change. None for the state that `engine.create` makes.
    by_scenario : whether `engine.create` makes this state.
    then : the scenario of the second simulation of a comparison, made from the first state by `engine.carry_on`; None
        for the simulation that has this state.
    waiting : values of keys for which the method of the first state has no use.
    """

    scenario: Scenario
    start: Checkpoint | None = None
    by_scenario: bool = True
    then: Scenario | None = None
    waiting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether the first state is known, so that the run can be made again."""
        return self.by_scenario or self.start is not None

    def create(self) -> Simulation:
        """A new simulation in the first state of the run."""
        made = engine.create(self.scenario) if self.start is None else engine.restore(self.start)
        return made if self.then is None else engine.carry_on(made, self.then)


@dataclass(frozen=True)
class LogEntry:
    """One line of a log.

    Parameters
    ----------
    command : what was asked.
    lanes : the simulations that it changed: 0, or 0 and 1 side by side.
    time : exact simulation time at which they took it over. Time stepping takes over at its last whole step.
    effect : how the log repeats it (`Log.changes`). "live": it is done again; "anew": it is done again, and all values
        that wait take effect with it; "waits": the present method has no use for the value, which waits for the next
        "anew"; "begins": it started the run and is not repeated.
    words : its name in the history.
    """

    command: RunCommand
    lanes: tuple[int, ...]
    time: float
    effect: Effect
    words: str


class Change(NamedTuple):
    """A change of a simulation at a time, as the log repeats it.

    waiting : values of keys, set earlier, that take effect with it.
    """

    time: float
    command: RepeatableCommand
    waiting: Mapping[str, Any]


@dataclass(frozen=True)
class Log:
    """How a run came about. It is never shortened: each change gives a longer log, and this one stays as it is.

    Parameters
    ----------
    beginnings : the first state of each simulation; only one, if two side by side share it; none for a recording.
    entries : in the order in which they were carried out.
    since : how many of the entries came before `beginnings`, as those before a session was saved may.
    """

    beginnings: tuple[Beginning, ...] = ()
    entries: tuple[LogEntry, ...] = ()
    since: int = 0

    def beginning(self, lane: int = 0) -> Beginning | None:
        """The first state of a simulation."""
        return self.beginnings[min(lane, len(self.beginnings) - 1)] if self.beginnings else None

    @property
    def starting_entries(self) -> tuple[LogEntry, ...]:
        """The entries that say how the run was started."""
        return tuple(one for one in self.entries if one.effect == "begins")

    def began_with(self, kind: type[Begun]) -> Begun | None:
        """The last command of this kind with which the run began, None without one."""
        return next((one.command for one in reversed(self.starting_entries) if isinstance(one.command, kind)), None)

    def for_two(self) -> Log:
        """The log of two simulations that both came about as this one did."""
        return replace(self, entries=tuple(replace(one, lanes=(0, 1)) for one in self.entries))

    def with_entry(self, entry: LogEntry) -> Log:
        """A copy of the log with one more entry."""
        return replace(self, entries=(*self.entries, entry))

    def of(self, lane: int) -> Log:
        """The log of a run with one of the two simulations alone."""
        beginning = self.beginning(lane)
        kept = [(number, one) for number, one in enumerate(self.entries) if lane in one.lanes]
        return Log(
            () if beginning is None else (beginning,),
            tuple(replace(one, lanes=(0,)) for _number, one in kept),
            sum(number < self.since for number, _one in kept),
        )

    def can_be_made_again(self, lane: int = 0) -> bool:
        """Whether it holds all that is needed to make a simulation again."""
        beginning = self.beginning(lane)
        later = (one for one in self.entries[self.since :] if lane in one.lanes and one.effect != "begins")
        repeatable = all(isinstance(one.command, RepeatableCommand) for one in later)
        return beginning is not None and beginning.known and repeatable

    def changes(self, lane: int = 0, until_time: float = inf) -> Iterator[Change]:
        """The changes up to a time that a simulation notices, of a log that can be made again."""
        beginning = self.beginning(lane)
        waiting = {} if beginning is None else dict(beginning.waiting)
        for entry in self.entries[self.since :]:
            if lane not in entry.lanes or entry.effect == "begins":
                continue
            if entry.time > until_time:
                return
            command = entry.command
            assert isinstance(command, RepeatableCommand)
            if entry.effect == "waits":
                waiting |= command.values
            elif entry.effect == "anew":
                yield Change(entry.time, command, waiting)
                waiting = {}
            else:
                yield Change(entry.time, command, {})


class Repetition:
    """A run that is made again, on one thread at a time.

    log, lane : of the run, and which of its simulations.

    Attributes
    ----------
    simulation : the run, at first in its first state. Another object after some changes.
    """

    def __init__(self, log: Log, lane: int = 0) -> None:
        beginning = log.beginning(lane)
        assert beginning is not None
        self._changes = list(log.changes(lane))
        self.simulation = beginning.create()

    def advance(self, until: float, budget: float) -> Progress:
        """Work for about `budget` seconds towards a simulation time, and make the changes up to it."""
        if not self._changes or self._changes[0].time > until:
            return self.simulation.advance(until, budget)
        progress = self.simulation.advance(self._changes[0].time, budget)
        if progress.reached or progress.finished:
            change = self._changes.pop(0)
            self.simulation = change.command.again(self.simulation, change.waiting)
        return replace(progress, time=self.simulation.time, reached=False, finished=False)


def script(log: Log, until_time: float, **picture: Any) -> str:
    """The text of a script that makes a run up to a time and draws it.

    Parameters
    ----------
    log : of the run, whose first simulation is made. Changes after `until_time` are left out.
    until_time : simulation time at the end.
    picture : arguments of `engine.plot`.

    Raises
    ------
    InputError
        The system comes from a plug-in, which the script would not find, or the run does not begin with a scenario.
    """
    beginning = log.beginning()
    if beginning is None or not repeatable(log):
        raise InputError("a script cannot reproduce this run: it did not begin from a scenario")
    kind = system_of(beginning.scenario)
    if kind.origin:
        raise InputError(f"{kind.title} comes from a plug-in, which a script on its own cannot use", "system")
    clock = kind.clock
    lines = [
        f'"""The run up to {clock.symbol} = {until_time:.6g}, repeated bit for bit, and its picture."""',
        "",
        "import engine",
        "",
        *_beginning(beginning.scenario),
        "simulation = engine.create(scenario)",
    ]
    for change in log.changes(until_time=until_time):
        lines.append(f"simulation.run(until_time={change.time!r})")
        lines += change.command.python(change.waiting)
    told = "".join(f", {name}={value!r}" for name, value in picture.items())
    lines += [
        f"simulation.run(until_time={until_time!r})",
        "",
        f"axes = engine.plot(simulation{told})",
        'axes.figure.savefig("discs.png", dpi=200)',
    ]
    return "\n".join(lines) + "\n"


def repeatable(log: Log) -> bool:
    """Whether a script can make the first simulation of a run again: from its scenario, or the file that this names."""
    beginning = log.beginning()
    from_file = beginning is not None and bool(beginning.scenario.discs.file) and not log.since
    return log.can_be_made_again() and beginning is not None and (beginning.by_scenario or from_file)


def _beginning(scenario: Scenario) -> list[str]:
    """The lines of Python that make the scenario, from the values that differ from the defaults."""
    usual = Scenario()
    values = {key: scenario.value(key) for key in scenario_keys() if scenario.value(key) != usual.value(key)}
    if usual.with_values(values) != scenario:  # some values cannot be set by a key
        return ['scenario = engine.Scenario.from_toml("""', scenario.to_toml().replace("\\", "\\\\").strip(), '""")']
    if not values:
        return ["scenario = engine.Scenario()"]
    return [
        "scenario = engine.Scenario().with_values(",
        "    {",
        *(f'        "{key}": {value!r},' for key, value in values.items()),
        "    }",
        ")",
    ]
