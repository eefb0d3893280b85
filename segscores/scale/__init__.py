"""Datasets. It may import statistics, analysis, bitext, training and the layers below them."""
