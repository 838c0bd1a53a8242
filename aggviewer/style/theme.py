"""The dark, light and projector themes: one set of colours each, as a Qt palette and style sheet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from string import Template

from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontInfo, QGuiApplication, QPalette
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.document.view import Theme as ThemeChoice


@dataclass(frozen=True)
class Colors:
    """Colours as ``#rrggbb``.

    `outline` is the edge of check boxes; `raised` is the background of tool tips, messages and the welcome tiles.
    `grid` and `band` are drawn over a plot and include their own alpha (0 to 255). `faded` is the alpha of disabled
    controls, `stroke` the width of lines in plots relative to the usual one. Each method has the same hue everywhere:
    blue for event-driven, orange for time stepping (from Okabe and Ito's colour-blind-safe palette), lighter on a dark
    background. A second run of the same method uses a shade of that hue.
    """

    window: str
    base: str
    raised: str
    hover: str
    border: str
    outline: str
    text: str
    muted: str
    accent: str
    on_accent: str
    info: str
    warning: str
    error: str
    grid: int
    band: tuple[int, int, int, int]
    event_driven: str
    event_driven_shade: str
    time_stepping: str
    time_stepping_shade: str
    faded: int = 150
    stroke: float = 1.0

    @property
    def bold(self) -> bool:
        """Whether lines are thicker, for a projector."""
        return self.stroke > 1.0

    @property
    def dark(self) -> bool:
        """Whether this is light text on a dark background."""
        return QColor(self.window).lightnessF() < 0.5


DARK = Colors(
    window="#1c2026",
    base="#15181d",
    raised="#272c34",
    hover="#323842",
    border="#3a414c",
    outline="#7f8996",
    text="#e6e9ed",
    muted="#a3adb8",
    accent="#4aa3d8",
    on_accent="#0d1116",
    info="#56b4e9",
    warning="#e6b34a",
    error="#ff8f86",
    grid=44,
    band=(255, 255, 255, 16),
    event_driven="#56b4e9",
    event_driven_shade="#c9e8fa",
    time_stepping="#ff9a5c",
    time_stepping_shade="#ffe9da",
)
LIGHT = Colors(
    window="#f3f4f6",
    base="#ffffff",
    raised="#ffffff",
    hover="#e4e7eb",
    border="#c9ced6",
    outline="#747d88",
    text="#1b1f24",
    muted="#59636e",
    accent="#0072b2",
    on_accent="#ffffff",
    info="#0072b2",
    warning="#8a5a00",
    error="#b3261e",
    grid=36,
    band=(0, 0, 0, 14),
    event_driven="#0072b2",
    event_driven_shade="#00304d",
    time_stepping="#d55e00",
    time_stepping_shade="#6b2a00",
)


PROJECTOR = Colors(
    window="#ffffff",
    base="#ffffff",
    raised="#ffffff",
    hover="#edf0f4",
    border="#3a414a",
    outline="#000000",
    text="#000000",
    muted="#1f2429",
    accent="#004a7c",
    on_accent="#ffffff",
    info="#004a7c",
    warning="#5c3b00",
    error="#8c0d08",
    grid=90,
    band=(0, 0, 0, 28),
    event_driven="#004f84",
    event_driven_shade="#001d30",
    time_stepping="#873800",
    time_stepping_shade="#451a00",
    faded=255,
    stroke=1.8,
)
"""All text has a contrast above 7 : 1, to be readable from the last row."""


def colors_on(dark: bool) -> Colors:
    """The colours for a dark or a light background."""
    return DARK if dark else LIGHT


_THEMES = {colors.window: colors for colors in (DARK, LIGHT, PROJECTOR)}


def colors_in_use() -> Colors:
    """The colours of the current theme, for custom painting; call it at each paint event."""
    ground = QGuiApplication.palette().color(QPalette.ColorRole.Window)
    return _THEMES.get(ground.name()) or colors_on(ground.lightnessF() < 0.5)


def palette(colors: Colors) -> QPalette:
    """The Qt palette for the Fusion style."""
    result = QPalette()
    roles = {
        QPalette.ColorRole.Window: colors.window,
        QPalette.ColorRole.WindowText: colors.text,
        QPalette.ColorRole.Base: colors.base,
        QPalette.ColorRole.AlternateBase: colors.window,
        QPalette.ColorRole.ToolTipBase: colors.raised,
        QPalette.ColorRole.ToolTipText: colors.text,
        QPalette.ColorRole.PlaceholderText: colors.muted,
        QPalette.ColorRole.Text: colors.text,
        QPalette.ColorRole.Button: colors.raised,
        QPalette.ColorRole.ButtonText: colors.text,
        QPalette.ColorRole.BrightText: colors.error,
        QPalette.ColorRole.Link: colors.accent,
        QPalette.ColorRole.LinkVisited: colors.accent,
        QPalette.ColorRole.Highlight: colors.accent,
        QPalette.ColorRole.HighlightedText: colors.on_accent,
        QPalette.ColorRole.Light: colors.hover,
        QPalette.ColorRole.Midlight: colors.hover,
        QPalette.ColorRole.Mid: colors.border,
        QPalette.ColorRole.Dark: colors.border,
        QPalette.ColorRole.Shadow: colors.base,
    }
    for role, color in roles.items():
        result.setColor(role, QColor(color))
    faded = QColor(colors.muted)
    faded.setAlpha(colors.faded)
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, faded)
    result.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(colors.border))
    return result


def style_sheet(colors: Colors) -> str:
    """The style sheet of the window's own parts, from ``resources/styles/window.qss``."""
    folder = resources.files("resources") / "styles"
    files = {"tick": f"tick-{colors.on_accent.removeprefix('#')}", "up": "arrow-up", "down": "arrow-down"}
    pictures = {name: Path(str(folder / f"{file}.svg")).as_posix() for name, file in files.items()}
    return Template((folder / "window.qss").read_text(encoding="utf-8")).substitute(asdict(colors), **pictures)


def set_styled(widget: QWidget, name: str, value: object) -> None:
    """Give a widget a property that the style sheet asks for, and the look that follows."""
    style = widget.style()
    if widget.property(name) != value:
        widget.setProperty(name, value)
        if style is not None:
            style.polish(widget)


def tabular(font: QFont | None = None, scale: float = 1.0) -> QFont:
    """A font with tabular digits, so that changing numbers do not move.

    Parameters
    ----------
    font
        The font that they are to have, at `scale` times its size; without it all else comes from the parent.
    """
    result = QFont() if font is None else QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    if font is not None and result.pointSizeF() > 0:
        result.setPointSizeF(result.pointSizeF() * scale)
    return result


class WindowTheme(QObject):
    """The current theme: the user's choice, or the desktop's.

    It sets the palette and style sheet of the application. Widgets with custom painting call `colors_in_use` whenever
    they paint. Widgets that store colours, such as plots or coloured text, listen to ``changed(Colors)``, which is
    emitted after all widgets have been restyled; ``changing`` is emitted before.
    """

    changing = pyqtSignal()
    changed = pyqtSignal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice: ThemeChoice = "system"
        self._instead: ThemeChoice | None = None
        self._applied: Colors | None = None
        hints = QGuiApplication.styleHints()
        if hints is not None:
            hints.colorSchemeChanged.connect(self._apply)

    @property
    def dark(self) -> bool:
        """True for light text on a dark background."""
        if self._theme_in_use != "system":
            return self._theme_in_use == "dark"
        hints = QGuiApplication.styleHints()
        # without a desktop preference, use the dark theme, in which the picture stands out
        return hints is None or hints.colorScheme() != Qt.ColorScheme.Light

    @property
    def colors(self) -> Colors:
        """The colours in use."""
        return PROJECTOR if self._theme_in_use == "projector" else colors_on(self.dark)

    @property
    def _theme_in_use(self) -> ThemeChoice:
        return self._choice if self._instead is None else self._instead

    def use_instead(self, choice: ThemeChoice | None) -> None:
        """Override the chosen theme temporarily; None ends this."""
        self._instead = choice
        self._apply()

    def choose(self, choice: ThemeChoice) -> None:
        """Choose dark, light, projector, or the desktop's theme."""
        self._choice = choice
        self._apply()

    def _apply(self) -> None:
        colors = self.colors
        if self._applied == colors:
            return
        self._applied = colors
        self._dress(colors)

    def set_text_size(self, percent: float) -> None:
        """Set the size of all text relative to the desktop's, also of the windows that are open."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        font = application.font()
        usual = application.property(_USUAL_SIZE) or font.pointSizeF()
        application.setProperty(_USUAL_SIZE, usual)
        size = round(usual * percent / 100.0, 2)
        if size == font.pointSizeF():
            return
        font.setPointSizeF(size)
        if self._applied is None:
            application.setFont(font)
        else:
            self._dress(self._applied, font)

    def _dress(self, colors: Colors, font: QFont | None = None) -> None:
        self.changing.emit()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            give_theme(application, colors, font)
        self.changed.emit(colors)

    def close(self) -> None:
        """Stop following the desktop."""
        hints = QGuiApplication.styleHints()
        if hints is not None:
            hints.colorSchemeChanged.disconnect(self._apply)


_USUAL_SIZE = "usualTextSize"


def usual_pixels(font: QFont) -> int:
    """The pixel size of a font before `WindowTheme.set_text_size` has changed that of the application."""
    application, usual = QApplication.instance(), QFont(font)
    size = None if application is None else application.property(_USUAL_SIZE)
    if size is not None:
        usual.setPointSizeF(size)
    return QFontInfo(usual).pixelSize()


def give_theme(application: QApplication, colors: Colors, font: QFont | None = None) -> None:
    """Set the palette and style sheet of an application, and its font if it is to change."""
    application.setPalette(palette(colors))
    sheet = style_sheet(colors)
    if font is not None or application.styleSheet() != sheet:
        # from one sheet to another Qt styles every widget once for each widget around it, from none to one just once
        application.setStyleSheet("")
        if font is not None:  # without a sheet, for which Qt measures em and fonts with weights just once
            application.setFont(font)
            application.sendPostedEvents(None, QEvent.Type.ApplicationFontChange)
        application.setStyleSheet(sheet)
