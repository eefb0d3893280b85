"""Statistics: how sure a score is: intervals, significance, comparison of systems, subsets, and correlation with a criterion.

It may import results, scoring, reading, kernel and options.
"""
