"""Integrations: the scores inside other people's frameworks.

`metric` has the classes of `evaluate.load`, `training` the `compute_metrics` of a Trainer; `spark`, `torchmetrics`,
`lm_eval` and `inspect_ai` are a module each, which imports its framework. `import segscores` imports none of them.

It may import every room below apps.
"""
