"""Formats of text: each has a module, which ends with its row (see `format`); `registry` lists the rows and asks them.

Sources
-------
Thai BEST: PyThaiNLP's `benchmarks/word_tokenization.py`. Vietnamese: the VLSP corpora, RDRsegmenter. MeCab, JUMAN and KNP: their
manuals. KyTea: https://www.phontron.com/kytea/io.html. Morphs: the SIGMORPHON 2022 shared task on morpheme segmentation; the gold
standards of Morpho Challenge and Morfessor.
"""
