"""Why there can be no window here, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_PLATFORM, _X11, _WAYLAND = "QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"
_AVAILABLE = "Available platform plugins are:"
_NO_CONNECTION = "could not connect to display"


def why_no_window(message: str, warnings: Sequence[str], environment: Mapping[str, str]) -> str:
    """What is wrong with the display, for a person.

    message : with which Qt gave up; warnings : what it said before; environment : the variables of the process.
    """
    platforms = [name.strip(" .\n") for name in message.partition(_AVAILABLE)[2].split(",")]
    asked = [name for name in environment.get(_PLATFORM, "").split(";") if name]
    unknown = [name for name in asked if name.partition(":")[0] not in platforms]
    if unknown and platforms != [""]:
        reason = f"{_PLATFORM} names {unknown[0]!r}, but Qt has {', '.join(sorted(platforms))} here"
    elif environment.get(_X11) and any(_NO_CONNECTION in warning for warning in warnings):
        reason = f"the display {environment[_X11]} ({_X11}) cannot be reached"
    elif environment.get(_WAYLAND):
        reason = f"the display {environment[_WAYLAND]} ({_WAYLAND}) cannot be reached"
    elif not environment.get(_X11):
        reason = f"neither {_X11} nor {_WAYLAND} is set"
    else:
        reason = (warnings[-1] if warnings else message.splitlines()[0]).strip().rstrip(".")
    return f"aggviewer cannot open its window: {reason}; `aggviewer run` and `render` need no display."
