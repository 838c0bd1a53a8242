"""What a person may ask of a run, as values: one small class for each. Those that the log makes again are in
a registry that plug-ins may add to."""
