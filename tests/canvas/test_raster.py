"""The kernels against what is plainly right."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.canvas import colors, disc_kernels
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import gather_by_numpy
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic
from engine.errors import InputError

from .conftest import EVERY_BOX, PLAIN


def scene_of(
    positions: np.ndarray,
    radii: np.ndarray,
    box: tuple[float, float] = (10.0, 10.0),
    *,
    periodic: Periodic | bool = False,
) -> Scene:
    scene = Scene()
    scene.replace_discs(radii, box, periodic)
    scene.set_frame(positions, np.ones(len(radii), np.float32), PLAIN, 0.0)
    return scene


def covered(scene: Scene, camera: Camera) -> np.ndarray:
    """Covered area of every pixel, straight from the kernel."""
    width, height = int(camera.width), int(camera.height)
    total = np.zeros((height, width, 4), np.float32)
    where = np.array([camera.x, camera.y, camera.scale, width / 2, height / 2])
    ramp, table = np.array([0.0, 256.0, 0.0, 0.0, 1.0]), colors.table(PLAIN, ViewModel())
    clip = np.array([0, 0, width, height])
    disc_kernels.paint(
        scene.positions,
        scene.radii,
        scene.scalar,
        scene.box,
        scene.periodic.code,
        scene.periodic.offset,
        where,
        ramp,
        table,
        clip,
        total,
    )
    return total[:, :, 3]


@pytest.mark.parametrize("radius", [0.8, 1.5, 4.0, 40.0])
def test_a_disc_covers_its_area_and_is_round(radius: float) -> None:
    rng = np.random.default_rng(3)
    angles = np.linspace(0.0, np.pi, 8)
    areas, widths = [], []
    for _ in range(100):  # centres anywhere between pixels
        centre = 5.0 + rng.random(2) * 0.02
        area = covered(scene_of(centre[None], np.array([radius / 100])), Camera(5.0, 5.0, 100.0, 100.0, 100.0))
        y, x = np.mgrid[:100, :100]
        x, y = x - 49.5 - (centre[0] - 5.0) * 100, 49.5 - y - (centre[1] - 5.0) * 100
        areas.append(area.sum())
        widths.append([(area * (x * np.cos(a) + y * np.sin(a)) ** 2).sum() for a in angles])
    assert np.array(areas) == pytest.approx(np.pi * radius**2, rel=0.02 + 0.13 / radius**2)
    mean = np.mean(widths, axis=0)
    assert mean / np.mean(areas) == pytest.approx(radius**2 / 4, rel=0.02 + 0.5 / radius**2)
    assert max(mean) < 1.04 * min(mean)  # as wide in every direction


def test_a_regular_lattice_below_a_pixel_shows_no_stripes() -> None:
    x, y = np.meshgrid(np.arange(250) * 0.04, np.arange(250) * 0.04)
    scene = scene_of(np.c_[x.ravel(), y.ravel()], np.full(62_500, 0.01))
    picture = Raster().paint(scene, Camera(5.0, 5.0, 20.0, 100.0, 100.0), ViewModel(background="black"))
    assert np.ptp(picture[..., :3].astype(int), axis=(0, 1)).max() <= 12


def test_a_disc_across_a_periodic_edge_is_whole_again() -> None:
    camera = Camera.showing(0.0, 0.0, 10.0, 10.0, (200.0, 200.0))
    corner = scene_of(np.array([[0.1, 9.9]]), np.array([1.0]), periodic=True)
    middle = scene_of(np.array([[5.1, 4.9]]), np.array([1.0]), periodic=True)
    view = ViewModel(background="black")
    rolled = np.roll(Raster().paint(corner, camera, view), (100, 100), (0, 1))
    np.testing.assert_array_equal(rolled, Raster().paint(middle, camera, view))


def test_values_that_are_no_numbers_draw_nothing_and_touch_nothing() -> None:
    scene = scene_of(np.array([[np.nan, 5.0], [np.inf, 5.0], [5.0, 5.0]]), np.full(3, 0.5))
    scene.scalar[:] = np.nan
    area = covered(scene, Camera(5.0, 5.0, 20.0, 200.0, 200.0))
    assert area.sum() == pytest.approx(np.pi * 100.0, rel=0.02)


@pytest.mark.parametrize("shape", [(19, 30, 4), (21, 30, 4), (20, 29, 4), (20, 31, 4), (20, 30, 3)])
def test_a_picture_goes_into_no_array_of_another_size(shape: tuple[int, int, int]) -> None:
    scene, camera = scene_of(np.ones((1, 2)), np.ones(1)), Camera(5.0, 5.0, 2.0, 30.9, 20.9)
    assert Raster().paint(scene, camera, ViewModel(), out=np.empty((20, 30, 4), np.uint8)).all(axis=2).any()
    with pytest.raises(ValueError, match="30 x 20 pixels"):
        Raster().paint(scene, camera, ViewModel(), out=np.empty(shape, np.uint8))


@EVERY_BOX
def test_gather_takes_just_the_discs_in_view(periodic: Periodic) -> None:
    rng = np.random.default_rng(2)
    positions, radii = rng.random((500, 2)) * 10.0, 0.05 + rng.random(500) * 0.3
    left, bottom, right, top = 7.5, -1.0, 10.4, 3.0
    code = periodic.code
    view = np.array([left, bottom, right, top, 9.0, 1.0])
    offset, radius, value = np.zeros((900, 2), np.float32), np.zeros(900, np.float32), np.zeros(900, np.float32)
    scalar = np.arange(500, dtype=np.float32)
    box = np.array([10.0, 10.0])
    count = disc_kernels.gather(positions, radii, scalar, box, code, 0.0, view, offset, radius, value)
    expected = set()
    for i, ((x, y), r) in enumerate(zip(positions, radii, strict=True)):
        for a in (-1, 0, 1) if periodic[0] else (0,):
            for b in (-1, 0, 1) if periodic[1] else (0,):
                xi, yi = x + 10 * a, y + 10 * b
                reaches_x = (a == 0) or (a == -1 and x + r > 10) or (a == 1 and x < r)
                reaches_y = (b == 0) or (b == -1 and y + r > 10) or (b == 1 and y < r)
                in_view = xi + r >= left and xi - r <= right and yi + r >= bottom and yi - r <= top
                if reaches_x and reaches_y and in_view:
                    expected.add((i, round(xi - 9.0, 4), round(yi - 1.0, 4)))
    ids = value[:count].astype(int).tolist()
    got = {(i, round(float(o[0]), 4), round(float(o[1]), 4)) for i, o in zip(ids, offset, strict=False)}
    assert len(got) == count == len(expected)
    assert {g[0] for g in got} == {e[0] for e in expected}
    np.testing.assert_allclose(sorted(got), sorted(expected), atol=2e-4)
    small = disc_kernels.gather(positions, radii, scalar, box, code, 0.0, view, offset[:3], radius[:3], value[:3])
    assert small == count  # says how much room it needs


@EVERY_BOX
def test_a_disc_that_crosses_an_edge_is_cut_and_continued_where_that_is_periodic(periodic: Periodic) -> None:
    scene = scene_of(np.array([[9.8, 5.0], [5.0, 9.8]]), np.full(2, 0.5), periodic=periodic)
    camera = Camera(5.0, 5.0, 20.0, 240.0, 240.0)  # a unit beside the box on each side
    picture = Raster().paint(scene, camera, ViewModel(background="black", show_box=False))[..., :3].max(axis=2)
    for axis in range(2):
        for away, seen in ((9.8, True), (10.15, not periodic[axis]), (0.15, periodic[axis])):
            column, row = camera.to_pixel(*(away if k == axis else 5.0 for k in range(2)))
            assert (picture[int(row), int(column)] > 60) == seen, (axis, away)


@pytest.mark.parametrize(
    ("periodic", "ahead"),
    [
        *((Periodic.of_code(code, 2), 0.0) for code in (0, 1, 2, 4)),
        (Periodic.of(True, 2), 0.3),
        (Periodic.of(True, 2), 9.8),
    ],
)
def test_discs_are_found_without_the_kernel_just_as_with_it(periodic: Periodic, ahead: float) -> None:
    rng = np.random.default_rng(5)
    positions, radii = rng.random((700, 2)) * (10.0, 7.0), 0.05 + rng.random(700) * 0.6
    positions[3] = np.nan
    discs = positions, radii, np.arange(700, dtype=np.float32), np.array([10.0, 7.0]), periodic.code, ahead
    for view in ((-1.0, -1.0, 11.0, 8.0, 5.0, 3.5), (8.2, -0.5, 10.4, 2.0, 9.3, 0.7), (20.0, 0.0, 21.0, 1.0, 0.0, 0.0)):
        found = []
        for gather in (disc_kernels.gather, gather_by_numpy):
            offset, radius, value = np.zeros((900, 2), np.float32), np.zeros(900, np.float32), np.zeros(900, np.float32)
            count = gather(*discs, np.array(view), offset, radius, value)
            few = offset[:5].copy(), radius[:5].copy(), value[:5].copy()
            assert gather(*discs, np.array(view), *few) == count
            found.append((count, offset, radius, value, *few))
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_offsets_stay_exact_far_from_the_origin() -> None:
    positions = np.array([[1e6 + 1e-4, 1e6]])
    offset, one = np.zeros((1, 2), np.float32), np.zeros(1, np.float32)
    view = np.array([1e6 - 1, 1e6 - 1, 1e6 + 1, 1e6 + 1, 1e6, 1e6])
    disc_kernels.gather(positions, np.ones(1), one, np.full(2, 2e6), 0, 0.0, view, offset, one.copy(), one.copy())
    assert offset[0, 0] == pytest.approx(1e-4, rel=1e-5)


def test_pick_finds_the_disc_also_across_the_edge() -> None:
    positions, radii, box = np.array([[0.2, 5.0], [5.0, 5.0]]), np.array([0.5, 1.0]), np.array([10.0, 10.0])
    assert disc_kernels.pick(positions, radii, box, 0, 0.0, 5.9, 5.0, 0.0) == 1
    assert disc_kernels.pick(positions, radii, box, 0, 0.0, 6.1, 5.0, 0.0) == -1
    assert disc_kernels.pick(positions, radii, box, 0, 0.0, 6.1, 5.0, 0.2) == 1
    assert disc_kernels.pick(positions, radii, box, 0, 0.0, 9.9, 5.0, 0.0) == -1
    assert disc_kernels.pick(positions, radii, box, 1, 0.0, 9.9, 5.0, 0.0) == 0
    along_x, along_y = (Periodic(axes).code for axes in ((True, False), (False, True)))
    assert disc_kernels.pick(positions, radii, box, along_x, 0.0, 9.9, 5.0, 0.0) == 0
    assert disc_kernels.pick(positions, radii, box, along_y, 0.0, 9.9, 5.0, 0.0) == -1
    scene = scene_of(positions, radii, periodic=Periodic((True, False)))
    assert scene.disc_at(9.9, 5.0, 0.0) == 0
    assert scene.disc_at(10.1, 5.0, 1.0) is None  # beside a periodic edge there is nothing
    assert scene.disc_at(5.0, 10.1, 5.0) == 1  # beside a wall a disc may be near


def test_a_scene_refuses_what_cannot_be_drawn() -> None:
    scene = scene_of(np.ones((2, 2)), np.ones(2))
    for radii, box in (([1.0, 0.0], (1, 1)), ([1.0, np.nan], (1, 1)), ([1.0], (1, 0)), ([1.0], (1, 1, 1, 1))):
        with pytest.raises(InputError):
            scene.replace_discs(radii, box, False)
    with pytest.raises(InputError, match="2 discs"):
        scene.set_frame(np.ones((3, 2)), np.ones(3, np.float32), PLAIN, 0.0)
    assert scene.count == 2
    assert scene.shown


def test_a_frame_is_copied() -> None:
    positions, scalar = np.full((1, 2), 5.0), np.ones(1, np.float32)
    scene = Scene()
    scene.replace_discs(np.ones(1), (10.0, 10.0), False)
    scene.set_frame(positions, scalar, PLAIN, 0.0)
    positions[:] = 0.0
    scalar[:] = 0.0
    assert scene.positions.tolist() == [[5.0, 5.0]]
    assert scene.scalar.tolist() == [1.0]


def test_a_frame_that_is_lent_is_used_as_it_is_and_never_written_to() -> None:
    positions, scalar = np.full((2, 2), 5.0), np.ones(2, np.float32)
    scene = Scene()
    scene.replace_discs(np.ones(2), (10.0, 10.0), False)
    scene.set_frame(positions, scalar, PLAIN, 0.0, lent=True)
    assert scene.positions is positions
    assert scene.scalar is scalar
    scene.hide(np.array([True, False]))
    scene.set_frame(positions, scalar, PLAIN, 0.0, lent=True)
    assert np.isnan(scene.positions[0]).all()
    scene.hide(None)
    scene.set_frame(positions, scalar, PLAIN, 0.0, lent=True)
    scene.set_frame(np.zeros((2, 2)), np.zeros(2, np.float32), PLAIN, 0.0)
    assert (positions == 5.0).all()
    assert (scalar == 1.0).all()
    fixed = positions.copy()
    fixed.flags.writeable = False  # to numba it is of another type, for which nothing is compiled
    scene.set_frame(fixed, scalar, PLAIN, 0.0, lent=True)
    assert scene.positions is not fixed
    assert (scene.positions == 5.0).all()
