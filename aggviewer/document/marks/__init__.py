"""What is measured and noted in the picture: marks at places or on discs, and their numbers. No Qt."""
