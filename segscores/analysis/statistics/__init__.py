"""Intervals, significance, comparison of systems, correlation with a criterion.

It may import scoring and the layers below it.
"""
