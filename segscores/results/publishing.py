"""Scores for other programs to show: an entry of a model card on the Hub, and the endpoint of a badge.

Sources
-------
The Hub's `model-index`: hub-docs, `modelcard.md`, which `huggingface_hub.EvalResult` reads. A badge: shields.io, endpoint badge,
`schemaVersion` 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import __version__
from ..options.tasks import CODE
from ..scoring.measures.registry import group_of, heading_of, is_share, main_score
from .json_text import as_json
from .scored import Scored


def hub_entry(scored: Sequence[Scored], reference: str, signature: str) -> str:
    """Return the metadata of model cards, in YAML: a model for each prediction, with the defined scores and the signature."""
    lines = ["model-index:"]
    for one in scored:
        lines += [
            f"- name: {_quote(one.prediction)}",
            "  results:",
            "  - task: {type: token-classification, name: Word segmentation}",
            f"    dataset: {{type: {_quote(reference)}, name: {_quote(reference)}}}",
            f"    source: {{name: {_quote(f'segscores {__version__}')}, url: {_quote(CODE)}}}",
        ]
        defined = {key: value for key, value in one.scores.items() if key not in one.undefined}
        # A key without a value would be null, and no list.
        lines.append("    metrics:" if defined else "    metrics: []")
        for key, value in defined.items():
            lines += [
                f"    - type: {key}",
                f"      name: {_quote(heading_of(key))}",
                f"      value: {_number(value)}",
                f"      args: {{signature: {_quote(signature)}}}",
            ]
    return "\n".join(lines)


def badge(one: Scored) -> str:
    """Return the JSON of a badge with the main score of a prediction."""
    key = main_score(tuple(one.scores))
    value = one.score_of(key)
    # Green from .95 on, as far as higher is better; other scores have no colour that says what is good.
    colours = ((0.95, "brightgreen"), (0.9, "green"), (0.8, "yellowgreen"), (0.6, "yellow"), (-1.0, "orange"))
    graded = is_share(key) and group_of(key).keys[key].better == "higher" and not math.isnan(value)
    colour = next(name for least, name in colours if value >= least) if graded else "blue"
    message = "undefined" if math.isnan(value) else f"{value:.4f}"
    return as_json({"schemaVersion": 1, "label": heading_of(key), "message": message, "color": colour})


def _number(value: float) -> str:
    """Write a number as every YAML reads it: YAML 1.1 takes 5e-05, without a point, for text.

    >>> [_number(value) for value in (0.5, 5e-05, 1.5e-07, 1e22, float("inf"), float("nan"))]
    ['0.5', '5.0e-05', '1.5e-07', '1.0e+22', '.inf', '.nan']
    """
    if not math.isfinite(value):
        return repr(value).replace("inf", ".inf").replace("nan", ".nan")
    digits, e, exponent = repr(value).partition("e")
    return digits + ".0" * ("." not in digits) + e + exponent


def _quote(text: str) -> str:
    # A string of JSON is one of YAML.
    return as_json(text, indent=None)
