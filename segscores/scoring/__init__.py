"""Options and two columns in, tallies and scores out.

It may import: measures and what is below them.
"""
