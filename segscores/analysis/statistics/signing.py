"""The signatures of a scoring with all options of `compute`, including intervals, and of scored files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...options.keywords import ComputeOptions, Unpack
from ...options.option import check_needs
from ...options.table import options_in
from ...reading.inputs import FORM_NAMES, TEXT
from ...reading.sources.names import Files
from ...reading.sources.sides import open_inputs
from ...scoring.functions import with_options
from ...scoring.map_pieces import map_pieces
from ...scoring.observations import Observations
from ...scoring.passes import with_window_size
from ...scoring.plan import Plan
from ...scoring.signature import signature_of
from .clusters import read_clusters
from .resampling import Resampling, split_options


@with_options
def signature(references: Any, **options: Unpack[ComputeOptions]) -> str:
    """Return the signature of a scoring against these references, for any predictions.

    It lacks the field `skipped`, which depends on the predictions; `CorpusTally.signature` has it.

    Args:
        references: utterances, in any form that `inputs` lists.
        **options: those of `ScoringOptions` and `Resampling`; an unknown one is a TypeError.

    Raises:
        TypeError, ValueError: an input of no known form, or a bad option.

    >>> signature(["the dog"], text_format="words", scores="windows", confidence=0.95)
    'segscores|text:words|avg:micro|zero:0|win:2-segeval|ci:95-jackknife|ref:db2e0635|n:1|v:0.2.0'
    """
    plan, resampling, _ = split_options(options)
    check_needs(options, options, options_in(ComputeOptions))
    (side,) = open_inputs(plan.reading, references)
    observed = Observations(digest=0)
    for _ in map_pieces([side], lambda piece: piece.reference, observed=observed, concludes=False):
        pass
    clusters = None
    if resampling.clusters is not None:
        clusters = int(read_clusters(resampling.clusters, observed.utterances).max(initial=-1)) + 1
    plan, _ = with_window_size(side, plan)
    return signature_of(
        _options(plan, resampling.average),
        observed.forms.name([side]),
        observed.utterances,
        average=resampling.average,
        intervals=str(resampling),
        clusters=clusters,
        digest=observed.digest,
    )


def sign_files(
    files: Sequence[Files],
    plan: Plan,
    observed: Observations,
    text_format: str,
    *,
    resampling: Resampling | None = None,
    clusters: int | None = None,
    further: Mapping[str, object] | None = None,
) -> str:
    """Return the signature of scores of files, read in one text format, or in several as words text: see `signature_of`."""
    average = "micro" if resampling is None else resampling.average
    of_reference, *others = (side.sentence_format(text_format) for side in files)
    # Only if all sides have the same format with several lines per utterance, the signature names it.
    sentences = of_reference and (of_reference if {*others} <= {of_reference} else "text")
    form, _ = observed.forms.get(0, (TEXT, 0))
    numbers = [left_out.utterances for _, left_out in sorted(observed.left_out.items())]
    left_out: dict[str, object] = {"left_out": "+".join(map(str, numbers))} if any(numbers) else {}
    space = {"space": "yes"} if any(side.tokenizer and side.tokenizer.space for side in files) else {}
    return signature_of(
        {**_options(plan, average), "text_format": text_format, "reference_format": None, "prediction_format": None},
        sentences or FORM_NAMES.get(form, "words"),
        observed.utterances,
        average=average,
        intervals="" if resampling is None else str(resampling),
        clusters=clusters,
        digest=observed.digest,
        further={**space, **(further or {}), **left_out},
    )


def _options(plan: Plan, average: str) -> dict[str, Any]:
    """Return the options of a plan; `zero_division` is "omit" where a mean over utterances leaves out undefined scores."""
    omits = average != "micro" and plan.warns_of_undefined
    return plan.plain() | ({"zero_division": "omit"} if omits else {})
