"""All mutants, by what they break."""

from __future__ import annotations

from tests.mutants.tables.aggregation import AGGREGATION
from tests.mutants.tables.analysis import ANALYSIS
from tests.mutants.tables.files import FILES
from tests.mutants.tables.gas import GAS
from tests.mutants.tables.jamming import JAMMING
from tests.mutants.tables.pictures import PICTURES
from tests.mutants.tables.plots import PLOTS
from tests.mutants.tables.studies import STUDIES

MUTANTS = (*AGGREGATION, *ANALYSIS, *FILES, *GAS, *JAMMING, *PICTURES, *PLOTS, *STUDIES)
