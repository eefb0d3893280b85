"""The callable for a Trainer, and sums over processes.

It may import: scoring and what is below it.
"""
