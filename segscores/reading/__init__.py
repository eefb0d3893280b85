"""Reading: from strings, lists, labels, files and datasets to segmentations. Only this room knows forms and formats of text.

`inputs` makes columns of values, and `form` names what is in them; `readers` has the readers of words text, units text and lists;
`formats` a module for each format of text, which ends with its row, and a registry of the rows; `layers` and `world` ask the
worlds; `labels` reads the schemes of labels; `preparation` is what happens to a side after it is read; `trouble` what is wrong
with utterances, and what is said about it; `sources` opens files, tables and datasets.

It may import kernel and options.
"""
