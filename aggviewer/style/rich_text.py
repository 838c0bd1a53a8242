"""Authors' texts as HTML: paragraphs, lists, **bold**, *italic*, links, pictures and formulas.

The markup is a subset of Markdown. Links must use https, pictures must be in one folder, and formulas stand between
dollar signs (`aggviewer.style.formulas`). Everything else, including HTML, is shown literally. This module knows no Qt;
`aggviewer.style.formula_pictures.rich_html` makes HTML for labels and text browsers.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from aggviewer.style.formulas import BETWEEN_DOLLARS, plain_html, problem, replace_formulas, web

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml"}

Picture = Callable[[Path, str], str]
"""Returns the ``<img>`` element for a picture file and its alternative text."""


def web_html(text: str, pictures: Path | None = None) -> str:
    """Self-contained HTML for a web page, with formulas as SVG and pictures embedded."""
    return replace_formulas(marked_up(text, pictures, _embedded), lambda latex, block: web(unescape(latex), block))


def spoken(text: str) -> str:
    """The text without markup, formulas in characters: for screen readers and terminals."""
    html = plain_html(marked_up(text, None, lambda path, words: ""))
    html = re.sub(r"</p>|</li>|<br>", "\n", html)
    return re.sub(r"\n{2,}", "\n", unescape(re.sub(r"<[^>]*>", "", html))).strip()


def problems(text: str, pictures: Path | None = None) -> list[str]:
    """For the author: one sentence about each formula, link and picture that cannot be shown."""
    found: list[str] = []
    html = marked_up(text, pictures, lambda path, words: "", found)

    def check(latex: str, block: bool) -> str:
        found.append(problem(unescape(latex)))
        return ""

    replace_formulas(html, check)
    return [one for one in found if one]


def marked_up(text: str, pictures: Path | None, picture: Picture, found: list[str] | None = None) -> str:
    """HTML with formulas left between dollar signs.

    Parameters
    ----------
    pictures : the folder of pictures; None for a text without pictures.
    found : called with a sentence for each link or picture that cannot be shown.
    """
    parser = _parser()
    env: dict[str, Any] = {"pictures": pictures, "picture": picture, "found": [] if found is None else found}
    return str(parser.render(text, env))


# inside


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # imported on the first use

    parser = MarkdownIt("zero", {"html": False})
    parser.enable(["list", "emphasis", "link", "image", "newline", "escape"])
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # checked where they are rendered
    parser.add_render_rule("text", _text)
    parser.add_render_rule("text_special", _text)
    parser.add_render_rule("formula", _formula_again)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("link_close", _link_end)
    parser.add_render_rule("hardbreak", lambda *_: "<br>")
    return parser


def _formula(state: StateInline, silent: bool) -> bool:
    """Parser rule: text between dollar signs is a formula and nothing else."""
    found = BETWEEN_DOLLARS.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("formula", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _text(renderer: Any, tokens: list[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    return escape(tokens[at].content).replace("$", "\\$")


def _formula_again(renderer: Any, tokens: list[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    return escape(tokens[at].content)


def _link(renderer: Any, tokens: list[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    target = str(tokens[at].attrs.get("href", ""))
    if not target.startswith("https://"):
        env["found"].append(f"the link to “{target}” is not shown: links must begin with https://.")
        return "<span>"
    return f'<a href="{escape(target).replace("$", "%24")}">'


def _link_end(renderer: Any, tokens: list[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    depth = 0
    for one in reversed(tokens[:at]):
        depth += {"link_close": 1, "link_open": -1}.get(one.type, 0)
        if depth < 0:
            return "</a>" if str(one.attrs.get("href", "")).startswith("https://") else "</span>"
    return ""


def _image(renderer: Any, tokens: list[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    one = tokens[at]
    folder: Path | None = env["pictures"]
    name = unquote(str(one.attrs.get("src", "")))
    path = None if folder is None else (folder / name).resolve()
    if folder is not None and (path is None or not path.is_relative_to(folder.resolve())):
        problem_found = "it must be in the folder of the text"
    elif path is None:
        problem_found = "this text cannot have pictures"
    elif path.suffix.lower() not in _KINDS:
        problem_found = "it must be a PNG, JPEG or SVG"
    elif not path.is_file():
        problem_found = "the file does not exist"
    else:
        return str(env["picture"](path, one.content))
    env["found"].append(f"the picture “{name}” is not shown: {problem_found}.")
    return f"<em>{escape(one.content).replace('$', chr(92) + '$')}</em>"


def _embedded(path: Path, words: str) -> str:
    data = b64encode(path.read_bytes()).decode()
    alt = escape(words).replace("$", "\\$")
    return f'<img src="data:{_KINDS[path.suffix.lower()]};base64,{data}" alt="{alt}" style="max-width:100%">'
