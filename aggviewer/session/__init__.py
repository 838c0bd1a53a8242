"""What runs and what is shown, without Qt: the session with its threads, messages and the view model."""

from aggviewer.document.view import ViewModel
from aggviewer.session.data import Analysis, LaneStatus, Preparation, Status, SystemInfo
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.publish.publisher import Shown
from aggviewer.session.session import DEFAULT_SPEED, Session
from aggviewer.session.taking_out import TakenOut

__all__ = [
    "DEFAULT_SPEED",
    "Analysis",
    "LaneStatus",
    "Notice",
    "Notices",
    "Preparation",
    "Session",
    "Shown",
    "Status",
    "SystemInfo",
    "TakenOut",
    "ViewModel",
]
