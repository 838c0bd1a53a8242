"""Dialogs for files, pictures and films."""
