"""Files in and out: scenarios, states, recordings, sessions."""
