"""What the window can do, and where a person finds it: menus, palette, sheet of keys."""
