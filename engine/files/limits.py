"""How much a file may ask for; what goes beyond is refused with a sentence, before memory is taken for it."""

from __future__ import annotations

from pathlib import Path

from engine.errors import InputError

MAX_DISCS = 10_000_000  # in one frame
MAX_LINE = 1 << 16  # bytes of a line of text
MAX_TEXT_FRAMES = 1 << 24
MAX_INDEX_ENTRIES = 1 << 23  # of a GSD file: 32 bytes each; about 1.2 million frames of a recording
MAX_NAME_BYTES = 1 << 20  # all names of chunks of a GSD file
MAX_SCENARIO = 1 << 20  # bytes of TOML
MAX_READ_AT_ONCE = 1 << 31  # bytes of a file that `read` takes whole


def size_of(path: Path) -> int:
    """Bytes of a file that is there and not empty; InputError for anything else."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is not a file" if path.exists() else f"{path} does not exist", str(path))
        size = path.stat().st_size
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"{path} cannot be read: {reason or error}", str(path)) from None
    if size == 0:
        raise InputError(f"{path} is empty", str(path))
    return size


def check_count(path: Path, where: str, count: int) -> int:
    """The number of discs of a frame, where it is one that can be shown."""
    if count < 1:
        raise InputError(f"{where}: there are no discs", str(path))
    if count > MAX_DISCS:
        raise InputError(f"{where}: {count} discs, at most {MAX_DISCS} can be read", str(path))
    return count


def plain(text: str) -> str:
    """Words of a file as they may stand in a message: short, and without what would act on a terminal."""
    return "".join(letter if letter.isprintable() else "·" for letter in text[:40])
