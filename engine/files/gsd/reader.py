"""Trajectories from GSD files in HOOMD's schema: our recordings, exactly, and those of HOOMD-blue and others.

As the schema says, a part that a frame lacks is taken from the first frame, and HOOMD's default is used if that lacks
it too (mass 1, velocity 0). Our recordings keep double-precision values in the log (`engine.files.gsd.schema`), which
take precedence.

HOOMD's schema has four places for the size of a particle. The first one in this list that a file has is used:

- ``state/hpmc/sphere/radius`` and ``state/hpmc/ellipsoid/a`` with ``b``, the state of a Monte Carlo simulation by type;
- ``particles/diameter``, for each particle;
- ``particles/type_shapes``, for pictures, by type: JSON such as ``{"type": "Sphere", "diameter": 2}``;
- the diameter 1.

An ellipse with equal axes is a disc. A notice names all other shapes; they are read as discs with the diameter from
the other places.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import InputError
from engine.files.checks import (
    MAX_SCENARIO,
    Location,
    box_of_sides,
    check_count,
    checked,
    is_flat,
    other_count,
    plain,
    strain_of,
    tilt_of,
    whole_numbers,
)
from engine.files.frame import FileFrame
from engine.files.gsd import schema
from engine.files.gsd.container import GsdContainer
from engine.files.gsd.schema import read_contacts
from engine.files.gsd.turning import turning_fields
from engine.files.quantities import IMAGES, SPIN
from engine.files.trajectory import INCOMPLETE, Trajectory


class GsdTrajectory(Trajectory):
    """An open GSD file. A damaged frame raises InputError when it is read; the others can still be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = GsdContainer(path)
        try:
            self._look_through()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file. Frames that were read stay."""
        self._file.close()

    def __len__(self) -> int:
        return self._file.frames

    def settle(self, asked: int = 0) -> None:
        """As `Trajectory.settle`: the first frame says it."""
        super().settle(asked)
        where = self.where.frame(0)
        with suppress(InputError):  # which is raised again where the frame is read
            self.dimensions = self._dimensions_of(0, where, self._box(0, where))

    def _look_through(self) -> None:
        """Check the schema and the number of discs, and find the last whole frame."""
        file = self._file
        if file.schema != "hoomd":
            raise self.where.fault(f'is a GSD file that holds "{plain(file.schema)}", not HOOMD\'s "hoomd"')
        self._own = file.application.startswith(schema.APPLICATION)
        # a recording writes the time of a frame last: if it is missing, writing was cut off within the frame
        if file.frames and (not file.has(file.frames - 1, schema.TIME) if self._own else file.open_ended):
            file.drop_last_frame()
            if not file.cut_off:
                self._tell(INCOMPLETE)
        if not file.frames:
            cut = ": it is cut off" if file.cut_off else ""
            raise self.where.fault(f"has no complete frame{cut}")
        if file.cut_off:
            self._tell(f"the file is cut off; everything after frame {file.frames - 1} is left out")
        counts = {frame: self._number(frame, schema.COUNT) for frame in file.frames_with(schema.COUNT)}
        self.count = check_count(self.where.frame(0), counts.get(0, 0))
        for frame, count in counts.items():
            if count != self.count:
                raise self.where.frame(frame).error(other_count(count, self.count))
        if shapes := shape_notice(file, self.count):
            self._tell(shapes)
        text = file.chunk(0, schema.SCENARIO, MAX_SCENARIO)
        if text is not None:
            try:
                self.scenario = text.tobytes().decode("utf-8")
            except UnicodeDecodeError:
                raise self.where.fault("is damaged: its scenario is not text") from None

    def _number(self, frame: int, name: str) -> int:
        value = self._file.chunk(frame, name, 1)
        if value is None or value.size != 1 or value.dtype.kind not in "ui":
            raise self.where.frame(frame).error(f"{name} must be one whole number")
        return int(value[0, 0])

    def _read_times(self) -> Floats:
        return self._file.scalars(schema.TIME, "<f8")

    def _read(self, number: int) -> FileFrame:
        where = self.where.frame(number)
        exact = self._exact(number)
        box = self._box(number, where)
        dimensions = self._dimensions_of(number, where, box)
        box = box_of_sides(where, box[:dimensions].tolist())
        if exact:
            positions = self._array(number, schema.EXACT_POSITION, dimensions)
            velocities = self._array(number, schema.EXACT_VELOCITY, dimensions)
            radii = self._array(number, schema.EXACT_RADIUS, 1)
            masses = self._array(number, schema.EXACT_MASS, 1)
        else:
            positions = velocities = radii = masses = None
        if positions is None:
            places = self._array(number, schema.POSITION, 3)
            if places is None:
                raise where.fault("has no positions")
            positions = places[:, :dimensions] + 0.5 * box
        if velocities is None:
            speeds = self._array(number, schema.VELOCITY, 3)
            velocities = None if speeds is None else np.ascontiguousarray(speeds[:, :dimensions])
        if masses is None:
            masses = self._array(number, schema.MASS, 1)
        if masses is None and not self._own:
            masses = np.ones((self.count, 1))
        time = self._file.chunk(number, schema.TIME, 1)
        periodic = self._periodic(number, where, dimensions)
        told, rate = self._flow(number, where)
        frame = FileFrame(
            positions=positions,
            velocities=velocities,
            radii=read_radii(self._file, number, self.count)[0] if radii is None else radii[:, 0].copy(),
            masses=None if masses is None else masses[:, 0].copy(),
            cluster=self._cluster(number, where) if exact or self._file.has(number, schema.CLUSTER) else None,
            box=box,
            periodic=periodic,
            strain=strain_of(where, self._tilt(number, where) * float(box[1]), box, periodic, told),
            shear_rate=rate,
            time=None if time is None else float(time.ravel()[0]) if time.size == 1 else None,
            scenario=self.scenario,
            network=read_contacts(self._file, number, self.count, dimensions),
            fields=self._turning(number, dimensions)
            | (self._fields(number) if self._own else {})
            | self._images(number, dimensions),
        )
        images = frame.fields.get(IMAGES)
        if exact and images is not None and frame.strain:  # those of the positions in single precision
            images[:, 0] += schema.into_tilted(positions, box, frame.around.offset)
        return checked(where, frame)

    def _images(self, number: int, dimensions: int) -> dict[str, NDArray[np.int32]]:
        """How often each disc has crossed the box, where HOOMD has it; empty where the file does not say it."""
        values = self._array(number, schema.IMAGE, 3)
        if values is None:
            return {}
        return {IMAGES: whole_numbers(self.where.frame(number), values[:, :dimensions], "image")}

    def _turning(self, number: int, dimensions: int) -> dict[str, Floats]:
        """How far and how fast discs turn as HOOMD has it, unless the recording has it exactly."""
        if self._file.has(number, schema.chunk_of_field(SPIN)):
            return {}
        shapes = {schema.ORIENTATION: 4, schema.ANGULAR_MOMENTUM: 4, schema.INERTIA: 3}
        parts = [self._array(number, *shape) for shape in shapes.items()]
        return turning_fields(self.where.frame(number), dimensions, *parts)

    def _fields(self, number: int) -> dict[str, NDArray[Any]]:
        """The further quantities of each disc that the recording holds, by name, in the types they were written in."""
        found: dict[str, NDArray[Any]] = {}
        for chunk in self._file.names:
            name = schema.field_of_chunk(chunk)
            values = self._file.chunk(number, chunk, self.count) if name and len(found) < schema.MAX_FIELDS else None
            if values is None:
                continue
            if len(values) != self.count or (values.dtype.kind == "f" and np.isnan(values).any()):
                raise self.where.frame(number).error(f"{plain(chunk)} does not have a number for each disc")
            found[name] = values[:, 0] if values.shape[1] == 1 else values
        return found

    def _exact(self, number: int) -> bool:
        """Whether the double-precision values in the log belong to this frame.

        They do not where another program has appended frames of its own: a part that such a frame lacks is taken from
        the first frame, which would give the wrong values.
        """
        return self._file.has(number, schema.EXACT_POSITION) or not self._file.has(number, schema.POSITION)

    def _array(self, number: int, name: str, columns: int) -> Floats | None:
        """One row per disc, (N, columns) float64, None if the file has no such part."""
        values = self._file.inherited(number, name, self.count)
        if values is None:
            return None
        if values.shape != (self.count, columns):
            rows, found = values.shape
            raise self.where.frame(number).error(f"{name} has {rows} rows of {found} numbers for {self.count} discs")
        with np.errstate(invalid="ignore"):  # of a damaged file: what is not a number is refused by `checked`
            return values.astype(np.float64)

    def _dimensions_of(self, number: int, where: Location, box: Floats) -> int:
        """2 or 3, as the file says; 3 is the default of the schema, as of HOOMD. A box without height has two."""
        value = self._file.inherited(number, schema.DIMENSIONS, 1)
        told = 3 if value is None or value.size != 1 else int(value.ravel()[0])
        if self._exact(number) and self._file.has(0, schema.EXACT_POSITION):
            return 3 if told > 2 and len(box) > 2 else 2
        if told > 2 and box[2] != 0.0:
            return 3
        places = self._array(number, schema.POSITION, 3)
        if places is not None and not is_flat(places[:, 2], float(box[:2].max())):
            raise where.error("the file says that it is two-dimensional, but z is not the same for all discs")
        return 2

    def _box(self, number: int, where: Location) -> Floats:
        """The sides of the box, (2,) or (3,), the first two above 0. Raises InputError for a box with other angles."""
        exact = self._file.inherited(number, schema.EXACT_BOX, 3) if self._exact(number) else None
        if exact is not None and exact.size in (2, 3):
            return box_of_sides(where, exact.ravel().tolist())
        values = self._file.inherited(number, schema.BOX, 6)
        if values is None or values.size != 6:
            raise where.error("the box must be six numbers")
        sides = values.astype(np.float64).ravel()
        box_of_sides(where, sides[:2].tolist())
        return sides[:3]

    def _tilt(self, number: int, where: Location) -> float:
        """HOOMD's tilt xy of the box: how far images above are ahead, over its height."""
        values = self._file.inherited(number, schema.BOX, 6)
        if values is None or values.size != 6:
            return 0.0  # one of our older recordings
        with np.errstate(invalid="ignore"):
            tilts = values.astype(np.float64).ravel()[3:].tolist()
        return tilt_of(where, dict(zip(("xy", "xz", "yz"), tilts, strict=True)))

    def _flow(self, number: int, where: Location) -> tuple[float, float]:
        """Strain and shear rate as our recordings have them; 0 in others."""
        values = self._file.inherited(number, schema.FLOW, 2) if self._own else None
        if values is None:
            return 0.0, 0.0
        if values.size != 2 or values.dtype.kind != "f" or not np.isfinite(values).all():
            raise where.error(f"{schema.FLOW} must be two finite numbers")
        strain, rate = values.astype(np.float64).ravel().tolist()
        return strain, rate

    def _cluster(self, number: int, where: Location) -> NDArray[np.int32] | None:
        values = self._array(number, schema.CLUSTER, 1)
        return None if values is None else whole_numbers(where, values[:, 0], "cluster")

    def _periodic(self, number: int, where: Location, dimensions: int) -> Periodic:
        """Along which axes the box is periodic. HOOMD's boxes are; our recordings say it in a chunk of their own."""
        values = self._file.inherited(number, schema.PERIODIC, 3)
        if values is not None and values.size not in (1, dimensions):
            raise where.error(f"{schema.PERIODIC} must be one number, or {dimensions}")
        return Periodic(np.ones(dimensions) if values is None else np.resize(values, dimensions))


