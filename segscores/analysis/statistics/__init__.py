"""Intervals, significance, comparison of systems, subsets, and correlation with a criterion."""
