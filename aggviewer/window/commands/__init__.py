"""The window's commands in menus, palette and sheet of keys."""
