"""Where the states of the lanes come out: the latest frames, and the latest indicators."""

from __future__ import annotations

from collections.abc import Callable

from aggviewer.session.data import Analysis
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.measuring import SystemAnalysis, Views
from aggviewer.session.notices import Notices
from aggviewer.session.publish.analyst import Analyst
from aggviewer.session.publish.mailbox import FrameMailbox
from aggviewer.session.publish.publisher import Publisher
from aggviewer.session.publish.shown import Shown
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.session.view import ViewModel


class Outlet:
    """A mailbox, an analyst with a thread of its own, and the publisher that feeds both."""

    def __init__(
        self,
        engine: EngineFace,
        view: ViewModel,
        on_error: Callable[[Exception], None],
        on_measured: Callable[[], None],
        analysis_of: Callable[[str], SystemAnalysis],
    ) -> None:
        self.mailbox: FrameMailbox[Shown] = FrameMailbox()
        self.analyst = Analyst(engine, on_error, on_measured)
        self.publisher = Publisher(self.mailbox, self.analyst, view, analysis_of)


class Outlets:
    """An outlet for each lane, made when it is first needed. A measurement that fails is told.

    views : who knows how the discs of a system are measured; pool : the jammed packings of all lanes; on_measured :
    called when a field that takes long has been measured.
    """

    def __init__(
        self, engine: EngineFace, views: Views, view: ViewModel, notices: Notices, on_measured: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._views = views
        self._view = view
        self._notices = notices
        self._on_measured = on_measured
        self.pool = PackingPool()  # of all lanes
        self._outlets: list[Outlet] = []

    def publisher_of(self, lane: int) -> Publisher:
        """Where a lane is shown. On the simulation's thread."""
        while len(self._outlets) <= lane:
            made = Outlet(self._engine, self._view, self._on_error, self._on_measured, self._analysis_of)
            self._outlets.append(made)
        return self._outlets[lane].publisher

    def latest_frame(self, lane: int) -> Shown | None:
        """The newest frame of a lane, None when there is nothing new."""
        return self._outlets[lane].mailbox.take() if lane < len(self._outlets) else None

    def latest_analysis(self, lane: int) -> Analysis | None:
        """The newest indicators of a lane, None when there are no new ones."""
        return self._outlets[lane].analyst.take() if lane < len(self._outlets) else None

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the threads; False where one takes longer than `patience` seconds."""
        closed = [outlet.analyst.close(patience) for outlet in list(self._outlets)]
        return all(closed)

    def _analysis_of(self, system: str) -> SystemAnalysis:
        return self._views(system).analysis(self.pool)

    def _on_error(self, error: Exception) -> None:
        self._notices.unexpected("The state could not be measured", error, "The simulation goes on.")
