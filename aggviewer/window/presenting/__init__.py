"""What a teacher has beside the picture in presenter mode."""
