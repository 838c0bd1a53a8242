"""What hard discs that bounce look like."""
