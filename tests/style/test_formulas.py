"""Formulas: as pictures in SVG and in characters."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggviewer.style.formulas import FormulaError, draw, plain, problem, web

TAGS = {"svg", "path", "rect", "line", "g"}


def tags(svg: str) -> set[str]:
    return {one.tag.rpartition("}")[2] for one in ElementTree.fromstring(svg).iter()}


def test_a_formula_has_the_size_of_its_letters() -> None:
    x, index, fraction = draw("x"), draw("V_f"), draw(r"\frac{1}{2}")
    assert 0.4 < x.ascent < 0.6
    assert x.depth < 0.1
    assert index.ascent > x.ascent
    assert 0.2 < index.depth < 0.6
    assert fraction.ascent + fraction.depth > 1.2
    assert draw(r"\frac{1}{2}", block=True).ascent > fraction.ascent
    assert draw("xxxx").width > 3.0 * x.width


def test_the_picture_takes_the_colour_of_the_text() -> None:
    drawn = draw(r"\sqrt{\frac{a}{b}}")
    assert "currentColor" in drawn.svg
    colored = drawn.in_color("#a1b2c3")
    assert "currentColor" not in colored
    assert "black" not in colored
    assert "#a1b2c3" in colored


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("x" * 2000, "2000 characters"),
        (r"\frac{1}{2", "brace"),
        ("a}b", "brace"),
        ("a}{b", "brace"),
        (r"\bogus x", r"unknown command, \bogus"),
        ("x_", "“x_” cannot be read"),
        (r"\left(x", "cannot be read"),
        (r"x^2^3", "double superscripts"),
    ],
)
def test_a_bad_formula_is_one_sentence_for_its_author(latex: str, words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        draw(latex)
    message = str(caught.value)
    assert words in message
    assert message.endswith(".")
    assert "\n" not in message
    assert problem(latex) == message


@settings(max_examples=40)
@given(st.one_of(st.text(max_size=30), st.text(alphabet="\\abfrcst{}^_$&%#~|<>\"'() \n2", max_size=25)))
def test_any_text_is_drawn_or_refused(latex: str) -> None:
    try:
        drawn = draw(latex)
    except FormulaError:
        pass
    else:
        assert tags(drawn.svg) <= TAGS
        assert drawn.ascent + drawn.depth > 0.0
    ElementTree.fromstring(f"<p>{web(latex)}</p>") if latex.isprintable() else web(latex)
    assert isinstance(plain(latex), str)


def test_deep_nesting_is_refused_or_drawn_but_never_an_error_of_the_library() -> None:
    assert isinstance(problem("{" * 400 + "x" + "}" * 400), str)
    assert isinstance(plain("{" * 499 + "x" + "}" * 499), str)


def test_web_pages_get_the_formula_on_the_baseline_with_its_words() -> None:
    svg = web("V_f < 1")
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "V_f < 1"
    assert root.get("style") == f"vertical-align:-{draw('V_f < 1').depth:.3f}em"
    assert str(root.get("height")).endswith("em")
    assert web(r"\bogus<") == r"\bogus&lt;"


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        ("V_f", "V_f"),
        ("R_i^2", "R_i²"),
        (r"V_f=\sum_i \pi R_i^2/(L_x L_y)", "V_f = Σ_i π R_i²/(L_x L_y)"),
        (r"\Delta t = f R_\max / \max |V_k|", "Δt = f R_max / max |V_k|"),
        (r"\langle m^2\rangle/\langle m\rangle", "⟨m²⟩/⟨m⟩"),
        (r"10^{-3}", "10⁻³"),
        (r"e^{-t/\tau}", "e^(−t/τ)"),
        (r"\sqrt{2 h/g}", "√(2 h/g)"),
        (r"\sqrt N", "√N"),
        (r"\left(1+t/\tau\right)^2", "(1+t/τ)²"),
        (r"\frac{T_0}{(1 + t/\tau)^2}", "T_0/(1 + t/τ)²"),
        (r"\frac{1}{2} m v^2", "1/2 m v²"),
        (r"\hat{n} \cdot v_{ij} \lt 0", "n̂ · v_ij < 0"),
        (r"N_\mathrm{iso}", "N_iso"),
        (r"N(\varepsilon) \propto \varepsilon^{-D_f}", "N(ε) ∝ ε^(−D_f)"),
        (r"\{x\}", "{x}"),
    ],
)
def test_a_formula_in_characters(latex: str, told: str) -> None:
    assert plain(latex) == told
