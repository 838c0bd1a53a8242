"""The subcommands and their options. What they do is imported when they run, so that help comes at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from aggviewer.cli import completion
from aggviewer.cli.entry import load_installed
from aggviewer.cli.exits import guarded, tell_warnings, terminable
from aggviewer.names import BACKGROUNDS, COMPLETION
from engine.errors import InputError, either
from engine.files import formats
from engine.system import known_fields

_STATES = " ".join(formats.readable())

app = typer.Typer(
    name="aggviewer",
    help="Watch, measure and film discs that stick, bounce and jam. Without a command: aggviewer [FILE…] opens the "
    f"window with a scenario (.toml), a session, a state or recording ({_STATES}) or the name of a bundled scenario.",
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Write one JSON object to stdout.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change a key of the scenario; may be repeated."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The seed of the random numbers, as --set seed=N.")]


def run_command(arguments: Sequence[str]) -> int:
    """Run a subcommand; returns the exit status."""
    command = typer.main.get_command(app)
    if COMPLETION in os.environ:
        completion.prepare()

    def run() -> int | None:
        tell_warnings()
        load_installed()
        status: int | None = command.main(
            args=list(arguments), prog_name="aggviewer", complete_var=COMPLETION, standalone_mode=False
        )
        return status

    with terminable():
        return guarded(run)


def _show_version(wanted: bool) -> None:
    if wanted:
        from engine import __version__

        typer.echo(f"aggviewer {__version__}")
        raise typer.Exit


def _install_completion(wanted: bool) -> None:
    if wanted:
        completion.install()
        raise typer.Exit


def _show_completion(shell: str) -> None:
    if shell:
        completion.show(shell)
        raise typer.Exit


def _with_seed(settings: list[str] | None, seed: int | None) -> list[str]:
    """The settings with the seed, if one is given, as the last of them."""
    return [*(settings or []), *([] if seed is None else [f"seed={seed}"])]


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    install_completion: Annotated[
        bool,
        typer.Option(
            "--install-completion",
            callback=_install_completion,
            is_eager=True,
            help="Have this shell (bash, zsh or fish) complete commands, options and names.",
        ),
    ] = False,
    show_completion: Annotated[
        str,
        typer.Option(
            "--show-completion",
            callback=_show_completion,
            is_eager=True,
            metavar="SHELL",
            help="Write the script for bash, zsh or fish to stdout.",
        ),
    ] = "",
) -> None:
    pass


@app.command()
def run(
    scenario: Annotated[
        str,
        typer.Argument(
            help=f"A scenario (.toml), a bundled scenario's name, a state ({_STATES}) to start from, a session "
            "(.aggsession) to carry on, or - for a scenario on stdin.",
            autocompletion=completion.sources,
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
        typer.Option(metavar="S", help="Be done, with measuring and writing, about S seconds after the first event."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write scenario, summary, final state, session and series there.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what an earlier run has left there.")] = False,
    record: Annotated[bool, typer.Option("--record", help="Write trajectory.gsd there as well.")] = False,
    every: Annotated[
        float | None,
        typer.Option(metavar="DT", help="Simulation time between recorded frames; else a mean diameter's flight."),
    ] = None,
    fix_overlaps: Annotated[
        bool,
        typer.Option(
            "--fix-overlaps",
            help="Move overlapping discs of a file apart, by at most the deepest overlap: sets discs.fix_overlaps.",
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Simulate without a window."""
    from aggviewer.cli.run import run_scenario
    from engine.runs.limits import RunLimits

    limits = RunLimits(until_time, until_clusters, until_events, max_wall)
    if fix_overlaps:
        settings = [*(settings or []), "discs.fix_overlaps=true"]
    return run_scenario(scenario, _with_seed(settings, seed), limits, out, json, record, every, overwrite)


@app.command()
def analyse(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help=f"A state ({_STATES}), or several packings with forces (.gsd).",
            autocompletion=completion.files(*formats.readable()),
        ),
    ],
    frame: Annotated[int, typer.Option(metavar="K", help="Which frame, from 0; -1 is the last one.")] = -1,
    json: Json = False,
) -> int:
    """Measure a state: contacts, pair distribution, fractal dimension, shape, cluster sizes.

    Of several packings, the distributions of forces and gaps of all of them together, with their power laws.
    """
    if len(files) > 1:
        from aggviewer.cli.analyse import pool_files

        return pool_files(files, frame, json)
    from aggviewer.cli.analyse import analyse_file

    return analyse_file(files[0], frame, json)


