"""Where in a file something is wrong, so that every message about a file begins in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError


@dataclass(frozen=True)
class Location:
    """A file, or one part of it, that a message names: ``states.xyz, line 3``.

    Parameters
    ----------
    path : the file. It is the `key` of the errors that are made here.
    part : what of the file is meant, such as ``line 3`` or ``frame 0``; "" for the file as a whole.
    """

    path: Path
    part: str = ""

    def __str__(self) -> str:
        """The beginning of a message."""
        return f"{self.path}, {self.part}" if self.part else str(self.path)

    def line(self, number: int) -> Location:
        """A line of this file, counted from 1."""
        return Location(self.path, f"line {number}")

    def frame(self, number: int) -> Location:
        """A frame of this file, counted from 0."""
        return Location(self.path, f"frame {number}")

    def error(self, sentence: str) -> InputError:
        """The error ``PATH, line 3: SENTENCE``; the caller raises it."""
        return InputError(f"{self}: {sentence}", str(self.path))

    def fault(self, predicate: str) -> InputError:
        """The error ``PATH, line 3 PREDICATE``, of which the file is the subject: ``PATH is empty``."""
        return InputError(f"{self} {predicate}", str(self.path))

    def unreadable(self, error: OSError | ValueError) -> InputError:
        """The error for a file that the system does not give; `error` is what it raised."""
        reason = error.strerror if isinstance(error, OSError) else None
        return self.fault(f"cannot be read: {reason or error}")
