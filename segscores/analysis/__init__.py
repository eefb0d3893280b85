"""What went wrong, what is hard, and where to cut.

It may import: scoring and what is below it.
"""
