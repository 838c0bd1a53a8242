"""What each system looks like in the window."""
