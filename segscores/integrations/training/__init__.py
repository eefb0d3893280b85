"""The `compute_metrics` callable for a Trainer, and sums of tallies over processes.

It may import what its room may.
"""
