"""Analyses beyond scores: errors, difficulty, thresholds, levels, annotators and alternative references.

It may import scoring and the layers below it.
"""
