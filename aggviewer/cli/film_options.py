"""Options of `aggviewer render` for films: what the film follows, and which plots it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, cast

from engine.errors import InputError, either

if TYPE_CHECKING:
    from aggviewer.canvas.camera import Camera
    from aggviewer.document.view import ViewModel
    from aggviewer.export.film import FilmRun
    from aggviewer.export.follow import Follow
    from aggviewer.export.sources import FrameSource
    from aggviewer.export.spec import FilmSpec, PlotsAt
    from aggviewer.plots.film import FilmPlots
    from engine.scenario import Scenario


@dataclass(frozen=True)
class FilmWishes:
    """The options of a film on the command line; each is empty or None if it was not given."""

    follow: str = ""
    view_width: float | None = None
    plots: str = ""
    plots_at: str = ""
    length: float | None = None
    log_time: bool | None = None
    turn: bool = False

    def given_options(self) -> dict[str, bool]:
        """For each option, whether it was given."""
        return {
            "--follow": bool(self.follow),
            "--view-width": self.view_width is not None,
            "--plots": bool(self.plots),
            "--plots-at": bool(self.plots_at),
            "--length": self.length is not None,
            "--log-time": bool(self.log_time),
            "--even-time": self.log_time is False,
            "--turn": self.turn,
        }

    def check(self, size: tuple[int, int]) -> None:
        """Raise InputError for invalid options, before anything is simulated. size : of the film in pixels."""
        from aggviewer.export.spec import PLACES, FilmLayout

        if self.plots_at and self.plots_at not in PLACES:
            raise InputError(f"--plots-at must be {either(PLACES)}, not {self.plots_at!r}")
        if self.plots_at and not self.plots:
            raise InputError("--plots-at needs --plots")
        width = self.view_width
        if width is not None and not (isfinite(width) and width > 0.0):
            raise InputError(f"--view-width must be a length above 0, not {width:g}")
        if width is not None and not self.follow:
            raise InputError("--view-width needs --follow")
        if self.length is not None and not (isfinite(self.length) and self.length > 0.0):
            raise InputError(f"--length must be a number of seconds above 0, not {self.length:g}")
        self.followed()
        FilmLayout.of(size, 1, len(self.names()), self._at)  # raises if the plots do not fit

    def names(self) -> tuple[str, ...]:
        """The keys of the plots in the film."""
        return tuple(dict.fromkeys(name for name in self.plots.replace(",", " ").split()))

    def applied_to(self, spec: FilmSpec) -> FilmSpec:
        """The specification of a film with these options."""
        return replace(spec, follow=self.followed(), plots=self.names(), plots_at=self._at, turns=self.turn)

    @property
    def _at(self) -> PlotsAt:
        return cast("PlotsAt", self.plots_at or "right")

    def followed(self) -> Follow | None:
        """The discs that the film follows; None if its view is fixed."""
        from aggviewer.export.follow import Follow

        return Follow.of_text(self.follow, fitted=self.view_width is None) if self.follow else None

    def camera(self, source: FrameSource, view: ViewModel, size: tuple[int, int]) -> Camera | None:
        """A camera of the requested width; None for the whole box."""
        if self.view_width is None:
            return None
        from aggviewer.canvas.camera import Camera

        whole = Camera.fitting(tuple(source.box.tolist()), size, view=view)
        return replace(whole, scale=size[0] / self.view_width)


def check_plots(wishes: FilmWishes, scenario: Callable[[], Scenario]) -> None:
    """Raise InputError if the system of a scenario has no plot of that name."""
    if not wishes.plots:
        return
    from aggviewer.plots.film import film_plots
    from aggviewer.systems.registry import plots_of

    film_plots(wishes.names(), plots_of(scenario().system))


@contextmanager
def with_plots(spec: FilmSpec, source: FrameSource, view: ViewModel) -> Iterator[tuple[FilmRun, FilmPlots | None]]:
    """The run of a film, measured if it has plots, and the drawer of the plots."""
    from aggviewer.export.film import FilmRun

    if not spec.plots:
        yield FilmRun(source), None
        return
    from aggviewer.canvas.picture import magnification
    from aggviewer.plots.film import FilmPlots, film_plots
    from aggviewer.session.data import DiscSet
    from aggviewer.systems.registry import plots_of, view_of

    scenario = source.scenario()
    of_system = view_of(scenario.system)
    info = DiscSet(scenario, source.radii, source.masses, source.box, source.periodic, source.count)
    run = FilmRun(source, disc_set=info, analysis=of_system.analysis())
    plots = FilmPlots(
        film_plots(spec.plots, [plot.about(len(source.box)) for plot in plots_of(scenario.system)]),
        of_system.run_styles([scenario]),
        view.background_rgb,
        magnification(*spec.size),
    )
    try:
        yield run, plots
    finally:
        plots.close()
