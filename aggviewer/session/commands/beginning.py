"""Beginning runs: from scenarios, files and saved sessions, and returning to earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from aggviewer.session.commands.changes import change_of_scenario
from aggviewer.session.log import RunCommand
from aggviewer.session.notices import emit
from aggviewer.session.run.run import shown_frame, write_state
from engine.errors import typed_path
from engine.files import FileFrame
from engine.scenario.source import title_of

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from aggviewer.session.saved.state import SessionState
    from engine.scenario import Scenario


@dataclass(frozen=True)
class StartRun(RunCommand):
    """Begin a run of a scenario. If it is invalid, the present run continues.

    Parameters
    ----------
    scenario : of the run.
    to_run : run it, pause it, or keep the present mode (None).
    alone : end a comparison.
    title : what people call it; "" for a change of the present scenario.
    """

    scenario: Scenario
    to_run: bool | None = None
    alone: bool = False
    title: str = ""

    replaces: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        """The scenario: all starts of one drag of a slider are one step of *Undo*."""
        return "scenario"

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history: its title, or the values that differ from the scenario before, such as "N = 500"."""
        return f"opening “{self.title}”" if self.title else change_of_scenario(scenario, self.scenario)

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        variant = None if self.alone else loader.present.variant
        loader.start(lambda: self.scenario, variant, self.to_run, self, opened=self.title)
        return ()


@dataclass(frozen=True)
class Restart(RunCommand):
    """Begin again with the same scenario, or a recording with its first frame. seed : another one; None for the
    same."""

    seed: int | None = None

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history: a restart, or a new seed."""
        return "restart" if self.seed is None else "new seed"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        scenario, run = loader.scenario, loader.present
        if run.replay is not None:
            loader.playback.restart()
        elif scenario is not None:
            next_scenario = scenario if self.seed is None else scenario.with_values({"seed": self.seed})
            same = self.seed is None
            compared_from = run.compared_from if same else None
            loader.start(lambda: next_scenario, run.variant, None, self, is_restart=same, compared_from=compared_from)
        return ()


@dataclass(frozen=True)
class Open(RunCommand):
    """Open a scenario file, a state file, a recording, a session file, or a bundled scenario by its name.

    Parameters
    ----------
    source : the file or name.
    to_run : whether to run it; a session opens as it was saved: paused, unless it was running and `to_run` allows it.
    otherwise : what to open if that fails and there is nothing yet.
    """

    source: str | Path
    to_run: bool | None = None
    otherwise: str | None = None

    replaces: ClassVar[bool] = True

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history, with the title, or else the name of the file."""
        name, title = Path(self.source).name, title_of(self.source)
        return f"opening {name}" if title == name else f"opening “{title}”"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        path = typed_path(self.source)
        opened = loader.open(self.source, self.to_run, self)
        if isinstance(self.source, Path) or path.is_file():  # not a bundled scenario of a menu, which is a str
            emit(loader.signals.file_opened if opened else loader.signals.file_refused, path)
        if not opened and self.otherwise is not None and loader.runner.state == "empty" and not loader.replaced_soon():
            loader.open(self.otherwise, self.to_run, self)
        return ()


@dataclass(frozen=True)
class Resume(RunCommand):
    """Continue from a session state. state : its simulations and its log."""

    state: SessionState

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history."""
        return "opening"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        loader.resume(self.state, None, self)
        return ()


@dataclass(frozen=True)
class StartFromShown(RunCommand):
    """Begin a run from the state on the screen; for a change of this state derive a class from it.

    path : a .gsd file, which stores the state; the scenario names it.
    """

    path: Path

    def words(self, scenario: Scenario | None) -> str:
        """See `RunCommand`."""
        return "start from the state shown"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        frame = shown_frame(loader.present)
        told = self.of(frame)
        changed, values = self.change(frame)
        write_state(self.path, changed)
        if changed is frame and not values:
            loader.start(lambda: loader.builder.read(self.path), loader.present.variant, None, told)
        else:
            scenario = loader.builder.read(self.path).with_values(values)
            loader.start(lambda: scenario, None, True, told)
        return ()

    def of(self, frame: FileFrame) -> StartFromShown:
        """The command as the log stores it, completed by what it needs to know of the state on the screen. InputError
        if it does not fit this state."""
        return self

    def change(self, frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
        """The first state of the new run from the one on the screen, and scenario keys with their values; if it is
        another one, it runs alone and at once. InputError if there is none."""
        return frame, {}
