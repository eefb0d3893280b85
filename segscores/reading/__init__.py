"""Readers of all input forms: text, lists, labels and CoNLL-U become segmentations. Only this folder knows input forms.

It may import the kernel.
"""
