"""The short sound itself, computed when it is first wanted, and the loudspeaker that plays it."""

from __future__ import annotations

import wave
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np
from PyQt6.QtCore import QUrl

from engine.errors import InputError

_RATE = 48_000  # samples a second: what loudspeakers take without a change
_LASTS = 0.09  # seconds
_TONES = ((620.0, 1.0), (1240.0, 0.45), (2110.0, 0.2))  # Hz, strength
_FADES = 0.018  # seconds in which it becomes weaker by a factor e
_RISES = 0.002  # seconds: a sound that begins at once would crack
_LOUDNESS = 0.5  # of the largest number there is


def tock() -> bytes:
    """A WAV file with a soft knock, in both channels."""
    time = np.arange(round(_RATE * _LASTS)) / _RATE
    tone = sum(strength * np.sin(2.0 * np.pi * pitch * time) for pitch, strength in _TONES)
    shape = np.minimum(time / _RISES, 1.0) * np.exp(-time / _FADES)
    sound = tone * shape
    samples = (32_767 * _LOUDNESS * sound / np.abs(sound).max()).astype("<i2")
    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(2)
        writer.setsampwidth(2)
        writer.setframerate(_RATE)
        writer.writeframes(np.repeat(samples, 2).tobytes())
    return file.getvalue()


class Voice(Protocol):
    """Plays the sound."""

    def play(self) -> None:
        """Once, from its beginning; returns at once."""
        ...

    def close(self) -> None:
        """Be silent, and free what it holds."""
        ...


class Loudspeaker:
    """The default output of the computer, also where another one becomes that. Qt's libraries for sound are loaded here
    and not before.

    Raises
    ------
    InputError
        There is none, or a library for it is missing.
    """

    def __init__(self) -> None:
        try:
            from PyQt6.QtMultimedia import QMediaDevices, QSoundEffect
        except ImportError as error:
            raise InputError(f"a library that sound needs is missing ({error})", "sound") from None
        if QMediaDevices.defaultAudioOutput().isNull():
            raise InputError("this computer has no sound output", "sound")
        self._folder = TemporaryDirectory(prefix="aggviewer-sound-")
        file = Path(self._folder.name) / "tock.wav"
        file.write_bytes(tock())
        self._effect = QSoundEffect()
        self._effect.setSource(QUrl.fromLocalFile(str(file)))
        self._devices = QMediaDevices()
        self._devices.audioOutputsChanged.connect(self._follow)

    def play(self) -> None:
        """See `Voice`."""
        self._effect.play()

    def close(self) -> None:
        """See `Voice`."""
        self._devices.audioOutputsChanged.disconnect(self._follow)
        self._effect.stop()
        self._effect.deleteLater()
        self._folder.cleanup()

    def _follow(self) -> None:
        self._effect.setAudioDevice(self._devices.defaultAudioOutput())
