"""Results: tables of cells with notes, a record for JSON and a signature, and how they are written in every format.

It may import scoring, kernel and options.
"""
