"""The bars below the picture: transport and status bar."""
