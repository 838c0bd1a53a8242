"""Pictures on pages: an image of the painter below vector text, or vectors; read back by Qt's PDF and SVG readers."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtPdf import QPdfDocument

import engine
from aggviewer.canvas.layers.marks import MarkList
from aggviewer.canvas.layers.velocities import THROW
from aggviewer.canvas.picture import Over, Painter
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.figure import Figure, Page, PicturePanel
from aggviewer.export.files import finished
from aggviewer.export.kinds import ExportContents
from aggviewer.export.pictures import MOST_DRAWN, is_rendered, write_picture
from aggviewer.export.sources import FilmColors, SimulationSource, show_state
from aggviewer.export.standard_kinds import PICTURE, _pictures
from engine.scenario import Scenario
from tests.export.conftest import BARE
from tests.export.test_pictures import fitting, scene_of

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
SIZE = (480, 480)
JAMMED = {
    "system": "jamming", "dimensions": 3, "box.boundary": "periodic", "discs.count": 48, "discs.arrangement": "random",
    "discs.volume_fraction": 0.5, "discs.radii": "bidisperse", "discs.spread": 1.4,
}  # fmt: skip


@cache
def packing() -> Any:
    """Spheres that press on each other, with rattlers among them."""
    simulation = engine.create(Scenario().with_values(JAMMED))
    simulation.advance(max_events=60)
    return simulation


def shown(simulation: Any, view: ViewModel) -> Scene:
    scene, source = Scene(), SimulationSource(simulation)
    show_state(scene, source, simulation.frame(), FilmColors(source, view.color_by), view, None, {})
    return scene


def on_paper(path: Path, size: tuple[int, int] = SIZE) -> np.ndarray:
    """(H, W, 3) of a PDF as Chromium's reader shows it."""
    document = QPdfDocument(None)
    assert document.load(str(path)) is QPdfDocument.Error.None_
    image = QImage(*size, QImage.Format.Format_RGBA8888)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        painter.drawImage(0, 0, document.render(0, QSize(*size)))
    return from_qimage(image)[..., :3].astype(float)


def words_of(path: Path) -> str:
    document = QPdfDocument(None)
    document.load(str(path))
    return document.getAllText(0).text()


@pytest.mark.parametrize("dpi", [100, 300])
def test_a_rendered_picture_is_one_image_of_the_chosen_resolution_below_vector_text(tmp_path: Path, dpi: int) -> None:
    view = ViewModel(picture="rendered", resolution=dpi, background="white")
    panels = [PicturePanel(scene_of(200), None, view), PicturePanel(shown(packing(), view), None, view)]
    for name in ("f.pdf", "f.svg"):
        Figure(panels, Page(170.0, columns=2)).write(tmp_path / name)
    across = (170.0 - 4.0) / 2 / 25.4 * dpi
    sizes = re.findall(rb"/Width (\d+)", (tmp_path / "f.pdf").read_bytes())
    assert [int(size) for size in sizes] == pytest.approx([across, across], abs=2.0)
    root = ElementTree.parse(tmp_path / "f.svg").getroot()
    images = [image for image in root.iter(f"{SVG}image") if float(image.attrib["width"]) > 50.0]
    for image in images:
        data = base64.b64decode(image.attrib[f"{LINK}href"].partition(",")[2])
        with Image.open(io.BytesIO(data)) as pixels:
            assert pixels.width == pytest.approx(across, abs=2.0)
    assert len(images) == 2
    assert not [image for image in root.iter(f"{SVG}image") if image not in images], "colour scales are vectors"
    written = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    for words in ("(a)", "(b)", "units", "Force / mean", "rattler", "clusters"):
        assert words in written, words
        assert words.replace(" ", "") in "".join(words_of(tmp_path / "f.pdf").split()), words


def test_a_rendered_picture_is_that_of_the_painter(tmp_path: Path) -> None:
    for scene in (scene_of(80, periodic=True), shown(packing(), ViewModel())):
        view = BARE.applied_to(ViewModel(picture="rendered", background="dark", resolution=96))
        camera = Painter(view).fitting(scene.sides, SIZE)
        write_picture(tmp_path / "a.pdf", scene, camera, view, SIZE)
        expected = Painter(view).paint(scene, camera)[..., :3].astype(float)
        assert np.abs(on_paper(tmp_path / "a.pdf") - expected).mean() < 1.0


