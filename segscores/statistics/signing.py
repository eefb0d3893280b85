"""The signatures of scored files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..reading.inputs import FORM_NAMES, TEXT
from ..scoring.signature import signature_of

if TYPE_CHECKING:
    from ..reading.sources.names import Files
    from ..scoring.observations import Observations
    from ..scoring.plan import Plan
    from .resampling import Resampling


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
    formats = {"text_format": text_format, "reference_format": None, "prediction_format": None}
    return signature_of(
        {**signed_options(plan, average), **formats},
        sentences or FORM_NAMES.get(form, "words"),
        observed.utterances,
        average=average,
        intervals="" if resampling is None else str(resampling),
        clusters=clusters,
        digest=observed.digest,
        further={**space, **(further or {}), **left_out},
    )


def signed_options(plan: Plan, average: str) -> dict[str, Any]:
    """Return the options of a plan; `zero_division` is "omit" where a mean over utterances leaves out undefined scores."""
    omits = average != "micro" and plan.warns_of_undefined
    return plan.plain() | ({"zero_division": "omit"} if omits else {})
