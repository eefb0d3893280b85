"""Alignment of two texts.

It may import scoring and the layers below it.
"""
