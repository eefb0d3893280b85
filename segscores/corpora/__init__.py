"""Readers of corpora larger than memory: files, tables and patterns. It may import scale and the layers below it."""
