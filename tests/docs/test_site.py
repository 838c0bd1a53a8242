"""The site: it builds without a warning, its links lead somewhere, and it is read without calling an address."""

from __future__ import annotations

import html
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "--fail-on-warning",
        "-q",
        "-d",
        str(out / "trees"),
        "docs",
        str(out / "html"),
    ]
    found = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return out / "html"


def test_every_key_of_a_scenario_is_in_the_reference(site: Path) -> None:
    from engine.scenario import fields

    text = (site / "scenario.html").read_text(encoding="utf-8")
    missing = [key for key in fields() if f">{key}<" not in text]
    assert not missing


def test_every_key_of_a_study_is_in_the_reference(site: Path) -> None:
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

    text = html.unescape(re.sub(r"<[^>]+>", "", (site / "studies.html").read_text(encoding="utf-8")))
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
            assert f"{info.alias or name}{meaning}" in text, (table.__name__, name)


def test_no_page_loads_anything_from_an_address(site: Path) -> None:
    for page in site.rglob("*.html"):
        for match in LOADED.finditer(page.read_text(encoding="utf-8")):
            (address,) = [group for group in match.groups() if group]
            assert not re.match(r"(?:[a-z]+:)?//", address.strip("\"'")), f"{page.name} loads {address}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_of_the_project_lead_to_one(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        target = link.partition("#")[0]
        if target and "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
