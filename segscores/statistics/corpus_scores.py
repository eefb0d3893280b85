"""Corpus scores: the scores of predictions against references, with averages and intervals where they are asked for.

Conventions
-----------
The micro average needs only the sums over the corpus. The macro average and intervals need the counts of each utterance.
"""

from __future__ import annotations

__all__ = ["score", "score_columns", "split_options"]

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..reading.inputs import Column, read_pair
from ..scoring.options import Options, refuse_unknown
from ..scoring.pipeline import check_form, score_tally, tally_columns, with_window_size
from ..scoring.utterance_tally import tally_utterances
from .utterance_scores import Resampling, score_utterances

_RESAMPLING = tuple(option.name for option in fields(Resampling))
#: The options of `score`.
OPTIONS = (*(option.name for option in fields(Options) if option.init), *_RESAMPLING)


def score(references: Any, predictions: Any, **options: Any) -> dict[str, float]:
    """Score predictions against references.

    Args:
        references, predictions: utterances, in any form that `inputs` lists.
        **options: those of `Options` and of `Resampling`.

    Returns:
        Plain floats by score key; with `confidence`, each followed by `<key>_low` and `<key>_high`.

    Raises:
        TypeError: an input of no known form, an option of the wrong type, or an unknown option.
        ValueError: sides that differ in number or in units, or a bad option.

    >>> scores = score(["the dog is on the boat"], ["thedog is on the boat"], text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    checked = split_options(options)
    return score_columns(*read_pair(references, predictions), *checked)


def split_options(options: Mapping[str, Any]) -> tuple[Options, Resampling]:
    """The options of `score`, checked: how to score, and how to average and resample.

    Raises:
        TypeError, ValueError: an unknown option, or a bad value.
    """
    refuse_unknown(options, known=OPTIONS)
    resampling = {name: value for name, value in options.items() if name in _RESAMPLING}
    return Options(**{name: options[name] for name in options.keys() - resampling}), Resampling(**resampling)


def score_columns(
    references: Column, predictions: Column, options: Options, resampling: Resampling
) -> dict[str, float]:
    """Score two columns of the same length and form, as `score` does.

    Raises:
        TypeError, ValueError: the form does not go with the options; there is no utterance, or one cannot be scored.
    """
    check_form(references.type, options)
    if not resampling.needs_utterances:
        return score_tally(tally_columns(references, predictions, options), options)
    options = with_window_size(options, references)
    return score_utterances(tally_utterances(references, predictions, options), options, resampling)
