"""What a person may ask of a run, as values: one small class for each, in one registry that plug-ins may add to."""