_MOST_TYPES = 1 << 12
_MOST_LOOKED_AT = 1000  # frames
_WIDEST = 1 << 16  # bytes of the JSON of a shape
_CLOSE = 1e-5  # relative: single precision
_SIMULATED = "state/hpmc"


@dataclass
class _ByType:
    """The radii of the types of discs from one place, NaN if it has none; and the shapes that are not discs."""

    radii: Floats = field(default_factory=lambda: np.zeros(0))
    others: list[str] = field(default_factory=list)

    def of(self, types: NDArray[np.int64]) -> Floats:
        """The radii of discs (N,) of these types."""
        known = np.append(self.radii, np.full(max(0, int(types.max()) + 1 - len(self.radii)), np.nan))
        return np.asarray(known[types])


def read_radii(file: GsdContainer, frame: int, count: int) -> tuple[Floats, str]:
    """The radii (N,) of the `count` discs of a frame, and a notice about shapes and sizes, "" for none.

    Raises
    ------
    InputError
        A chunk does not hold what the schema says.
    """
    where = file.where.frame(frame)
    types = _types(file, frame, count)
    simulated, drawn = _simulated(file, frame), _drawn(file, frame)
    diameters = _column(file, frame, schema.DIAMETER, count)
    if diameters is not None and len(diameters) != count:
        raise where.error(f"{schema.DIAMETER} has {len(diameters)} rows of 1 numbers for {count} discs")
    places = {
        _SIMULATED: simulated.of(types),
        schema.DIAMETER: np.full(count, np.nan) if diameters is None else 0.5 * diameters,
        schema.TYPE_SHAPES: drawn.of(types),
    }
    radii = np.full(count, np.nan)
    for values in places.values():
        radii = np.where(np.isnan(radii), values, radii)
    notices = []
    others = list(dict.fromkeys(simulated.others + drawn.others))
    if others:
        notices.append(
            f"it has shapes other than discs ({', '.join(others[:4])}); they are read as discs with the diameter in "
            f"{schema.DIAMETER}, or 1 if it has none"
        )
    for name, values in places.items():
        with np.errstate(all="ignore"):
            differs = np.abs(values - radii) > _CLOSE * np.abs(radii)
        if differs.any():
            held = next(other for other, found in places.items() if not np.isnan(found[differs]).all())
            notices.append(f"the sizes in {name} differ from those in {held}, which are used")
    return np.where(np.isnan(radii), 0.5, radii), "; ".join(notices)


