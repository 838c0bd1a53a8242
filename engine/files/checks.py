"""What can be wrong with a file that is read: where it is, what is too large, and which numbers make no frame.

Every message about a file begins with its `Location`. Files above the upper limits are refused before memory is
allocated for them; the limits of lengths, speeds and masses are in `engine.errors`. Numbers are checked before they
become a frame. Checks raise InputError, whose message begins with the location that is given as `where`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import AXES, Periodic
from engine.errors import MAX_COUNT, MAX_SIDE, MOST_PERIODS, InputError, fault_of_box, fault_of_flow, fault_of_radii
from engine.files.frame import FileFrame
from engine.files.quantities import IMAGES, PARTS
from engine.geometry.nearest import moved_by, wrapped


@dataclass(frozen=True)
class Location:
    """A file, or one part of it, that a message names: ``states.xyz, line 3``.

    Parameters
    ----------
    path : the file. It is the `key` of the errors that are made here.
    part : what of the file is meant, such as ``line 3`` or ``frame 0``; "" for the file as a whole.
    """

    path: Path
    part: str = ""

    def __str__(self) -> str:
        """The file and its part, as messages begin: ``states.xyz, line 3``."""
        return f"{self.path}, {self.part}" if self.part else str(self.path)

    def line(self, number: int) -> Location:
        """The location of a line of this file, counted from 1."""
        return Location(self.path, f"line {number}")

    def frame(self, number: int) -> Location:
        """The location of a frame of this file, counted from 0."""
        return Location(self.path, f"frame {number}")

    def error(self, sentence: str) -> InputError:
        """The error ``PATH, line 3: SENTENCE``; the caller raises it."""
        return InputError(f"{self}: {sentence}", str(self.path))

    def fault(self, predicate: str) -> InputError:
        """The error ``PATH, line 3 PREDICATE``, of which the file is the subject: ``PATH is empty``."""
        return InputError(f"{self} {predicate}", str(self.path))

    def unreadable(self, error: OSError | ValueError) -> InputError:
        """The error for a file that the system does not give; `error` is what it raised."""
        reason = error.strerror if isinstance(error, OSError) else None
        return self.fault(f"cannot be read: {reason or error}")


MAX_LINE = 1 << 16  # bytes of a line of text
MAX_TEXT_FRAMES = 1 << 24
MAX_INDEX_ENTRIES = 1 << 23  # of a GSD file: 32 bytes each; about 1.2 million frames of a recording
MAX_NAME_BYTES = 1 << 20  # all names of chunks of a GSD file
MAX_SCENARIO = 1 << 20  # bytes of TOML
MAX_READ_AT_ONCE = 1 << 31  # bytes of a file that `read` takes whole


def size_of(path: Path) -> int:
    """The size of a file in bytes. Raises InputError if it is missing, empty or not a file."""
    where = Location(path)
    try:
        exists, is_file = path.exists(), path.is_file()
        size = path.stat().st_size if is_file else 0
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise where.unreadable(error) from None
    if not is_file:
        raise where.fault("is not a file" if exists else "does not exist")
    if size == 0:
        raise where.fault("is empty")
    return size


def check_count(where: Location, count: int) -> int:
    """Return the number of discs of a frame. Raises InputError for 0 and for more than `MAX_COUNT`."""
    if count < 1:
        raise where.error("there are no discs")
    if count > MAX_COUNT:
        raise where.error(f"{count} discs, at most {MAX_COUNT} can be read")
    return count


def other_count(count: int, first: int) -> str:
    """The message about a frame of `count` discs in a file whose first frame has another number, `first`."""
    return f"{count} discs, but {first} in the first frame; a file whose number of discs changes cannot be shown"


def plain(text: str) -> str:
    """Text from a file made safe for a message: at most 40 characters, without control characters."""
    return "".join(letter if letter.isprintable() else "·" for letter in text[:40])


FLAT = 1e-6  # how much z may vary between discs in a plane, as a share of the longer side of the box
STRAIGHT = 1e-9  # how much a side of the box may lean, as a share of the largest component: programs round
_INT32 = 2**31
_SHAPES = re.compile(r"(c_)?(aspherical_?)?shapes?([xyz]|[.\[].*)?$", re.IGNORECASE)


def checked(where: Location, frame: FileFrame) -> FileFrame:
    """Check the numbers of a frame, and wrap its discs into the box along periodic axes, which its images count.

    Returns the same frame. A time that is not finite becomes None.

    Raises
    ------
    InputError
        A number of a disc is not what `engine.files.quantities` allows, a side of the box is not a finite number above
        0, or one of them is outside the limits of scenarios (`engine.errors`).
    """
    for name, quantity in PARTS.items():
        values = frame.part(name)
        if values is not None and (fault := quantity.fault_of(values)):
            raise where.error(fault)
    if frame.box is not None and not ((frame.box > 0.0) & np.isfinite(frame.box)).all():
        raise where.error("the sides of the box must be finite numbers above 0")
    if fault := next(filter(None, _beyond_limits(frame)), ""):
        raise where.error(fault)
    if frame.time is not None and not np.isfinite(frame.time):
        frame.time = None
    if frame.periodic is not None and frame.box is not None:
        around, box = frame.around, frame.box
        inside = wrapped(frame.positions, box, around)
        images = frame.fields.get(IMAGES)
        moved = inside is not frame.positions
        boxes = np.rint((frame.positions[:, 1] - inside[:, 1]) / box[1]) if moved else np.zeros(len(inside))
        if images is not None and images.shape == inside.shape and (moved or frame.periods_ahead):
            # so that the unwrapped path stays where it is
            crossed = images + np.rint((frame.positions - moved_by(inside, boxes, box, around.offset)) / box)
            crossed[:, 0] -= (images[:, 1] + boxes) * frame.periods_ahead
            crossed[:, 1] += boxes
            if (np.abs(crossed) >= _INT32).any():
                raise where.error("a disc has crossed the box more often than a whole number of 32 bits can say")
            frame.fields[IMAGES] = crossed.astype(np.int32)
        if frame.velocities is not None and frame.shear_rate and boxes.any():  # images in other boxes flow faster
            frame.velocities = frame.velocities - np.outer(boxes * frame.shear_rate * box[1], np.eye(len(box))[0])
        frame.positions = inside
    return frame


def _beyond_limits(frame: FileFrame) -> Iterator[str]:
    """Check the parts of a frame of finite numbers against the limits of scenarios: a message for each, "" if it is
    valid."""
    far = np.abs(frame.positions).max(axis=1) > MAX_SIDE
    yield f"the position of disc {int(far.argmax())} is farther than {MAX_SIDE:g} from the origin" if far.any() else ""
    if frame.box is not None:
        yield fault_of_box(frame.box)
        yield fault_of_flow(frame.strain, frame.shear_rate, frame.box, True)
    if frame.radii is not None:
        wide = frame.radii > MAX_SIDE
        yield f"the radius of disc {int(wide.argmax())} is larger than {MAX_SIDE:g}" if wide.any() else ""
        if frame.box is not None:
            yield fault_of_radii(frame.radii, frame.box)


def is_flat(heights: Floats, side: float) -> bool:
    """Whether all discs have the same height, so that they are a state in the plane.

    Parameters
    ----------
    heights : z of each disc, (N,).
    side : the longer side of the box; heights may differ by a rounding error of this length.
    """
    return float(np.ptp(heights)) <= FLAT * abs(side)


def whole_numbers(where: Location, values: Floats, name: str) -> NDArray[np.int32]:
    """Convert numbers, (N,) or (N, k), to int32. Raises InputError, which calls them `name`, if one is not a whole
    number or does not fit."""
    good = (values >= -_INT32) & (values < _INT32)
    if not good.all() or not (values == np.rint(values)).all():
        bad = int(np.argwhere(~good | (values != np.rint(values)))[0, 0])
        raise where.error(f"the {name} of disc {bad} must be a whole number of 32 bits")
    return values.astype(np.int32)


def box_of_sides(where: Location, sides: Sequence[float]) -> Floats:
    """The sides of a box as an array, (d,). Raises InputError unless all are finite and above 0."""
    box = np.array(sides, np.float64)
    if not ((box > 0.0) & np.isfinite(box)).all():
        raise where.error("the sides of the box must be finite numbers above 0")
    return box


def along_each(where: Location, flags: Sequence[bool | None], dimensions: int) -> Periodic | None:
    """Along which axes a box is periodic; None where the file says nothing of it.

    flags : whether it is along x, y and z, None for what the file does not say; of z that is the same as of x and y.
        Raises InputError if it says it of some other axes only.
    """
    x, y, z = flags
    known = [x, y, x if z is None and x == y else z][:dimensions]
    if known.count(None) == dimensions:
        return None
    if None in known:
        raise where.error(f"nothing says whether the box is periodic along {AXES[known.index(None)]}")
    return Periodic(known)


def other_shapes(columns: Iterable[str]) -> str:
    """A notice about columns with shapes other than discs, such as OVITO's ``aspherical_shape``; "" for none."""
    found = [column for column in columns if _SHAPES.match(column)]
    return f"it has other shapes ({plain(found[0])}); they are read as discs with the given radius" if found else ""


