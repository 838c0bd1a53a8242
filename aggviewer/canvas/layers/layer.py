"""What a layer of the picture is: data of a frame, drawn over the discs, with a legend and a switch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.primitives import Color, Primitive
from aggviewer.canvas.legend import Entry, Key
from aggviewer.canvas.scene import Scene, all_seen
from aggviewer.document.view import ViewModel
from engine.fields import Reads
from engine.frame import Frame


@dataclass(frozen=True, eq=False)
class Moment:
    """A frame with its system, from which layers take what they draw.

    Attributes
    ----------
    radii : (N,), of the system, before discs have grown (`Frame.radius_factor`).
    box : (2,), its sides.
    lasts : simulation time for which an event lights up; 0 for events at the time of the frame only, None for none.
    chosen : the discs that a person has chosen, by their numbers; None or empty for none.
    hidden : (N,), the discs that are not seen: a layer draws nothing of them, whatever it computes from all; None for
        none.
    memory : what the layer has made in `Layer.new_memory` for this picture.
    of : an object that stays the same while the discs are the same ones, even if their radii change; None: the array
        of radii is that object.
    """

    frame: Frame
    radii: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: bool
    lasts: float | None = None
    chosen: NDArray[np.int64] | None = None
    hidden: NDArray[np.bool_] | None = None
    memory: Any = None
    of: object = None

    def same_discs(self, other: Moment) -> bool:
        """Whether another moment has the same discs."""
        return self.radii is other.radii if self.of is None else self.of is other.of

    @property
    def present_radii(self) -> NDArray[np.float64]:
        """(N,), at the time of the frame."""
        return self.radii if self.frame.radius_factor == 1.0 else self.radii * self.frame.radius_factor

    def seen(self, discs: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Of each disc, (K,), or row of discs, (K, 2): whether none of them is hidden. Numbers below 0 are walls."""
        return all_seen(self.hidden, discs)


@dataclass(frozen=True)
class Style:
    """Where and on what a layer is drawn."""

    scene: Scene
    camera: Camera
    view: ViewModel

    @property
    def dark(self) -> bool:
        """Whether ink has to be light."""
        return self.view.dark

    @property
    def diameter(self) -> float:
        """Pixels across a mean disc."""
        return 2.0 * self.scene.mean_radius * self.camera.scale

    def ink(self, on_dark: str, on_light: str, alpha: float = 1.0) -> Color:
        """One of two colours ``#rrggbb``, that which reads well on the background."""
        return Color.of(on_dark if self.dark else on_light, alpha)

    @property
    def background(self) -> Color:
        """Of the picture."""
        return Color(*self.view.background_rgb)

    def halo(self, alpha: float = 1.0) -> Color:
        """Of the background, around ink, so that it stands out from any disc."""
        return Color(*self.view.background_rgb, 0.8 * alpha)

    def table(self) -> NDArray[np.uint8]:
        """The 256 colours of the discs, (256, 4)."""
        return colors.scene_table(self.scene, self.view)


class Layer(ABC):
    """One kind of marks over the discs. A new one is a subclass in a file of its own, and one call of `register`.

    Attributes
    ----------
    name : its key among `ViewModel.layers` and in ``--layer``.
    label, tip, keys : of the command that switches it; command : the id of that, "" for one made of the name.
    icon : a name of qtawesome's bundled fonts, for a button in presenter mode; "" for none.
    optional : it is drawn only where the view asks for it; else no person can switch it.
    momentary : it shows what belongs to watching, or to a session: pictures and films of files have none of it.
    even_hidden : what it draws is cheap to take, and is taken also while it is switched off.
    cut : what crosses an edge of a periodic box is cut there.
    apart_from : how many discs make `take` so long that a window calls it on another thread, with a copy of the frame;
        what it draws lags behind then. 0 for never.
    missing : what is said where a frame has nothing for it, after its label: ``no discs touch``.
    too_small : what is said where discs are too small for it.
    opacity : of what it draws, where nobody has chosen another one; 1 is opaque.
    reads : what `take` reads of a frame beside positions, clusters, contacts and impacts: ``velocities``, and names in
        `Frame.fields`. A window has frames made without what nothing reads. None: it may read all.
    """

    name: ClassVar[str]
    label: ClassVar[str] = ""
    tip: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    command: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    momentary: ClassVar[bool] = False
    optional: ClassVar[bool] = True
    even_hidden: ClassVar[bool] = False
    cut: ClassVar[bool] = True
    apart_from: ClassVar[int] = 0
    missing: ClassVar[str] = ""
    too_small: ClassVar[str] = ""
    opacity: ClassVar[float] = 1.0
    reads: ClassVar[Reads] = None

    def shown(self, view: ViewModel) -> bool:
        """Whether the view asks for it."""
        return not self.optional or self.name in view.layers

    def visible(self, view: ViewModel) -> bool:
        """Whether what it has taken is drawn."""
        return self.shown(view)

    def show(self, view: ViewModel, on: bool) -> None:
        """Switch it."""
        others = tuple(name for name in view.layers if name != self.name)
        view.layers = (*others, self.name) if on else others

    def opacity_in(self, view: ViewModel) -> float:
        """How opaque the view wants it."""
        return view.opacities.get(self.name, self.opacity)

    def new_memory(self) -> Any:
        """What remembers earlier frames for `take`: one for each picture that continues. None if nothing does."""
        return None

    def reads_in(self, view: ViewModel) -> Reads:
        """What frames have to have for this layer under `view`, in place of `reads`."""
        return self.reads if self.even_hidden or self.shown(view) else ()

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has something for it, so that its switch is offered. None: there is no frame yet."""
        return True

    @abstractmethod
    def take(self, moment: Moment) -> Any:
        """What this layer draws of a frame, in arrays of its own; None if the frame has nothing for it."""

    @abstractmethod
    def marks(self, data: Any, style: Style) -> Iterable[Primitive]:
        """What `take` gave as primitives, in the order of drawing; nothing where discs are too small for it."""

    def drawn(self, data: Any, style: Style) -> bool:
        """Whether discs are large enough for it at this zoom."""
        return True

    def says(self, data: Any, style: Style) -> str:
        """Why it draws nothing, in a few words that follow its label; "" if it does."""
        if data is None:
            hides = self.missing and style.scene.hidden is not None
            return f"{self.missing}; some discs are hidden" if hides else self.missing
        return "" if self.drawn(data, style) else self.too_small

    def legend(self, data: Any, style: Style, key: Key) -> Sequence[Entry]:
        """The entries of the layer in the legend. data : None if the frame has nothing for the layer."""
        return ()
