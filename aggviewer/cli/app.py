"""The subcommands and their options. Their code is imported only when they run, so that help is immediate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from aggviewer.cli.exits import guarded, load_installed, tell_warnings, terminable
from aggviewer.names import BACKGROUNDS
from engine import plugins
from engine.errors import InputError, either
from engine.files import formats
from engine.system import known_fields

_STATES = " ".join(formats.readable())

app = typer.Typer(
    name="aggviewer",
    help="Watch, measure and film hard discs and spheres that stick, bounce and jam. Without a command, aggviewer "
    f"[FILE…] opens the window with a scenario (.toml), a session, a state or recording ({_STATES}), or a bundled "
    "scenario by name.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Write one JSON object to stdout.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change a key of the scenario. Can be repeated."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed of the random numbers; same as --set seed=N.")]


def run_command(arguments: Sequence[str]) -> int:
    """Run a subcommand; returns the exit status."""

    def run() -> int | None:
        tell_warnings()
        load_installed()
        command = _with_added()
        status: int | None = command.main(args=list(arguments), prog_name="aggviewer", standalone_mode=False)
        return status

    with terminable():
        return guarded(run)


def _with_added() -> TyperGroup:
    """The command line with the subcommands of extensions and plug-ins."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)  # it has several commands
    for name, command in plugins.use_parts("subcommand", _subcommand):
        group.add_command(command, name)
    return group


def _subcommand(late: plugins.LatePart) -> tuple[str, Any]:
    """The name of a subcommand that was added, and its command for `app`."""
    alone = typer.Typer(rich_markup_mode=None, context_settings=app.info.context_settings)
    alone.command(late.name)(late.make())
    return late.name, typer.main.get_command(alone)


def _show_version(wanted: bool) -> None:
    if wanted:
        from engine import __version__

        typer.echo(f"aggviewer {__version__}")
        raise typer.Exit


