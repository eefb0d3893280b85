"""One file a score group: what it counts, its formulas and options. `registry` lists the groups.

It may import: the kernel and reading.
"""
