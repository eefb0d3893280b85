"""Sources: files, tables, datasets and collections as streams of utterances, and the sides that are columns of them.

`sides` opens what a function or the command receives, `files` and `memory` read it, `recognition` finds the format of a file.
"""
