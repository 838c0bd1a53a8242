"""Export of pictures, films and plots, with their dialogs."""
