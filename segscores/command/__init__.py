"""The command `segmentation-scores`."""
