"""Colours, fonts and the writing of numbers."""
