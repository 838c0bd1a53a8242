"""Lessons: guided looks at one thing, over the whole window."""
