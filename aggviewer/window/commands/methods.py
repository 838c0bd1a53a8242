"""The commands about methods: which one runs, two side by side, a look inside one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.window.commands.command import Command

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

METHODS = {"event-driven": ("ED", "Event-driven"), "time-stepping": ("TS", "Time stepping")}
"""Method to the short name in the bar and the name in menus."""

COMPARISONS = ("method.compare", "method.compare_start", "method.compare_steps")
"""The commands that put two runs side by side."""

_TIPS = {
    "event-driven": "Carry on with exact events, from contact to contact",
    "time-stepping": "Carry on with time steps Δt and a minimisation in each",
}
_KEYS = {"event-driven": "E", "time-stepping": "T"}


def declare_methods(w: MainWindow) -> None:
    """Declare them; the short name is the text of a button in a bar."""
    comparing, add = w.comparing, w.commands.add
    for method, (short, text) in METHODS.items():
        action = add(
            Command(
                f"method.{method}",
                text,
                lambda method=method: comparing.switch(method),  # type: ignore[misc]
                (_KEYS[method],),
                _TIPS[method],
                checked=lambda method=method: comparing.runs_method(method),  # type: ignore[misc]
            )
        )
        action.setIconText(short)
    add(
        Command(
            "method.compare",
            "Compare",
            comparing.toggle_methods,
            ("C",),
            "Both methods, elastic and inelastic collisions, or two rules, side by side from the present state on; "
            "again to have the single run back",
            "mdi6.compare-horizontal",
            checked=lambda: comparing.on,
        )
    )
    add(
        Command(
            "method.compare_start",
            "Compare from the start",
            comparing.compare_from_start,
            ("Ctrl+Shift+C",),
            "The same, both from the initial state; the run that is shown is kept until then",
        )
    )
    add(
        Command(
            "method.compare_steps",
            "Compare two time steps",
            comparing.compare_steps,
            ("Shift+C",),
            "Time stepping with the present step and with half of it, side by side from the present state on",
        )
    )
    add(
        Command(
            "method.inside",
            "Inside one step",
            w.toggle_inside,
            ("I",),
            "Play the next time step with a collision slowly: flight, overlaps, minimisation, new velocities",
            "mdi6.magnify-scan",
            checked=lambda: w.inside.on,
        )
    )
