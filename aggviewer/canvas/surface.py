"""The interface between a canvas and its drawing surfaces."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.trial import Trial
from aggviewer.document.view import ViewModel


class Host(Protocol):
    """The canvas as seen by its surface."""

    scene: Scene
    view: ViewModel
    trial: Trial | None

    @property
    def camera(self) -> Camera:
        """In widget pixels."""
        ...

    def load_kernels(self) -> None:
        """Load the kernels for the surface, which is repainted when they are ready."""
        ...

    def drawn(self) -> None:
        """The surface has drawn the discs."""
        ...

    def painted(self) -> None:
        """A picture painted on another thread is ready and about to be drawn."""
        ...

    def failed(self, reason: str) -> None:
        """The surface can no longer draw and must be replaced."""
        ...


class Surface(Protocol):
    """A widget that shows the discs of its host."""

    widget: QWidget
    renderer: str

    @property
    def busy(self) -> bool:
        """Whether `settle` would have to wait."""
        ...

    def refresh(self) -> bool:
        """Draw the scene with its new frame. True if it is first painted on another thread: the host is notified when
        that is done."""
        ...

    def settle(self) -> None:
        """Wait until nothing reads the scene, before it changes."""
        ...

    def close(self) -> None:
        """Free the surface's resources. The canvas deletes the widget."""
        ...
