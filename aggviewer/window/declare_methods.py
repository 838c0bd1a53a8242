"""The commands about methods: which one runs, two side by side, a look inside one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.window.commands import Command

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

METHODS = {"event-driven": ("ED", "Event-driven"), "time-stepping": ("TS", "Time stepping")}
"""Method to the short name in the bar and the name in menus."""

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
            "Both methods, elastic and inelastic collisions, or two rules, side by side from the same initial state",
            "mdi6.compare-horizontal",
            checked=lambda: comparing.on,
        )
    )
    add(
        Command(
            "method.compare_steps",
            "Compare two time steps",
            comparing.compare_steps,
            ("Shift+C",),
            "Time stepping with the present step and with half of it, side by side from the same initial state",
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
