"""Pictures: the same scene in pixels and as vectors."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtSvg import QSvgRenderer

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import Over
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.figure import PicturePanel
from aggviewer.export.files import finished
from aggviewer.export.kinds import ExportContents
from aggviewer.export.pictures import MOST_DISCS, SceneView, pictures_image, write_picture, write_pictures
from aggviewer.export.sheet import POINTS_PER_PIXEL
from aggviewer.export.standard_kinds import PICTURE
from aggviewer.session.coloring import Coloring
from engine.errors import InputError
from engine.frame import Frame
from tests.builders.colorists import colorist_of
from tests.export.conftest import BARE

SVG = "{http://www.w3.org/2000/svg}"
SIZE = (640, 480)


def scene_of(count: int, *, periodic: bool = False, by: str = "cluster", radius: float = 0.0) -> Scene:
    """Random discs of two sizes in a box of 10 x 10, some of them across its edges if it is periodic."""
    random = np.random.default_rng(7)
    radii = np.where(np.arange(count) % 3 == 0, 1.5, 1.0) * (radius or 2.0 / np.sqrt(count))
    edge = 0.0 if periodic else radii.max()
    positions = random.uniform(edge, 10.0 - edge, (count, 2))
    velocities = random.normal(0.0, 1.0, (count, 2))
    frame = Frame(1.5, positions, velocities, {"cluster": np.arange(count, dtype=np.int32) // 2}, (count + 1) // 2, 1.0)
    scalar, coloring = colorist_of().color(frame, by)
    scene = Scene()
    scene.replace_discs(radii, np.array([10.0, 10.0]), periodic)
    scene.set_frame(positions, scalar, coloring, frame.time)
    return scene


def fitting(size: tuple[int, int] = SIZE) -> Camera:
    return Camera.fitting((10.0, 10.0), (float(size[0]), float(size[1])))


def rendered(path: Path, size: tuple[int, int]) -> np.ndarray:
    """(H, W, 4) uint8 of a picture in any of the formats."""
    if path.suffix == ".png":
        return from_qimage(QImage(str(path)))
    if path.suffix == ".pdf":
        document = QPdfDocument(None)
        assert document.load(str(path)) is QPdfDocument.Error.None_
        assert document.pageCount() == 1
        assert document.pagePointSize(0).width() == pytest.approx(size[0] * 0.75, abs=0.01)
        return from_qimage(document.render(0, QSize(*size)))
    image = QImage(*size, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(QColor(0, 0, 0, 0))
    with QPainter(image) as painter:
        QSvgRenderer(str(path)).render(painter, QRectF(0, 0, *size))
    return from_qimage(image)


@pytest.mark.parametrize(
    ("suffix", "periodic", "by"), [(".svg", True, "cluster"), (".svg", False, "speed"), (".pdf", True, "size")]
)
def test_vectors_look_as_pixels_do(tmp_path: Path, suffix: str, periodic: bool, by: str) -> None:
    scene = scene_of(60, periodic=periodic, by=by)
    view = ViewModel(background="light")
    for name in (f"v{suffix}", "p.png"):
        write_picture(tmp_path / name, scene, fitting(), BARE.applied_to(view), SIZE)
    vectors, pixels = (rendered(tmp_path / name, SIZE).astype(int)[..., :3] for name in (f"v{suffix}", "p.png"))
    # where discs overlap, these do, the order is another one: compare what is disc and what is ground
    ground = np.array(view.background_rgb)
    disc = [abs(image - ground).max(axis=2) > 40 for image in (vectors, pixels)]
    seen = np.ones(disc[0].shape, bool)
    if periodic and suffix == ".svg":  # Qt's reader knows no clipping; browsers and editors do
        (left, bottom), (right, top) = fitting().to_pixel(0.0, 0.0), fitting().to_pixel(10.0, 10.0)
        seen[:] = False
        seen[round(top) : round(bottom), round(left) : round(right)] = True
        root = ElementTree.parse(tmp_path / "v.svg").getroot()
        (discs,) = [group for group in root.iter(f"{SVG}g") if group.attrib.get("id") == "discs"]
        clipped = next(group for group in discs.iter(f"{SVG}g") if "clip-path" in group.attrib)
        clips = {f"url(#{clip.attrib['id']})": clip[0] for clip in root.iter(f"{SVG}clipPath")}
        clip = clips[clipped.attrib["clip-path"]].attrib
        place = [float(clip[name]) / POINTS_PER_PIXEL for name in ("x", "y", "width", "height")]
        assert place == pytest.approx([left, top, right - left, bottom - top], abs=1.0)
    assert (disc[0] != disc[1])[seen].mean() < 0.01
    assert disc[1].mean() > 0.1


def test_text_in_vector_pictures_stays_text(tmp_path: Path) -> None:
    for name in ("a.svg", "a.pdf"):
        write_picture(tmp_path / name, scene_of(30), fitting(), ViewModel(), SIZE)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "t = 1.50" in text
    assert "clusters (12 colours)" in text
    assert re.search("font-family: [^;]*, sans-serif;", text)
    document = QPdfDocument(None)
    document.load(str(tmp_path / "a.pdf"))
    assert "t=1.50" in "".join(document.getAllText(0).text().split())


@pytest.mark.parametrize("name", ["legend", "scale_bar", "time", "box", "axes", "gravity", "selection"])
def test_each_overlay_can_be_left_out_and_the_view_of_the_person_stays(name: str) -> None:
    view, every = ViewModel(), dict.fromkeys(vars(Over()), True)
    shown = Over(**(every | {name: False})).applied_to(view)
    assert {one for one in every if not getattr(shown, f"show_{one}")} == {name}
    assert getattr(view, f"show_{name}")


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_transparent_is_transparent(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_picture(path, scene_of(5), fitting(), BARE.applied_to(ViewModel()), SIZE, transparent=True)
    alpha = rendered(path, SIZE)[..., 3]
    assert (alpha[2, 2], alpha.max()) == (0, 255)


def test_only_what_is_in_view_is_in_the_file(tmp_path: Path) -> None:
    scene = scene_of(400)
    close = Camera.showing(4.0, 4.0, 1.0, 1.0, (100.0, 100.0))
    write_picture(tmp_path / "a.svg", scene, close, BARE.applied_to(ViewModel()), (200, 200))
    circles = (tmp_path / "a.svg").read_text(encoding="utf-8").count("<circle")
    near = np.all(np.abs(scene.positions - 4.5) <= 0.5 + scene.radii[:, None], axis=1).sum()
    assert circles == near


def test_discs_across_a_periodic_edge_are_there_twice(tmp_path: Path) -> None:
    scene = Scene()
    scene.replace_discs(np.array([1.0]), np.array([10.0, 10.0]), True)
    scene.set_frame(np.array([[0.2, 9.9]]), np.zeros(1, np.float32), Coloring("cluster", "", "", (0, 1)), 0.0)
    write_picture(tmp_path / "a.svg", scene, fitting(), BARE.applied_to(ViewModel()), SIZE)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("<circle") == 4


def test_too_many_discs_are_refused(tmp_path: Path) -> None:
    scene = scene_of(MOST_DISCS + 1)
    for suffix in (".svg", ".pdf"):
        with pytest.raises(InputError, match="too many for a vector file"):
            write_picture(tmp_path / f"a{suffix}", scene, fitting(), ViewModel(picture="drawn"), SIZE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("a.png", (0, 10), "1 to 32767 pixels on a side for PNG, not 0 × 10"),
        ("a.png", (10, 40_000), "1 to 32767 pixels"),
        ("a.pdf", (20_000, 10), "1 to 19200 pixels"),
        ("a.jpg", (10, 10), r"must end in \.png, \.svg or \.pdf"),
        ("nowhere/a.svg", (10, 10), "there is no folder"),
        ("nowhere/a.png", (10, 10), "there is no folder"),
        ("nowhere/a.pdf", (10, 10), "there is no folder"),
    ],
)
def test_a_picture_that_cannot_be_written_is_refused(
    tmp_path: Path, name: str, size: tuple[int, int], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        write_picture(tmp_path / name, scene_of(3), fitting(), ViewModel(), size)
    assert list(tmp_path.iterdir()) == []


def test_the_image_for_the_clipboard_is_the_picture(tmp_path: Path) -> None:
    scene, view = scene_of(30), ViewModel()
    write_picture(tmp_path / "a.png", scene, fitting(), view, SIZE)
    copied = pictures_image((SceneView(scene, fitting(), view),), SIZE)
    assert np.array_equal(from_qimage(copied), rendered(tmp_path / "a.png", SIZE))


def test_a_picture_as_in_the_window_is_as_fine_as_the_screen_and_looks_the_same(tmp_path: Path) -> None:
    """On a screen with a scaling of 2, legend and scale bar were half as large."""
    panel = PicturePanel(scene_of(30), None, ViewModel(background="white"))
    images, pages = [], []
    for ratio in (1.0, 2.0):
        contents = ExportContents(SIZE, ratio, pictures={"run": panel})
        choices = PICTURE.choices(contents)
        images.append(finished(PICTURE.draw(contents, choices, None))[0])
        finished(PICTURE.write(contents, choices, tmp_path / "a.svg"))
        pages.append((tmp_path / "a.svg").read_text())
        assert finished(PICTURE.draw(contents, choices.with_values(size=(99, 50)), None))[0].width() == 99
    usual, fine = images
    assert fine.size() == 2 * usual.size()
    reduced = fine.scaled(usual.size(), transformMode=Qt.TransformationMode.SmoothTransformation)
    assert np.abs(from_qimage(reduced).astype(int) - from_qimage(usual).astype(int)).mean() < 3.0
    assert pages[0] == pages[1]


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_two_pictures_share_the_width(tmp_path: Path, suffix: str) -> None:
    views = [
        SceneView(scene_of(30), fitting(), BARE.applied_to(ViewModel(background=name))) for name in ("white", "black")
    ]
    write_pictures(tmp_path / f"two{suffix}", views, (600, 300))
    both = rendered(tmp_path / f"two{suffix}", (600, 300)).astype(int)[..., :3]
    for view, part in zip(views, (both[:, :300], both[:, 300:]), strict=True):
        write_pictures(tmp_path / f"one{suffix}", [view], (part.shape[1], 300))
        alone = rendered(tmp_path / f"one{suffix}", (part.shape[1], 300)).astype(int)[..., :3]
        assert np.abs(part - alone).mean() < 1.0
