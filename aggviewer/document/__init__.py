"""The document: all settings of the presentation that a user can change, as one tree of evented models. No Qt.

`document.Document` is the tree. Undo, session files, settings, and what is restored after a lesson or presenter mode
are functions of it, written once for all fields; the declaration of a field says which of them apply to it.
"""
