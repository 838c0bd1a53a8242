"""Indicators of a state of discs: contacts, pair distribution, fractal dimension, shape, cluster sizes.

`measure(sample, indicators)` measures a `Sample` by a list of indicators: `STRUCTURE` of every state, `GAS` of discs
that bounce, `PACKING` of discs that jam, `every_indicator()` all there are, those of plug-ins too
(`engine.indicators`).
`analyse`, `analyse_gas` and `analyse_packing` do that for one list each and give typed results, `pool_packings` takes
several packings together; the other functions give one quantity each, from the same arrays.
Equation numbers are those of the paper on ballistic aggregation (section 4.2).
"""

from engine.analysis.clusters import Gyration, cluster_sizes, gyration
from engine.analysis.contact_network import Contacts, contact_counts, contact_pairs, contacts
from engine.analysis.distances import PairCorrelation, PairDistribution, pair_distribution
from engine.analysis.fractal import BoxCounting, FractalFit, box_counting, fit_dimension
from engine.analysis.gas import GAS, DensityFluctuations, GasIndicators, Speeds, analyse_gas
from engine.analysis.packing import (
    PACKING,
    Held,
    PackingIndicators,
    PooledPackings,
    Samples,
    analyse_packing,
    pool_packings,
)
from engine.analysis.power_laws import Density, PowerLaw
from engine.analysis.sample import Sample
from engine.analysis.structure import STRUCTURE, Indicators, analyse
from engine.indicators import Indicator, as_json, measure, registered

__all__ = [
    "GAS",
    "PACKING",
    "STRUCTURE",
    "BoxCounting",
    "Contacts",
    "Density",
    "DensityFluctuations",
    "FractalFit",
    "GasIndicators",
    "Gyration",
    "Held",
    "Indicator",
    "Indicators",
    "PackingIndicators",
    "PairCorrelation",
    "PairDistribution",
    "PooledPackings",
    "PowerLaw",
    "Sample",
    "Samples",
    "Speeds",
    "analyse",
    "analyse_gas",
    "analyse_packing",
    "as_json",
    "box_counting",
    "cluster_sizes",
    "contact_counts",
    "contact_pairs",
    "contacts",
    "every_indicator",
    "fit_dimension",
    "gyration",
    "measure",
    "pair_distribution",
    "pool_packings",
]


def every_indicator() -> tuple[Indicator, ...]:
    """All indicators, those that plug-ins have registered at the end."""
    return (*STRUCTURE, *GAS, *PACKING, *registered())
