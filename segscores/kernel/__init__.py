"""A segmentation, the comparison of two, the formulas and the one division.

It may import: numpy and Arrow only; nothing else of the package.
"""
