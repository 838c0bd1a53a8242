"""Figures for print: as wide as asked for, with text of one size, vectors all through, whatever the window is like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import FigureImage
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Coloring, Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.figure import Figure, Page, PicturePanel
from aggviewer.export.files import finished
from aggviewer.export.kinds import ExportContents, ExportPlot
from aggviewer.export.sheet import Sheet
from aggviewer.export.standard_kinds import FIGURE
from aggviewer.plots import PlotsPanel
from aggviewer.plots.drawing import PlotDrawing, PlotSeries
from aggviewer.plots.film import PlotPanel
from aggviewer.style.theme import DARK
from aggviewer.systems.aggregation.structure import BoxCountingPlot, PairDistributionPlot
from engine.analysis import analyse
from engine.errors import InputError
from tests.export.conftest import BARE
from tests.plots.aggregate_data import aggregate
from tests.plots.panels import folded_panel, open_plot

SVG = "{http://www.w3.org/2000/svg}"
MM = 25.4


@pytest.fixture(scope="module")
def panel(qapp: QApplication) -> Iterator[PlotsPanel]:
    """The plots of random discs, shown, in the dark theme, for tests that change nothing in it."""
    made = panel_of_random_discs()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def own_panel(qtbot: QtBot) -> PlotsPanel:
    """Such a panel for a test that changes it."""
    made = panel_of_random_discs()
    qtbot.addWidget(made)
    return made


def panel_of_random_discs() -> PlotsPanel:
    """The plots of random discs, shown, in the dark theme."""
    made = folded_panel()
    made.resize(340, 760)
    made.show()
    made.set_theme(DARK)
    made.begin()
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (400, 2))
    found = analyse(positions, np.full(400, 0.25), np.array([20.0, 20.0]), periodic=False)
    made.refresh(aggregate(found, None, 1.0))
    return made


def plots(panel: PlotsPanel, *kinds: type) -> list[PlotPanel]:
    return [PlotPanel.of(open_plot(panel, kind)) for kind in kinds or (BoxCountingPlot,)]


def picture(ground: str = "white") -> PicturePanel:
    """Four discs in a box of 10 x 10, seen in a picture that is wider than high."""
    scene = Scene()
    scene.replace_discs(np.full(4, 1.0), np.array([10.0, 10.0]), False)
    places = np.array([[2.0, 2.0], [8.0, 2.0], [2.0, 8.0], [8.0, 8.0]])
    scene.set_frame(places, np.arange(4, dtype=np.float32), Coloring("speed", "Speed", "", (0.0, 3.0)), 1.5)
    return PicturePanel(scene, Camera.fitting((10.0, 10.0), (800.0, 600.0)), ViewModel(background=ground))


def page_of(path: Path) -> tuple[QPdfDocument, float, float]:
    """A PDF, and width and height of its page in mm."""
    document = QPdfDocument(None)
    assert document.load(str(path)) is QPdfDocument.Error.None_
    assert document.pageCount() == 1
    size = document.pagePointSize(0)
    return document, size.width() / 72.0 * MM, size.height() / 72.0 * MM


def test_an_image_is_painted_a_panel_in_each_step(panel: PlotsPanel) -> None:
    """A page takes longer than a window may stand still."""
    panels = [picture(), *plots(panel, BoxCountingPlot, PairDistributionPlot)]
    assert len(list(Figure(panels, Page()).image_steps(40.0))) == len(panels)


@pytest.mark.parametrize("suffix", [".pdf", ".png"])
def test_a_page_that_is_given_up_leaves_nothing(panel: PlotsPanel, tmp_path: Path, suffix: str) -> None:
    steps = Figure([picture(), *plots(panel)], Page()).write_steps(tmp_path / f"f{suffix}")
    begun = 0
    while next(steps, None) is None and begun < 2:  # all but the step in which the file appears
        begun += 1
    steps.close()
    assert list(tmp_path.iterdir()) == []


def test_a_page_shows_what_there_was_when_it_was_asked_for(own_panel: PlotsPanel) -> None:
    scene = picture().scene
    contents = ExportContents(
        pictures={"run": replace(picture(), scene=scene)},
        plots={
            "box": ExportPlot(
                "Box counting",
                True,
                lambda: None,
                lambda: None,
                lambda: True,
                lambda numbers: PlotPanel.of(open_plot(own_panel, BoxCountingPlot), numbers=numbers),
                dict,
            )
        },
    )
    choices = FIGURE.choices(contents)
    before, _ = finished(FIGURE.draw(contents, choices, (300, 300)))
    steps = FIGURE.draw(contents, choices, (300, 300))
    scene.set_frame(scene.positions[::-1] / 2.0, scene.scalar[::-1].copy(), scene.coloring, 9.0)
    own_panel.begin()
    assert finished(steps)[0] == before
    assert finished(FIGURE.draw(contents, choices, (300, 300)))[0] != before


def test_a_vector_page_is_as_wide_as_asked_for_and_all_its_text_has_the_size_in_points(
    panel: PlotsPanel, tmp_path: Path
) -> None:
    points = 6.0
    Figure([picture(), *plots(panel)], Page(86.0, points)).write(tmp_path / "f.svg")
    text = (tmp_path / "f.svg").read_text("utf-8")
    sizes = {float(size) for size in re.findall(r"font-size: ([0-9.]+)px", text)}
    indices = 0.7  # of the size of other text
    assert sorted(sizes) == pytest.approx([indices * points, points]), sizes
    wide = float(ElementTree.fromstring(text).attrib["width"].removesuffix("pt"))
    assert wide / 72.0 * MM == pytest.approx(86.0)


def test_a_picture_is_as_wide_as_its_panel_above_a_strip_that_is_no_higher_than_its_legend() -> None:
    """Stacked legends once made a packing a fifth smaller."""
    scene, view = picture().scene, ViewModel(background="white")
    bare = PicturePanel(scene, None, BARE.applied_to(view)).height(400.0, Page())
    assert bare == 400.0
    assert 430.0 < PicturePanel(scene, None, view).height(400.0, Page()) < 470.0  # one line above a scale
    views = (ViewModel(show_time=False, show_scale_bar=False, layers=layers) for layers in ((), ("contacts",)))
    one, beside = (PicturePanel(scene, None, view).height(400.0, Page()) for view in views)
    assert one == beside > 430.0


def test_everything_is_a_vector(panel: PlotsPanel, tmp_path: Path) -> None:
    Figure(plots(panel, BoxCountingPlot, PairDistributionPlot), Page()).write(tmp_path / "f.svg")
    Figure(plots(panel, BoxCountingPlot, PairDistributionPlot), Page()).write(tmp_path / "f.pdf")
    assert "<image" not in (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert b"/Subtype /Image" not in (tmp_path / "f.pdf").read_bytes()


def test_paper_says_nothing_to_who_waits_for_numbers(own_panel: PlotsPanel) -> None:
    card = open_plot(own_panel, BoxCountingPlot)
    points = PlotSeries("points", np.ones(1), np.ones(1), "points")
    card.set_data(PlotDrawing((points,), note="fitted when it has jammed", key="● extended", fitted=False), 0)
    assert card.contents.numbers(0, DARK) == "● extended; fitted when it has jammed"
    assert card.contents.numbers(0, DARK, around=True) == "● extended"


def test_panels_stand_in_as_many_columns_as_are_asked_for(panel: PlotsPanel) -> None:
    one, two = (Figure([picture(), *plots(panel) * 2], Page(178.0, columns=columns)) for columns in (1, 2))
    assert one.size[1] > 1.8 * two.size[1]
    assert Figure(plots(panel), Page(178.0, columns=3)).size == Figure(plots(panel), Page(178.0)).size


def test_a_range_that_was_zoomed_to_is_kept_and_cuts_the_data(own_panel: PlotsPanel, tmp_path: Path) -> None:
    view = open_plot(own_panel, BoxCountingPlot).view
    Figure(plots(own_panel), Page()).write(tmp_path / "a.svg")
    box = view.getPlotItem().getViewBox()
    view.hold()
    box.setRange(xRange=(0.0, 1.0), yRange=(2.0, 2.5), padding=0)
    Figure(plots(own_panel), Page()).write(tmp_path / "b.svg")
    root = ElementTree.parse(tmp_path / "b.svg").getroot()
    ticks = {text.text for text in root.iter(f"{SVG}text")}
    assert "200" in ticks
    assert "500" not in ticks
    (pane,) = [group for group in root.iter(f"{SVG}g") if group.attrib.get("id") == "panel-a-pane-0"]
    used = {group.attrib["clip-path"] for group in pane.iter() if "clip-path" in group.attrib}
    (clip,) = [found for found in root.iter(f"{SVG}clipPath") if f"url(#{found.attrib['id']})" in used]
    rect = {key: float(value) for key, value in clip[0].attrib.items()}
    width, height = view.width(), view.height()
    assert rect["width"] > 150.0
    assert rect["x"] > 25.0  # right of the labels
    assert (view.width(), view.height()) == (width, height)
    assert not view.following
    assert box.viewRange()[0] == pytest.approx([0.0, 1.0])


def test_texts_can_be_searched_in_a_pdf(panel: PlotsPanel, tmp_path: Path) -> None:
    Figure([picture(), *plots(panel)], Page(), "Four discs").write(tmp_path / "f.pdf")
    document, width, _ = page_of(tmp_path / "f.pdf")
    assert document.metaData(QPdfDocument.MetaDataField.Title) == "Four discs"
    assert width == pytest.approx(85.0, abs=0.4)
    words = document.getAllText(0).text()
    assert "(a)" in words
    assert "Speed" in words
    assert "fit over" in words


@pytest.mark.parametrize(("size", "enlarged"), [((200, 617), 0.3), ((203, 199), 0.677), ((470, 689), 1.7)])
def test_an_image_of_a_picture_is_painted_to_its_last_pixel_and_no_further(
    size: tuple[int, int], enlarged: float
) -> None:
    """A picture that is higher than wide once had more rows than its image: they were written over other memory."""
    scene = Scene()
    view = ViewModel(background="black", show_legend=False, show_scale_bar=False, show_time=False)
    scene.replace_discs(np.full(1, 1.0), np.array([10.0, 10.0]), False)
    scene.set_frame(np.full((1, 2), 5.0), np.ones(1, np.float32), Coloring("speed", "Speed", "", (0.0, 3.0)), 0.0)
    sheet = Sheet.whole(*size, unit=0.75, dots=enlarged)
    PicturePanel(scene, Camera.fitting((10.0, 10.0), size), view).draw(sheet, "{}")
    (image,) = sheet.figure.images
    assert isinstance(image, FigureImage)
    pixels = np.asarray(image.get_array())
    assert pixels.shape[2] == 3, "opaque"
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        np.testing.assert_array_equal(edge[:, :3], np.broadcast_to(view.background_rgb, (len(edge), 3)))
    more = np.array(pixels.shape[:2]) - np.array(size[::-1]) * enlarged
    assert (more > -1e-6).all()
    assert (more < 1.0).all()
    seen = np.argwhere((pixels[..., :3] != view.background_rgb).any(axis=2)) + 0.5
    np.testing.assert_allclose(seen.mean(axis=0) / enlarged, (size[1] / 2, size[0] / 2), atol=0.6 / enlarged)
    extent = np.ptp(seen, axis=0) + 1.0
    assert extent[0] == pytest.approx(extent[1], abs=1.0), "as large across as along"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"width": 5.0}, "width of a figure must be 20 to 1000 mm, not 5"),
        ({"font": 100.0}, "font of a figure must be 4 to 48 pt"),
        ({"columns": 0}, "columns of a figure must be 1 to 6"),
        ({"letters": "i"}, "letters of a figure must be one of"),
        ({"resolution": 10}, "resolution of a figure must be 72 to 1200 pixels per inch"),
    ],
)
def test_impossible_pages_are_refused(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Page(**wrong)  # type: ignore[arg-type]


def test_a_figure_that_cannot_be_made_says_why(panel: PlotsPanel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least one panel"):
        Figure([], Page())
    with pytest.raises(InputError, match="do not fit"):
        Figure(plots(panel) * 6, Page(20.0, columns=6))
    figure = Figure(plots(panel), Page(1000.0))
    with pytest.raises(InputError, match="choose a lower resolution"):
        figure.image(1200.0)
    with pytest.raises(InputError, match=r"must end in \.pdf, \.svg or \.png"):
        figure.write(tmp_path / "f.bmp")
    with pytest.raises(InputError, match="there is no folder"):
        figure.write(tmp_path / "nowhere" / "f.pdf")
    assert list(tmp_path.iterdir()) == []
