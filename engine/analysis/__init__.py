"""Indicators of a state of discs: contacts, pair distribution, fractal dimension, shape, cluster sizes.

`analyse` gives all of them; the other functions one each, from the same arrays. Equation numbers are those of
the paper on ballistic aggregation (section 4.2).
"""

from engine.analysis.clusters import cluster_sizes
from engine.analysis.contact_network import Contacts, contact_counts, contact_pairs, contacts
from engine.analysis.distances import PairDistribution, pair_distribution
from engine.analysis.fractal import BoxCounting, FractalFit, box_counting, fit_dimension
from engine.analysis.indicators import Indicators, analyse
from engine.analysis.shape import Gyration, gyration

__all__ = [
    "BoxCounting",
    "Contacts",
    "FractalFit",
    "Gyration",
    "Indicators",
    "PairDistribution",
    "analyse",
    "box_counting",
    "cluster_sizes",
    "contact_counts",
    "contact_pairs",
    "contacts",
    "fit_dimension",
    "gyration",
    "pair_distribution",
]
