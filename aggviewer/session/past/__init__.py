"""What has been: frames kept in memory, recordings, and playing them."""
