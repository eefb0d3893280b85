"""Analysis: which words are wrong, how difficult they are, and at which threshold scores are best.

`bitext` has the alignment of two texts; `error_analysis`, `difficulty`, `thresholds` and `annotators` have a task each;
`drawing` draws them.

It may import statistics and every room that statistics may import.
"""
