"""What is told of a run of jamming: its contacts as a frame shows them, its history, its end in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.jamming import network as contacts
from engine.jamming.history import JammingHistory
from engine.jamming.packing import Packing
from engine.jamming.run import JammingRun
from engine.simulation import Network, self_stresses_in_words


def network_of(found: contacts.Network | Packing) -> Network:
    """The contacts of a program or of a packing, as frames have them."""
    if isinstance(found, Packing):
        first, second, vectors = found.contacts[:, 0], found.contacts[:, 1], found.contact_vectors
    else:
        first, second, vectors = found.first, found.second, found.vectors
    pairs = np.column_stack((first, np.maximum(second, -1))).astype(np.int32)
    length = np.hypot(vectors[:, 0], vectors[:, 1])
    patches = found.patches if isinstance(found, Packing) else ()
    return Network(pairs, found.forces.copy(), -vectors / length[:, None], found.rattlers.copy(), patches)


def history_of(run: JammingRun, fraction: float, gap: float) -> JammingHistory:
    """One row per program, the first one for the start: its volume fraction and least gap in mean diameters."""
    rows, count = run.history, run.count

    def column(name: str, first: float = np.nan) -> NDArray[np.float64]:
        return np.array([first, *(getattr(entry, name) for entry in rows)], np.float64)

    held = column("contacts", 0.0)
    filled = column("volume_fraction", fraction)
    unit = run.unit * np.sqrt(filled / run.volume_fraction)  # the mean diameter after each program
    return JammingHistory(
        time=np.arange(len(rows) + 1, dtype=np.float64),
        clusters=np.full(len(rows) + 1, count, np.int64),
        kinetic_energy=np.zeros(len(rows) + 1),
        inflation=column("inflation"),
        displacement=column("moved_stable") / unit,
        displacement_all=column("moved") / unit,
        volume_fraction=filled,
        contacts=held.astype(np.int64),
        isostatic_gap=np.where(held > 0.0, column("isostatic_gap"), np.nan),
        rattlers=column("rattlers", float(count)).astype(np.int64),
        force_mismatch=np.where(held > 0.0, column("force_mismatch"), np.nan),
        min_gap=column("min_gap", gap),
        seconds=column("seconds"),
        bound=column("bound"),
        cutoff=column("cutoff"),
    )


def in_words(run: JammingRun, packed: Packing | None, failed: str) -> str:
    """Why it has ended, "" while it has not."""
    if failed:
        return f"the solver {failed}; the last good packing is kept"
    if not run.jammed:
        return run.reason
    net = run.network if packed is None else packed
    held, loose = len(net.forces), int(net.rattlers.sum())
    extra = held - contacts.isostatic_count(run.count - loose, run.dimensions, run.periodic)
    how = "isostatic" if extra == 0 else f"{abs(extra)} {'more' if extra > 0 else 'fewer'} than isostatic"
    if extra > 0 and packed is not None and packed.patches:
        how += f" ({self_stresses_in_words(packed.patches)})"
    rattlers = f"{loose} rattler{'' if loose == 1 else 's'}"
    return f"jammed: {held} contacts, {how}, {rattlers} at volume fraction {run.volume_fraction:.4f}"
