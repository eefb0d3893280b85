"""The signature of a scoring with every option of `compute`, intervals included."""

from __future__ import annotations

__all__ = ["sign_scoring"]

from dataclasses import fields
from typing import Any

from ..reading.inputs import read_column
from ..scoring.options import Options, refuse_unknown
from ..scoring.pipeline import check_form, with_window_size
from ..scoring.signature import FORM_NAMES, plain_options, signature_of
from .clusters import read_clusters
from .utterance_scores import Resampling


def sign_scoring(references: Any, **options: Any) -> str:
    """The signature of a scoring of these references, whatever the predictions.

    Args:
        references: utterances, in any form that `inputs` lists.
        **options: those of `Options` and `Resampling`; an unknown one is a TypeError.

    Raises:
        TypeError, ValueError: an input of no known form, or a bad option.

    >>> sign_scoring(["the dog"], text_format="words", scores="windows", confidence=0.95)
    'segscores|text:words|avg:micro|zero:0|win:2-segeval|ci:95-percentile-1000-0|n:1|v:0.2.0'
    """
    of_resampling = [option.name for option in fields(Resampling)]
    refuse_unknown(options, known=[*(option.name for option in fields(Options) if option.init), *of_resampling])
    resampling = Resampling(**{name: options.pop(name) for name in of_resampling if name in options})
    column = read_column(references, "references")
    clusters = None
    if resampling.clusters is not None:
        clusters = int(read_clusters(resampling.clusters, len(column)).max(initial=-1)) + 1
    checked = Options(**options)
    check_form(column.type, checked)
    checked = with_window_size(checked, column)
    return signature_of(
        plain_options(checked),
        FORM_NAMES.get(column.type),
        len(column),
        average=resampling.average,
        intervals=str(resampling),
        clusters=clusters,
    )