def test_drawn_spheres_and_rods_cover_one_another_as_the_painter_has_them(tmp_path: Path) -> None:
    view = BARE.applied_to(ViewModel(picture="drawn", background="dark", show_axes=False, soft_shadows=False))
    scene = shown(packing(), view)
    camera = Painter(view).fitting(scene.sides, SIZE)
    for name in ("a.pdf", "a.svg"):
        write_picture(tmp_path / name, scene, camera, view, SIZE)
    assert b"/Subtype /Image" not in (tmp_path / "a.pdf").read_bytes()
    expected = Painter(view).paint(scene, camera)[..., :3].astype(float)
    off = np.abs(on_paper(tmp_path / "a.pdf") - expected).max(axis=2)
    covered = np.abs(expected - view.background_rgb).max(axis=2) > 20.0
    assert (off[covered] > 60.0).mean() < 0.025, "of what is drawn in another order, at least twice as much differs"
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    (group,) = [one for one in root.iter(f"{SVG}g") if one.attrib.get("id") == "discs"]
    circles, rods = list(group.iter(f"{SVG}circle")), list(group.iter(f"{SVG}path"))
    rattlers = int(packing().frame().network.rattlers.sum())
    assert len(circles) == 48 + 2 * rattlers
    assert len(rods) > 200
    assert not [one for one in rods if "fill-opacity" in one.attrib]
    pale = view.model_copy(update={"opacities": {"forces": 0.4}})
    for name in ("b.pdf", "b.svg"):
        write_picture(tmp_path / name, scene, camera, pale, SIZE)
    assert (tmp_path / "b.svg").read_text().count('fill-opacity="0.4') == len(rods)
    ground = np.array(view.background_rgb)
    paler = [np.abs(on_paper(tmp_path / f"{name}.pdf") - ground).sum() for name in "ba"]
    assert paler[0] < 0.9 * paler[1]
    gradients = {one.attrib["id"] for one in group.iter(f"{SVG}radialGradient")}
    used = {one.attrib["fill"][5:-1] for one in circles if one.attrib["fill"].startswith("url")}
    assert used <= gradients


def test_discs_are_drawn_in_the_plane_and_rendered_in_space_and_where_they_are_too_many() -> None:
    few, many, view = scene_of(50), scene_of(MOST_DRAWN + 1), ViewModel()
    close = fitting().zoomed(20.0, 300.0, 200.0)
    assert not is_rendered(few, fitting(), view)
    assert is_rendered(many, fitting(), view)
    assert not is_rendered(many, close, view), "few of them are seen"
    spheres = shown(packing(), view)
    assert is_rendered(spheres, Painter(view).fitting(spheres.sides, SIZE), view)
    for chosen in ("rendered", "drawn"):
        for scene in (few, many):
            assert is_rendered(scene, fitting(), ViewModel(picture=chosen)) == (chosen == "rendered")


def test_the_dialog_says_that_its_preview_of_drawn_spheres_is_rendered() -> None:
    for scene, in_space in ((shown(packing(), ViewModel()), True), (scene_of(50), False)):
        contents = ExportContents(pictures={"run": PicturePanel(scene, None, ViewModel())}, size=SIZE)
        for picture in ("rendered", "drawn"):
            choices = replace(PICTURE.choices(contents).with_values(picture=picture), suffix=".svg")
            words = finished(PICTURE.draw(contents, choices, (80, 60)))[1]
            assert ("(this preview is rendered)" in words) == (in_space and picture == "drawn")


@pytest.mark.parametrize("picture", ["rendered", "drawn"])
def test_no_remark_of_the_screen_is_on_a_page(tmp_path: Path, picture: str) -> None:
    """Why a layer draws nothing, what is cut off, what is chosen."""
    view = ViewModel(picture=picture, layers=("forces", "contacts", "velocities", "tracks"), slab=(0.0, 0.6))
    scene = shown(packing(), view)
    scene.pinned["measures"] = MarkList((), 0)
    Figure([PicturePanel(scene, None, view)], Page()).write(tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    written = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert "Force / mean" in written
    for remark in ("cut", "zoom in", "no ", "✕", "live", "paused", "✓", "hidden"):
        assert remark not in written, remark


def test_handles_and_what_is_chosen_stay_on_the_screen() -> None:
    """An arrow throws the selected disc of a paused run, and the selected mark is bolder."""
    scene, arrow = scene_of(5), object()
    scene.pinned |= {THROW: arrow, "measures": MarkList((), 0)}
    contents = ExportContents(pictures={"run": PicturePanel(scene, None, ViewModel())})
    choices = PICTURE.choices(contents).with_values(overlays=Over(selection=True))
    (panel,) = _pictures(contents, choices)
    assert panel.view.show_selection
    assert panel.scene.pinned == {"measures": MarkList((), -1)}
    assert scene.pinned[THROW] is arrow, "the window keeps it"


def test_text_over_a_rendered_picture_is_there_once(tmp_path: Path) -> None:
    """Neither the box nor the legend is in the image."""
    bare, full = (ViewModel(picture="rendered", background="white", resolution=96) for _ in range(2))
    bare = BARE.applied_to(bare)
    images = []
    for number, view in enumerate((bare, full)):
        scene = scene_of(60)
        write_picture(tmp_path / f"{number}.svg", scene, fitting(SIZE), view, SIZE)
        root = ElementTree.parse(tmp_path / f"{number}.svg").getroot()
        image = next(iter(root.iter(f"{SVG}image")))
        images.append(image.attrib[f"{LINK}href"])
    assert images[0] == images[1]
    assert Over.of(full).legend
