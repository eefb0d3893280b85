"""Scoring: from two segmentations to counts, and from counts to scores.

The way of a score: `plan` checks and compiles options, `at_once` counts two small lists at once, `map_pieces` loops over
everything else, `measures` has a file for each score group, `tally` sums counts and applies their formulas. `mismatch` decides
what happens where units differ; `diagnosis` writes the error, `unit_hints` the hints in it, and `piece_errors` its place.

It may import reading, kernel and options.
"""
