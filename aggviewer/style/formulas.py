r"""Formulas in LaTeX: drawn as vector pictures, or written as a line of plain text.

In the program's texts a formula stands between dollar signs, ``the share $V_f$ of the box``, or as a block between
double dollar signs, ``$$T = \frac{T_0}{(1 + t/\tau)^2}$$``; ``\$`` is a dollar sign. This module knows no Qt: for
labels and tool tips see `aggviewer.style.formula_pictures`, for texts with lists and links `aggviewer.style.rich_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape

from engine.study.labels import as_html

LONGEST = 1000
"""Longest formula, in characters."""

BETWEEN_DOLLARS = re.compile(r"\$\$(?P<block>[^$]+)\$\$|\$(?P<inline>[^$]+)\$")
"""A formula in a text."""

_EM = 24.0  # pixels of the size in which a formula is drawn; all else is scaled
_IN_TEXT = re.compile(rf"\\\$|{BETWEEN_DOLLARS.pattern}")
_VIEW = re.compile(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)" viewBox="([-\d. ]+)"')
_SIGN = re.compile(r"(?<=[=(\[,])\s*-")  # of a number, which has no space around it as that of a difference has
_UNKNOWN = re.compile(r"<mi[^>]*>(\\[^<]*)</mi>")


class FormulaError(ValueError):
    """A formula cannot be drawn. The message is one sentence for its author."""


@dataclass(frozen=True)
class FormulaDrawing:
    """A formula as a picture.

    Parameters
    ----------
    svg : the picture in the colour of the text around it (``currentColor``).
    width, ascent, depth : in units of the size of the font; `ascent` above and `depth` below the baseline.
    """

    svg: str
    width: float
    ascent: float
    depth: float

    def in_color(self, color: str) -> str:
        """The picture in a colour such as ``#1b1f24``."""
        return self.svg.replace("currentColor", color)


@lru_cache(maxsize=1024)
def draw(latex: str, block: bool = False) -> FormulaDrawing:
    """Draw a formula; `block` with large signs and limits above and below, as on a line of its own.

    Raises
    ------
    FormulaError
        It is empty, too long, or not LaTeX that the library can read.
    """
    _check(latex)
    # imported on the first use: about 0.4 s, which the start of the window does without
    import ziamath
    from ziamath.tex import tex2mml

    try:
        source = _SIGN.sub("{-}", latex)
        unknown = _UNKNOWN.search(tex2mml(source, inline=not block))
        if unknown is None:
            ziamath.config.svg2 = False  # plain paths: Qt, and pages with many formulas, have problems with <symbol>
            svg = ziamath.Latex(source, size=_EM, color="currentColor", inline=not block).svg()
    except (Exception, RecursionError) as error:  # the library may raise any exception
        raise FormulaError(f"the formula {_quoted(latex)} cannot be read: {_words(error)}.") from error
    if unknown is not None:
        raise FormulaError(f"the formula {_quoted(latex)} has an unknown command, {unescape(unknown[1])}.")
    found = _VIEW.search(svg)
    if found is None:
        raise FormulaError(f"the formula {_quoted(latex)} cannot be drawn.")
    width, height, top = float(found[1]), float(found[2]), float(found[3].split()[1])
    return FormulaDrawing(svg, width / _EM, -top / _EM, (height + top) / _EM)


def problem(latex: str) -> str:
    """One sentence on why a formula cannot be drawn; "" if it can."""
    try:
        draw(latex)
    except FormulaError as error:
        return str(error)
    return ""


def web(latex: str, block: bool = False) -> str:
    """A formula for a web page, on the baseline and in the size and colour of the text around it.

    A formula that cannot be drawn is written as plain text.
    """
    try:
        drawn = draw(latex, block)
    except FormulaError:
        return escape(latex)
    box = f'width="{drawn.width:.3f}em" height="{drawn.ascent + drawn.depth:.3f}em"'
    svg = re.sub(r' width="[\d.]+" height="[\d.]+"', f" {box}", drawn.svg, count=1)
    style = "display:block;margin:0.6em auto" if block else f"vertical-align:-{drawn.depth:.3f}em"
    head = f'<svg role="img" aria-label="{escape(plain(latex))}" style="{style}"'
    return svg.replace("<svg", head, 1)


def replace_formulas(text: str, one: Callable[[str, bool], str]) -> str:
    """A text with each formula replaced by `one(source, is_block)`."""

    def give(found: re.Match[str]) -> str:
        source = found["block"] or found["inline"]
        return one(" ".join(source.split()), found["block"] is not None) if source else "$"

    return _IN_TEXT.sub(give, text)


def plain_text(text: str) -> str:
    """A text with its formulas as plain characters, for terminals, file headers and screen readers."""
    return replace_formulas(text, lambda latex, block: plain(latex)) if "$" in text else text


def plain_html(text: str) -> str:
    """`plain_text` of a text that is HTML."""
    return replace_formulas(text, lambda latex, block: escape(plain(unescape(latex)))) if "$" in text else text


def symbol_html(symbol: str) -> str:
    """A symbol as HTML: slanted, with its index below."""
    return as_html(symbol) if "_" in symbol else f"<i>{escape(symbol)}</i>"


@lru_cache(maxsize=1024)
def plain(latex: str) -> str:
    r"""A formula in one line of characters: ``\frac{1}{2} m v_i^2`` is ``1/2 m v_i²``.

    Unknown commands are left as they are; this never fails.
    """
    try:
        told = _Teller(latex).read()
    except RecursionError:
        return latex
    return re.sub(r" {2,}", " ", told).strip()


# inside


