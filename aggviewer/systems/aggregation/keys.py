"""Keys of the scenario that methods and their steps are chosen by."""

METHOD = "aggregation.method"
STEP = "aggregation.time_stepping.step"
FRACTION = "aggregation.time_stepping.fraction"
