"""Pictures, films and plots that are taken away, with their dialogs."""
