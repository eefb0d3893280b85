"""The callable for a Trainer, and sums over processes.

It may import: statistics and what is below it.
"""
