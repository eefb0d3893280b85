"""The score groups, one file each with its counts and formulas. `registry` lists the groups.

It may import what counts and compares, reading and options.
"""
