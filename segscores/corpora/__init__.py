"""Text larger than memory: files, tables and patterns.

It may import: scale and what is below it.
"""
