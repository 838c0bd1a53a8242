"""Lessons use the window with runs of their own; the user's wait meanwhile. On the simulation's thread."""

from __future__ import annotations

from dataclasses import replace

from aggviewer.session.load.loader import Loader
from aggviewer.session.notices import emit
from aggviewer.session.run.run import Run


def stand_in(loader: Loader) -> None:
    """In a lesson that has started no run, continue with a copy of the user's own run, so that no command changes the
    run itself."""
    runner, own = loader.runner, loader.runner.runs.own.present
    if not runner.runs.is_aside or runner.lanes or not own.lanes:
        return

    def copy() -> Run:
        if own.replay is not None:
            return Run([loader.played(own.replay.shared())], own.log, file=own.file)
        return own.with_lanes(
            [lane.copied(loader.builder.copy(lane.simulation), replace(lane.system)) for lane in own.lanes]
        )

    copied = loader.made(copy, own.file.name if own.file is not None else "")
    if copied is None:
        runner.set_state("failed")
    else:
        loader.replace(copied, own.wanted)


def bring_back(loader: Loader) -> None:
    """Continue the user's own runs, unchanged, and close those of the lesson. If there were none, the lesson's present
    run becomes the user's own."""
    runner, runs = loader.runner, loader.runner.runs
    if not runs.is_aside:
        return
    if runs.own.present.state == "empty":
        runs.now.shelf.settle(())
        runs.own = runs.now
        return
    runner.leave()
    left, runs.now = runs.now, runs.own
    own = loader.present
    for lane in left.present.lanes[len(own.lanes) :]:
        lane.publisher.drop()
    for lane in own.lanes:
        lane.show_again()
    loader.say_scenarios()
    if own.lanes:
        emit(loader.signals.system_changed, own.lanes[0].system)
    runner.show_again(loader.playback.refresh)
    left.close()
