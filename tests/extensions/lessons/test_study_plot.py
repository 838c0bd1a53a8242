"""The plot of a lesson's small study, on a real widget: what was measured stands where it belongs."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.extensions.lessons.answers import EnsembleResult, Measurement
from aggviewer.extensions.lessons.ensemble import EnsemblePlot
from aggviewer.extensions.lessons.model import Ensemble
from aggviewer.style.theme import DARK

STEP = "aggregation.time_stepping.step"


def ensemble(**values: object) -> Ensemble:
    """A study of three steps, or as the test says."""
    usual = {"vary": STEP, "values": [0.1, 1.0, 10.0], "y": "clusters", "label": "contacts N_c"}
    return Ensemble.model_validate(usual | values)


def shown(qtbot: QtBot, asked: Ensemble, study: EnsembleResult) -> EnsemblePlot:
    """The plot of a study."""
    panel, plot = QWidget(), EnsemblePlot(asked)
    qtbot.addWidget(panel)
    QVBoxLayout(panel).addWidget(plot)
    plot.set_theme(DARK)
    plot.show_study(study)
    panel.resize(300, panel.sizeHint().height())
    panel.show()
    return plot


STUDY = EnsembleResult((Measurement(5.0, 0.5), Measurement(7.0, 0.25), Measurement(6.0, 1.0)), 4.0)


@pytest.mark.parametrize("log", [True, False])
def test_means_stand_over_what_was_varied_with_their_errors(qtbot: QtBot, log: bool) -> None:
    plot = shown(qtbot, ensemble(log=log), STUDY)
    means = plot.drawn["means"].series
    assert np.allclose(means.x, [0.1, 1.0, 10.0])
    assert np.allclose(means.y, [5.0, 7.0, 6.0])
    assert means.error is not None
    assert np.allclose(means.error, [0.5, 0.25, 1.0])
    left, right, low, high = plot.ends
    assert left < 0.1
    assert right > 10.0
    assert low < 4.0, "the level is in view"
    assert high > 7.25, "all bars are in view"


def test_the_level_has_its_name_and_is_there_only_where_there_is_one(qtbot: QtBot) -> None:
    plot = shown(qtbot, ensemble(level_name="exact"), STUDY)
    level = plot.drawn["level"].series
    assert list(level.y) == [4.0]
    assert list(level.labels) == ["exact"]
    plot.show_study(EnsembleResult(STUDY.points))
    assert "level" not in plot.drawn


def test_a_switch_is_varied_from_no_to_yes(qtbot: QtBot) -> None:
    plot = shown(qtbot, ensemble(vary="aggregation.rotation", values=[False, True]), EnsembleResult(STUDY.points[:2]))
    assert list(plot.drawn["means"].series.x) == [0.0, 1.0]
    assert plot.axes.x_ticks is not None
    assert [word for _, word in plot.axes.x_ticks.labels] == ["no", "yes"]
