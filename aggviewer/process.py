"""The first steps of every process of this program: choose PyQt6, and make terminals of any encoding usable."""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata

_SIGNS = {
    "⟨": "<", "⟩": ">", "−": "-", "–": "-", "—": "-", "→": "->", "←": "<-", "×": "x", "·": "*", "±": "+-", "√": "sqrt",
    "≤": "<=", "≥": ">=", "≈": "~", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "✓": "x",
}  # fmt: skip
_ASCII = "aggviewer_ascii"
_GREEK = ("GREEK SMALL LETTER ", "GREEK CAPITAL LETTER ")


def use_pyqt6() -> None:
    """Make libraries that support several versions of Qt use PyQt6, whatever the environment says, since two versions
    in one process do not work. Call it before any of these libraries is imported."""
    os.environ["PYQTGRAPH_QT_LIB"] = "PyQt6"
    os.environ["QT_API"] = "pyqt6"  # qtpy, and matplotlib


def write_anywhere() -> None:
    """Make stdout and stderr spell out characters that their encoding lacks (`spelled`) instead of failing."""
    codecs.register_error("aggviewer", _spell)
    codecs.register(lambda name: _plain_ascii() if name == _ASCII else None)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=_ASCII if ascii_only else None, errors="aggviewer")


def _plain_ascii() -> codecs.CodecInfo:
    """ASCII under another name, since typer writes UTF-8 to a stream whose encoding is named ASCII."""
    known = codecs.lookup("ascii")
    return codecs.CodecInfo(
        known.encode, known.decode, known.streamreader, known.streamwriter, known.incrementalencoder,
        known.incrementaldecoder, _ASCII,
    )  # fmt: skip


def spelled(text: str) -> str:
    """The text in ASCII: ``ε`` is ``epsilon``, ``²`` is ``2``, what cannot be spelled is ``?``."""
    return "".join(letter if letter.isascii() else _spelled(letter) for letter in text)


def _spelled(letter: str) -> str:
    name = unicodedata.name(letter, "")
    greek = next((name.removeprefix(start).lower() for start in _GREEK if name.startswith(start)), "")
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return _SIGNS.get(letter) or (greek if greek.isalpha() else "") or plain or "?"


def _spell(error: UnicodeError) -> tuple[str, int]:
    """The error handler for characters that cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return spelled(error.object[error.start : error.end]), error.end