def shape_notice(file: GsdContainer, count: int) -> str:
    """The notices of `read_radii` about the frames of a file, "" for none.

    Frames in which no shape changes are skipped, and damaged ones too: reading them raises the error.
    """
    found: dict[str, None] = {}
    for frame in sorted({frame for name in _shape_chunks(file) for frame in file.frames_with(name)})[:_MOST_LOOKED_AT]:
        try:
            found[read_radii(file, frame, count)[1]] = None
        except InputError:
            continue
    return "; ".join(notice for notice in found if notice)


def _shape_chunks(file: GsdContainer) -> list[str]:
    """The names of all chunks of a file that hold shapes."""
    simulated = f"{_SIMULATED}/"
    return [name for name in file.names if name == schema.TYPE_SHAPES or name.startswith(simulated)]


def _types(file: GsdContainer, frame: int, count: int) -> NDArray[np.int64]:
    """The number of the type of each disc, (N,)."""
    values = file.inherited(frame, schema.TYPE_ID, count)
    if values is None:
        return np.zeros(count, np.int64)
    if values.shape != (count, 1) or values.dtype.kind not in "ui" or not (values < _MOST_TYPES).all():
        raise file.where.frame(frame).error(
            f"{schema.TYPE_ID} must be a whole number below {_MOST_TYPES} for each of the {count} discs"
        )
    return values[:, 0].astype(np.int64)


