"""The chain of linear programs, iteration by iteration."""

from __future__ import annotations

import threading
from dataclasses import replace
from importlib.util import find_spec
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import StressPatch
from engine.geometry.cells import usual_radius
from engine.geometry.neighbours import DenseState, widest_growth
from engine.jamming.checks import checked_iterations, checked_names, checked_state, checked_tolerance, wrapped
from engine.jamming.finish import (
    closed_contacts,
    extra_self_stresses,
    free_motions,
    in_balance,
    moving_discs,
    stress_patches,
    widest_closed,
)
from engine.jamming.interior_point.solver import InteriorPointSolver
from engine.jamming.linear_program import (
    USABLE,
    LinearProgram,
    Solution,
    Solver,
    build_program,
    nothing_found,
    without_slide,
)
from engine.jamming.packing import CLOSED, LOOSE, PUSHED, Iteration, Packing, StableNetwork, in_contact, network_of
from engine.jamming.rules import RULES, Outcome, Reach, highest_growth, volume_fraction
from engine.jamming.second_order import discs_in_lines, moved_across, push, second_order_gain
from engine.words import body_names

FAR = 1e-3  # mean diameters: while stable discs move farther, rules that hurry want no exact solutions
SLOW = 1e-7  # √Γ - 1: unless discs grow less than this
PATIENCE = 20  # iterations at rest without forces that balance, after which discs are pushed
MOST_PUSHES = 5  # after which a run ends if nothing has grown
BALANCED = 1e-7  # of the mean force: the greatest sum of forces on a disc with which a packing counts as jammed


def make_solver(name: str) -> Solver:
    """A new solver: "highs" or "interior-point". HiGHS is imported only where it is wanted.

    Raises InputError if HiGHS is requested and not installed.
    """
    if name == "highs":
        if find_spec("highspy") is None:
            raise InputError("the solver HiGHS is not installed: pip install 'aggviewer[highs]'", "jamming.solver")
        from engine.jamming.highs import HighsSolver

        return HighsSolver()
    return InteriorPointSolver()


