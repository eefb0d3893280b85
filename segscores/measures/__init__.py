"""The score groups, one file each with its counts, formulas and options. `registry` lists the groups.

It may import the kernel and reading.
"""
