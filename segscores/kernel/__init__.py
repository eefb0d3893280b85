"""The base of the package: segmentations, comparisons of two, formulas, and the one function that divides.

It may import numpy and Arrow, and no other part of the package.
"""
