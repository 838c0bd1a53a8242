"""Discs that meet are heard and seen where somebody wants it, whatever the system, and nothing waits for a sound."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from aggviewer.session import Notice
from aggviewer.widgets.command import PRESENTER_BAR, Command
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from aggviewer.window.sound.contacts import PAUSE, ContactSound, has_met
from aggviewer.window.sound.voice import Loudspeaker, tock
from engine.errors import InputError
from engine.frame import Frame, Impacts
from tests.window.conftest import part_of, wait_until


class Heard:
    """A voice that counts."""

    def __init__(self) -> None:
        self.times = 0
        self.closed = False

    def play(self) -> None:
        self.times += 1

    def close(self) -> None:
        self.closed = True


def refused() -> Heard:
    raise InputError("this computer has no sound output", "sound")


@pytest.fixture
def window(window_again: MainWindow) -> Iterator[MainWindow]:
    """The window of this file, with a voice that counts, and a clock that the test moves on."""
    sound = part_of(window_again, ContactSound)
    heard = Heard()
    sound.make_voice = lambda: heard
    yield window_again
    if part_of(window_again, WindowSettings).sound:
        sound.toggle()
    sound.make_voice = Loudspeaker


def frame(time: float, times: list[float], partners: list[int]) -> Frame:
    """Two discs at a time, with what has happened."""
    pairs = np.array([(0, partner) for partner in partners], np.int32).reshape(-1, 2)
    places = np.zeros((2, 2))
    return Frame(
        time=time,
        positions=places,
        velocities=places,
        fields={},
        clusters=2,
        kinetic_energy=0.0,
        impacts=Impacts(np.array(times), pairs),
    )


@pytest.mark.parametrize(
    ("now", "since", "times", "partners", "met"),
    [
        (2.0, 1.0, [1.5], [1], True),
        (2.0, 1.0, [0.5, 1.0], [1, 1], False),  # heard before
        (2.0, 1.0, [1.5], [-1], False),  # a wall
        (1.0, 2.0, [0.5], [1], False),  # played backwards
        (2.0, 1.0, [], [], False),
    ],
)
def test_only_discs_that_meet_anew_are_heard(
    now: float, since: float, times: list[float], partners: list[int], met: bool
) -> None:
    assert has_met(frame(now, times, partners), since) == met


def test_it_is_off_until_it_is_switched_on_and_then_merges_are_heard(window: MainWindow, qtbot: QtBot) -> None:
    sound = part_of(window, ContactSound)
    heard = sound.make_voice()
    assert isinstance(heard, Heard)
    window.commands.run("run.restart")
    wait_until(lambda: window.session.status().state == "paused" and window.session.status().time == 0.0)
    window.commands.run("run.step_event")
    wait_until(lambda: window.session.status().time > 0.0)
    assert heard.times == 0
    qtbot.keyClick(window.canvas, Qt.Key.Key_X, Qt.KeyboardModifier.ShiftModifier)
    assert window.commands.action("view.sound_contacts").isChecked()
    assert part_of(window, WindowSettings).sound, "the next start has it too"
    merges = window.session.status().events
    while window.session.status().events == merges or not heard.times:  # a wall is not heard
        window.commands.run("run.step_event")
        qtbot.wait(20)
    assert heard.times >= 1
    qtbot.keyClick(window.canvas, Qt.Key.Key_X, Qt.KeyboardModifier.ShiftModifier)
    assert heard.closed


def test_many_that_meet_at_once_are_one_sound(window: MainWindow) -> None:
    settings = part_of(window, WindowSettings)
    heard, now = Heard(), [0.0]
    shown = window.refresher.shown()
    assert shown is not None
    sound = ContactSound(settings, lambda: None, lambda notice: None, lambda: heard, lambda: now[0])
    sound.toggle()
    for k in range(200):  # a frame every millisecond, with a hundred merges each
        now[0] = 1e-3 * k
        later = type(shown)(shown.system, frame(float(k), [k - 0.5] * 100, [1] * 100), shown.scalar, shown.coloring)
        sound.on_frame(0, later)
    assert heard.times == pytest.approx(0.2 / PAUSE, abs=1)
    sound.toggle()


def test_where_nothing_can_be_heard_it_stays_off_and_says_so(window: MainWindow) -> None:
    got: list[Notice] = []
    settings = part_of(window, WindowSettings)
    sound = ContactSound(settings, lambda: None, got.append, refused)
    sound.toggle()
    assert not settings.sound
    assert got[0].title == "No sound: this computer has no sound output"
    settings.sound = True  # of an earlier start, when there was a loudspeaker
    shown = window.refresher.shown()
    assert shown is not None
    for k in range(3):
        later = type(shown)(shown.system, frame(float(k), [k - 0.5], [1]), shown.scalar, shown.coloring)
        sound.on_frame(0, later)
    assert len(got) == 1, "it does not complain at every contact"
    settings.sound = False


def test_the_real_loudspeaker_plays_or_is_refused_at_once() -> None:
    try:
        voice = Loudspeaker()
    except InputError:
        return
    voice.play()
    voice.close()


def test_the_sound_is_short_and_not_cut_off() -> None:
    with wave.open(BytesIO(tock())) as file:
        assert file.getnchannels() == 2
        assert file.getnframes() / file.getframerate() < 0.1
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    assert 0.4 * 32_767 < np.abs(samples).max() <= 0.51 * 32_767
    assert np.abs(samples[-40:]).max() < 0.01 * np.abs(samples).max()
    assert abs(samples[0]) < 0.01 * np.abs(samples).max()


def test_both_switches_stand_beside_each_other_and_in_presenter_mode(window: MainWindow) -> None:
    sections = [
        [entry.id for entry in section if isinstance(entry, Command)] for section in window.commands.within("View")
    ]
    together = next(section for section in sections if "view.flash_contacts" in section)
    assert "view.sound_contacts" in together
    buttons = [command.id for command in window.commands.in_bar(PRESENTER_BAR)]
    assert buttons.index("view.sound_contacts") == buttons.index("view.flash_contacts") + 1
    with window.session.document.unrecorded():
        window.session.view.flash_contacts = True
    settings = part_of(window, WindowSettings)
    settings.save_view(window.session.view)
    view = type(window.session.view)()
    settings.load_view(view)
    assert view.flash_contacts
