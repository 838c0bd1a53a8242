"""The application: window, command line, session. Numerics live in `engine`."""

from engine import __version__

__all__ = ["__version__"]
