"""Session files: what goes in comes out, to the last bit, and runs on as if nothing had been."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from pydantic_core import to_jsonable_python

import engine
from aggviewer import __version__
from aggviewer.document.document import Document
from aggviewer.document.registry import read_state
from aggviewer.document.run import Anchor, CameraPlace, Mark, RunMarks, RunModel
from aggviewer.document.view import ColorScale, ViewModel
from aggviewer.document.window import AxesLook, PaceModel, PlotsModel
from aggviewer.latest_job import CancelledError
from aggviewer.session.builder import Engine, resume
from aggviewer.session.saved.session_file import describe_session, read_session, write_session
from aggviewer.session.saved.state import parse_head
from engine import InputError, Scenario
from engine.boundary import Periodic
from engine.selection import Selection
from tests.session.session_files import HOW, METHOD, amid, assert_same, started, state_of

DATA = Path(__file__).parents[1] / "data"
NOTE = Mark(kind="text", anchors=(Anchor(x=1.0, y=2.0),), text="here")


class PlainEngine(Engine):
    """The real engine, its kernels loaded as they are needed."""

    def warm_up(self, report, method):
        report(0, 1, method)


def test_two_side_by_side_and_all_that_is_around_them(tmp_path):
    path = tmp_path / "two.aggsession"
    one = started("event-driven", "walls")
    two = engine.carry_on(one, one.scenario.with_values({METHOD: "time-stepping"}))
    one.advance(0.01)
    two.advance(0.01)
    document = Document()
    for name, value in {
        "color_by": "speed",
        "background": "#102030",
        "show_legend": False,
        "layers": ("velocities",),
        "opacities": {"velocities": 0.5},
        "scales": {"speed": ColorScale(low=0.5, log=True, steps=4, colormap="magma")},
    }.items():
        setattr(document.view, name, value)
    document.plots.chosen = (2,)
    look = AxesLook(logarithmic=(False, True), range=(1.0, 2.0, -3.0, 1e-9))
    document.plots.looks = {"aggregation/BoxCountingPlot": (look,), "jamming/BoxCountingPlot": (look,)}
    document.pace.speed, document.pace.limit = 7.0, "none"
    document.run.camera = CameraPlace(x=0.5, y=0.25, scale=30.0)
    document.run.marks = RunMarks(Selection.discs([3, 5], 120), Selection.discs([7], 120), (NOTE,))
    saved = state_of(
        one,
        two,
        document=document.state,
        variant={METHOD: "time-stepping", "aggregation.time_stepping.fraction": 0.25},
    )
    write_session(path, saved)
    read = read_session(path)
    assert read.document.part(ViewModel) == document.view
    assert (read.document.part(PaceModel), read.document.part(RunModel)) == (document.pace, document.run)
    plots = read.document.part(PlotsModel)
    assert (plots.chosen, plots.looks) == ((2,), {"aggregation/BoxCountingPlot": (look,)}), "of this system alone"
    assert read.variant == saved.variant
    assert read.scenarios == saved.scenarios
    assert (read.time, read.clusters, read.count) == (one.time, one.frame().clusters, 120)
    assert read.program == __version__
    for kept, was in zip(read.lanes, saved.lanes, strict=True):
        assert (kept.system, kept.method, kept.scenario) == (was.system, was.method, was.scenario)
        assert set(kept.arrays) == set(was.arrays)
        for name, array in was.arrays.items():
            assert kept.arrays[name].dtype.names == array.dtype.names
            np.testing.assert_array_equal(kept.arrays[name], array)
    built = resume(read, PlainEngine(), lambda *_: None)
    assert [scenario.to_toml() for scenario, _ in built] == saved.scenarios
    for (_, kept), was in zip(built, (one, two), strict=True):
        kept.advance(until_clusters=30)
        was.advance(until_clusters=30)
        assert_same(kept, was)


@pytest.mark.parametrize("method", HOW)
@pytest.mark.parametrize("boundary", [("periodic", "walls"), ("walls", "periodic")], ids="-".join)
def test_a_run_with_walls_along_one_axis_goes_on_as_it_was_saved(tmp_path, method, boundary):
    was = amid(method, boundary, count=60)
    write_session(tmp_path / "a.aggsession", state_of(was))
    ((scenario, kept),) = resume(read_session(tmp_path / "a.aggsession"), PlainEngine(), lambda *_: None)
    assert scenario.box.boundary == boundary
    assert kept.periodic == Periodic.of_boundary(boundary, 2)
    for one in (kept, was):
        one.advance(until_clusters=20)
    assert_same(kept, was)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("box.boundary", ("periodic", "walls")),
        ("hard_discs.gravity", (0.0, -1.0)),
        ("box.size", (30.0, 20.0)),
        ("box.size", None),
        ("hard_discs.restitution", 1),
    ],
)
def test_a_compared_value_may_be_a_vector_or_automatic(tmp_path, key, value):
    gas = Scenario.from_values(
        {
            "system": "hard-discs",
            "box": {"size": 25.0, "boundary": "walls"},
            "hard_discs": {"restitution": 0.5},
            "discs": {"count": 20, "arrangement": "lattice"},
        }
    )
    gases = gas, gas.with_values({key: value})
    path = tmp_path / "two.aggsession"
    write_session(path, state_of(*map(engine.create, gases), variant={key: value}))
    read = read_session(path)
    assert gas.with_values(read.variant) == gases[1] != gas


def test_a_value_that_no_file_can_hold_is_refused_in_one_sentence(tmp_path):
    runs = started("event-driven", "walls"), started("event-driven", "walls")
    with pytest.raises(InputError, match=r"^a session file cannot store the value of variant\.some\.key"):
        write_session(tmp_path / "two.aggsession", state_of(*runs, variant={"some.key": object()}))
    assert not list(tmp_path.iterdir())


def test_a_line_about_a_file(tmp_path):
    path = tmp_path / "a.aggsession"
    simulation = amid("rigid", "walls")
    write_session(path, state_of(simulation, saved_at=1.5e9))
    saved_at, words = describe_session(path)
    assert saved_at == 1.5e9
    clusters = simulation.settled().clusters
    assert words == f"N = 120, time-stepping, t = {simulation.time:.4g}, {clusters} clusters"
    assert words == read_session(path).describe()


def test_the_file_is_a_zip_of_json_and_npy(tmp_path):
    """Other programs can read it: numpy and json alone."""
    path = tmp_path / "a.aggsession"
    simulation = amid("event-driven", "walls")
    write_session(path, state_of(simulation))
    with zipfile.ZipFile(path) as file:
        head = json.loads(file.read("session.json"))
        assert head["format"] == 7
        assert head["saved_as"] is None
        assert head["lanes"][0]["method"] == "event-driven"
        assert Scenario.from_toml(head["lanes"][0]["scenario"]) == simulation.scenario
        with file.open("lane0/radii.npy") as array:
            np.testing.assert_array_equal(np.lib.format.read_array(array, allow_pickle=False), simulation.radii)


def test_a_head_of_format_4_is_read():
    """One that the code of commit 116ac08d has written."""
    head = parse_head((DATA / "116ac08d" / "session.json").read_bytes(), "four.aggsession")
    document = Document()
    document.restore(read_state(head.document, "session"), "aggregation")
    view = ViewModel(color_by="speed", background="#102030", layers=("velocities",), arrow_speed=2.0)
    view.scales = {"speed": ColorScale(low=0.5, log=True)}
    assert document.view == view
    assert document.plots.chosen == (2,)
    look = AxesLook(logarithmic=(False, True), range=(1.0, 2.0, -3.0, 1e-9))
    assert document.plots.looks == {"aggregation/BoxCountingPlot": (look,)}


def test_colours_in_files_of_earlier_versions_are_ignored(tmp_path):
    path = tmp_path / "a.aggsession"
    write_session(path, state_of(amid("event-driven", "walls")))
    with zipfile.ZipFile(path) as archive:
        head = json.loads(archive.read("session.json"))
    changes = [{"time": 0.5, "lane": 0, "label": 7, "new": 3}]
    old = head | {"format": 6, "packings": [], "colors": {"cluster": {"changes": changes}}}
    assert parse_head(json.dumps(old).encode(), path.name) == parse_head(json.dumps(head).encode(), path.name)


@pytest.mark.parametrize(
    ("speed", "fast", "pace"),
    [
        (3.0, False, PaceModel(speed=3.0)),
        (None, True, PaceModel(limit="frames")),
        (None, False, PaceModel(limit="none")),
    ],
)
def test_a_session_of_format_5_has_its_pace_and_what_is_marked(tmp_path, speed, fast, pace):
    path = tmp_path / "a.aggsession"
    marks = RunMarks(Selection.discs([3, 5], 120), Selection.discs([7], 120), (NOTE,))
    write_session(path, state_of(amid("event-driven", "walls")))

    def as_in_format_5(head):
        del head["document"]["pace"], head["document"]["run"]
        plain = to_jsonable_python(marks)
        head |= {"format": 5, "speed": speed, "fast": fast, "picked": plain["discs"], "marks": plain["marks"]}

    rewritten(path, as_in_format_5)
    read = read_session(path).document
    assert (read.part(PaceModel), read.part(RunModel).marks) == (pace, marks)
    assert read.part(RunModel).camera is None


def rewritten(path, change):
    """The file with another session.json."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    head = json.loads(members["session.json"])
    change(head)
    with zipfile.ZipFile(path, "w") as file:
        for name, data in (members | {"session.json": json.dumps(head).encode()}).items():
            file.writestr(name, data)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_session_of_an_earlier_version_is_refused_with_the_version_that_wrote_it(tmp_path, number):
    path = tmp_path / "a.aggsession"
    write_session(path, state_of(amid("event-driven", "walls"), saved_as="paused", program="0.1.0"))
    rewritten(path, lambda head: head.update(format=number))
    for read in (read_session, describe_session):
        with pytest.raises(InputError, match=r"was written by aggviewer 0\.1\.0, and .* its scenario in session\.json"):
            read(path)


def test_a_file_is_complete_or_not_there(tmp_path):
    path = tmp_path / "a.aggsession"
    state = state_of(amid("event-driven", "walls"))
    asked = []
    with pytest.raises(CancelledError):
        write_session(path, state, lambda: len(asked) > 5 or asked.append(1) is not None)
    assert list(tmp_path.iterdir()) == []
    write_session(path, state)
    whole = path.read_bytes()
    with pytest.raises(CancelledError):
        write_session(path, state, lambda: True)
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="No such file"):
        write_session(tmp_path / "no" / "b.aggsession", state)


def test_two_simulations_of_different_discs_are_no_comparison(tmp_path):
    path = tmp_path / "a.aggsession"
    saved = state_of(
        started("event-driven", "walls", seed=1), started("event-driven", "walls", 0.4), variant={"seed": 2}
    )
    write_session(path, saved)
    with pytest.raises(InputError, match="contain different discs"):
        resume(read_session(path), PlainEngine(), lambda *_: None)
