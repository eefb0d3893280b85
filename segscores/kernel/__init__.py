"""Kernel: two segmentations, what they share, and the formulas of scores.

`segmentation` is a corpus as arrays, and `arrays` has what is computed of such; `comparison` finds what two
segmentations share; `columns` cuts and joins what else is known of words; `units`, `edits`, `edit_search` and
`aligned` align units that differ; `nearest` pairs boundaries within a tolerance; `lexicon` has word types, and
`incidence` the types or tokens of each utterance; `formulas` divides.

It may import no other room: it knows no option, no message and no file.
"""
