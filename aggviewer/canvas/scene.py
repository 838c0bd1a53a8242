"""The scene: the discs of one frame, as a canvas keeps them until the next one. No Qt, no OpenGL."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aggviewer.session.coloring import Coloring
from aggviewer.style.numbers import TIME
from engine.boundary import Periodic
from engine.errors import InputError
from engine.state import Discs
from engine.system import Clock

GRAVITY = "gravity"
"""The layer whose data are the acceleration of all discs."""

_CENTRE_LINES = ("forces", "contacts")  # layers that join the centres of discs
_BALL = 0.36  # of the radius of a sphere that such lines join; more than the half width of the widest

_PLAIN = Coloring("cluster", "Cluster", "", (0.0, 1.0), categorical=True)


def all_seen(hidden: NDArray[np.bool_] | None, discs: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether each disc, (K,), or pair of discs, (K, 2), is visible. Numbers below 0 are walls, which are visible.
    hidden : (N,), None for none."""
    if hidden is None:
        return np.ones(len(discs), np.bool_)
    seen: NDArray[np.bool_] = np.logical_or(discs < 0, ~hidden[discs])
    return seen if discs.ndim == 1 else np.logical_and.reduce(seen, axis=1)


def _for_kernels(array: NDArray[Any], kind: type[np.generic]) -> bool:
    """Whether an array has exactly the type for which the kernels are compiled."""
    return array.dtype == kind and array.flags.c_contiguous and array.flags.writeable


