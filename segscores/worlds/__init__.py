"""Worlds: kinds of utterances with formats, comparison, measures and options of their own, each in a folder. General code asks a
`World` (`reading.world`), and names none. `times` is the world of recordings.

It may import scoring, reading, kernel and options.
"""
