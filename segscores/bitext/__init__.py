"""Alignment of two texts.

It may import: scoring and what is below it.
"""
