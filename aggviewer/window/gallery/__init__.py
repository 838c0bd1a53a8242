"""Scenarios and lessons with pictures: the gallery, and the welcome strip."""
