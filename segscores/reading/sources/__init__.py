"""Sources: files, tables, datasets and collections as streams of utterances, and `fold`, the one loop over them. It may import
scoring and the layers below it.
"""
