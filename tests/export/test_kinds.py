"""The model of an export: what is chosen on a page, which files there will be, and what is refused. No window."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NoReturn

import pytest

from aggviewer.export.files import finished
from aggviewer.export.kinds import (
    ExportContents,
    ExportPlot,
    exports,
    new_path,
)
from aggviewer.export.standard_kinds import FIGURE, PICTURE, PLOTS
from aggviewer.latest_job import CancelledError
from engine import plugins
from engine.errors import InputError

NOW = datetime(2026, 11, 26, 5, 53, 20)


def plot(title: str, *, open: bool = True) -> ExportPlot:
    """A plot with a table of two rows, which cannot be drawn."""

    def panel(numbers: bool) -> NoReturn:
        raise InputError(f"{title} cannot be drawn")

    nothing = lambda: None  # noqa: E731
    return ExportPlot(title, open, nothing, nothing, lambda: open, panel, lambda: {"x": [1.0, 2.0], title: [3.0, 4.0]})


CONTENTS = ExportContents(plots={"box": plot("Boxes"), "pair": plot("Pairs"), "waves": plot("Waves", open=False)})


def test_the_last_choices_come_back_as_far_as_they_exist() -> None:
    last = replace(
        PLOTS.choices(CONTENTS).with_values(plots=("waves", "gone", "box"), width=86.0, not_a_field=1), suffix=".png"
    )
    choices = PLOTS.choices(CONTENTS, last)
    assert (choices.suffix, choices["plots"], choices["width"]) == (".png", ("waves", "box"), 86.0)
    assert "not_a_field" not in choices.values
    assert PLOTS.choices(CONTENTS, last.with_values(plots=("gone",)))["plots"] == ("box", "pair")
    assert PLOTS.choices(CONTENTS, replace(last, suffix=".bmp")).suffix == ".pdf"


def test_plots_that_are_open_are_chosen_at_first() -> None:
    assert PLOTS.choices(CONTENTS)["plots"] == ("box", "pair")
    assert FIGURE.choices(CONTENTS)["panels"] == ("box", "pair")
    many = ExportContents(plots={str(k): plot(str(k)) for k in range(9)})
    figure = FIGURE.choices(many)
    assert (len(figure["panels"]), figure["columns"], figure["width"]) == (5, 2, 170.0), "it fits a page"


def test_each_plot_has_a_file_and_its_data_another(tmp_path: Path) -> None:
    choices = PLOTS.choices(CONTENTS)
    names = [one.name for one in PLOTS.files(CONTENTS, choices, tmp_path / "p.svg")]
    assert names == ["p-box.svg", "p-box.csv", "p-pair.svg", "p-pair.csv"]
    one = choices.with_values(plots=("pair",), tables=False)
    assert PLOTS.files(CONTENTS, one, tmp_path / "p.svg") == [tmp_path / "p.svg"]
    panels = FIGURE.choices(CONTENTS).with_values(panels=("waves", "box"))
    assert [one.name for one in FIGURE.files(CONTENTS, panels, tmp_path / "f.pdf")] == ["f.pdf", "f-a.csv", "f-b.csv"]


def test_data_alone_are_written_without_drawing(tmp_path: Path) -> None:
    choices = PLOTS.choices(CONTENTS)
    finished(PLOTS.write(CONTENTS, choices, tmp_path / "p.csv"))
    with (tmp_path / "p-pair.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["x", "Pairs"], ["1.0", "3.0"], ["2.0", "4.0"]]
    assert sorted(tmp_path.iterdir()) == sorted(PLOTS.files(CONTENTS, choices, tmp_path / "p.csv"))


def test_an_impossible_export_is_reported_at_its_field(tmp_path: Path) -> None:
    nothing = PLOTS.choices(CONTENTS).with_values(plots=())
    for call in (
        lambda: finished(PLOTS.draw(CONTENTS, nothing, (100, 100))),
        lambda: finished(PLOTS.write(CONTENTS, nothing, tmp_path / "p.svg")),
    ):
        with pytest.raises(InputError, match="at least one plot") as found:
            call()
        assert found.value.key == "plots"
    with pytest.raises(InputError) as found:
        finished(FIGURE.draw(CONTENTS, FIGURE.choices(CONTENTS).with_values(panels=()), (100, 100)))
    assert found.value.key == "panels"
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_export_leaves_existing_files_alone(tmp_path: Path) -> None:
    asked = iter([False, False, True])
    choices = PLOTS.choices(CONTENTS)
    with pytest.raises(CancelledError):
        finished(PLOTS.write(CONTENTS, choices, tmp_path / "p.csv"), lambda: next(asked))
    assert [path.name for path in tmp_path.iterdir()] == ["p-box.csv"]


def test_an_export_without_contents_is_refused() -> None:
    for kind in (PICTURE, PLOTS, FIGURE):
        assert kind.missing(ExportContents()) is not None
        assert kind.missing(ExportContents(plots={"waves": plot("Waves", open=False)})) is not None
    assert PICTURE.missing(CONTENTS) is not None
    assert FIGURE.missing(CONTENTS) is None


def test_a_new_path_is_nobody_elses(tmp_path: Path) -> None:
    path = new_path(tmp_path, PICTURE.file_name, ".png", NOW)
    assert path.name == "aggviewer 2026-11-26 05.53.20.png"
    path.touch()
    assert new_path(tmp_path, PICTURE.file_name, ".png", NOW).name == "aggviewer 2026-11-26 05.53.20 (2).png"


OWN = """
from dataclasses import replace

PLUG_POINTS = 1

def register(points):
    points.export("tikz", make)

def make():
    from aggviewer.export.kinds import EXPORTS
    return replace(EXPORTS.parts[0], name={name!r}, title="TikZ", command="file.tikz", keys=())
"""


def test_a_plug_in_adds_a_kind(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN.format(name="tikz"))
    assert not plugins.load_file(tmp_path / "own.py").problem
    assert [kind.name for kind in exports()] == ["picture", "plots", "figure", "tikz"]
    (tmp_path / "twice.py").write_text(OWN.format(name="figure"))
    plugins.load_file(tmp_path / "twice.py")
    assert [kind.name for kind in exports()] == ["picture", "plots", "figure", "tikz"]
    [found] = [one for one in plugins.known() if one.name == "twice.py"]
    assert "there is an export figure already" in found.problem
