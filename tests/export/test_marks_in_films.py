"""Films have the marks of the session, and marks on discs follow them from frame to frame."""

from __future__ import annotations

from dataclasses import replace

import engine
from aggviewer.canvas.layers.marks import NAME, discs_of_scene
from aggviewer.canvas.scene import Scene
from aggviewer.document.run import Anchor, Mark, RunMarks
from aggviewer.document.view import ViewModel
from aggviewer.export.sources import FilmColors, copy_of, show_state
from engine.scenario import Scenario


def test_marks_are_in_films_and_follow_their_discs() -> None:
    checkpoint = engine.create(Scenario().with_values({"discs.count": 9})).checkpoint()
    mark = Mark(kind="distance", anchors=(Anchor(x=0.0, y=0.0, disc=0), Anchor(x=0.0, y=0.0, disc=5)))
    run_marks = replace(RunMarks.none(9), marks=(mark,))
    scene, view, lengths = Scene(), ViewModel(), set()
    with copy_of(checkpoint) as source:
        film_colors = FilmColors(source, "cluster")
        for time in (0.0, 0.5):
            show_state(scene, source, source.frame_at(time), film_colors, view, run_marks)
            assert scene.data(NAME).marks == (mark,)
            lengths.add(mark.measure(discs_of_scene(scene))[0].value)
    assert len(lengths) == 2
