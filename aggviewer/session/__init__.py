"""The session, without Qt: simulations with their threads, what is shown of them, and messages."""

from aggviewer.session.data import Analysis, DiscSet, LaneStatus, Preparation, Status
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.publisher import Shown
from aggviewer.session.session import Session

__all__ = [
    "Analysis",
    "DiscSet",
    "LaneStatus",
    "Notice",
    "Notices",
    "Preparation",
    "Session",
    "Shown",
    "Status",
]
