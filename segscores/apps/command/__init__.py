"""The command `segscores`."""
