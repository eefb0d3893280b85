"""The command `segmentation-scores`, and what else the metric does not need."""
