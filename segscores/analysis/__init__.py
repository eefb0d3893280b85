"""Analysis: how sure a score is, which words are wrong, how difficult they are, and at which threshold scores are best.

`statistics` has intervals, significance, comparison of systems and subsets; `bitext` the alignment of two texts;
`error_analysis`, `difficulty`, `thresholds` and `annotators` have a task each; `drawing` draws them.

It may import results, scoring, reading and options.
"""
