"""From what people have, such as text, lists, labels and CoNLL-U, to a segmentation. Only this folder knows input forms.

It may import: the kernel.
"""