@dataclass
class Scene:
    """The discs and the box. The scene has its own arrays, into which data are copied unless they are lent.

    Attributes
    ----------
    radii : (N,) float64, at the time of the frame; a new array if they have changed.
    ungrown_radii : (N,) float64, before growth.
    box : (d,) float64, its sides, d = 2 for discs and 3 for spheres; periodic : along which axes it is periodic, and
        how far images that flow are ahead. `set_discs` changes these and the radii, `set_frame` the images.
    positions, scalar : (N, d) float64, and the values for the colours, (N,) float32, interpreted by `coloring`.
    time, clock : of the frame, and the meaning of that time.
    shown : whether there is a frame of these discs.
    frames : the number of frames and sets of discs so far.
    mean_radius, equal_radii : cached, so that drawing needs no pass over the radii.
    of_frame : data of the layers for the frame, by name (`aggviewer.canvas.layers`).
    pinned : data of layers that stay until they are replaced or the discs are replaced.
    has_forces : whether frames of these discs may have a force network.
    legend : whether this picture has a legend, if the view shows legends.
    scale : whether it has scale bar and time, if the view shows them.
    arrow_speed : for pictures side by side, the common speed whose velocity arrow is a mean diameter long, unless the
        view sets one; 0 for a single picture.
    hidden : (N,), the hidden discs, see `hide`; None for none. Their `positions` are NaN.
    """

    radii: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    ungrown_radii: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    box: NDArray[np.float64] = field(default_factory=lambda: np.ones(2))
    periodic: Periodic = field(default_factory=lambda: Periodic.of(False, 2))
    positions: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))
    scalar: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    coloring: Coloring = _PLAIN
    time: float = 0.0
    shown: bool = False
    frames: int = 0
    mean_radius: float = 0.0
    equal_radii: bool = True
    of_frame: Mapping[str, Any] = field(default_factory=dict)
    pinned: dict[str, Any] = field(default_factory=dict)
    clock: Clock = TIME
    has_forces: bool = False
    legend: bool = True
    scale: bool = True
    arrow_speed: float = 0.0
    hidden: NDArray[np.bool_] | None = None
    _factor: float = 1.0
    _copied_from: tuple[object, object] = (None, None)  # the arrays of which radii and box are copies
    _places: NDArray[np.float64] = field(init=False, repr=False, default_factory=lambda: np.zeros((0, 2)))
    _numbers: NDArray[np.float32] = field(init=False, repr=False, default_factory=lambda: np.zeros(0, np.float32))

    @property
    def count(self) -> int:
        """The number of discs."""
        return len(self.radii)

    @property
    def sides(self) -> tuple[float, ...]:
        """The lengths of the sides of the box."""
        return tuple(self.box.tolist())

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        return len(self.box)

    @property
    def wraps(self) -> Periodic:
        """Along which axes what crosses an edge of the box is cut there and continues at the opposite edge: the
        periodic ones of a plane. In space each sphere is drawn once, as a whole, where its centre is."""
        return self.periodic if self.dimensions == 2 else Periodic.of(False, self.dimensions)

    @property
    def gravity(self) -> tuple[float, ...]:
        """The acceleration of all discs in this frame, a number for each axis; () for none."""
        found: tuple[float, ...] = self.of_frame.get(GRAVITY, ())
        return found

    def shows_forces(self, wanted: bool) -> bool:
        """Whether discs are drawn as below a force network, if one is `wanted`: in the plane even before there is one,
        so that nothing changes when it appears. In space that is when spheres become small (`drawn_share`)."""
        coming = self.has_forces and self.dimensions == 2
        return wanted and (coming or "forces" in self.of_frame)

    def drawn_share(self, layers: Collection[str]) -> float:
        """The share of its radius with which each sphere is drawn, while these layers are shown: a part where lines
        join the centres, which would be inside the spheres."""
        lines = self.dimensions > 2 and any(name in layers and name in self.of_frame for name in _CENTRE_LINES)
        return _BALL if lines else 1.0

    def replace_discs(
        self,
        radii: ArrayLike,
        box: ArrayLike,
        periodic: Periodic | bool,
        *,
        clock: Clock = TIME,
        has_forces: bool = False,
    ) -> None:
        """Replace the discs by others: radii (N,) > 0, box (d,) > 0 with d = 2 or 3, else InputError."""
        self._take(radii, box, periodic)
        self.frames += 1
        self.clock, self.has_forces = clock, has_forces
        self.positions = self._places = np.zeros((self.count, self.dimensions))
        self.scalar = self._numbers = np.zeros(self.count, np.float32)
        self.shown = False
        self.of_frame = {}
        self.pinned.clear()
        self.hidden = None

    def set_discs(self, discs: Discs) -> None:
        """Set radii, box and boundary of the same discs from the next frame on. InputError if they are invalid, or if
        the number of discs has changed."""
        if len(discs.radii) != self.count:
            raise InputError(f"the frame has {len(discs.radii)} radii for {self.count} discs")
        radii, box = self._copied_from
        alike = Periodic.of(discs.periodic, len(discs.box)) == Periodic(self.periodic)  # whatever flows past it
        if discs.radii is radii and discs.box is box and alike:
            return
        if alike and np.array_equal(discs.radii, self.ungrown_radii) and np.array_equal(discs.box, self.box):
            self._copied_from = discs.radii, discs.box
        else:
            self._take(discs.radii, discs.box, discs.periodic)

    def _take(self, radii: ArrayLike, box: ArrayLike, periodic: Periodic | bool) -> None:
        new_radii = np.array(radii, dtype=np.float64).reshape(-1)
        new_box = np.array(box, dtype=np.float64).reshape(-1)
        if new_box.shape not in ((2,), (3,)) or not np.all(np.isfinite(new_box) & (new_box > 0.0)):
            raise InputError(f"the box must have two or three finite side lengths above 0, not {box!r}", "box.size")
        if not np.all(np.isfinite(new_radii) & (new_radii > 0.0)):
            raise InputError("every radius must be finite and above 0", "discs.radii")
        self._copied_from = radii, box
        self.radii = self.ungrown_radii = new_radii
        self.box, self.periodic = new_box, Periodic.of(periodic, len(new_box))
        self._factor = 1.0
        self.mean_radius = float(new_radii.mean()) if self.count else 0.0
        self.equal_radii = bool(self.count == 0 or np.ptp(new_radii) == 0.0)

    def hide(self, hidden: NDArray[np.bool_] | None) -> None:
        """Hide these discs, (N,), from the next frame on; None for none. This is the only place that determines which
        discs are visible, for the discs themselves, for layers and for measurements.

        The array object stays the same as long as the discs are the same.
        """
        if hidden is None or not hidden.any():
            self.hidden = None
        elif self.hidden is None or not np.array_equal(hidden, self.hidden):
            self.hidden = hidden.copy()

    def set_frame(
        self,
        positions: NDArray[np.floating],
        scalar: NDArray[np.float32],
        coloring: Coloring,
        time: float,
        radius_factor: float = 1.0,
        layers: Mapping[str, Any] | None = None,
        *,
        strain: float = 0.0,
        lent: bool = False,
    ) -> None:
        """Set the frame; its radii are those before any growth, times a factor. Raises InputError if the number of
        discs differs.

        positions : (N, d), in world units; scalar : (N,), in the unit of `coloring`; layers : the data of the layers,
            see `aggviewer.canvas.layers.registry.of_frame`; strain : see `Frame.strain`; lent : the caller does not
            change the arrays until the next frame, so they need not be copied.
        """
        if np.shape(positions) != self._places.shape or np.shape(scalar) != (self.count,):
            raise InputError(
                f"a frame of {self.count} discs needs positions {self._places.shape} and scalar ({self.count},), "
                f"not {np.shape(positions)} and {np.shape(scalar)}"
            )
        self.frames += 1
        if lent and self.hidden is None and _for_kernels(positions, np.float64):
            self.positions = np.asarray(positions, np.float64)  # the same array
        else:
            np.copyto(self._places, positions)
            self.positions = self._places
        if self.hidden is not None:
            self.positions[self.hidden] = np.nan
        if lent and _for_kernels(scalar, np.float32):
            self.scalar = scalar
        else:
            np.copyto(self._numbers, scalar)
            self.scalar = self._numbers
        self.coloring, self.time, self.shown = coloring, float(time), True
        self.periodic = self.periodic.strained(strain, self.box)
        self.of_frame = layers or {}
        if radius_factor != self._factor:
            self._factor = radius_factor
            self.radii = self.ungrown_radii if radius_factor == 1.0 else self.ungrown_radii * radius_factor
            self.mean_radius = float(self.radii.mean()) if self.count else 0.0

    def copy(self) -> Scene:
        """A copy of the present scene for another thread; arrays that the next frame changes in place are copied."""
        made = copy(self)
        made.positions = made._places = self.positions.copy()
        made.scalar = made._numbers = self.scalar.copy()
        made.of_frame, made.pinned = deepcopy(dict(self.of_frame)), dict(self.pinned)
        return made

    def data(self, name: str) -> Any:
        """The present data of the layer of this name, None if there are none."""
        return self.pinned.get(name, self.of_frame.get(name)) if self.shown else None

    def disc_at(self, x: float, y: float, reach: float) -> int | None:
        """The disc at a point of the plane, or the nearest one within `reach`; None if there is none. Spheres are found
        by `aggviewer.canvas.in_view.DiscsInView.at`."""
        if not all(0.0 <= (x, y)[axis] <= self.box[axis] for axis in self.periodic.axes):
            return None
        from aggviewer.canvas import disc_kernels  # brings numba

        found = disc_kernels.pick(
            self.positions, self.radii, self.box, self.periodic.code, self.periodic.offset, x, y, reach
        )
        return None if found < 0 else int(found)
