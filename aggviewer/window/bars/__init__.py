"""The strips around the picture: transport and status bar."""
