"""What jamming looks like."""
