"""Segmentations, comparisons of two, formulas, and the one function that divides.

It may import numpy, Arrow, the options and support.
"""
