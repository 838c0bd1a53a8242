"""Marks in the picture: measurements and notes at places or on discs. No Qt."""
