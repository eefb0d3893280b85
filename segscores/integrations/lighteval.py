"""Raise an error that says what took the place of the metric of LightEval."""

raise ImportError(
    "segscores.integrations.lighteval was removed: score logged answers with segscores.score, or use "
    "segscores.integrations.lm_eval or inspect_ai; the guide docs/how-to/frameworks.md describes both."
)
