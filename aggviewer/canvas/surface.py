"""What the canvas draws its discs on: the contract of the surfaces."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.trial import Trial
from aggviewer.document.view import ViewModel


class Host(Protocol):
    """What a surface asks its canvas when Qt wants it painted."""

    scene: Scene
    view: ViewModel
    trial: Trial | None

    @property
    def camera(self) -> Camera:
        """In widget pixels."""
        ...

    def load_kernels(self) -> None:
        """The surface waits for the kernels; it is painted again when they are there."""
        ...

    def drawn(self) -> None:
        """The surface has drawn the discs once."""
        ...

    def painted(self) -> None:
        """A picture that was painted beside the GUI thread is there, and is about to be drawn."""
        ...

    def failed(self, reason: str) -> None:
        """The surface cannot draw any more and wants to be replaced."""
        ...


class Surface(Protocol):
    """A widget that shows the discs of its host."""

    widget: QWidget
    renderer: str

    @property
    def busy(self) -> bool:
        """Whether `settle` would wait."""
        ...

    def refresh(self) -> bool:
        """Draw the scene, which has another frame. True if it is painted beside the GUI thread first: the host is told
        when that is done."""
        ...

    def settle(self) -> None:
        """Wait until nothing reads the scene, which is about to change."""
        ...

    def close(self) -> None:
        """Free what the surface holds. The widget is the canvas's to delete."""
        ...
