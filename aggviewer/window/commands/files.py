"""The commands about files and about what was: open, save, record, look back."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from aggviewer.window.commands.command import Command

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow


def declare_files(w: MainWindow) -> None:
    """Declare what reads and writes files."""
    add, files, recording = w.commands.add, w.files, w.recording
    add(
        Command(
            "file.open",
            "Open…",
            files.ask_open,
            ("Ctrl+O",),
            "Open a scenario, a state or a recording",
            "mdi6.folder-open-outline",
        )
    )
    add(
        Command(
            "file.save",
            "Save scenario…",
            files.ask_save,
            ("Ctrl+S",),
            "Save the scenario that runs, every default written out",
            "mdi6.content-save-outline",
        )
    )
    add(
        Command(
            "file.save_session",
            "Save session…",
            w.save_session,
            ("Ctrl+Alt+S",),
            "Save all that is needed to go on tomorrow, bit for bit",
        )
    )
    add(
        Command(
            "file.save_state",
            "Save state as…",
            recording.ask_save_state,
            ("Ctrl+E",),
            "Save the discs that are shown: GSD, extended XYZ, LAMMPS dump or CSV",
        )
    )
    add(
        Command(
            "file.contacts",
            "Save contacts…",
            w.jamming.ask_save_contacts,
            tooltip="Save the contacts of the packing that is shown, with their forces, as a table: CSV",
        )
    )
    add(
        Command(
            "file.record",
            "Record…",
            recording.toggle,
            ("Ctrl+R",),
            "Record the run into a file that OVITO, freud and HOOMD read; again to end it",
            "mdi6.record-circle-outline",
            checked=lambda: recording.on,
        )
    )
    add(
        Command(
            "file.snapshot",
            "Snapshot",
            files.snapshot,
            ("S",),
            "Save the picture as PNG, in the size used last",
            "mdi6.camera-outline",
        )
    )
    add(
        Command(
            "file.snapshot_as",
            "Snapshot as…",
            w.exporting.ask_picture,
            ("Ctrl+Shift+S",),
            "Choose format, size and file: PNG, or SVG and PDF for papers",
        )
    )
    add(Command("file.copy", "Copy the picture", w.exporting.copy, ("Ctrl+C",), "The picture, to the clipboard"))
    add(
        Command(
            "file.film",
            "Film…",
            w.exporting.ask_film,
            ("Ctrl+F",),
            "Make a film of the run from here on, or of the recording: MP4, WebM, GIF or pictures",
            "mdi6.movie-open-outline",
        )
    )
    add(
        Command(
            "file.plots",
            "Save plots…",
            w.exporting.ask_plots,
            ("Ctrl+P",),
            "The plots that are shown, as SVG, PDF or PNG, with their data as CSV",
        )
    )
    add(Command("file.quit", "Quit", w.quit, ("Ctrl+Q",)))
    for entry in w.catalog.entries:
        add(
            Command(
                f"scenario.{entry.name}",
                entry.title,
                lambda name=entry.name: w.open_bundled(name),  # type: ignore[misc]
                tooltip=entry.description,
            )
        )


def declare_past(w: MainWindow) -> None:
    """Declare what looks back, in a run or in a recording."""
    session, add = w.session, w.commands.add
    add(
        Command(
            "run.step_back",
            "Back by one frame",
            session.step_back,
            ("Left",),
            "Pause, and look at the frame before",
            "mdi6.skip-previous-outline",
        )
    )
    live = add(
        Command(
            "run.live",
            "To the present",
            lambda: session.look_at(inf),
            ("End",),
            "Show the present state of the run again, from which it goes on",
            "mdi6.page-last",
        )
    )
    start = add(
        Command(
            "run.start_here",
            "Start from here",
            w.recording.start_here,
            ("N",),
            "Begin a new simulation from the discs that are shown",
            "mdi6.source-branch",
        )
    )
    live.setIconText("Live")
    start.setIconText("Start here")
    add(
        Command(
            "run.backwards",
            "Play backwards",
            lambda: session.play(backwards=not w.timeline_says("backwards")),
            ("B",),
            "Play the recording, or what was of the run, backwards; or forwards again",
            "mdi6.rewind-outline",
            checked=lambda: w.timeline_says("backwards"),
        )
    )
    add(
        Command(
            "run.loop",
            "Loop",
            lambda: session.play(loop=not w.timeline_says("loop")),
            ("L",),
            "Begin the recording again at its end",
            "mdi6.repeat",
            checked=lambda: w.timeline_says("loop"),
        )
    )
    add(
        Command(
            "run.log_time",
            "Line of time: log scale",
            lambda: w.set_log_time(not w.transport.timeline.log),
            tooltip="As much room for the first moments of a run as for all that came later",
            checked=lambda: w.transport.timeline.log,
        )
    )
    add(
        Command(
            "run.memory",
            "Memory for looking back…",
            w.recording.ask_memory,
            tooltip="How much memory the past of a run may take",
        )
    )
