"""Options of `aggviewer render` for pages: what the discs are in vector files, and figures for print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import InputError, either
from engine.plotting import PICTURES

if TYPE_CHECKING:
    from aggviewer.document.view import ViewModel
    from aggviewer.export.figure import Page
    from aggviewer.export.sources import FrameSource
    from aggviewer.plots.film import PlotPanel


@dataclass(frozen=True)
class PageWishes:
    """The options of pages on the command line; each is empty or None if it was not given."""

    picture: str = ""
    resolution: int | None = None
    width: float | None = None
    columns: int | None = None
    letters: str = ""
    text: float | None = None

    @property
    def figure(self) -> bool:
        """Whether a figure is written."""
        return self.width is not None

    def given_options(self) -> dict[str, bool]:
        """For each option, whether it was given."""
        return {f"--{name}": value not in ("", None) for name, value in vars(self).items()}

    def check(self, suffix: str, files: int, *, plots: bool, size: bool) -> None:
        """Raise InputError for options of a picture that do not fit together. suffix : of the file; plots, size :
        whether these options were given."""
        needs = {option: said for option, said in self.given_options().items() if option in _OF_FIGURES}
        needs |= {"--plots": plots, "more than one FILE": files > 1}
        for option, said in needs.items():
            if said and not self.figure:
                raise InputError(f"{option} needs --width, the width of a figure in mm")
        if self.figure and size:
            raise InputError("--size is for pictures; a figure has a --width in mm, and its height follows")
        if self.picture and suffix == ".png":
            raise InputError("--picture is for .svg and .pdf; a PNG is always rendered")
        if self.resolution is not None and suffix == ".png" and not self.figure:
            raise InputError("--resolution is for .svg, .pdf and figures; a PNG picture has the pixels of --size")
        if self.figure:
            self.page(files, plots=plots)

    def view_fields(self) -> dict[str, Any]:
        """The fields of the view that they set. InputError if a value is impossible."""
        from aggviewer.export.figure import RESOLUTIONS

        found: dict[str, Any] = {}
        if self.picture:
            if self.picture not in PICTURES:
                raise InputError(f"--picture must be {either(PICTURES)}, not {self.picture!r}")
            found["picture"] = self.picture
        if self.resolution is not None:
            low, high = RESOLUTIONS
            if not low <= self.resolution <= high:
                raise InputError(f"--resolution must be {low} to {high} pixels per inch, not {self.resolution}")
            found["resolution"] = self.resolution
        return found

    def page(self, files: int, *, plots: bool) -> Page:
        """The layout of a figure of so many files."""
        from aggviewer.export.figure import LETTERS, Page

        if self.letters and self.letters not in LETTERS:
            raise InputError(f"--letters must be {either(LETTERS)}, not {self.letters!r}")
        columns = self.columns or (files if files > 1 else 1 + plots)
        more = {"font": self.text, "letters": self.letters or None, "resolution": self.resolution}
        assert self.width is not None
        return Page(self.width, columns=columns, **{key: value for key, value in more.items() if value is not None})  # type: ignore[arg-type]


_OF_FIGURES = ("--columns", "--letters", "--text")


def plot_panels(names: Sequence[str], source: FrameSource, view: ViewModel) -> Sequence[PlotPanel]:
    """Plots of the last state that a source has given, by their keys, for a figure."""
    from aggviewer.cli.film_options import with_plots
    from aggviewer.export.spec import FilmSpec

    with with_plots(FilmSpec(plots=tuple(names)), source, view) as (run, plots):
        if plots is None:
            return []
        assert run.analysis is not None
        assert run.disc_set is not None
        return plots.panels(
            run.analysis.measure(source.state_copy(run.analysis, run.disc_set, plots.wanted_indicators))
        )
