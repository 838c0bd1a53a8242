"""What has been: frames kept in memory, recordings, and reading them."""
