"""Scenarios and lessons with pictures: the gallery, and the strip of the first start."""
