"""Discs that meet are heard: one short sound, however many meet at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from aggviewer.session import Notice, Shown
from aggviewer.widgets.command import PRESENTER_BAR, Command, Place
from aggviewer.window.settings import WindowSettings
from aggviewer.window.sound.voice import Loudspeaker, Voice
from engine.errors import InputError
from engine.frame import Frame

PAUSE = 0.06
"""Seconds between two sounds, at least."""

_MOMENT = 1e-12  # relative difference of two times up to which they count as the same moment


class ContactSound:
    """Listens to the frames that are shown. Every system whose frames have `Frame.impacts` is heard.

    Parameters
    ----------
    settings : keep whether it is on.
    shown() : the frame on the screen.
    notify : tells the person why nothing is heard.
    make_voice, clock : what plays, and what counts seconds.
    """

    def __init__(
        self,
        settings: WindowSettings,
        shown: Callable[[], Shown | None],
        notify: Callable[[Notice], object],
        make_voice: Callable[[], Voice] = Loudspeaker,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._shown, self._notify = settings, shown, notify
        self.make_voice, self._clock = make_voice, clock
        self._voice: Voice | None = None
        self._refused = False  # by the computer: not asked again at every contact
        self._rang_at = float("-inf")
        self._before: dict[int, tuple[object, float]] = {}  # lane to system and time of its last frame

    def commands(self) -> Iterator[Command]:
        """Its switch, below that of the flashes."""
        yield Command(
            "view.sound_contacts",
            "Sound of contacts",
            self.toggle,
            ("Shift+X",),
            "A short sound where discs meet, at most 16 a second",
            "mdi6.volume-high",
            checked=lambda: self._settings.sound,
            menu=Place("View", 3, 30),
            bar=Place(PRESENTER_BAR, 4, 2),
            available=self._offered,
        )

    def toggle(self) -> None:
        """On or off; it stays off where nothing could be heard, and says why."""
        if self._settings.sound:
            self._settings.sound = False
            self.close()
            return
        self._refused = False
        reason = self._begin()
        if reason:
            self._notify(Notice("warning", f"No sound: {reason}", "Flash contacts (X) shows the same."))
        self._settings.sound = not reason

    def on_frame(self, lane: int, shown: Shown) -> None:
        """Another frame is on the screen."""
        before = self._before.get(lane)
        self._before[lane] = (shown.system, shown.frame.time)
        if not self._settings.sound or before is None or before[0] is not shown.system:
            return
        if has_met(shown.frame, before[1]) and self._clock() - self._rang_at >= PAUSE:
            self._rang_at = self._clock()
            self._begin()
            if self._voice is not None:
                self._voice.play()

    def close(self) -> None:
        """Be silent."""
        if self._voice is not None:
            self._voice.close()
            self._voice = None

    def _begin(self) -> str:
        """Make the voice, where there is none yet; gives why that cannot be."""
        if self._voice is None and not self._refused:
            try:
                self._voice = self.make_voice()
            except InputError as error:
                self._refused = True
                return str(error)
        return ""

    def _offered(self) -> bool:
        """Whether frames tell where discs meet."""
        found = self._shown()
        return found is None or found.frame.impacts is not None


def has_met(frame: Frame, since: float) -> bool:
    """Whether two discs have met after a time; walls do not count. A frame of an earlier time has nothing new."""
    impacts = frame.impacts
    if impacts is None or frame.time <= since:
        return False
    later = impacts.time > since + _MOMENT * abs(since)
    return bool((later & (impacts.pairs[:, 1] >= 0)).any())