class JammingRun:
    """A state on its way to a jammed packing. `step` is one iteration; between steps the state is always valid.

    Attributes
    ----------
    positions : (N, d).
    radii : (N,), now.
    box : (d,).
    periodic : along which axes the box is periodic, with hard walls along the others.
    network : the contacts of the last iteration.
    history : one `Iteration` for each of them.
    jammed : whether the packing is jammed.
    reason : why the run has ended, "" before.
    """

    def __init__(
        self,
        positions: ArrayLike,
        radii: ArrayLike,
        box: ArrayLike,
        *,
        periodic: Periodic | bool = True,
        rules: str = "trust-region",
        solver: str = "interior-point",
        **tolerances: Any,
    ) -> None:
        """Begin with a state; parameters as for `jam`. Raises InputError for a state that cannot be jammed."""
        self.positions, self.radii, self.box = checked_state(positions, radii, box, periodic)
        self.periodic = Periodic.of(periodic, len(self.box))
        checked_names(rules, solver)
        self._rules = RULES[rules](self.radii, self.dimensions)
        self._solver = make_solver(solver)
        self.tolerance_inflation = checked_tolerance(
            "tolerance_inflation", tolerances.pop("tolerance_inflation", self._rules.tolerance_inflation)
        )
        self.tolerance_displacement = checked_tolerance(
            "tolerance_displacement", tolerances.pop("tolerance_displacement", self._rules.tolerance_displacement)
        )
        self.max_iterations = checked_iterations(tolerances.pop("max_iterations", 1000))
        if tolerances:
            raise InputError(f"there is no tolerance {min(tolerances)!r}", f"jamming.{min(tolerances)}")
        self.network = StableNetwork.empty(self.count, self.dimensions)
        self.history: list[Iteration] = []
        self.jammed = False
        self.reason = ""
        self._fixed = self.count - 1 if self.periodic.all else -1
        self._gain: Floats | None = None  # of displacements in the next linear program, where discs moved far in it
        self._balanced: tuple[StableNetwork, float, StableNetwork] | None = (
            None  # of which contacts, how near; see `_in_balance`
        )
        self._stop = threading.Event()

    @property
    def count(self) -> int:
        """The number N of discs."""
        return len(self.radii)

    @property
    def dimensions(self) -> int:
        """The number d of dimensions: 2 for discs, 3 for spheres."""
        return len(self.box)

    @property
    def state(self) -> DenseState:
        """The discs as they are now."""
        return DenseState(self.positions, self.radii, self.box, self.periodic)

    @property
    def unit(self) -> float:
        """The unit of length: the present mean diameter."""
        return self.state.unit

    @property
    def min_gap(self) -> float:
        """The least gap of all pairs and walls now, in mean diameters; below 0 where discs overlap. O(N)."""
        return widest_growth(self.state)[1] / self.unit

    @property
    def volume_fraction(self) -> float:
        """Part of the box that the discs fill now."""
        return volume_fraction(self.radii, self.box)

    def interrupt(self) -> None:
        """Interrupt the present linear program, or the next one if there is none, within 0.2 s. From any thread."""
        self._stop.set()

    def step(self) -> Iteration:
        """Solve one linear program, exactly or nearly, then move and grow the discs; an iteration that fails or is
        interrupted changes nothing.

        A run that was interrupted, has failed or has reached its number of iterations can continue.
        """
        if self.history and self.history[-1].status == LOOSE:
            return self._push()
        reach = self._rules.reach(self.radii)
        limit = highest_growth(self.radii, self.box)
        most = min(reach.most, limit - 1.0)
        program = build_program(
            self.state, cutoff=reach.cutoff, bound=reach.bound, most=max(most, 0.0), fixed=self._fixed
        )
        program = replace(program, left=reach.left)
        solution = self._solved(program)
        entry = self._accept(reach, program, solution) if solution.usable else self._keep(reach, program, solution)
        self.history.append(entry)
        self._judge(entry)
        entry = self.history[-1]
        if self._rules.hurries and not self.reason and self._rests(entry):
            self._leave_lines(entry, program, solution)
        return self.history[-1]

    def _solved(self, program: LinearProgram) -> Solution:
        return without_slide(self._best(program), self.periodic)

    def _best(self, program: LinearProgram) -> Solution:
        if len(program.first) == 0:  # nothing is in reach: grow as much as allowed
            return replace(nothing_found(program, "optimal", 0.0), growth=program.most)
        if self._hurries():
            solution = self._solver.solve(replace(program, gain=self._gain), self._stop.is_set, loose=True)
            if solution.growth > 0.0 or solution.status == "interrupted":
                return solution
            self._gain = None  # discs must not shrink for the gain of the next iteration
        return self._solver.solve(program, self._stop.is_set)

    def _hurries(self) -> bool:
        """Whether any good point is enough, because stable discs moved far in the last iteration.

        The first iteration is always a linear program, in which already jammed discs do not move.
        """
        if not self._rules.hurries:
            return False
        last = next((entry for entry in reversed(self.history) if entry.status in (*USABLE, PUSHED)), None)
        return last is not None and last.moved_stable > FAR * self.unit and last.inflation > SLOW

    def packing(self) -> Packing:
        """The state as a packing. If it is jammed, forces balance at the final positions of the discs (`finish`)."""
        network = self._in_balance() if self.jammed else self.network
        first, second, vectors = closed_contacts(self.state, self._near())
        stresses = 0
        patches: tuple[StressPatch, ...] = ()
        if self.jammed and len(first):
            fixed = int(first[0]) if self.periodic.all else -1
            stresses = extra_self_stresses(first, second, vectors, self.count, fixed)
        if stresses > 0:
            patches = stress_patches(network.first, network.second, network.vectors, network.forces, self.radii)
        return Packing(
            positions=self.positions.copy(),
            radii=self.radii.copy(),
            box=self.box.copy(),
            periodic=self.periodic,
            contacts=np.column_stack((network.first, network.second)),
            forces=network.forces,
            contact_vectors=network.vectors,
            rattlers=network.rattlers,
            jammed=self.jammed,
            reason=self.reason,
            isostatic=len(network.first) > 0 and network.isostatic_gap(self.periodic) == 0,
            contacts_by_gap=len(first),
            self_stresses=stresses,
            force_mismatch=network.force_mismatch(),
            min_gap=self.min_gap,
            volume_fraction=self.volume_fraction,
            iterations=len(self.history),
            history=tuple(self.history),
            patches=patches,
        )

    def _in_balance(self, *, middle: bool = False) -> StableNetwork:
        """Contacts and forces of the final state, computed once for both the end of the run and the packing.

        middle : whether to find forces on all contacts that can carry one, also where the solver left some without.
        """
        near = self._near()
        known = self._balanced is not None and self._balanced[0] is self.network and self._balanced[1] == near
        if self._balanced is not None and known and not middle:
            return self._balanced[2]
        middle = middle or self._solver.name == "interior-point"
        found = in_balance(
            self.network, self.state, near=near, fixed=self._fixed, middle=middle, stop=self._stop.is_set
        )
        if not self._stop.is_set():  # else it may be the best of what there was time for
            self._balanced = (self.network, near, found)
        return found

    def _near(self) -> float:
        """The greatest gap of discs in contact, a length, from what this run has reached; see `widest_closed`."""
        most = max(CLOSED, self.tolerance_inflation, self.tolerance_displacement) * self.unit
        return widest_closed(self.network, self.radii, most)

    def _accept(self, reach: Reach, program: LinearProgram, solution: Solution) -> Iteration:
        """Move and grow the discs by a solution, and update the rule."""
        unit = self.unit
        network = network_of(program, solution, unit)
        moved = solution.displacements * unit
        inflation = self._move(moved, float(np.sqrt(1.0 + solution.growth)))
        self.network = network
        stable = ~network.rattlers
        moved_stable = float(np.abs(moved[stable]).max()) if stable.any() else float(np.abs(moved).max())
        far = self._rules.hurries and moved_stable > FAR * unit and not solution.curved
        self._gain = second_order_gain(program, solution) if far else None
        pushed = np.abs(network.residual).max(axis=1) > BALANCED
        leaning = bool((np.abs(solution.displacements[pushed]) > 0.99 * program.bound).any())
        self._rules.learn(
            Outcome(
                inflation=inflation,
                moved=moved_stable / usual_radius(self.radii),
                balanced=not leaning,
                capped=solution.growth >= 0.999 * program.most,
                left=solution.gap if solution.curved else inf,
            )
        )
        if self.periodic.all and not stable[self._fixed] and stable.any():
            self._fixed = network.firmest()
        return self._entry(reach, program, solution, inflation, float(np.abs(moved).max()), moved_stable)

    def _move(self, moved: Floats, factor: float) -> float:
        """Move the discs by `moved`, (N, d), and let them grow by `factor` or as far as they can; returns √Γ - 1."""
        positions = wrapped(self.positions + moved, self.box, self.periodic)
        # rounding and the solver's tolerance must not leave overlaps: radii are reduced
        allowed, _ = widest_growth(replace(self.state, positions=positions))
        factor = min(factor, allowed)
        self.positions, self.radii = positions, self.radii * factor
        return factor - 1.0

    def _keep(self, reach: Reach, program: LinearProgram, solution: Solution) -> Iteration:
        """Leave the state as it is after a linear program without a solution."""
        self._stop.clear()
        return self._entry(reach, program, solution, 0.0, 0.0, 0.0)

    def _entry(
        self,
        reach: Reach,
        program: LinearProgram,
        solution: Solution,
        inflation: float,
        moved: float,
        moved_stable: float,
    ) -> Iteration:
        network = self.network
        return Iteration(
            number=len(self.history) + 1,
            status=solution.status,
            seconds=solution.seconds,
            cutoff=reach.cutoff,
            bound=reach.bound,
            inflation=inflation,
            moved=moved,
            moved_stable=moved_stable,
            volume_fraction=self.volume_fraction,
            contacts=len(network.first),
            isostatic_gap=network.isostatic_gap(self.periodic),
            rattlers=int(network.rattlers.sum()),
            force_mismatch=network.force_mismatch(),
            min_gap=self.min_gap,
            rows=len(program.first),
        )

    def _leave_lines(self, entry: Iteration, program: LinearProgram, solution: Solution) -> None:
        """If the chain has stopped, move discs that carry a force along a line and are not held across it. Then either
        the chain continues, or another disc holds them.
        """
        lines = discs_in_lines(program, solution)
        if lines:
            self.positions = moved_across(lines, self.state)
            self._balanced = None
            self._judge(entry)

    def _push(self) -> Iteration:
        """Move discs that rest but are not held (see `second_order.push`); if nothing moves, they are jammed."""
        network = self._in_balance()
        bearing = in_contact(network.first, network.second, self.count)
        if not bearing.any():
            bearing[:] = True
        if self.periodic.all and len(network.first):
            self._fixed = network.firmest()
        number = len(self.history) + 1
        program, solution, far = push(self.state, bearing, self._fixed, number, self._solver, self._stop.is_set)
        reach = Reach(0.0, program.bound * self.unit, 0.0)
        if not solution.usable:
            entry = self._keep(reach, program, solution)
        elif far:
            moved = solution.displacements * self.unit
            inflation = self._move(moved, 1.0)
            self._balanced = None
            self._rules.begin()
            farthest = float(np.abs(moved).max()), float(np.abs(moved[bearing]).max())
            entry = self._entry(reach, program, replace(solution, status=PUSHED), inflation, *farthest)
        else:
            entry = self._entry(reach, program, solution, 0.0, 0.0, 0.0)
        self.history.append(entry)
        self._judge(entry, held=not far)
        return self.history[-1]

    def _rests(self, entry: Iteration) -> bool:
        """Whether the iteration has changed nothing beyond the tolerances, although its linear program was solved."""
        return (
            entry.status == "optimal"
            and entry.inflation <= self.tolerance_inflation
            # at a vertex all forces may be on one straight line of discs, and then no disc counts as stable
            and (entry.contacts == 0 or entry.moved_stable <= self.tolerance_displacement * self.unit)
        )

    def _is_balanced(self) -> bool:
        """Whether forces on closed contacts balance; the dual variables may miss that by their rounding."""
        network = self._in_balance()
        return len(network.first) > 0 and network.force_mismatch() <= BALANCED

    def _free_motions(self) -> int:
        """How many motions of the discs with forces cost nothing, to first order; see `second_order.push`."""
        motions = self._allowed_by(self._in_balance())
        if motions and self._solver.name != "interior-point":
            # forces of a vertex are zero on many contacts that hold their discs
            motions = self._allowed_by(self._in_balance(middle=True))
        return motions

    def _allowed_by(self, network: StableNetwork) -> int:
        fixed = int(network.first[0]) if self.periodic.all else -1
        found = free_motions(network.first, network.second, network.vectors, self.count, fixed)
        return found - len(self.periodic.axes) if self.periodic.mixed else found  # less the common translations

    def _loose_discs(self) -> tuple[int, int]:
        """How many discs with forces take part in motions that cost nothing, and how many have forces."""
        network = self._in_balance()
        moving = moving_discs(network.first, network.second, network.vectors, self.count, self.periodic)
        return int(moving.sum()), int(in_contact(network.first, network.second, self.count).sum())

    def _loosen(self, entry: Iteration) -> bool:
        """Whether a push is to follow on this iteration: not if the last `MOST_PUSHES` have let nothing grow."""
        before = [one.volume_fraction for one in self.history if one.status == LOOSE][-MOST_PUSHES:]
        if len(before) == MOST_PUSHES and entry.volume_fraction <= before[0] * (1.0 + self.tolerance_inflation):
            return False
        self.history[-1] = replace(entry, status=LOOSE)
        return True

    def _judge(self, entry: Iteration, *, held: bool = False) -> None:
        """Decide whether the run has ended with this iteration, and why.

        held : a push has shown that no motion is free.
        """
        names = body_names(self.dimensions)
        self.jammed, self.reason = False, ""
        if entry.status not in (*USABLE, PUSHED):
            self.reason = entry.status
        elif self._rests(entry) and self._is_balanced():
            motions = 0 if held else self._free_motions()
            if motions == 0:
                self.jammed, self.reason = True, "jammed"
            elif not self._loosen(entry):
                loose, bearing = self._loose_discs()
                self.jammed = 2 * loose < bearing
                them = names.discs if loose > 1 else names.disc
                self.reason = (
                    f"jammed, but nothing holds {loose} {them} with forces from all sides"
                    if self.jammed
                    else f"forces balance, but {motions} motion{'s' if motions > 1 else ''} of the {names.discs} "
                    f"meet{'' if motions > 1 else 's'} no resistance, and {MOST_PUSHES} pushes gave no room to grow"
                )
        elif len(self.history) >= PATIENCE and all(map(self._rests, self.history[-PATIENCE:])):
            if not self._loosen(entry):
                self.reason = (
                    f"growth has stopped, but no {names.discs} are held from all sides: perhaps a straight line of "
                    "them spans the box"
                )
        elif 2.0 * float(self.radii.max()) >= float(self.periodic.periods(self.box).min()) * (1.0 - 1e-12):
            self.jammed = self._is_balanced() and self._free_motions() == 0
            self.reason = "jammed" if self.jammed else f"the largest {names.disc} is as wide as the box"
        if not self.reason and len(self.history) >= self.max_iterations:
            self.reason = f"not jammed after {self.max_iterations} iteration{'s' if self.max_iterations > 1 else ''}"
