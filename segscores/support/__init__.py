"""Small helpers that know nothing of words: arrays, Arrow, errors, messages, names, quoting, threads.

It may import numpy and Arrow, and no other part of the package.
"""
