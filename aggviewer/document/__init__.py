"""The document: all that a person can change of the presentation, as one tree of evented models. No Qt.

`document.Document` is the tree. Undo, session files, settings, and what a lesson or presenter mode gives back are
functions of it, written once for all fields; a field says in its declaration which of them it takes part in.
"""
