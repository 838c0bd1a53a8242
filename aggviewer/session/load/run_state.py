"""The state of simulations, for a session file."""

from __future__ import annotations

from aggviewer.session.data import State
from aggviewer.session.load.runs import Run
from aggviewer.session.run.lanes import Lockstep
from aggviewer.session.saved.state import SessionState
from engine.capabilities import lent
from engine.errors import InputError


def run_state(drive: Lockstep, run: Run | None, did: State, *, lend: bool = False) -> SessionState:
    """A copy of the running simulations, without the view. On the simulation's thread, between two slices.

    Parameters
    ----------
    drive : the simulations.
    run : that they belong to, with its log.
    did : their state, which is restored when they are opened.
    lend : do not copy, for a file that is written before the simulations continue.

    Raises
    ------
    InputError
        There is no simulation.
    """
    if not drive.live:
        raise InputError("there is no simulation to save")
    first = drive.lanes[0]
    return SessionState(
        lanes=[lent(lane.simulation) if lend else lane.simulation.checkpoint() for lane in drive.lanes],
        scenarios=[lane.scenario.to_toml() for lane in drive.lanes],
        time=first.time,
        clusters=first.progress.clusters,
        count=first.simulation.count,
        variant=None if run is None or run.variant is None else dict(run.variant),
        log=None if run is None else run.log,
        saved_as=did if did in ("running", "paused", "finished") else None,
    )
