"""Scoring: options and two columns of utterances in, tallies and scores out.

It may import measures and the layers below them.
"""
