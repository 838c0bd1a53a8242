"""Lessons: guided tours of one topic that use the whole window."""
