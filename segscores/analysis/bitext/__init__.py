"""Alignment of two texts.

It may import what its room may.
"""
