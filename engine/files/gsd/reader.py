"""Trajectories from GSD files in HOOMD's schema: our recordings, exactly, and those of HOOMD-blue and others.

As the schema says, a part that a frame lacks is taken from the first frame, and HOOMD's default is used if that lacks
it too (mass 1, velocity 0; for sizes see `engine.files.gsd.sizes`). Our recordings keep double-precision values in the
log (`engine.files.gsd.schema`), which take precedence.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.checks import Array, box_of_sides, checked, is_flat, untilted, whole_numbers
from engine.files.frame import IMAGES, FileFrame
from engine.files.gsd import schema
from engine.files.gsd.contacts import read_contacts
from engine.files.gsd.container import GsdContainer
from engine.files.gsd.sizes import read_radii, shape_notice
from engine.files.limits import MAX_SCENARIO, check_count, other_count, plain
from engine.files.location import Location
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

    def _read_times(self) -> Array:
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
        frame = FileFrame(
            positions=positions,
            velocities=velocities,
            radii=read_radii(self._file, number, self.count)[0] if radii is None else radii[:, 0].copy(),
            masses=None if masses is None else masses[:, 0].copy(),
            cluster=self._cluster(number, where) if exact or self._file.has(number, schema.CLUSTER) else None,
            box=box,
            periodic=self._periodic(number, where),
            time=None if time is None else float(time.ravel()[0]) if time.size == 1 else None,
            scenario=self.scenario,
            network=read_contacts(self._file, number, self.count, dimensions),
            fields=(self._fields(number) if self._own else {}) | self._images(number, dimensions),
        )
        return checked(where, frame)

    def _images(self, number: int, dimensions: int) -> dict[str, NDArray[np.int32]]:
        """How often each disc has crossed the box, where HOOMD has it; empty where the file does not say it."""
        values = self._array(number, schema.IMAGE, 3)
        if values is None:
            return {}
        return {IMAGES: whole_numbers(self.where.frame(number), values[:, :dimensions], "image")}

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

    def _array(self, number: int, name: str, columns: int) -> Array | None:
        """One row per disc, (N, columns) float64, None if the file has no such part."""
        values = self._file.inherited(number, name, self.count)
        if values is None:
            return None
        if values.shape != (self.count, columns):
            rows, found = values.shape
            raise self.where.frame(number).error(f"{name} has {rows} rows of {found} numbers for {self.count} discs")
        with np.errstate(invalid="ignore"):  # of a damaged file: what is not a number is refused by `checked`
            return values.astype(np.float64)

    def _dimensions_of(self, number: int, where: Location, box: Array) -> int:
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

    def _box(self, number: int, where: Location) -> Array:
        """The sides of the box, (2,) or (3,), the first two above 0. Raises InputError for a box with other angles."""
        exact = self._file.inherited(number, schema.EXACT_BOX, 3) if self._exact(number) else None
        if exact is not None and exact.size in (2, 3):
            return box_of_sides(where, exact.ravel().tolist())
        values = self._file.inherited(number, schema.BOX, 6)
        if values is None or values.size != 6:
            raise where.error("the box must be six numbers")
        sides = values.astype(np.float64).ravel()
        untilted(where, dict(zip(("xy", "xz", "yz"), sides[3:].tolist(), strict=True)))
        box_of_sides(where, sides[:2].tolist())
        return sides[:3]

    def _cluster(self, number: int, where: Location) -> NDArray[np.int32] | None:
        values = self._array(number, schema.CLUSTER, 1)
        return None if values is None else whole_numbers(where, values[:, 0], "cluster")

    def _periodic(self, number: int, where: Location) -> bool:
        """Whether the box is periodic. HOOMD's boxes are; our recordings say it in a chunk of their own."""
        values = self._file.inherited(number, schema.PERIODIC, 1)
        if values is not None and values.size != 1:
            raise where.error(f"{schema.PERIODIC} must be one number")
        return True if values is None else bool(values.ravel()[0])
