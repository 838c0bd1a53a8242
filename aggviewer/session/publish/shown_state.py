"""What is shown, as a state for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.run.runner import Runner
from engine.errors import InputError
from engine.files import FileFrame
from engine.simulation import Frame

if TYPE_CHECKING:
    from engine.scenario import Scenario


def shown_frame(runner: Runner, scenario: Scenario | None) -> FileFrame:
    """The state of the first lane that is on the screen; of time stepping in the present its last whole step, in which
    nothing overlaps. InputError where there is nothing yet."""
    if not runner.lanes:
        raise InputError("there is no state to write yet")
    lane = runner.lanes[0]
    kept: tuple[Frame, ...] | None = None
    if runner.status.past is not None:
        kept = runner.frames.memory.at(runner.status.past)
    frame = kept[0] if kept is not None else lane.simulation.settled()
    return FileFrame.of(frame, lane.system, scenario.to_toml() if scenario is not None else "")
