"""Datasets, Spark, and the lexicon on disk.

It may import: statistics, analysis, bitext, training and what is below them.
"""