@app.command()
def render(
    file: Annotated[
        str,
        typer.Argument(
            help=f"A file with states ({_STATES}), a saved session (.aggsession), a scenario, a bundled one's name, "
            "or - for a scenario on stdin.",
            autocompletion=completion.sources,
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="What to write: .png .svg .pdf .mp4 .webm or .gif.")],
    settings: Settings = None,
    seed: Seed = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Pixels: pictures 1400x900, films 1280x720.")] = "",
    fps: Annotated[float | None, typer.Option(metavar="F", help="Frames per second of a film; 30 unless told.")] = None,
    color_by: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help=f"{either([field.name for field in known_fields()])}; not every system has all of them.",
            autocompletion=completion.fields,
        ),
    ] = "",
    colormap: Annotated[
        str, typer.Option(metavar="NAME", help="Colour map for all but cluster; viridis unless told.")
    ] = "",
    background: Annotated[str, typer.Option(metavar="COLOR", help=f"{either([*BACKGROUNDS, '#rrggbb'])}.")] = "",
    transparent: Annotated[bool, typer.Option("--transparent", help="Nothing under the discs of a picture.")] = False,
    hide: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="legend, scale-bar, time or box; may be repeated.")
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What to draw over the discs, such as voronoi, or with its opacity voronoi:0.5; may be repeated.",
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Ends of the scale of colours; one left out is found.")
    ] = "",
    log_scale: Annotated[bool, typer.Option("--log-scale", help="A logarithmic scale of colours.")] = False,
    steps: Annotated[
        int | None, typer.Option(metavar="K", help="So many colours instead of a smooth scale, 2 to 64.")
    ] = None,
    frame: Annotated[
        int | None, typer.Option(metavar="K", help="Which state of the file is pictured, from 0; -1 is the last one.")
    ] = None,
    from_time: Annotated[float | None, typer.Option(metavar="T", help="Start of the film.")] = None,
    until_time: Annotated[
        float | None, typer.Option(metavar="T", help="End of the film or time of the picture; else one cluster.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(metavar="S", help="Simulation time per second of film; else it lasts 20 s.")
    ] = None,
    quality: Annotated[str, typer.Option(metavar="Q", help="small, standard or high.")] = "standard",
    follow: Annotated[
        str,
        typer.Option(
            metavar="DISCS", help="What stays in the middle of a film: a disc 17, discs 3,5,10-20, or cluster:17."
        ),
    ] = "",
    view_width: Annotated[
        float | None, typer.Option(metavar="W", help="Length across the view of --follow; else it fits the discs.")
    ] = None,
    plots: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Plots in a film, such as box_counting,coarsening.", autocompletion=completion.plots
        ),
    ] = "",
    plots_at: Annotated[str, typer.Option(metavar="WHERE", help="right or below; right unless told.")] = "",
    json: Json = False,
) -> int:
    """Write a picture or a film without a window.

    A film of a file shows each of its states once, unless a time or a speed is given. A scenario is simulated while it
    is filmed. A session looks as it was saved: colours, layers, hidden discs, measurements and notes.
    """
    from aggviewer.cli.film_options import FilmWishes
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
        frame,
        from_time,
        until_time,
        speed,
        quality,
        FilmWishes(follow, view_width, plots, plots_at),
    )
    return run(file, out, _with_seed(settings, seed), wishes, json)


@app.command()
def study(
    study: Annotated[
        str,
        typer.Argument(
            metavar="[STUDY]",
            help="A study (.toml) or the name of a bundled one; none: lists these.",
            autocompletion=completion.studies,
        ),
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a key of the scenario or of the study (vary.discs.count=[100,400]); may be repeated.",
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option(metavar="NAME", help="How large: quick, standard, full, as the study says.")
    ] = "standard",
    seeds: Annotated[
        int | None, typer.Option(metavar="K", help="Runs at every point, each with other random numbers.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="The seed of the first run at every point, as --set seeds.first=N."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for tables, figures, report.html of this study."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes of this machine; as many as cores unless told.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use the Dask cluster there, tcp://host:port.")
    ] = None,
    keep: Annotated[str | None, typer.Option(metavar="WHAT", help="final: keep the last state of every run.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell how many runs, and about how long, from three trial runs.")
    ] = False,
    json: Json = False,
) -> int:
    """Run a scenario over a grid of parameters and seeds: tables, figures with error bars, report.

    What has been computed is kept in DIR: the same call again goes on where it was stopped. docs/studies.md has the
    keys of a study and what its columns mean.
    """
    from aggviewer.cli.study import run_study

    changed = [*(settings or []), *([] if seed is None else [f"seeds.first={seed}"])]
    return run_study(study, changed, scale, seeds, out, workers, scheduler, keep, dry_run, json)


@app.command()
def lesson(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help="A bundled lesson, or the folder or lesson.toml of another one; none: lists them.",
            autocompletion=completion.lessons,
        ),
    ] = "",
    worksheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write its sheet for print, .html, in place of opening it."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Write the list as one JSON object to stdout.")] = False,
) -> int:
    """List the lessons, open one in the window, or write its worksheet."""
    from aggviewer.cli.lesson import run_lesson

    return run_lesson(name, worksheet, json)


@app.command()
def scenarios(json: Annotated[bool, typer.Option("--json", help="Write the list as one JSON object.")] = False) -> int:
    """List the bundled scenarios by system, with a line each."""
    from aggviewer.cli.scenarios import list_scenarios

    return list_scenarios(json)


@app.command()
def doctor(
    json: Json = False,
    warm: Annotated[bool, typer.Option("--warm", help="Compile everything ahead: no start waits for it.")] = False,
    install_desktop: Annotated[
        bool,
        typer.Option("--install-desktop", help="Linux: put the program among the applications, with its file types."),
    ] = False,
    remove_desktop: Annotated[
        bool, typer.Option("--remove-desktop", help="Linux: take away what --install-desktop has written.")
    ] = False,
) -> int:
    """Tell versions, OpenGL, threads, caches and folders: what a bug report needs."""
    if warm + install_desktop + remove_desktop > 1:
        raise InputError("--warm, --install-desktop and --remove-desktop exclude each other", "doctor")
    if warm:
        from aggviewer.cli.warming import warm_all

        return warm_all(json)
    if install_desktop or remove_desktop:
        from aggviewer.cli import desktop

        return desktop.install() if install_desktop else desktop.remove()
    from aggviewer.cli.doctor import report

    return report(json)
