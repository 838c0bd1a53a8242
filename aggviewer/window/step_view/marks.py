"""What lies over the discs inside a step: a frame of the story as marks of the canvas."""

from __future__ import annotations

import numpy as np

from aggviewer.canvas.layers.in_view import pair_segments
from aggviewer.canvas.layers.steps import Arrows, Lines, Marks, Overlaps
from aggviewer.session.step.story import StepStory, StoryFrame


def marks_of(frame: StoryFrame, story: StepStory) -> Marks:
    """The marks of a frame of `story`; pairs are joined by the shortest way."""
    quiet = pair_segments(frame.links, frame.positions, story.box, story.periodic)
    fresh = pair_segments(frame.new_links, frame.positions, story.box, story.periodic)
    fades_in = frame.strength if frame.chapter.kind == "overlaps" else 1.0
    return Marks(
        lines=(Lines("link", quiet), Lines("new_link", fresh)),
        overlaps=Overlaps(frame.overlapping, fades_in),
        arrows=tuple(
            Arrows(arrows.role, np.stack([arrows.starts, arrows.starts + arrows.vectors], axis=1))
            for arrows in frame.arrows
        ),
    )