def _with_seed(settings: list[str] | None, seed: int | None) -> list[str]:
    """The settings, followed by the seed if one is given."""
    return [*(settings or []), *([] if seed is None else [f"seed={seed}"])]


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def run(
    scenario: Annotated[
        str,
        typer.Argument(
            help=f"A scenario (.toml), a bundled scenario by name, a state ({_STATES}) to start from, a session "
            "(.aggsession) to continue, or - for a scenario on stdin."
        ),
    ],
    settings: Settings = None,
    seed: Seed = None,
    until_time: Annotated[float | None, typer.Option(metavar="T", help="Stop at this simulation time.")] = None,
    until_clusters: Annotated[int | None, typer.Option(metavar="M", help="Stop when M clusters are left.")] = None,
    until_events: Annotated[
        int | None, typer.Option(metavar="K", help="Stop after K merges, collisions and reflections since the start.")
    ] = None,
    max_wall: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="Finish, including measuring and writing, about S seconds after the first event."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write scenario, summary, final state, session and series to this folder."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the results of an earlier run in DIR.")
    ] = False,
    record: Annotated[bool, typer.Option("--record", help="Also write trajectory.gsd to DIR.")] = False,
    every: Annotated[
        float | None,
        typer.Option(
            metavar="DT",
            help="Simulation time between recorded or averaged states; default: the time to fly a mean diameter.",
        ),
    ] = None,
    average_from: Annotated[
        float | None,
        typer.Option(metavar="T", help="Average the indicators over the run from this simulation time on."),
    ] = None,
    fix_overlaps: Annotated[
        bool,
        typer.Option(
            "--fix-overlaps",
            help="Move overlapping discs of a file apart, by at most the deepest overlap; sets discs.fix_overlaps.",
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Simulate without a window."""
    from aggviewer.cli.run import run_scenario
    from engine.runs.loop import RunLimits

    limits = RunLimits(until_time, until_clusters, until_events, max_wall)
    if fix_overlaps:
        settings = [*(settings or []), "discs.fix_overlaps=true"]
    return run_scenario(scenario, _with_seed(settings, seed), limits, out, json, record, every, overwrite, average_from)


@app.command()
def analyse(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help=f"A state ({_STATES}), or several packings with forces (.gsd)."),
    ],
    frame: Annotated[
        int | None, typer.Option(metavar="K", help="Frame to measure, from 0; -1 is the last, the default.")
    ] = None,
    frames: Annotated[
        str, typer.Option(metavar="A:B", help="Average over these frames, such as 100: for all from 100 on.")
    ] = "",
    every: Annotated[int | None, typer.Option(metavar="N", help="Average over every N-th frame.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="dimensions=N", help="2 for discs, 3 for spheres, if the file does not say."),
    ] = None,
    json: Json = False,
) -> int:
    """Measure a state: contacts, pair distribution, fractal dimension, shape, cluster sizes.

    With --frames or --every, also the averages over frames of a recording, with errors. Several packings are pooled:
    the distributions of all their forces and gaps, with their power laws.
    """
    from aggviewer.cli.analyse import analyse_file, pool_files
    from aggviewer.cli.starting import asked_dimensions

    dimensions = asked_dimensions(settings or [], "--set of analyse takes only dimensions, such as dimensions=3")
    average = bool(frames) or every is not None
    if average and (frame is not None or len(files) > 1):
        raise InputError("--frames and --every average over frames of one file, without --frame", "frames")
    number = -1 if frame is None else frame
    if len(files) > 1:
        return pool_files(files, number, json, dimensions)
    return analyse_file(files[0], number, json, dimensions, (frames or ":", every) if average else None)


@app.command()
def render(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help=f"A state or recording ({_STATES}), a session (.aggsession), a scenario (.toml), a bundled scenario "
            "by name, or - for a scenario on stdin. A figure takes several.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write: .png .svg .pdf .mp4 .webm or .gif.")],
    settings: Settings = None,
    seed: Seed = None,
    size: Annotated[
        str, typer.Option(metavar="WxH", help="Size in pixels; default: 1400x900 for pictures, 1280x720 for films.")
    ] = "",
    fps: Annotated[float | None, typer.Option(metavar="F", help="Frames per second of a film; default: 30.")] = None,
    color_by: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help=f"{either([*(field.name for field in known_fields()), 'distance:DISC'])}; not every system has all "
            "of these.",
        ),
    ] = "",
    colormap: Annotated[
        str, typer.Option(metavar="NAME", help="Colour map for all but cluster; default: viridis.")
    ] = "",
    background: Annotated[str, typer.Option(metavar="COLOR", help=f"{either([*BACKGROUNDS, '#rrggbb'])}.")] = "",
    transparent: Annotated[bool, typer.Option("--transparent", help="Transparent background for a picture.")] = False,
    hide: Annotated[
        list[str] | None,
        typer.Option(metavar="PART", help="Hide legend, scale-bar, time, box, axes or gravity. Can be repeated."),
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Layer to draw over the discs: voronoi, or with an opacity voronoi:0.5. Can be repeated.",
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Ends of the colour scale; an end left out follows the values.")
    ] = "",
    log_scale: Annotated[bool, typer.Option("--log-scale", help="Use a logarithmic colour scale.")] = False,
    steps: Annotated[
        int | None, typer.Option(metavar="K", help="Use K colours, 2 to 64, instead of a smooth scale.")
    ] = None,
    along: Annotated[
        str, typer.Option(metavar="AXIS", help="Look along x, y or z at a box of spheres; default: from above.")
    ] = "",
    slab: Annotated[
        str,
        typer.Option(
            metavar="BACK:FRONT",
            help="Show only the slab between two planes across the view, as fractions of the depth, such as 0:0.5 for "
            "the rear half.",
        ),
    ] = "",
    frame: Annotated[
        int | None, typer.Option(metavar="K", help="State of the file to draw, from 0; -1 is the last.")
    ] = None,
    from_time: Annotated[float | None, typer.Option(metavar="T", help="Start of the film.")] = None,
    until_time: Annotated[
        float | None,
        typer.Option(metavar="T", help="End of the film, or time of the picture; default: the end of the run."),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(metavar="S", help="Simulation time per second of film; default: the film lasts 20 s."),
    ] = None,
    length: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Length of the film, instead of its speed; default: 20 s.")
    ] = None,
    log_time: Annotated[
        bool | None,
        typer.Option(
            "--log-time/--even-time",
            help="Space the frames evenly in the logarithm of time, or in time; default: whichever shows more merges.",
        ),
    ] = None,
    turn: Annotated[bool, typer.Option("--turn", help="Turn a box of spheres around once during the film.")] = False,
    quality: Annotated[str, typer.Option(metavar="Q", help="small, standard or high.")] = "standard",
    follow: Annotated[
        str,
        typer.Option(
            metavar="DISCS",
            help="What stays in the middle of a film: a disc (17), several (3,5,10-20), a cluster (cluster:17).",
        ),
    ] = "",
    view_width: Annotated[
        float | None, typer.Option(metavar="W", help="Width of the view around --follow; default: fits the discs.")
    ] = None,
    plots: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Plots to show in a film or figure, such as box_counting,coarsening."),
    ] = "",
    plots_at: Annotated[
        str, typer.Option(metavar="WHERE", help="Position of the plots: right or below; default: right.")
    ] = "",
    picture: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Discs in an .svg or .pdf: rendered, an image, or drawn, vectors; default: auto, which is rendered "
            "in space and above 20 000 discs.",
        ),
    ] = "",
    resolution: Annotated[
        int | None,
        typer.Option(
            metavar="DPI", help="Pixels per inch of a rendered picture, default 300, or of a .png figure, default 600."
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(metavar="MM", help="Write a figure of this width for print: a picture of each FILE, and --plots."),
    ] = None,
    columns: Annotated[int | None, typer.Option(metavar="K", help="Panels of a figure side by side.")] = None,
    letters: Annotated[str, typer.Option(metavar="STYLE", help="Letters of panels: (a), a, A or none.")] = "",
    text: Annotated[float | None, typer.Option(metavar="PT", help="Text size of a figure; default: 8 points.")] = None,
    json: Json = False,
) -> int:
    """Write a picture, a figure for print or a film without a window.

    A film of a file shows each of its states once, unless you give a time or a speed. A scenario is simulated while it
    is filmed. A session looks as you saved it: colours, layers, hidden discs, measurements and notes.
    """
    from aggviewer.cli.film_options import FilmWishes
    from aggviewer.cli.page_options import PageWishes
    from aggviewer.cli.render import Wishes
    from aggviewer.cli.render import render as run

    wishes = Wishes(
        size,
        fps,
        color_by,
        colormap,
        background,
        transparent,
        hide or [],
        layer or [],
        scale,
        log_scale,
        steps,
        along,
        slab,
        frame,
        from_time,
        until_time,
        speed,
        quality,
        FilmWishes(follow, view_width, plots, plots_at, length, log_time, turn),
        PageWishes(picture, resolution, width, columns, letters, text),
    )
    return run(files, out, _with_seed(settings, seed), wishes, json)


@app.command()
def study(
    study: Annotated[
        str,
        typer.Argument(
            metavar="[STUDY]", help="A study (.toml), or a bundled one by name. Without it, list the bundled studies."
        ),
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a key of the scenario or of the study (vary.discs.count=[100,400]). Can be repeated.",
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option(metavar="NAME", help="Size of the study: quick, standard or full.")
    ] = "standard",
    seeds: Annotated[int | None, typer.Option(metavar="K", help="Runs at each point, each with its own seed.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed of the first run at each point; same as --set seeds.first=N."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the tables, figures and report.html."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes on this machine; default: one for each core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use the Dask cluster at tcp://host:port.")
    ] = None,
    keep: Annotated[str | None, typer.Option(metavar="WHAT", help="final: keep the last state of each run.")] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only report how many runs there are and about how long they take, from three trial runs."
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Run a scenario over a grid of parameters and seeds: tables, figures with error bars, report.

    Results are kept in DIR: repeat the same command to continue a stopped study. docs/studies.md explains the keys of a
    study and the columns of its tables.
    """
    from aggviewer.cli.study import run_study

    changed = [*(settings or []), *([] if seed is None else [f"seeds.first={seed}"])]
    return run_study(study, changed, scale, seeds, out, workers, scheduler, keep, dry_run, json)


@app.command()
def scenarios(json: Annotated[bool, typer.Option("--json", help="Write the list as one JSON object.")] = False) -> int:
    """List the bundled scenarios by system."""
    from aggviewer.cli.starting import list_scenarios

    return list_scenarios(json)


@app.command()
def doctor(
    json: Json = False,
    warm: Annotated[
        bool, typer.Option("--warm", help="Compile everything now, so that later starts do not wait for it.")
    ] = False,
    install_desktop: Annotated[
        bool,
        typer.Option("--install-desktop", help="Linux: add aggviewer to the applications of the desktop."),
    ] = False,
    remove_desktop: Annotated[
        bool, typer.Option("--remove-desktop", help="Linux: remove aggviewer from the applications of the desktop.")
    ] = False,
) -> int:
    """Show versions, OpenGL, threads, caches and folders, for a bug report."""
    if warm + install_desktop + remove_desktop > 1:
        raise InputError("--warm, --install-desktop and --remove-desktop cannot be combined", "doctor")
    if warm:
        from aggviewer.cli.doctor import warm_all

        return warm_all(json)
    if install_desktop or remove_desktop:
        from aggviewer.cli import doctor

        return doctor.change_entry(install=install_desktop)
    from aggviewer.cli.doctor import report

    return report(json)