_TILTED = "only rectangular boxes, and those tilted along x alone (xy), can be read"
_HALF = 0.5 * (1.0 + 1e-6)  # of the width: the most tilt, also in single precision


def tilt_of(where: Location, tilts: Mapping[str, float]) -> float:
    """The tilt xy of a box, whose images above are ahead by so much along x. tilts : xy, xz and yz by their names, all
    or some. Raises InputError for a tilt xz or yz other than 0, and for numbers that are not finite."""
    for name, tilt in tilts.items():
        if not np.isfinite(tilt) or (name != "xy" and tilt != 0.0):
            raise where.error(f"the box is triclinic ({name} = {tilt:g}); {_TILTED}")
    return tilts.get("xy", 0.0)


def strain_of(where: Location, tilt: float, box: Floats, periodic: Periodic | None, told: float = 0.0) -> float:
    """The strain of a box (d,) with a tilt, a length.

    told : what the file says of it, with whole periods, which is returned where it means the same tilt. Raises
        InputError if the box is tilted by more than half of its width, or has walls along x or y.
    """
    width, height = float(box[0]), float(box[1])
    if not abs(tilt) <= _HALF * width:
        raise where.error(
            f"the box is tilted by {tilt:g} along x, more than half of its width ({0.5 * width:g}); write it with "
            "the tilt nearest to 0, which is the same box"
        )
    if tilt and periodic is not None and not (periodic[0] and periodic[1]):
        raise where.error(f"a box tilted along x (xy = {tilt:g}) must be periodic along x and y")
    if abs(told) * height > MOST_PERIODS * width:  # nor are the digits there that say where images are
        told = 0.0
    apart = (told * height - tilt) / width
    return told if told and abs(apart - round(apart)) < _SAME else tilt / height


