"""Upper limits for what is read from a file. A file that exceeds one is refused before memory is allocated for it.

The limits of lengths, speeds and masses are in `engine.limits`.
"""

from __future__ import annotations

from pathlib import Path

from engine.files.location import Location
from engine.limits import MAX_COUNT

MAX_LINE = 1 << 16  # bytes of a line of text
MAX_TEXT_FRAMES = 1 << 24
MAX_INDEX_ENTRIES = 1 << 23  # of a GSD file: 32 bytes each; about 1.2 million frames of a recording
MAX_NAME_BYTES = 1 << 20  # all names of chunks of a GSD file
MAX_SCENARIO = 1 << 20  # bytes of TOML
MAX_READ_AT_ONCE = 1 << 31  # bytes of a file that `read` takes whole


def size_of(path: Path) -> int:
    """The size of a file in bytes. Raises InputError if it is missing, empty or not a file."""
    where = Location(path)
    try:
        exists, is_file = path.exists(), path.is_file()
        size = path.stat().st_size if is_file else 0
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise where.unreadable(error) from None
    if not is_file:
        raise where.fault("is not a file" if exists else "does not exist")
    if size == 0:
        raise where.fault("is empty")
    return size


def check_count(where: Location, count: int) -> int:
    """Return the number of discs of a frame. Raises InputError for 0 and for more than `MAX_COUNT`."""
    if count < 1:
        raise where.error("there are no discs")
    if count > MAX_COUNT:
        raise where.error(f"{count} discs, at most {MAX_COUNT} can be read")
    return count


def other_count(count: int, first: int) -> str:
    """The message about a frame of `count` discs in a file whose first frame has another number, `first`."""
    return f"{count} discs, but {first} in the first frame; a file whose number of discs changes cannot be shown"


def plain(text: str) -> str:
    """Text from a file made safe for a message: at most 40 characters, without control characters."""
    return "".join(letter if letter.isprintable() else "·" for letter in text[:40])
