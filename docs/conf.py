"""Builds the site with Sphinx: `make docs`. Everything that a page needs lies beside it; none calls an address."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import engine  # noqa: E402

project = "aggviewer"
author = "the aggviewer developers"
copyright = author
version = release = engine.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "scenario_keys", "study_keys"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
suppress_warnings = [
    "myst.header",
    "toc.empty_glob",
]  # the pages are read on their own too, where headings may start lower

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
default_role = "code"
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"aggviewer {release}"
html_static_path: list[str] = []
html_show_sphinx = False
html_copy_source = False


def plain(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """In docstrings ``|x|`` is a norm and ``*`` a product: neither is markup, but between double backticks."""
    parts = [re.split(r"(``.*?``)", line) for line in lines]
    lines[:] = [
        "".join(part if part.startswith("``") else re.sub(r"([|*])", r"\\\1", part) for part in line) for line in parts
    ]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", plain, priority=100)  # before numpydoc
