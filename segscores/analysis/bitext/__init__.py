"""Alignment of two texts."""
