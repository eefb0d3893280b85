"""Text larger than memory: files, tables, patterns and workers.

It may import: scale and what is below it.
"""
