"""Worlds: kinds of utterances with formats, readers and measures of their own, each in a folder with a module `world`.

General code names none. `times` is the world of recordings, a `World` (`reading.world`), which compares its utterances in its own
way. `documents`, `tags` and `morphs` are layers on text (`reading.layers`): utterances of several sentences, with CoNLL-U; words
with tags; and words with the morphemes that they may be cut into. `tokenizers` cuts the text of the reference.

It may import scoring, reading, kernel and options.
"""
