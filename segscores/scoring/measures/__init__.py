"""The score groups, one file each with its counts and formulas. `registry` lists the groups.

It may import the kernel and reading.
"""
