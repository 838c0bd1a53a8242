"""What a process of this program does first: it chooses the Qt library, and writes to any terminal."""

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
    """Have the libraries that know several Qt libraries take PyQt6, whatever the environment says: two of them in one
    process do not work together. Before the first of these libraries is imported."""
    os.environ["PYQTGRAPH_QT_LIB"] = "PyQt6"
    os.environ["QT_API"] = "pyqt6"  # qtpy, and matplotlib


def write_anywhere() -> None:
    """Have stdout and stderr write what their encoding lacks with other letters (`spelled`), and never fail with it."""
    codecs.register_error("aggviewer", _spell)
    codecs.register(lambda name: _plain_ascii() if name == _ASCII else None)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=_ASCII if ascii_only else None, errors="aggviewer")


def _plain_ascii() -> codecs.CodecInfo:
    """ASCII under another name: to a stream that is called ASCII typer writes UTF-8."""
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
    """The handler of what cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return spelled(error.object[error.start : error.end]), error.end
