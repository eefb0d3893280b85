"""The `compute_metrics` callable for a Trainer, and sums of tallies over processes."""
