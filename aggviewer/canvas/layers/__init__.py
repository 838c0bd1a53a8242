"""What lies over the discs and draws data: forces, flashes, marks of steps, discs that a remark names."""
