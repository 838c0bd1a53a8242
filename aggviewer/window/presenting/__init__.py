"""Presenter mode, and what a teacher has beside the picture there."""
