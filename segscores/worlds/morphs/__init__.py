"""Morphs: words with the morphemes that they may be cut into, formats that have them, and the scores of morphemes."""
