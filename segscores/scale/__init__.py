"""Datasets, Spark, and the lexicon on disk. It may import statistics, analysis, bitext, training and the layers below
them.
"""
