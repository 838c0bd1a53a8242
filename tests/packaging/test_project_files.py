"""Files that other programs read of a repository: citation, hooks, continuous integration, forms of issues."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

PROJECT = Path(__file__).parents[2]
FORMS = sorted((PROJECT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def read(name: str) -> Any:
    """The values of a YAML file of the project."""
    return yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))


def test_the_citation_names_this_version_and_three_papers() -> None:
    citation = read("CITATION.cff")
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert citation["abstract"] == project["description"]
    assert [paper["authors"][0]["family-names"] for paper in citation["references"]] == [
        "Degond",
        "Bannerman",
        "Artiaco",
    ]


def test_hooks_of_commits_run_what_lint_runs_and_fetch_nothing() -> None:
    (local,) = read(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    assert all(hook["language"] == "system" for hook in local["hooks"])
    (lint,) = re.findall(r"^lint: ([\w ]+?) *##", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert [hook["entry"] for hook in local["hooks"]] == [f"make {target}" for target in lint.split()]


def test_continuous_integration_runs_everything_on_linux() -> None:
    jobs = read(".github/workflows/test.yml")["jobs"]
    assert {"run": ".ci/run"} in jobs["linux"]["steps"]
    assert jobs["elsewhere"]["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_of_an_issue_has_a_name_and_asks_something(form: Path) -> None:
    found = read(str(form.relative_to(PROJECT)))
    assert found["name"] and found["description"]
    ids = [part["id"] for part in found["body"]]
    assert len(set(ids)) == len(ids) > 0
    assert any(part.get("validations", {}).get("required") for part in found["body"])
