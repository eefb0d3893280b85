"""Results: tables of cells with notes, a record for JSON and a signature, and `render`, which writes them in every format.

It may import sources and the layers below them.
"""
