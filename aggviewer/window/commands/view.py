"""All commands of the window, declared once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from aggviewer.session.fields import known_fields
from aggviewer.session.view import BACKGROUNDS, Theme
from aggviewer.systems.registry import most_plots
from aggviewer.window.commands.command import Command
from aggviewer.window.commands.files import declare_files, declare_past
from aggviewer.window.commands.jamming import declare_jamming
from aggviewer.window.commands.lessons import declare_lessons
from aggviewer.window.commands.methods import declare_methods
from aggviewer.window.files.file_dialogs import SystemInformation, show_about

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

COLORMAPS = ("viridis", "cividis", "plasma", "magma", "batlow")
THEMES: dict[Theme, str] = {"system": "As the desktop", "dark": "Dark", "light": "Light"}
OVERLAYS = {
    "show_scale_bar": "Scale bar",
    "show_legend": "Legend",
    "show_time": "Time in the picture",
    "show_box": "Outline of the box",
}
_SEEDS = 1_000_000  # new seeds are below this: short enough to be read out


def declare(window: MainWindow) -> None:
    """Declare every command of the window."""
    _declare_run(window)
    _declare_edit(window)
    declare_jamming(window)
    declare_methods(window)
    declare_past(window)
    declare_files(window)
    _declare_view(window)
    _declare_help(window)
    declare_lessons(window)


def _declare_run(w: MainWindow) -> None:
    session, add = w.session, w.commands.add
    add(Command("run.toggle", "Run or pause", session.toggle, ("Space",), icon="mdi6.play-pause"))
    add(
        Command(
            "run.step_event",
            "Single event",
            session.step_event,
            ("Right",),
            "Pause, and go on to the next merge or wall reflection",
            "mdi6.skip-next-outline",
        )
    )
    add(
        Command(
            "run.step_frame",
            "Single frame",
            session.step_frame,
            ("Shift+Right", "."),
            "Pause, and go on by one frame of simulation time",
            "mdi6.step-forward",
        )
    )
    add(
        Command(
            "run.restart",
            "Restart",
            lambda: session.restart(),
            ("R",),
            "Begin again with the same seed",
            "mdi6.restart",
        )
    )
    add(
        Command(
            "run.new_seed",
            "Restart with a new seed",
            lambda: session.restart(random.randrange(_SEEDS)),
            ("Shift+R",),
            "Begin again with other random numbers",
            "mdi6.dice-multiple-outline",
        )
    )
    add(
        Command(
            "run.fastest",
            "Fast",
            w.toggle_fastest,
            ("A",),
            "No pace, but frame by frame, so that a run of any size is seen",
            "mdi6.fast-forward",
            checked=lambda: w.transport.goes(fast=True),
        )
    )
    add(
        Command(
            "run.no_limit",
            "No limit",
            lambda: w.toggle_fastest(fast=False),
            ("Shift+A",),
            "No pace, as fast as the engine can: a small run is over at once, and can be looked back at",
            "mdi6.chevron-triple-right",
            checked=lambda: w.transport.goes(fast=False),
        )
    )
    add(Command("run.faster", "Faster", lambda: w.transport.change_speed(2.0), ("+", "="), "Twice the playback speed"))
    add(Command("run.slower", "Slower", lambda: w.transport.change_speed(0.5), ("-",), "Half the playback speed"))


def _declare_edit(w: MainWindow) -> None:
    session, add = w.session, w.commands.add
    add(Command("edit.undo", "Undo", session.undo, ("Ctrl+Z",), "Take back what was done last", "mdi6.undo"))
    add(Command("edit.redo", "Redo", session.redo, ("Ctrl+Shift+Z", "Ctrl+Y"), "Do it again", "mdi6.redo"))


def _declare_view(w: MainWindow) -> None:
    add, view = w.commands.add, w.session.view
    add(
        Command(
            "view.fit", "Fit the box", w.pictures.fit, ("F",), "The whole box in view", "mdi6.fit-to-screen-outline"
        )
    )
    for field in known_fields():
        add(
            Command(
                f"view.color_by_{field.name}",
                f"Colour by {field.label.lower()}",
                lambda name=field.name: setattr(view, "color_by", name),  # type: ignore[misc]
                checked=lambda name=field.name: w.systems.color_by == name,  # type: ignore[misc]
            )
        )
    for name in COLORMAPS:
        add(
            Command(
                f"view.colormap_{name}",
                f"Colour map {name}",
                lambda name=name: setattr(view, "colormap", name),  # type: ignore[misc]
                checked=lambda name=name: view.colormap == name,  # type: ignore[misc]
            )
        )
    for name in BACKGROUNDS:
        add(
            Command(
                f"view.background_{name}",
                f"{name.capitalize()} background",
                lambda name=name: setattr(view, "background", name),  # type: ignore[misc]
                checked=lambda name=name: view.background == name,  # type: ignore[misc]
            )
        )
    for name, text in OVERLAYS.items():
        add(
            Command(
                f"view.{name}",
                text,
                lambda name=name: setattr(view, name, not getattr(view, name)),  # type: ignore[misc]
                checked=lambda name=name: bool(getattr(view, name)),  # type: ignore[misc]
            )
        )
    add(
        Command(
            "view.flash_contacts",
            "Flash contacts",
            lambda: setattr(view, "flash_contacts", not view.flash_contacts),
            ("X",),
            "Collisions, merges and wall reflections light up and fade; a low speed or → shows single ones",
            checked=lambda: view.flash_contacts,
        )
    )
    add(
        Command(
            "view.show_forces",
            "Force network",
            lambda: setattr(view, "show_forces", not view.show_forces),
            ("W",),
            "Contacts as wide as their forces, on dimmed discs; rattlers hollow",
            checked=lambda: view.show_forces,
        )
    )
    for theme, text in THEMES.items():
        add(
            Command(
                f"view.theme_{theme}",
                f"Theme: {text.lower()}",
                lambda theme=theme: setattr(view, "theme", theme),  # type: ignore[misc]
                checked=lambda theme=theme: view.theme == theme,  # type: ignore[misc]
            )
        )
    add(
        Command(
            "view.parameters",
            "Parameters",
            lambda: w.toggle_dock(w.parameters_dock),
            ("F9",),
            "Show or hide the parameters",
            checked=lambda: not (w.parameters_dock.isHidden() or w.side_panels.behind(w.parameters_dock)),
        )
    )
    add(
        Command(
            "view.plots",
            "Plots",
            lambda: w.toggle_dock(w.plots_dock),
            ("F10",),
            "Show or hide the plots",
            checked=lambda: not (w.plots_dock.isHidden() or w.side_panels.behind(w.plots_dock)),
        )
    )
    for number in range(1, most_plots() + 1):  # their names follow the system
        add(
            Command(
                f"plots.{number}",
                f"Plot {number}",
                lambda number=number: w.focus_plot(number),  # type: ignore[misc]
                (str(number),),
                "This plot alone; the same key again brings all back",
                checked=lambda number=number: w.plots.shown == number,  # type: ignore[misc]
            )
        )
    add(
        Command(
            "view.presenter",
            "Presenter mode",
            w.toggle_presenter,
            ("P",),
            "The picture and one plot in large type, nothing else",
            "mdi6.presentation",
            checked=lambda: w.presenter.on,
        )
    )
    add(
        Command(
            "view.full_screen",
            "Full screen",
            w.toggle_full_screen,
            ("F11",),
            icon="mdi6.fullscreen",
            checked=w.isFullScreen,
        )
    )
    add(Command("view.leave", "Leave", w.leave, ("Esc",), "Leave a field, a message, presenter mode or full screen"))


def _declare_help(w: MainWindow) -> None:
    add = w.commands.add
    add(Command("help.palette", "Commands…", w.palette_popup.open, ("Ctrl+Shift+P",), "Find a command by its name"))
    add(Command("help.keys", "Keys", w.show_keys, ("?", "F1"), "All keys at one glance"))
    add(Command("help.welcome", "Welcome", w.welcoming.show, tooltip="Three scenarios to begin with"))
    add(
        Command(
            "help.system",
            "System information…",
            lambda: SystemInformation(w).open(),
            tooltip="What a bug report needs",
        )
    )
    add(Command("help.about", "About aggviewer…", lambda: show_about(w)))
