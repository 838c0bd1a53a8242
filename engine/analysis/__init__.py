"""Indicators of a state of discs: contacts, distances, fractal dimension, clusters, structure factor, profiles.

`measure(sample, indicators)` measures a `Sample` by a list of indicators: `STRUCTURE` of every state, `MOTION` of discs
whose velocities are known, `ROTATION` of clusters that turn, `GAS` of discs that bounce, `PACKING` of discs that jam,
`every_indicator()` all there are, those of plug-ins too (`engine.indicators`).
`analyse`, `analyse_gas` and `analyse_packing` do that for one list each and give typed results, `pool_packings` takes
several packings together; the other functions give one quantity each, from the same arrays.
Equation numbers are those of the paper on ballistic aggregation (section 4.2).
"""

from engine.analysis.averages import Average, Averages, OverTime
from engine.analysis.bond_orders import BondOrders, bond_orders
from engine.analysis.cluster_masses import ClusterMasses
from engine.analysis.clusters import ClusterSizeDistribution, Gyration, cluster_sizes, gyration, size_distribution
from engine.analysis.contact_network import Contacts, contact_counts, contact_pairs, contact_vectors, contacts
from engine.analysis.distances import PairCorrelation, PairDistribution, pair_distribution
from engine.analysis.fluctuations import DensityFluctuations
from engine.analysis.fractal import BoxCounting, FractalFit, box_counting, fit_dimension, minimum_cover
from engine.analysis.gas import GAS, Diffusion, GasIndicators, Speeds, analyse_gas, diffusion
from engine.analysis.local_cells import CellMeans, LocalCells, OrderMeans, local_cells
from engine.analysis.packing import (
    PACKING,
    Density,
    Held,
    PackingIndicators,
    PooledPackings,
    PowerLaw,
    Samples,
    analyse_packing,
    pool_packings,
)
from engine.analysis.profiles import Profile
from engine.analysis.rotation import ROTATION
from engine.analysis.sample import Sample
from engine.analysis.spins import Spins, spins
from engine.analysis.structure import STRUCTURE, STRUCTURE_FACTOR, Indicators, analyse
from engine.analysis.structure_factor import StructureFactor
from engine.analysis.velocities import MOTION, VelocityCorrelation
from engine.indicators import Indicator, as_json, measure, registered

__all__ = [
    "GAS",
    "MOTION",
    "PACKING",
    "ROTATION",
    "STRUCTURE",
    "STRUCTURE_FACTOR",
    "Average",
    "Averages",
    "BondOrders",
    "BoxCounting",
    "CellMeans",
    "ClusterMasses",
    "ClusterSizeDistribution",
    "Contacts",
    "Density",
    "DensityFluctuations",
    "Diffusion",
    "FractalFit",
    "GasIndicators",
    "Gyration",
    "Held",
    "Indicator",
    "Indicators",
    "LocalCells",
    "OrderMeans",
    "OverTime",
    "PackingIndicators",
    "PairCorrelation",
    "PairDistribution",
    "PooledPackings",
    "PowerLaw",
    "Profile",
    "Sample",
    "Samples",
    "Speeds",
    "Spins",
    "StructureFactor",
    "VelocityCorrelation",
    "analyse",
    "analyse_gas",
    "analyse_packing",
    "as_json",
    "bond_orders",
    "box_counting",
    "cluster_sizes",
    "contact_counts",
    "contact_pairs",
    "contact_vectors",
    "contacts",
    "diffusion",
    "every_indicator",
    "fit_dimension",
    "gyration",
    "local_cells",
    "measure",
    "minimum_cover",
    "pair_distribution",
    "pool_packings",
    "size_distribution",
    "spins",
]


def every_indicator() -> tuple[Indicator, ...]:
    """All indicators, those that plug-ins have registered at the end."""
    return (*STRUCTURE, *MOTION, *ROTATION, *GAS, *PACKING, *registered())
