"""The pictures and films of the gallery: there is one of each layer, all are linked, and they are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from aggviewer.canvas.layers.registry import switches
from benchmarks.pictures import FILM_SIZE, FILMS, FOLDER, GALLERY, LARGEST, LARGEST_FILM, SIZE, film, shot

ROOT = Path(__file__).parents[2]
NAMES = (*GALLERY, "figure")


def test_each_layer_has_a_picture() -> None:
    shown = {name for shot in GALLERY.values() for name in shot.view.get("layers", ())}
    assert shown == {layer.name for layer in switches() if not layer.momentary}


@pytest.mark.parametrize("page", ["README.md", "docs/gallery.md"])
def test_all_pictures_are_linked_with_words_for_who_cannot_see_them(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    linked = dict(re.findall(r"!\[([^\]]+)\]\((\S+/gallery/\S+)\)", text))
    files = {(ROOT / page).parent / path for path in linked.values()}
    assert files == {FOLDER / f"{name}.png" for name in NAMES} | {FOLDER / f"{name}.webp" for name in FILMS}
    assert all(file.is_file() for file in files)
    assert all(len(words) > 20 for words in linked)


def test_pictures_of_the_gallery_are_small_and_of_one_size() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    films = {f"{name}.webp": sizes.pop(f"{name}.webp") for name in FILMS}
    assert set(sizes) == {f"{name}.png" for name in NAMES}
    assert max(sizes.values()) <= LARGEST
    assert sum(sizes.values()) < 700_000
    assert max(films.values()) <= LARGEST_FILM
    for name in GALLERY:
        with Image.open(FOLDER / f"{name}.png") as picture:
            assert picture.size == SIZE


@pytest.mark.parametrize("name", FILMS)
def test_films_have_a_turn_of_pictures_that_differ(name: str) -> None:
    with Image.open(FOLDER / f"{name}.webp") as seen:
        assert (seen.size, seen.n_frames, seen.info["loop"]) == (FILM_SIZE, 61, 0)
        pictures = []
        for frame in range(0, 61, 15):
            seen.seek(frame)
            pictures.append(seen.convert("L").tobytes())
    assert len(set(pictures)) == len(pictures)


def test_the_script_makes_them(qapp: object) -> None:
    data = shot("hulls")
    assert len(data) == pytest.approx((FOLDER / "hulls.png").stat().st_size, rel=0.2)


@pytest.mark.slow
def test_the_script_makes_films() -> None:
    assert len(film("spheres-stick")) == pytest.approx((FOLDER / "spheres-stick.webp").stat().st_size, rel=0.2)
