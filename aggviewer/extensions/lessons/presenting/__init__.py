"""Presenter mode, and the teacher's tools in it."""
