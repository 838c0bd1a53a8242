"""Shell completion: the possible values of each argument, and the script that asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

import typer

from aggviewer.names import COMPLETION
from engine.errors import InputError, either
from engine.files import formats
from engine.paths import typed_path

SHELLS = ("bash", "zsh", "fish")
_STATES = tuple(formats.readable())
Completer = Callable[[str], list[str]]


def prepare() -> None:
    """Register the shells with typer, before a command runs that a completion script has called."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()


def install() -> None:
    """Write the script for the calling shell. Raises InputError if that shell is unknown."""
    import shellingham
    from typer.completion import install as write  # type: ignore[attr-defined]

    try:
        shell, _ = shellingham.detect_shell()
    except (shellingham.ShellDetectionFailure, OSError, RuntimeError):
        shell = ""
    if shell not in SHELLS:
        of = f"the shell is {shell}" if shell else "the shell is not known"
        raise InputError(
            f"completion is for {either(SHELLS)}, and {of}; --show-completion SHELL writes the script to stdout",
            "install-completion",
        )
    try:
        _, path = write(shell=shell, prog_name="aggviewer", complete_var=COMPLETION)
    except OSError as error:
        where = error.filename or "its file"
        raise InputError(f"{where} cannot be written: {error.strerror or error}", "install-completion") from None
    typer.echo(f"Written: {path}")
    typer.echo(f"Completion will work in the next {shell}")


def show(shell: str) -> None:
    """Write the script for a shell to stdout. Raises InputError for an unknown shell."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    if shell not in SHELLS:
        raise InputError(f"--show-completion must be {either(SHELLS)}, not {shell!r}", "show-completion")
    typer.echo(get_completion_script(prog_name="aggviewer", complete_var=COMPLETION, shell=shell))


def files(*suffixes: str) -> Completer:
    """Folders, and files with these endings."""
    return lambda incomplete: list(_files(incomplete, suffixes))


def sources(incomplete: str) -> list[str]:
    """Bundled scenarios, and files from which a run can begin."""
    from engine.scenario import bundled

    return _beginning(incomplete, (one.name for one in bundled()), ".toml", ".aggsession", *_STATES)


def studies(incomplete: str) -> list[str]:
    """Bundled studies, and files that hold one."""
    from engine.study.source import bundled

    return _beginning(incomplete, bundled(), ".toml")


def lessons(incomplete: str) -> list[str]:
    """Bundled lessons, and files that hold one."""
    from aggviewer.lessons.source import bundled

    return _beginning(incomplete, (one.name for one in bundled()), ".toml")


def fields(incomplete: str) -> list[str]:
    """Quantities to colour by."""
    from engine.system import known_fields

    return [field.name for field in known_fields() if field.name.startswith(incomplete)]


def plots(incomplete: str) -> list[str]:
    """Plots of all systems; after a comma one more."""
    from aggviewer.systems.registry import views

    before, comma, name = incomplete.rpartition(",")
    known = dict.fromkeys(plot.key() for view in views() for plot in view.plots())
    return [before + comma + key for key in known if key.startswith(name)]


def _beginning(incomplete: str, names: Iterable[str], *suffixes: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)] + list(_files(incomplete, suffixes))


def _files(incomplete: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    folder, _, beginning = incomplete.rpartition("/")
    stem = f"{folder}/" if "/" in incomplete else ""
    try:
        found = sorted(os.scandir(typed_path(stem or ".")), key=lambda entry: entry.name)
    except (OSError, InputError):
        return
    for entry in found:
        if not entry.name.startswith(beginning) or (entry.name.startswith(".") and not beginning):
            continue
        if entry.is_dir():
            yield f"{stem}{entry.name}/"
        elif entry.name.lower().endswith(suffixes):
            yield f"{stem}{entry.name}"
