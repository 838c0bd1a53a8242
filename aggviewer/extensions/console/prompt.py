"""The prompt of the console: IPython in this process, in a widget of qtconsole.

Imported only when the console is opened; ImportError if qtconsole is not installed.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from types import ModuleType
from typing import Any

from ipykernel.inprocess.ipkernel import InProcessKernel
from ipykernel.iostream import IOPubThread
from IPython.core.profiledir import ProfileDir
from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QFontDatabase, QKeySequence
from PyQt6.QtWidgets import QVBoxLayout, QWidget
from qtconsole.inprocess import QtInProcessKernelManager, QtInProcessRichJupyterWidget
from traitlets.config import Config

from aggviewer.style.theme import PROJECTOR, Colors
from engine.errors import InputError

_MODULE = "aggviewer_console"  # typed names belong to this module, not to the program's
_PATIENCE = 1.0  # seconds to wait for the output thread at the end
_BANNER = (
    "Python {version}. frame, scenario, selection, np, engine and window are defined; window.help() explains them.\n"
)


class Prompt(QWidget):
    """A widget with a prompt. `end` shuts everything down.

    Parameters
    ----------
    names : the predefined names.
    fresh() : further names, called again before each cell.
    taken : keys of the window, which the prompt ignores.
    """

    def __init__(self, names: Mapping[str, Any], fresh: Callable[[], Mapping[str, Any]], taken: set[str]) -> None:
        super().__init__()
        self._fresh = fresh
        self._folder = TemporaryDirectory(prefix="aggviewer-console-")
        self._manager = manager = QtInProcessKernelManager(config=_config())
        module = ModuleType(_MODULE)
        vars(module).update(names)
        manager.kernel = kernel = InProcessKernel(
            parent=manager,
            session=manager.session,
            user_module=module,
            user_ns=vars(module),
            profile_dir=ProfileDir(location=str(Path(self._folder.name) / "profile_default")),
        )
        self.shell = kernel.shell
        self.shell.events.register("pre_run_cell", self._refresh)
        self.shell.set_custom_exc((InputError,), _show_input_error)
        self._refresh()
        self._client = manager.client()
        self._client.start_channels()
        self.console = QtInProcessRichJupyterWidget()
        self.console.banner = ""  # that of the kernel follows
        self.console.override_shortcuts = True
        self.console.custom_interrupt = True  # Ctrl+C: it cannot interrupt code in this process
        self.console.kernel_manager = manager
        self.console.kernel_client = self._client
        for action in self.console.actions():
            if any(key.toString(QKeySequence.SequenceFormat.PortableText) in taken for key in action.shortcuts()):
                action.setShortcuts([])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.console)
        self.console.setFocusProxy(self.console._control)  # the field that is typed in
        self.setFocusProxy(self.console)

    def execute(self, source: str) -> None:
        """Run a cell as if it had been typed."""
        self.console.execute(source)

    def set_size(self, points: float) -> None:
        """Set the font size."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(points)
        if font != self.console.font:
            self.console.font = font

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.console.style_sheet = f"""
            QPlainTextEdit, QTextEdit {{
                background-color: {colors.base};
                color: {colors.text};
                selection-background-color: {colors.accent};
                selection-color: {colors.on_accent};
                border: 0;
            }}
            .inverted {{ background-color: {colors.accent}; color: {colors.on_accent}; }}
            .error {{ color: {colors.error}; }}
            .in-prompt, .in-prompt-number {{ color: {colors.accent}; }}
            .out-prompt, .out-prompt-number {{ color: {colors.muted}; }}
            .in-prompt-number, .out-prompt-number {{ font-weight: bold; }}
        """
        self.console.syntax_style = "bw" if colors is PROJECTOR else "monokai" if colors.dark else "default"
        self.shell.colors = "nocolor" if colors is PROJECTOR else "linux" if colors.dark else "lightbg"

    def _refresh(self, _info: object = None) -> None:
        self.shell.user_ns.update(self._fresh())

    def end(self) -> None:
        """Stop everything that the console has started, leaving nothing in the process."""
        self.shell.events.unregister("pre_run_cell", self._refresh)
        self.console.kernel_client = None  # it listens no more
        self._client.stop_channels()
        _end_task(self._manager.kernel.iopub_thread)
        self._manager.shutdown_kernel()
        self.shell.atexit_operations()
        atexit.unregister(self.shell.atexit_operations)
        self.shell.restore_sys_module_state()
        type(self.shell).clear_instance()
        sys.modules.pop(_MODULE, None)
        self.shell.user_ns.clear()
        self.console.close()
        self.console._executing = False  # a prompt being written during this call would restart the timer
        for timer in self.findChildren(QTimer):
            timer.stop()
        self._folder.cleanup()


def _end_task(thread: IOPubThread) -> None:
    """End the task that the output thread leaves pending when it stops; otherwise asyncio would complain in the
    terminal."""
    ended = Event()
    thread.io_loop.add_callback(thread._event_pipe_gc_task.cancel)
    thread.io_loop.add_callback(lambda: thread.io_loop.add_callback(ended.set))
    ended.wait(_PATIENCE)


def _config() -> Config:
    """Configure IPython."""
    config = Config()
    config.InteractiveShell.banner1 = _BANNER.format(version=sys.version.split()[0])
    config.InteractiveShell.enable_tip = False
    config.HistoryManager.enabled = False  # it would need a file and a thread to write it
    config.HistoryManager.hist_file = ":memory:"
    config.IPCompleter.use_jedi = False  # it takes seconds, for which the window would wait
    return config


def _show_input_error(
    shell: Any, kind: type[BaseException], error: BaseException, traceback: object, tb_offset: Any = None
) -> None:
    """Show input errors as one sentence, without a traceback."""
    shell._showtraceback(kind, error, [f"{' '.join(str(error).split())}."])
