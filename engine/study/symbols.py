"""Symbols in plain text, ``V_f`` and ``t^-1``: as HTML, and as matplotlib sets them.

Names of quantities are written so everywhere; files and terminals show them as they are.
"""

from __future__ import annotations

import re
from html import escape

_SYMBOL = re.compile(r"\b([^\W\d_])_([A-Za-z0-9]+)\b")
_LETTER = re.compile(r"(?<!\w)([^\W\d_])(?= =)|^([^\W\d_])$")  # "N = 400", and "N" alone
_POWER = re.compile(r"\b([^\W\d_])\^(-?(?:\w|\d+(?:\.\d+)?))(?![\w.])")


def has_symbols(text: str) -> bool:
    """Whether a text has a letter with an index or a power, one before "=", or is a single letter."""
    return any(one.search(text) for one in (_SYMBOL, _POWER, _LETTER))


def as_html(text: str) -> str:
    """Plain text as HTML: slanted letters with their index below and their power above."""
    letters = _LETTER.sub(r"<i>\1\2</i>", escape(text))
    return _SYMBOL.sub(r"<i>\1</i><sub>\2</sub>", _POWER.sub(r"<i>\1</i><sup>\2</sup>", letters))


def as_mathtext(text: str) -> str:
    """Plain text for matplotlib, with the symbols between dollar signs."""
    return _POWER.sub(r"$\1^{\2}$", _SYMBOL.sub(r"$\1_{\2}$", text))