def _simulated(file: GsdContainer, frame: int) -> _ByType:
    """The sizes in the state of HOOMD's Monte Carlo simulation."""
    here = [name for name in _shape_chunks(file) if file.has(frame, name) or file.has(0, name)]
    others = {name.split("/")[2] for name in here if name != schema.TYPE_SHAPES} - {"sphere", "integrate"}
    radii = _column(file, frame, f"{_SIMULATED}/sphere/radius")
    one, other = (_column(file, frame, f"{_SIMULATED}/ellipsoid/{axis}") for axis in "ab")
    if radii is None and one is not None and other is not None and len(one) == len(other):
        equal = np.abs(one - other) <= _CLOSE * one
        radii = np.where(equal, one, np.nan)
        if equal.all():
            others.discard("ellipsoid")
    return _ByType(np.zeros(0) if radii is None else radii, sorted(map(plain, others)))


def _drawn(file: GsdContainer, frame: int) -> _ByType:
    """The sizes of the shapes that are stored for pictures."""
    rows = file.inherited(frame, schema.TYPE_SHAPES, _MOST_TYPES, _WIDEST)
    found = _ByType(np.full(0 if rows is None else len(rows), np.nan))
    for number, row in enumerate([] if rows is None else rows):
        text = row.tobytes().partition(b"\0")[0]
        try:
            shape = json.loads(text or b"{}")
            kind = shape.get("type", "")
            if kind == "Sphere":
                found.radii[number] = 0.5 * float(shape.get("diameter", np.nan))
            elif kind == "Ellipsoid" and abs(float(shape["a"]) - float(shape["b"])) <= _CLOSE * abs(float(shape["a"])):
                found.radii[number] = float(shape["a"])
            elif kind:
                found.others.append(plain(str(kind)))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise file.where.frame(frame).error(
                f"{schema.TYPE_SHAPES} does not say the shape of type {number} in JSON"
            ) from None
    return found


def _column(file: GsdContainer, frame: int, name: str, most: int = _MOST_TYPES) -> Floats | None:
    """A chunk with one number in each row, (rows,) float64; None if the file has none."""
    values = file.inherited(frame, name, most)
    if values is None:
        return None
    if values.shape[1] != 1 or np.isnan(values).any():
        raise file.where.frame(frame).error(f"{name} must have one number in each row")
    return values[:, 0].astype(np.float64)
