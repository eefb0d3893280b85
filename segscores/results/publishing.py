"""Scores for the Hub to show: evaluation results in the repository of a model, and an entry of its model card.

Sources
-------
`.eval_results/*.yaml`: hub-docs, `eval_results.yaml`, which `huggingface_hub.parse_eval_result_entries` reads. `model-index`:
hub-docs, `modelcard.md`, which `huggingface_hub.EvalResult` reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import __version__
from ..options.tasks import CODE
from ..scoring.measures.registry import heading_of
from .json_text import as_json
from .scored import Scored


def hub_results(scored: Scored, reference: str, signature: str) -> str:
    """Return a file of `.eval_results/` in YAML: an entry for each defined score, with the signature in the notes."""
    lines = []
    for key, value in _defined(scored).items():
        lines += [
            "- dataset:",
            f"    id: {_quote(reference)}",
            f"    task_id: {key}",
            f"  value: {_number(value)}",
            "  source:",
            f"    name: {_quote(f'segscores {__version__}')}",
            f"    url: {_quote(CODE)}",
            f"  notes: {_quote(signature)}",
        ]
    return "\n".join(lines) or "[]"  # nothing would be null, and no list


def hub_card(scored: Sequence[Scored], reference: str, signature: str) -> str:
    """Return the metadata of model cards, in YAML: a model for each prediction, with the defined scores and the signature."""
    lines = ["model-index:"]
    for system in scored:
        lines += [
            f"- name: {_quote(system.prediction)}",
            "  results:",
            "  - task: {type: token-classification, name: Word segmentation}",
            f"    dataset: {{type: {_quote(reference)}, name: {_quote(reference)}}}",
            f"    source: {{name: {_quote(f'segscores {__version__}')}, url: {_quote(CODE)}}}",
        ]
        defined = _defined(system)
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


def _defined(scored: Scored) -> dict[str, float]:
    """Return the scores that are not 0/0."""
    return {key: value for key, value in scored.scores.items() if key not in scored.undefined}


def _number(value: float) -> str:
    """Write a number as every YAML reads it: YAML 1.1 takes 5e-05, without a point, for text.

    >>> [_number(value) for value in (0.5, 5e-05, 1.5e-07, 1e22, float("inf"), float("nan"))]
    ['0.5', '5.0e-05', '1.5e-07', '1.0e+22', '.inf', '.nan']
    """
    if not math.isfinite(value):
        # YAML writes them with a point.
        return repr(value).replace("inf", ".inf").replace("nan", ".nan")
    # A number without an exponent has no "e" either.
    digits, letter_e, exponent = repr(value).partition("e")
    if "." not in digits:
        digits += ".0"
    return digits + letter_e + exponent


def _quote(text: str) -> str:
    """Write a string in quotes: a string of JSON is one of YAML too."""
    return as_json(text, indent=None)
