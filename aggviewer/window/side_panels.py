"""The panels beside the picture, which take the width that it leaves, or are stacked as tabs in a narrow window; and
the switch between the simple and the full window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QApplication, QDockWidget, QTabWidget, QWidget

from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.systems.registry import most_plots
from aggviewer.widgets.command import Command, MenuEntry, Place, Submenu
from aggviewer.widgets.docks import Dock, in_sight, leave_arrow_keys, set_headless, to_front
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases import Canvases
from aggviewer.window.stage import Stage

NARROW = 1200
"""Width of the window in pixels below which the second panel becomes a tab beside the first."""

_LEAST, _MOST = 236, 0.2  # pixels, and share of the window's width, for a panel until the person drags its edge
_AROUND_FORM = 4  # pixels
_BARS = 140  # pixels of all bars above and below the picture
_BESIDE_BOX = 240  # pixels beside a square box: its margins, the legend, and the edges of the panels
_WIDER = 1.5  # factor for panels that are tabs: only one is visible, and has room for longer names
_LEAST_SHARE, _MOST_SHARE = 0.1, 0.5
_ENLARGE = Submenu("Enlarge a plot", Place("View", 4, 3))


class SidePanels(QObject, Part):
    """Docks the parameters left and the plots right of the picture. They have the width that a square box as high as
    the window and its legend leave, at most a fifth of the window. If there is no room for both, they become tabs on
    the left. A panel that the user has moved or detached stays where it is.

    Signals: ``changed`` when a panel is shown or hidden; ``elsewhere_asked`` to show or hide the plots while presenter
    mode has them.
    """

    leaves = 50  # Esc leaves an enlarged plot before a tool, a lesson or a selection

    changed = pyqtSignal()
    elsewhere_asked = pyqtSignal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._window = window = context.window
        self._model = model = context.document.panels
        parameters, plots = context[ParametersPanel], context[PlotsPanel]
        self._parameters, self._plots = parameters, plots
        self._to_picture = context.focus_picture
        self._stage, self._canvases = context[Stage], context[Canvases]
        self._sharing = QTimer(self)
        self._sharing.setSingleShot(True)
        self._sharing.timeout.connect(self._share_with_plot)
        self._usual_width = 0  # of the plots, while one is enlarged; else 0
        self._plots.enlarged_changed.connect(self._follow_enlarged)
        self._canvases.canvases_changed.connect(self._share_with_plot)
        self._parameters.focus_lost.connect(context.focus_picture)
        self.changed.connect(context.commands.update)
        self.left = left = self._dock("Parameters", parameters, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.right = right = self._dock("Plots", plots, Qt.DockWidgetArea.RightDockWidgetArea)
        self._shares: dict[QDockWidget, float] = {}  # of the window's width, of panels whose edge was dragged
        self.widths_fixed = False  # True while presenting, which sets the widths itself
        window.setTabPosition(Qt.DockWidgetArea.LeftDockWidgetArea, QTabWidget.TabPosition.North)
        window.installEventFilter(self)
        for dock in (left, right):
            dock.installEventFilter(self)
            dock.visibilityChanged.connect(self._on_visible)
        model.events.parameters.connect(self._open_left)
        model.events.plots.connect(self._open_right)

    def _dock(self, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = Dock(title, self._window)
        dock.setObjectName(f"{title.lower()}Dock")
        dock.setWidget(panel)
        self._window.addDockWidget(area, dock)
        return dock

    def _on_visible(self, _visible: bool) -> None:
        """React to a panel being shown or hidden, or to another tab in front."""
        self._read_open()
        if self.right.isHidden() or self.is_covered(self.right):
            self._plots.enlarge(None)
        self.changed.emit()

    def _read_open(self) -> None:
        """Record which panels are open: the user may have closed one, and the layout of the last start is restored
        late."""
        open_now = not self.left.isHidden(), not self.right.isHidden()
        self._model.parameters, self._model.plots = open_now

    def _open_left(self, is_open: bool) -> None:
        if self.left.isHidden() == is_open:
            self.left.setVisible(is_open)

    def _open_right(self, is_open: bool) -> None:
        if self.right.isHidden() == is_open:
            self.right.setVisible(is_open)

    def close(self) -> None:
        """Stop following the docks and the model, which are about to be deleted."""
        self._sharing.stop()
        for dock in (self.left, self.right):
            dock.visibilityChanged.disconnect(self._on_visible)
        self._model.events.parameters.disconnect(self._open_left)
        self._model.events.plots.disconnect(self._open_right)

    def commands(self) -> Iterator[MenuEntry]:
        """Show and hide the panels; see `groups`."""
        for position, (dock, name, key) in enumerate(((self.left, "parameters", "F9"), (self.right, "plots", "F10"))):
            yield Command(
                f"view.{name}",
                name.capitalize(),
                partial(self.toggle, dock),
                (key,),
                f"Show or hide the {name}",
                checked=lambda dock=dock: not (dock.isHidden() or self.is_covered(dock)),  # type: ignore[misc]
                menu=Place("View", 4, position),
            )
        yield Command(
            "plots.keep",
            "Keep as reference",
            self._plots.keep_as_reference,
            ("K",),
            "Keep the present curves in the plots as thin lines, to compare with later runs",
            "mdi6.pin-outline",
            menu=Place("View", 4, 4),
        )
        yield _ENLARGE
        for number in range(1, most_plots() + 1):
            yield self._enlarge_command(number)

    def _enlarge_command(self, number: int) -> Command:
        """The command for an enlarged plot. There are as many as the system with the most plots needs; their names
        follow the system."""
        return Command(
            f"plots.{number}",
            f"Plot {number}",
            partial(self.focus_plot, number),
            (str(number % 10),) if number <= 10 else (),
            "Enlarge this plot, beside the picture. Press the key again, or Esc, to show all plots",
            checked=lambda: (
                self._plots.enlarged == number or (self._plots.most is not None and number in self._plots.seen)
            ),
            menu=Place(_ENLARGE.path, 1, number),
            available=lambda: number in {card.number for card in self._plots.offered},
            absent="",  # a number alone says nothing
            words="large bigger enlarge single",
        )

    def focus_plot(self, number: int) -> None:
        """Enlarge a plot, or show all again."""
        if number not in {card.number for card in self._plots.offered}:  # a key of the previous system
            return
        self.show(self.right)
        self._plots.focus_plot(number)
        self._to_picture()

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Show all plots again."""
        yield self._plots.enlarged is not None, partial(self._plots.enlarge, None)

    def _follow_enlarged(self) -> None:
        """A plot has been enlarged, or none is any longer: change the width of the panel."""
        if self._plots.enlarged is None:
            self._window.resizeDocks([self.right], [self._usual_width], Qt.Orientation.Horizontal)
            self._usual_width = 0
            self.lay_out()
        else:
            self._usual_width = self._usual_width or self.right.width()
            self._share_with_plot()

    def _share_with_plot(self) -> None:
        """Make an enlarged plot as wide as each picture beside it."""
        if self._plots.enlarged is not None and not self.right.isFloating():
            room = self.right.width() + self._stage.width()
            width = room // (1 + len(self._canvases.canvases))
            self._window.resizeDocks([self.right], [width], Qt.Orientation.Horizontal)

    @property
    def together(self) -> bool:
        """Whether both panels are tabs at the same place."""
        return self.right in self._window.tabifiedDockWidgets(self.left)

    def is_covered(self, dock: QDockWidget) -> bool:
        """Whether a panel is a tab that another tab covers."""
        return not dock.isHidden() and not in_sight(self._window, dock)

    def show(self, dock: QDockWidget) -> None:
        """Bring a panel into view."""
        to_front(dock)
        self.lay_out()

    def toggle(self, dock: QDockWidget) -> None:
        """Show a panel, bring it to the front, or hide it."""
        if dock.widget() is None:
            self.elsewhere_asked.emit()
        elif dock.isHidden() or self.is_covered(dock):
            self.show(dock)
        else:
            self.hide(dock)

    def hide(self, dock: QDockWidget) -> None:
        """Close a panel."""
        dock.hide()
        self._read_open()

    def lay_out(self) -> None:
        """Arrange the panels for the width of the window."""
        self._read_open()
        if self.widths_fixed:
            return
        width = self._window.width()
        if width < NARROW and not self.together and self._in_places():
            hidden, enlarged = self.right.isHidden(), self._plots.enlarged
            self._window.tabifyDockWidget(self.left, self.right)
            self.right.setHidden(hidden)
            (self.left if enlarged is None else self.right).raise_()
            self._plots.enlarge(enlarged)  # the panel was covered in between
            leave_arrow_keys(self._window)
        elif width >= NARROW and self.together and not self.left.isFloating():
            hidden = self.right.isHidden()
            self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.right)
            self.right.setHidden(hidden)
        for dock in (self.left, self.right):
            set_headless(dock, self.together and not dock.isFloating())  # its tab has the name
        docks = [self.left] if self.together else [self.left, self.right]
        docked = [dock for dock in docks if not dock.isFloating() and not dock.isHidden()]
        wider = _WIDER if self.together else 1.0
        left_over = (width - (self._window.height() - _BARS) - _BESIDE_BOX) / len(docks)
        least = max(_LEAST, self._parameters.form.minimumWidth() + _AROUND_FORM)  # wider in larger type
        usual = max(least, min(wider * _MOST * width, left_over))
        widths = [
            round(wider * self._shares[dock] * width) if dock in self._shares else round(usual) for dock in docked
        ]
        self._window.resizeDocks(docked, widths, Qt.Orientation.Horizontal)
        self._sharing.start(0)  # when the window has laid them out

    def apart(self) -> None:
        """Put the right panel right of the picture, even in a narrow window, until `lay_out`."""
        if self.together and not self.left.isFloating():
            self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.right)

    def _in_places(self) -> bool:
        areas = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)
        return all(
            self._window.dockWidgetArea(dock) == area and not dock.isFloating()
            for dock, area in zip((self.left, self.right), areas, strict=True)
        )

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the window, and keep widths set by the user."""
        if event is None or event.type() != QEvent.Type.Resize:
            return False
        if watched is self._window:
            self.lay_out()
        elif isinstance(watched, QDockWidget):
            self._keep_share(watched)
        return False

    def _keep_share(self, dock: QDockWidget) -> None:
        # a person holds the edge between a panel and the picture; a press elsewhere may fall into a change of layout
        at_edge = self._window.cursor().shape() == Qt.CursorShape.SplitHCursor
        dragged = at_edge and QApplication.mouseButtons() == Qt.MouseButton.LeftButton
        if dragged and not dock.isFloating() and not self.widths_fixed and self._plots.enlarged is None:
            share = dock.width() / self._window.width() / (_WIDER if self.together else 1.0)
            self._shares[dock] = min(max(share, _LEAST_SHARE), _MOST_SHARE)


class Everything(Part):
    """Makes the panels show everything, or a few parameters and one plot. The top bar follows by itself."""

    def __init__(self, context: Context) -> None:
        self._model = context.document.panels
        self._commands = context.commands
        self._parameters, self._plots = context[ParametersPanel], context[PlotsPanel]
        self._parameters.everything_asked.connect(self.toggle)
        self._model.events.everything.connect(self._show)
        self._show(self._model.everything)

    def commands(self) -> Iterator[Command]:
        """The command for the switch."""
        yield Command(
            "view.everything",
            "Show everything",
            self.toggle,
            tooltip="Show all parameters, plots and tools, or only the basic ones",
            checked=lambda: self._model.everything,
            menu=Place("View", 0, 0),
            words="simple advanced expert all parameters plots tools beginner",
        )

    def toggle(self) -> None:
        """Switch between all panels and the simple window."""
        self._model.everything = not self._model.everything

    def _show(self, everything: bool) -> None:
        self._parameters.show_everything(everything)
        self._plots.show_everything(everything)
        self._commands.update()

    def close(self) -> None:
        """Stop following the model."""
        self._model.events.everything.disconnect(self._show)