def _check(latex: str) -> None:
    if not latex.strip():
        raise FormulaError("a formula is empty.")
    if len(latex) > LONGEST:
        raise FormulaError(f"a formula has {len(latex)} characters; at most {LONGEST} are allowed.")
    depth = 0
    for token in re.findall(r"\\.|[{}]", latex):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            break
    if depth:
        raise FormulaError(f"the formula {_quoted(latex)} has an unmatched brace.")


def _quoted(latex: str) -> str:
    short = latex if len(latex) <= 60 else f"{latex[:57]}…"
    return f"“{' '.join(short.split())}”"


def _words(error: BaseException) -> str:
    """The library's error in words, taken from its name: ``missing super script or subscript``."""
    name = type(error).__name__.removesuffix("Error")
    return " ".join(word.lower() for word in re.findall(r"[A-Z][a-z]*", name)) or "not understood"


def _pairs(names: str, signs: str) -> dict[str, str]:
    return dict(zip(names.split(), signs.split(), strict=True))


_LETTERS = _pairs(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell hbar infty partial "
    "nabla prime sum prod int langle rangle lvert rvert",
    "α β γ δ ϵ ε ζ η θ ϑ ι κ λ μ ν ξ π ρ σ τ υ ϕ φ χ ψ ω Γ Δ Θ Λ Ξ Π Σ Φ Ψ Ω ℓ ħ ∞ ∂ ∇ ′ Σ Π ∫ ⟨ ⟩ | |",
)
_SIGNS = _pairs(
    "le leq ge geq ne neq approx sim simeq propto equiv to rightarrow mapsto in ll gg lt gt cdot times pm mp ldots "
    "dots cdots circ mid",
    "≤ ≤ ≥ ≥ ≠ ≠ ≈ ∼ ≃ ∝ ≡ → → ↦ ∈ ≪ ≫ < > · × ± ∓ … … … ° |",
)
_SPACED = frozenset("=≤≥≠≈∼≃∝≡→↦∈≪≫<>×±∓")
_SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "quad": "  ", "qquad": "  ", "!": ""}
_BRACKETS = {"left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "displaystyle", "textstyle"}
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "overline": "\u0304", "vec": "\u20d7", "dot": "\u0307", "tilde": "\u0303"}
_FONTS = {"text", "mathrm", "mathit", "mathbf", "mathsf", "operatorname", "boldsymbol", "bm", "mathcal", "mathbb"}
_RAISED = dict(zip("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ", strict=True))
_BEFORE_A_LETTER = frozenset("ΔδΓ∂∇⟨")
_TOKENS = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)


class _Teller:
    """Writes a formula as a line of plain text, reading its tokens from left to right."""

    def __init__(self, latex: str) -> None:
        self._tokens = _TOKENS.findall(latex)
        self._at = 0

    def read(self) -> str:
        """Read everything; unmatched braces are dropped."""
        parts = []
        while self._at < len(self._tokens):
            parts.append(self._until_brace())
            self._at += 1
        return "".join(parts)

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _until_brace(self) -> str:
        parts: list[str] = []
        while self._at < len(self._tokens) and self._tokens[self._at] != "}":
            parts.append(self._one())
        return "".join(parts)

    def _argument(self) -> str:
        """Read the argument of an index, power or command: a group in braces or a single character."""
        while self._next().isspace():
            self._at += 1
        if self._at >= len(self._tokens) or self._tokens[self._at] == "}":
            return ""
        return re.sub(r" {2,}", " ", self._one()).strip()

    def _one(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        if token == "{":
            group = self._until_brace()
            self._at += 1
            return group
        if token == "^":
            return _raised(self._argument())
        if token == "_":
            index = self._argument()
            return f"_{index}" if " " not in index else f"_({index})"
        if token.startswith("\\") and len(token) > 1:
            return self._command(token[1:])
        if token in _SPACED:
            return f" {token} "
        if token == "-":
            return "−"
        return " " if token.isspace() else token

    def _command(self, name: str) -> str:
        if name in _LETTERS:
            letter = _LETTERS[name]
            if letter in _BEFORE_A_LETTER and self._next().isspace():
                self._at += 1
            return letter
        if name in _SIGNS:
            sign = _SIGNS[name]
            return f" {sign} " if sign in _SPACED else sign
        if name in _SPACES:
            return _SPACES[name]
        if name in _BRACKETS:
            if self._next() == ".":  # \right. is an invisible bracket
                self._at += 1
            return ""
        if name in ("frac", "tfrac", "dfrac"):
            above, below = self._argument(), self._argument()
            return f"{_factor(above)}/{_factor(below)}"
        if name == "sqrt":
            return f"√{_factor(self._argument())}"
        if name in _ACCENTS:
            return f"{self._argument()}{_ACCENTS[name]}"
        if name in _FONTS:
            return self._argument()
        if not name.isalpha():
            return name  # \{ \} \| \%
        return (
            name if self._next() in ("", "_", "^", "}") else f"{name} "
        )  # log, max and the like: the words that they are


def _raised(power: str) -> str:
    if power and all(character in _RAISED for character in power):
        return "".join(_RAISED[character] for character in power)
    if power in ("′", "*", "+", "°"):
        return power
    return f"^{power}" if len(power) < 2 or _is_name(power) else f"^({power})"


def _is_name(text: str) -> bool:
    """Whether this is a number or a single letter with an index."""
    return re.fullmatch(r"[\d.]+|\w(_\w+)?|\w[²³]?", text) is not None


def _factor(text: str) -> str:
    """The text of a factor: in parentheses if it has several terms."""
    whole = re.fullmatch(r"[\w.⁰¹²³⁴⁵⁶⁷⁸⁹′⟨⟩∞]+|\([^()]*\)[⁰¹²³⁴⁵⁶⁷⁸⁹]?", text) is not None
    return text if whole else f"({text})"
