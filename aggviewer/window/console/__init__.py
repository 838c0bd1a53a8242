"""The Python console: its predefined names, its prompt and its panel."""
