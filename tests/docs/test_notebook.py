"""The tutorial notebook runs as it is, in a kernel of its own, and shows pictures and bars."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

PROJECT = Path(__file__).parents[2]
NOTEBOOK = PROJECT / "docs" / "tutorial-notebook.ipynb"


class ThisPython(AsyncKernelManager):
    """Kernels of the Python that runs the tests, whatever others are installed for the person."""

    @property
    def kernel_spec(self) -> Any:
        """A specification that no folder holds."""
        spec = KernelSpecManager().kernel_spec_class()
        spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return spec


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook with its outputs."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    folder = tmp_path_factory.mktemp("notebook")
    before = dict(os.environ)
    own = {"IPYTHONDIR": str(folder / "ipython"), "JUPYTER_RUNTIME_DIR": str(folder)}
    os.environ |= own | {"PYTHONPATH": str(PROJECT)}
    os.environ.pop("MPLBACKEND", None)
    try:
        NotebookClient(
            notebook, timeout=None, kernel_manager_class=ThisPython, resources={"metadata": {"path": str(folder)}}
        ).execute()
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert (folder / "four.gsd").is_file()
    return notebook


def outputs(notebook: Any, beginning: str) -> list[Any]:
    """What a cell has put out, the one whose text has `beginning`."""
    (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.startswith(beginning))
    return cell.outputs


def test_the_notebook_in_the_tree_has_no_outputs() -> None:
    cells = [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert len(cells) > 8
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)


@pytest.mark.slow
def test_every_cell_runs(done: Any) -> None:
    for cell in done.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text


@pytest.mark.slow
def test_a_simulation_and_a_frame_of_a_file_are_pictures(done: Any) -> None:
    cells = {cell.source: cell for cell in done.cells if cell.cell_type == "code"}
    reading = next(source for source in cells if source.endswith('read("four.gsd")[1]'))
    for source in ("simulation", reading):
        (last,) = (one for one in cells[source].outputs if one.output_type == "execute_result")
        assert len(last.data["image/png"]) > 5000
    (shown,) = cells["simulation"].outputs
    assert shown.data["text/plain"].startswith("<aggregation, event-driven: 400 discs at time ")


@pytest.mark.slow
def test_the_bar_leaves_where_the_run_has_come_to(done: Any) -> None:
    shown = outputs(done, "simulation = engine.create")
    (bar,) = (one for one in shown if one.output_type == "display_data")
    assert "M = 120" in bar.data["text/html"]
    assert "<progress" not in bar.data["text/html"]


@pytest.mark.slow
def test_figures_are_in_the_notebook(done: Any) -> None:
    drawn = [
        cell
        for cell in done.cells
        if cell.cell_type == "code" and any("image/png" in output.get("data", {}) for output in cell.outputs)
    ]
    assert len(drawn) >= 6
