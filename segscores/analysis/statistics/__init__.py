"""Intervals, significance, comparison of systems, subsets, and correlation with a criterion.

It may import what its room may.
"""
