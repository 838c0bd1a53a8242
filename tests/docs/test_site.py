"""The site: its pages are read without a warning, their links lead somewhere, and none calls an address."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PAGES = [*sorted((PROJECT / "docs").rglob("*.md")), PROJECT / "README.md", PROJECT / "CONTRIBUTING.md"]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video)\b[^>]*\bsrc=["']([^"']+)|<link\b[^>]*\bhref=["']([^"']+)|url\(([^)]+)\)"""
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def built(folder: Path, builder: str) -> Path:
    """The site, as one of Sphinx's builders writes it, in a new folder; what was read of it lies beside, in ``trees``.

    Warnings are errors.
    """
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "-q", "-b", builder, "-d", str(folder / "trees")]
    found = subprocess.run(
        [*command, "docs", str(folder / builder)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return folder / builder


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, read and with their references resolved, but not written, which would take as long again."""
    return built(tmp_path_factory.mktemp("site"), "dummy").parent / "trees"


def text_of(trees: Path, page: str) -> str:
    """The text of a page."""
    return str(pickle.loads((trees / f"{page}.doctree").read_bytes()).astext())


@pytest.mark.slow
def test_every_key_of_a_scenario_is_in_the_reference(trees: Path) -> None:
    from engine.scenario import scenario_keys

    lines = text_of(trees, "scenario").splitlines()
    missing = [key for key in scenario_keys() if key not in lines]
    assert not missing


@pytest.mark.slow
def test_every_key_of_a_study_is_in_the_reference(trees: Path) -> None:
    """With its meaning, and without a key that there is not."""
    from engine.study.model import (
        Claim,
        CurveSlope,
        Fit,
        KeptQuantities,
        Pool,
        Seeds,
        Skip,
        Study,
        StudyFigure,
        StudyLimits,
        ValueRange,
        Vary,
    )

    text = re.sub(r"\s+", " ", text_of(trees, "studies"))
    for table in (
        Study,
        Vary,
        ValueRange,
        Skip,
        Seeds,
        StudyLimits,
        KeptQuantities,
        CurveSlope,
        StudyFigure,
        Fit,
        Claim,
        Pool,
    ):
        for name, info in table.model_fields.items():
            meaning = re.sub(r"`+", "", info.description or "no description")
            assert f" {info.alias or name} {meaning}" in text, (table.__name__, name)


@pytest.mark.slow
def test_no_page_loads_anything_from_an_address(tmp_path: Path) -> None:
    pages = sorted(built(tmp_path, "html").rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        for match in LOADED.finditer(page.read_text(encoding="utf-8")):
            (address,) = [group for group in match.groups() if group]
            assert not re.match(r"(?:[a-z]+:)?//", address.strip("\"'")), f"{page.name} loads {address}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_of_the_project_lead_to_one(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        target = link.partition("#")[0]
        if target and "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
