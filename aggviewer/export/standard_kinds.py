"""The program's own exports: the picture, single plots, and a figure of several panels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, sqrt
from pathlib import Path

from numpy.typing import ArrayLike
from PyQt6.QtGui import QImage

from aggviewer.canvas.layers.marks import choose_none
from aggviewer.canvas.layers.velocities import THROW
from aggviewer.canvas.picture import Over
from aggviewer.document.view import ViewModel
from aggviewer.export.figure import (
    COLUMNS,
    FONTS,
    LETTERS,
    RESOLUTIONS,
    WIDTHS,
    Figure,
    Page,
    Panel,
    PicturePanel,
    letter_of,
)
from aggviewer.export.files import SaveSteps, finished, write_table
from aggviewer.export.kinds import (
    DATED,
    EXPORTS,
    ChoiceSpec,
    Drawn,
    ExportChoices,
    ExportContents,
    ExportItem,
    ExportKind,
    FieldSpec,
    ItemsSpec,
    NumberSpec,
    OverlaySpec,
    SizeSpec,
    SwitchSpec,
)
from aggviewer.export.pictures import how_drawn, picture_steps, pictures_image
from engine.errors import InputError

_LARGEST_PICTURE = 16_384  # pixels on a side
_MM = 25.4  # mm per inch
_CLIPBOARD = 300.0  # pixels per inch of a figure in the clipboard
_SCREEN = 96.0  # pixels per inch of a preview, at most three times as many
_PLOTS_AT_FIRST = 5  # with the picture, three rows of two, which fit on a journal page
_ENDINGS = {".pdf": "PDF, vectors for papers", ".svg": "SVG, vectors for editing", ".png": "PNG, pixels"}
_PIXELS, _VECTORS = (".png",), (".svg", ".pdf")
_DRAWN = tuple(_ENDINGS)
_LETTER_WORDS = {"(a)": "(a), (b), …", "a": "a, b, …", "A": "A, B, …", "none": "None"}

_NO_PICTURE = ("No picture yet", "Wait for the discs to appear.")

# the picture


def _picture_fields(contents: ExportContents) -> Iterator[FieldSpec]:
    yield SizeSpec("size", "Size", None, contents.size, _LARGEST_PICTURE)
    grounds = {"window": "As in the window", "white": "White", "transparent": "Transparent"}
    yield ChoiceSpec("background", "Background", "window", grounds)
    if len(contents.pictures) > 1:
        names = {name: f"{name} alone" for name in contents.pictures}
        yield ChoiceSpec("run", "Runs", "", {"": "All, side by side", **names})
    yield from _style_fields(contents)
    yield _overlays(contents)


def _style_fields(contents: ExportContents) -> Iterator[FieldSpec]:
    """What the discs are in vector files."""
    panels = list(contents.pictures.values())
    if not panels:
        return
    view, words = panels[0].view, {name: how_drawn(panels, picture=name)[0] for name in ("auto", "rendered", "drawn")}
    words["auto"] = f"Automatic: {words['auto'].lower()}"
    tip = "Text, scale bar, legend and axes are vectors in both"
    yield ChoiceSpec("picture", "Picture", view.picture, words, tip=tip, formats=_VECTORS, kept="picture")
    name = "Resolution of a rendered picture in pixels per inch"
    yield NumberSpec(
        "dpi", "Resolution", view.resolution, RESOLUTIONS, name, "dpi", integer=True, tip=name, formats=_VECTORS,
        kept="resolution",
    )  # fmt: skip


def _overlays(contents: ExportContents) -> OverlaySpec:
    """The overlays of pictures, at first those that the picture on the screen shows."""
    panel = next(iter(contents.pictures.values()), None)
    over, missing = (Over(), ()) if panel is None else (Over.of(panel.view), Over.missing(panel.scene))
    return OverlaySpec("overlays", "Show", over, more=True, missing=missing)


def _pictures(contents: ExportContents, choices: ExportChoices) -> list[PicturePanel]:
    run = choices.values.get("run", "")
    white = choices["background"] == "white"
    return [_picture(one, choices, white=white) for name, one in contents.pictures.items() if run in ("", name)]


def _picture(panel: PicturePanel, choices: ExportChoices, *, white: bool) -> PicturePanel:
    """The present picture as it was chosen, independent of what the window shows later."""
    view = choices["overlays"].applied_to(panel.view)
    chosen = {"picture": choices["picture"], "resolution": choices["dpi"]} | ({"background": "white"} if white else {})
    scene = panel.scene.copy()
    choose_none(scene)
    scene.pinned.pop(THROW, None)  # a handle, shown where selected discs are
    return PicturePanel(scene, panel.camera, ViewModel(**(view.model_dump() | chosen)))


def _draw_picture(contents: ExportContents, choices: ExportChoices, pixels: tuple[int, int] | None) -> SaveSteps[Drawn]:
    width, height = choices["size"] or contents.size
    fine = _fine(contents, choices)
    scale = fine if pixels is None else min(fine, pixels[0] / width, pixels[1] / height)
    transparent, pictures = choices["background"] == "transparent", _pictures(contents, choices)

    def steps() -> SaveSteps[Drawn]:
        yield
        image = pictures_image(pictures, (width, height), transparent=transparent, scale=scale)
        words = f"{round(width * fine)} × {round(height * fine)} pixels"
        if choices.suffix in _VECTORS:
            words = " × ".join(f"{side / _SCREEN * _MM:.0f}" for side in (width, height))
            words = _told(f"{words} mm", pictures, choices, width / _SCREEN)
        return image.convertToFormat(QImage.Format.Format_RGBA8888), words

    return steps()


def _told(size: str, pictures: Sequence[PicturePanel], choices: ExportChoices, inches: float) -> str:
    """The size of a vector file in words. inches : the width of all pictures together."""
    how, about = how_drawn(pictures, inches=inches, resolution=choices["dpi"])
    differs = pictures[0].scene.dimensions > 2 and choices["picture"] == "drawn"
    preview = " (this preview is rendered)" if differs else ""
    return f"{size}, {how[:1].lower()}{how[1:]}{preview}, about {max(about / 1e6, 0.1):.1f} MB"


def _fine(contents: ExportContents, choices: ExportChoices) -> float:
    """Pixels of an image for each pixel of its size: a picture as large as in the window is as fine as on the
    screen."""
    return contents.ratio if (choices["size"] or contents.size) == contents.size else 1.0


def _write_picture(contents: ExportContents, choices: ExportChoices, path: Path) -> SaveSteps[None]:
    return picture_steps(
        path,
        _pictures(contents, choices),
        choices["size"] or contents.size,
        transparent=choices["background"] == "transparent",
        scale=_fine(contents, choices),
        title=contents.title,
    )


_SNAPSHOT_SCALE = 2.0  # pixels of a snapshot for each pixel of the window


def snapshot(contents: ExportContents, path: Path) -> tuple[int, int]:
    """Write what the window shows as PNG, at twice its size, and without the empty ground beside the box. Returns the
    size in pixels. InputError if it cannot be made or written."""
    window = contents.size[0] / len(contents.pictures), contents.size[1]
    panels = _pictures(contents, PICTURE.choices(contents))
    seen = [panel.cropped(window) for panel in panels]
    size = sum(round(one.width) for one in seen), max(round(one.height) for one in seen)
    scale = _SNAPSHOT_SCALE * contents.ratio
    views = [replace(panel, camera=camera) for panel, camera in zip(panels, seen, strict=True)]
    finished(picture_steps(path, views, size, scale=scale))
    return round(scale * size[0]), round(scale * size[1])


PICTURE = EXPORTS.add(
    ExportKind(
        name="picture",
        title="Picture",
        formats={".png": _ENDINGS[".png"], ".svg": _ENDINGS[".svg"], ".pdf": _ENDINGS[".pdf"]},
        fields=lambda contents: tuple(_picture_fields(contents)),
        missing=lambda contents: None if contents.pictures else _NO_PICTURE,
        draw=_draw_picture,
        files=lambda contents, choices, path: (path,),
        write=_write_picture,
        file_name=DATED,
        command="file.snapshot_as",
        text="Export picture…",
        keys=("Ctrl+Shift+S",),
        tip="The picture as PNG, or as SVG and PDF for papers, in any size",
        words="export snapshot as image save svg pdf png",
    )
)

# single plots


def _plot_items(contents: ExportContents) -> tuple[ExportItem, ...]:
    return tuple(ExportItem(key, plot.title) for key, plot in contents.plots.items())


def _any_data(contents: ExportContents) -> bool:
    return any(plot.has_data() for plot in contents.plots.values())


def _plot_fields(contents: ExportContents) -> Iterator[FieldSpec]:
    opened = tuple(key for key, plot in contents.plots.items() if plot.open and plot.has_data())
    tip = "Each plot is saved in its own file"
    yield ItemsSpec("plots", "Plots", opened, _plot_items(contents), "the export", tip=tip)
    yield SwitchSpec("tables", "Data", True, "Also as CSV", formats=_DRAWN)
    yield from _page_fields(width=130.0, font=9.0, ratio=0.7, folded=True)


def _page_fields(*, width: float, font: float, ratio: float, folded: bool) -> Iterator[FieldSpec]:
    """The fields for the layout of a page with plots."""
    usual = {"One column, 85 mm": 85.0, "1.5 columns, 130 mm": 130.0, "Two columns, 170 mm": 170.0}
    name = "Width in mm"
    yield NumberSpec("width", "Width", width, WIDTHS, name, "mm", presets=usual, more=folded, formats=_DRAWN)
    yield NumberSpec("font", "Text", font, FONTS, "Text size in points", "pt", more=folded, formats=_DRAWN)
    name = "Height of a plot divided by its width"
    yield NumberSpec("ratio", "Plot height", ratio, (0.2, 3.0), name, step=0.05, more=True, formats=_DRAWN)
    yield SwitchSpec("numbers", "", True, "Numbers in plot corners", more=True, formats=_DRAWN)
    name = "Resolution of a PNG in pixels per inch"
    yield NumberSpec(
        "resolution", "Resolution", 600, RESOLUTIONS, name, "dpi", integer=True, more=True, formats=_PIXELS
    )


def _page(choices: ExportChoices) -> Page:
    values = choices.values
    return Page(
        values["width"],
        values["font"],
        values.get("columns", 1),
        values.get("letters", "none"),
        values["ratio"],
        resolution=values["resolution"],
    )


def _chosen_plots(contents: ExportContents, choices: ExportChoices) -> list[str]:
    if not choices["plots"]:
        raise InputError("tick at least one plot", "plots")
    return list(choices["plots"])


def _draw_plots(contents: ExportContents, choices: ExportChoices, pixels: tuple[int, int] | None) -> SaveSteps[Drawn]:
    """Draw all plots on one sheet, each as in its file."""
    panels: list[Panel] = [contents.plots[key].panel(choices["numbers"]) for key in _chosen_plots(contents, choices)]
    page = _page(choices)
    alone = Figure(panels[:1], page)
    columns = min(ceil(sqrt(len(panels))), COLUMNS[1])
    whole = columns * page.width + (columns - 1) * page.gap
    if whole > WIDTHS[1]:
        columns, whole = 1, page.width
    sheet = Figure(panels, Page(whole, page.font, columns, "none", page.ratio, resolution=page.resolution))
    width, height = alone.size
    words = f"{width:.0f} × {height:.0f} mm" + (" each" if len(panels) > 1 else "")
    return _image_steps(sheet, pixels, words)


def _image_steps(figure: Figure, pixels: tuple[int, int] | None, words: str) -> SaveSteps[Drawn]:
    return (yield from figure.image_steps(_resolution(figure, pixels))), words


def _resolution(figure: Figure, pixels: tuple[int, int] | None) -> float:
    """The pixels per inch at which a figure fits into this many pixels, or those for the clipboard."""
    if pixels is None:
        return _CLIPBOARD
    width, height = figure.size
    return min(pixels[0] / width, pixels[1] / height, 3.0 * _SCREEN / _MM) * _MM


def _plot_files(contents: ExportContents, choices: ExportChoices, path: Path) -> list[Path]:
    keys = choices["plots"]
    paths = [path] if len(keys) == 1 else [path.with_stem(f"{path.stem}-{key}") for key in keys]
    if path.suffix.lower() == ".csv" or not choices["tables"]:
        return paths
    return [one for drawn in paths for one in (drawn, drawn.with_suffix(".csv"))]


def _write_plots(contents: ExportContents, choices: ExportChoices, path: Path) -> SaveSteps[None]:
    keys, files = _chosen_plots(contents, choices), iter(_plot_files(contents, choices, path))
    figures: dict[Path, Figure] = {}
    tables: dict[Path, Mapping[str, ArrayLike]] = {}
    drawn = path.suffix.lower() != ".csv"
    for key in keys:
        plot = contents.plots[key]
        plot.complete()
        if drawn:
            title = ", ".join(filter(None, (plot.title, contents.title)))
            figures[next(files)] = Figure([plot.panel(choices["numbers"])], _page(choices), title)
        if choices["tables"] or not drawn:
            tables[next(files)] = plot.table()
    return _file_steps(figures, tables)


def _file_steps(figures: Mapping[Path, Figure], tables: Mapping[Path, Mapping[str, ArrayLike]]) -> SaveSteps[None]:
    """Write pages and their data; each file is written completely or not at all."""
    for path, figure in figures.items():
        yield from figure.write_steps(path)
    for path, columns in tables.items():
        yield
        write_table(path, columns)


PLOTS = EXPORTS.add(
    ExportKind(
        name="plots",
        title="Plots",
        formats={**_ENDINGS, ".csv": "CSV, data only"},
        fields=lambda contents: tuple(_plot_fields(contents)),
        missing=lambda contents: None if _any_data(contents) else ("No plot shows data yet", "Run a scenario first."),
        draw=_draw_plots,
        files=_plot_files,
        write=_write_plots,
        file_name="plot",
        command="file.plots",
        text="Export plots…",
        keys=("Ctrl+P",),
        tip="Plots as SVG, PDF or PNG, with their data as CSV",
        words="export save charts graphs data table csv",
    )
)

# a figure


def _figure_fields(contents: ExportContents) -> Iterator[FieldSpec]:
    pictures = _picture_items(contents)
    opened = [key for key, plot in contents.plots.items() if plot.open and plot.has_data()][:_PLOTS_AT_FIRST]
    at_first = (*(item.key for item in pictures), *opened)
    several = len(at_first) > 2
    yield ItemsSpec("panels", "Panels", at_first, (*pictures, *_plot_items(contents)), "the figure")
    columns = 2 if several else 1
    yield NumberSpec("columns", "Side by side", columns, COLUMNS, "Panels side by side", integer=True)
    yield ChoiceSpec("letters", "Letters", "(a)", {key: _LETTER_WORDS[key] for key in LETTERS})
    yield from _page_fields(width=170.0 if several else 85.0, font=8.0, ratio=0.75, folded=False)
    yield from _style_fields(contents)
    yield SwitchSpec("white", "Background", True, "White", more=True)
    shown = _overlays(contents)
    yield replace(shown, default=replace(shown.default, time=False))
    yield SwitchSpec("tables", "Data", True, "Also save the data of each plot as CSV", more=True)


def _picture_items(contents: ExportContents) -> tuple[ExportItem, ...]:
    names = list(contents.pictures)
    titles = ["Picture"] if len(names) == 1 else [f"Picture, {name}" for name in names]
    return tuple(ExportItem(f"picture {number}", title) for number, title in enumerate(titles))


def _panels(contents: ExportContents, choices: ExportChoices) -> Mapping[str, Panel]:
    """The panels that are ticked in the dialog, by key, in the chosen order."""
    pictures = dict(zip((item.key for item in _picture_items(contents)), contents.pictures.values(), strict=True))
    found: dict[str, Panel] = {}
    for key in choices["panels"]:
        if key in pictures:
            found[key] = _picture(pictures[key], choices, white=choices["white"])
        else:
            found[key] = contents.plots[key].panel(choices["numbers"])
    return found


def _draw_figure(contents: ExportContents, choices: ExportChoices, pixels: tuple[int, int] | None) -> SaveSteps[Drawn]:
    panels = list(_panels(contents, choices).values())
    figure = Figure(panels, _page(choices))
    width, height = figure.size
    words = f"{width:.0f} × {height:.0f} mm"
    pictures = [one for one in panels if isinstance(one, PicturePanel)]
    if pictures and choices.suffix in _VECTORS:
        columns = min(choices["columns"], len(panels))
        words = _told(words, pictures, choices, len(pictures) * width / columns / _MM)
    return _image_steps(figure, pixels, words)


def _figure_tables(contents: ExportContents, choices: ExportChoices, path: Path) -> dict[str, Path]:
    """The data files of plots, by key: ``figure-b.csv`` for panel b."""
    return {
        key: path.with_name(f"{path.stem}-{letter_of(number)}.csv")
        for number, key in enumerate(choices["panels"])
        if choices["tables"] and key in contents.plots
    }


def _write_figure(contents: ExportContents, choices: ExportChoices, path: Path) -> SaveSteps[None]:
    for key in choices["panels"]:
        if key in contents.plots:
            contents.plots[key].complete()
    figure = Figure(list(_panels(contents, choices).values()), _page(choices), contents.title)
    files = _figure_tables(contents, choices, path)
    return _file_steps({path: figure}, {table: contents.plots[key].table() for key, table in files.items()})


FIGURE = EXPORTS.add(
    ExportKind(
        name="figure",
        title="Figure",
        formats=_ENDINGS,
        fields=lambda contents: tuple(_figure_fields(contents)),
        missing=lambda contents: None if contents.pictures or _any_data(contents) else _NO_PICTURE,
        draw=_draw_figure,
        files=lambda contents, choices, path: (path, *_figure_tables(contents, choices, path).values()),
        write=_write_figure,
        file_name="figure",
        command="file.figure",
        text="Export figure for print…",
        keys=("Ctrl+Shift+F",),
        tip="The picture and plots on one page, lettered, as wide as a journal column",
        words="export compose panels paper chart publication",
    )
)
