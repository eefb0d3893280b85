"""The demo: a page that scores segmentations as visitors type. The package computes everything that it shows.

`answers.answer` is all of it for programs: the name of a tab and the values of its fields in, HTML out.
"""
