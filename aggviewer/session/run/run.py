"""A run with all that belongs to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aggviewer.session.data import State
from aggviewer.session.log.log import Log
from aggviewer.session.past.memory import KeptFrames
from aggviewer.session.past.player import Player
from aggviewer.session.past.replay import Replay
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.pacing import CATCH_UP
from aggviewer.session.run.recorder import RecordingThread
from aggviewer.session.saved.state import SessionState
from engine.capabilities import lent
from engine.errors import InputError
from engine.simulation import Stride

if TYPE_CHECKING:
    from engine.scenario import Scenario


class Run:
    """A run: its simulations, or the recording that it plays, with all that belongs to them. It stays one object from
    its start until nothing refers to it, whether it is shown, kept for *Undo* or waits for the end of a lesson.

    Parameters
    ----------
    lanes : zero, one or two; none while the first run is built, and once they have failed or could not be kept.
    log : how it came about; replaced by a longer one with each command.
    variant : the differences of the second lane.
    single : the run from which a comparison was started, else None.
    file : of a recording.
    state : what it does.
    scenarios : those of a run without lanes.
    wanted : whether it was last asked to run; a finished run that is restarted runs again.
    recorded : whether it is the recorded run that is shown until the first simulation is ready.

    Attributes
    ----------
    log, variant, single, file, state, wanted, recorded : as above.
    lockstep : advances the lanes.
    past : frames of the simulations that are kept in memory.
    player : plays the recording, or the past.
    looked_at : the earlier time that is shown, None for the present.
    held : whether an observer asks to pause after this slice.
    goal : limits of which one is to be reached, where it then pauses; None for no goal.
    recording : writes its frames to a file; None if it is not recorded.
    size : bytes of the simulations when it was set aside.
    """

    def __init__(
        self,
        lanes: Sequence[Lane] = (),
        log: Log | None = None,
        variant: dict[str, Any] | None = None,
        single: Run | None = None,
        *,
        file: Path | None = None,
        state: State = "empty",
        scenarios: Sequence[Scenario] = (),
        wanted: bool = False,
        recorded: bool = False,
    ) -> None:
        self.log = log or Log()
        self.variant = variant
        self.single = single
        self.file = file
        self.state: State = state
        self.looked_at: float | None = None
        self.wanted = wanted
        self.recorded = recorded
        self.held = False
        self.goal: Stride | None = None
        self.recording: RecordingThread | None = None
        self.size = 0
        self._scenarios = tuple(scenarios)
        self.begin(lanes)

    def begin(self, lanes: Sequence[Lane]) -> None:
        """Begin, or begin again, with these lanes and no past."""
        self.lockstep = Lockstep(lanes)
        self.past = KeptFrames()
        self.player = Player(longest=CATCH_UP)
        if self.replay is not None:
            self.player.take(self.replay.times)
            self.player.seek(self.replay.time)
            self.follow_player()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """One simulation or recording, two simulations side by side, or none."""
        return self.lockstep.lanes

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenario of each lane; of a run without lanes, of those that it had."""
        return tuple(lane.scenario for lane in self.lanes) or self._scenarios

    @property
    def time(self) -> float:
        """Simulation time that all lanes have reached."""
        return self.lockstep.time

    @property
    def worked(self) -> float:
        """Computing time up to the present state, in seconds."""
        return sum(lane.worked for lane in self.lanes)

    @property
    def replay(self) -> Replay | None:
        """The recording being played, None for a simulation."""
        alone = self.lanes[0].simulation if len(self.lanes) == 1 else None
        return alone if isinstance(alone, Replay) else None

    @property
    def live(self) -> bool:
        """Whether these are simulations, which can go on. False for a recording, and if there are none."""
        return bool(self.lanes) and self.replay is None

    @property
    def lost(self) -> bool:
        """Whether it has no lanes any more, as when it could not be kept; then it can only begin again."""
        return not self.lanes

    @property
    def happened(self) -> KeptFrames | Replay:
        """What can be shown again: the past of the simulations in memory, or the recording."""
        return self.replay or self.past

    @property
    def finished(self) -> bool:
        """Whether all lanes have ended, or the recording has been played to its end."""
        return self.lockstep.finished if self.replay is None else self.player.at_end

    def set_at_start(self, values: Mapping[str, Any]) -> None:
        """Set keys of the scenario of a run that has failed, for its next start. InputError for values that are not
        allowed."""
        first, *others = self._scenarios
        self._scenarios = (first.with_values(values), *others)

    # a recording

    def follow_player(self) -> None:
        """Go to the player's frame of the recording; a shortened file ends earlier."""
        replay = self.replay
        assert replay is not None
        replay.go_to(self.player.index)
        if len(replay.times) < len(self.player.stops):
            self.player.take(replay.times)
            self.player.seek(replay.time)
        self.lanes[0].progress = replay.progress()

    def rewind(self) -> None:
        """Go to the frame at which playback starts in the present direction."""
        self.player.rewind()
        self.follow_player()

    # from run to run

    def with_lanes(self, lanes: Sequence[Lane]) -> Run:
        """Another run that continues this one with other lanes, with the same past and the same log."""
        other = Run(log=self.log, variant=self.variant, file=self.file, state=self.state)
        other.lockstep = self.lockstep.with_lanes(lanes)
        other.past = self.past.copy()
        other.wanted = self.wanted
        return other

    def hand_over(self, other: Run) -> None:
        """Pass on to a run that continues this one what was asked of it: its goal and its recording."""
        other.goal, self.goal = self.goal, None
        other.recording, self.recording = self.recording, None

    def saved(self, *, lend: bool = False) -> SessionState:
        """The contents of a session file, without the view. Between two slices.

        lend : do not copy the simulations, for a file that is written before they continue. InputError if there are
        none.
        """
        if not self.live:
            raise InputError("there is no simulation to save")
        first = self.lanes[0]
        return SessionState(
            lanes=[lent(lane.simulation) if lend else lane.simulation.checkpoint() for lane in self.lanes],
            scenarios=[scenario.to_toml() for scenario in self.scenarios],
            time=first.time,
            clusters=first.progress.clusters,
            count=first.simulation.count,
            variant=None if self.variant is None else dict(self.variant),
            log=self.log,
            saved_as=self.state if self.state in ("running", "paused", "finished") else None,
        )

    # memory

    @property
    def nbytes(self) -> int:
        """Bytes that it uses while set aside."""
        return 0 if self.lost else self.size + self.past.nbytes

    def drop(self, patience: float | None = None) -> bool:
        """Release its simulations and its past. False if closing a file takes longer than `patience` seconds."""
        closed = self.close(patience)
        self._scenarios = self.scenarios
        self.begin(())
        return closed

    def close(self, patience: float | None = None) -> bool:
        """Close its files; False if that takes longer than `patience` seconds."""
        recorded = self.recording is None or self.recording.close(patience)
        return (self.replay is None or self.replay.close(patience)) and recorded