_SAME = 1e-5  # widths by which a tilt in single precision may differ


@dataclass(frozen=True)
class Rectangle:
    """A rectangular box, or one tilted along x alone.

    Parameters
    ----------
    sides : (3,), along x, y and z; that along z may be 0 or below in the plane.
    corner : (3,), the corner from which positions are measured in a `FileFrame`.
    order : for x, y and z the number, from 0, of the side in the file that lies along it.
    mirrored : whether one of the sides in the file points against its axis.
    tilt : how far the images above are ahead along x.
    """

    sides: Floats
    corner: Floats
    order: tuple[int, int, int] = (0, 1, 2)
    mirrored: bool = False
    tilt: float = 0.0

    def along_axes(self, periodic: Sequence[bool | None]) -> list[bool | None]:
        """Whether the box is periodic along x, y and z. periodic : the same for the sides in the order of the file;
        None, or nothing at the end, for what the file does not say."""
        known = [*periodic, None, None, None]
        return [known[number] for number in self.order]


def rectangle(where: Location, cell: Floats, origin: Floats) -> Rectangle:
    """The box that is given by three vectors.

    Parameters
    ----------
    where : the frame, for messages.
    cell : (3, 3), a vector in each row. Each lies along another axis, in any order and direction; one may be 0 in the
        plane, and then stands for the axis that is left. That along y may lean along x.
    origin : (3,), the corner at which the vectors start.

    Raises
    ------
    InputError
        The vectors do not span a rectangle with sides along the axes, or one tilted along x.
    """
    if not (np.isfinite(cell).all() and np.isfinite(origin).all()):
        raise where.error("the vectors of the box must be finite numbers")
    there = np.abs(cell) > STRAIGHT * np.abs(cell[:, :2]).max()
    tilt = 0.0
    leaning = np.flatnonzero(there[:, 0] & there[:, 1])
    if len(leaning) == 1 and (there == (True, False, False)).all(axis=1).any():
        tilt = float(cell[leaning[0], 0] * np.sign(cell[leaning[0], 1]))
        there[leaning[0], 0] = False
    alone = there.sum(axis=1) == 1
    order = [-1, -1, -1]
    for row in np.flatnonzero(there.any(axis=1)):
        if not alone[row]:
            vector = " ".join(f"{number:g}" for number in cell[row])
            raise where.error(f"the box is triclinic (a side is {vector}); {_TILTED}")
        axis = int(there[row].argmax())
        if order[axis] >= 0:
            raise where.error(f"two vectors of the box lie along {'xyz'[axis]}; each must lie along another axis")
        order[axis] = int(row)
    left = [row for row in range(3) if row not in order]
    if len(left) > 1:
        raise where.error("the sides of the box must be finite numbers above 0")
    order = [left[0] if row < 0 else row for row in order]
    sides = cell[order, range(3)]
    box_of_sides(where, np.abs(sides[:2]).tolist())
    corner, mirrored = origin + np.minimum(sides, 0.0), bool((sides < 0.0).any())
    if tilt and sides[1] < 0.0:  # the vector that leans begins at the upper corner
        corner[0] += cell[order[1], 0]
    return Rectangle(np.abs(sides), corner, (order[0], order[1], order[2]), mirrored, tilt)
