"""`aggviewer analyse` of a packing: contacts, forces, rattlers, isostaticity and exponents."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.analysis import analyse_packing
from engine.boundary import Periodic
from engine.files import FileFrame, write
from engine.frame import Network
from engine.scenario import Scenario
from engine.words import typeset
from tests.cli.conftest import Call, refused


@pytest.fixture(scope="module", params=["periodic", "walls"])
def packing(request: pytest.FixtureRequest) -> engine.simulation.Simulation:
    """400 discs, jammed."""
    values = {
        "system": "jamming", "box.boundary": request.param, "discs.count": 400, "discs.arrangement": "random",
        "discs.volume_fraction": 0.78, "discs.radii": "bidisperse", "discs.spread": 1.4, "seed": 2,
    }  # fmt: skip
    simulation = engine.create(Scenario().with_values(values))
    simulation.run()
    return simulation


def lines(text: str) -> dict[str, str]:
    """What is said of each quantity."""
    return dict(re.split(r"\s{2,}", line, maxsplit=1) for line in text.splitlines())


def test_a_packing_tells_contacts_rattlers_and_exponents_with_errors(call: Call, packing, tmp_path: Path) -> None:
    write(tmp_path / "packing.gsd", packing)
    done = call("analyse", tmp_path / "packing.gsd")
    assert done.status == 0, done.err
    said, found = lines(done.out), analyse_packing(packing.packing())
    assert said["contacts with a force"] == str(found.contacts)
    assert said["rattlers"] == f"{found.rattlers} of 400 discs"
    beyond = {0: "yes", 1: "no, 1 contact more"}  # one where a patch of discs has a self-stress of its own
    assert said["isostatic"] == beyond[found.isostatic_gap]
    fitted = found.gaps.fit
    assert said["gaps γ"].startswith(
        f"{-fitted.exponent:.4f} ± {fitted.error:.4f} ({typeset(fitted.low, '.2g')} to 0.03, "
    )
    assert said["gaps γ"].endswith(f"{fitted.count} of {found.gaps.count})")
    forces = said["forces, extended contacts θ_e"]
    assert re.match(r"\d\.\d{4} ± \d\.\d{4} \(|too few small values: \d+ in all", forces)


def test_without_contacts_in_the_file_they_are_found_by_distance(call: Call, packing, tmp_path: Path) -> None:
    write(tmp_path / "packing.gsd", packing)
    write(tmp_path / "bare.csv", FileFrame.from_any(packing))
    with_forces = lines(call("analyse", tmp_path / "packing.gsd").out)
    by_distance = lines(call("analyse", tmp_path / "bare.csv").out)
    assert by_distance["contacts, gap <= 10⁻⁶ diameters"] == with_forces["contacts with a force"]
    assert by_distance["rattlers"] == f"{with_forces['rattlers']}, by their contacts"
    for name in ("isostatic", "gaps γ"):
        assert by_distance[name] == with_forces[name]
    assert by_distance["forces"] == "not in the file"
    exact, found = (call("analyse", tmp_path / name, "--json").json for name in ("packing.gsd", "bare.csv"))
    exact, found = exact["indicators"]["packing"], found["indicators"]["packing"]
    assert found.pop("contact_gap") == 1e-6
    assert set(found) == set(exact)
    assert (found["extended_forces"], found["buckler_forces"]) == (None, None)
    for name in ("contacts", "rattlers", "isostatic_gap", "contacts_histogram", "gaps", "volume_fraction"):
        assert found[name] == exact[name], name


def test_a_contact_less_is_told(call: Call, packing, tmp_path: Path) -> None:
    frame = FileFrame.from_any(packing).copy()
    frame.network = None
    before = analyse_packing(packing.packing()).isostatic_gap
    # of a disc with six contacts, half a thousandth of a radius away from its neighbours
    contacts = packing.packing().contacts
    frame.radii[np.bincount(contacts[contacts >= 0]).argmax()] *= 0.9995
    write(tmp_path / "loose.csv", frame)
    said = re.match(r"no, (\d+) contacts? less", lines(call("analyse", tmp_path / "loose.csv").out)["isostatic"])
    assert int(said[1]) > 0 >= -before


def test_a_state_that_is_no_packing_has_no_packing_indicators(call: Call, tmp_path: Path) -> None:
    simulation = engine.create(Scenario().with_values({"discs.count": 100}))
    simulation.run()
    write(tmp_path / "cluster.csv", simulation)
    said = lines(call("analyse", tmp_path / "cluster.csv").out)
    assert "packing" not in call("analyse", tmp_path / "cluster.csv", "--json").json["indicators"]
    assert "rattlers" not in said
    assert "gaps γ" not in said
    assert "relative contacts N_c" in said


@pytest.mark.parametrize(
    ("dimensions", "periodic", "words"),
    [
        (3, True, "two.gsd holds discs and"),
        (2, False, "two.gsd has periodic edges along x and y and that of"),
        (2, Periodic((False, True)), "other.gsd periodic edges along y and walls along x: only"),
    ],
    ids=["discs and spheres", "periodic and between walls", "periodic and on a floor"],
)
def test_packings_of_different_kinds_are_not_pooled(
    call: Call, tmp_path: Path, dimensions: int, periodic: Periodic | bool, words: str
) -> None:
    for name, size, around in (("two", 2, True), ("other", dimensions, periodic)):
        across = np.eye(size)[0]
        two = np.full((2, size), 4.0) + np.outer((0.0, 1.0), across)
        contact = Network(np.array([[0, 1]], np.int32), np.ones(1), across[None], np.zeros(2, bool))
        box = np.full(size, 8.0)
        frame = FileFrame(two, radii=np.full(2, 0.5), box=box, periodic=around, network=contact)
        write(tmp_path / f"{name}.gsd", frame)
    assert words in refused(call("analyse", tmp_path / "two.gsd", tmp_path / "other.gsd"))
    assert call("analyse", tmp_path / "other.gsd", tmp_path / "other.gsd").status == 0
