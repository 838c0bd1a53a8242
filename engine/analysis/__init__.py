"""Indicators of a state of discs: contacts, pair distribution, fractal dimension, shape, cluster sizes.

`analyse` gives all of them, `analyse_gas` what there is to say of discs that bounce, `analyse_packing` of discs
that jam, `pool_packings` of several packings; the other functions give one each, from the same arrays.
Equation numbers are those of the paper on ballistic aggregation (section 4.2).
"""

from engine.analysis.clusters import cluster_sizes
from engine.analysis.contact_network import Contacts, contact_counts, contact_pairs, contacts
from engine.analysis.distances import PairDistribution, pair_distribution
from engine.analysis.fluctuations import DensityFluctuations
from engine.analysis.fractal import BoxCounting, FractalFit, box_counting, fit_dimension
from engine.analysis.gas import GasIndicators, analyse_gas
from engine.analysis.indicators import Indicators, analyse
from engine.analysis.packing import Held, PackingIndicators, Samples, analyse_packing
from engine.analysis.pair_correlation import PairCorrelation
from engine.analysis.pooling import PooledPackings, pool_packings
from engine.analysis.power_laws import Density, PowerLaw
from engine.analysis.shape import Gyration, gyration
from engine.analysis.speeds import Speeds

__all__ = [
    "BoxCounting",
    "Contacts",
    "Density",
    "DensityFluctuations",
    "FractalFit",
    "GasIndicators",
    "Gyration",
    "Held",
    "Indicators",
    "PackingIndicators",
    "PairCorrelation",
    "PairDistribution",
    "PooledPackings",
    "PowerLaw",
    "Samples",
    "Speeds",
    "analyse",
    "analyse_gas",
    "analyse_packing",
    "box_counting",
    "cluster_sizes",
    "contact_counts",
    "contact_pairs",
    "contacts",
    "fit_dimension",
    "gyration",
    "pair_distribution",
    "pool_packings",
]
