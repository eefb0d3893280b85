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
    average = "micro"
    intervals = ""
    if resampling is not None:
        average = resampling.average
        intervals = str(resampling)
    fields: dict[str, object] = {}
    if any(side.tokenizer and side.tokenizer.space for side in files):
        fields["space"] = "yes"
    fields |= further or {}
    left_out = [of_side.utterances for _, of_side in sorted(observed.trouble.left_out.items())]
    if any(left_out):
        fields["left_out"] = "+".join(map(str, left_out))
    form, _ = observed.trouble.forms.get(0, (TEXT, 0))
    formats = {"text_format": text_format, "reference_format": None, "prediction_format": None}
    return signature_of(
        {**signed_options(plan, average), **formats},
        _sentence_format(files, text_format) or FORM_NAMES.get(form, "words"),
        observed.utterances,
        average=average,
        intervals=intervals,
        clusters=clusters,
        digest=observed.digest,
        further=fields,
    )


def _sentence_format(files: Sequence[Files], text_format: str) -> str:
    """Return the format of the reference, if its utterances have several lines; "text" if another side has another format."""
    of_reference, *of_predictions = (side.sentence_format(text_format) for side in files)
    if not of_reference:
        return ""
    return of_reference if {*of_predictions} <= {of_reference} else "text"


def signed_options(plan: Plan, average: str) -> dict[str, Any]:
    """Return the options of a plan; `zero_division` is "omit" where a mean over utterances leaves out undefined scores."""
    options = plan.plain()
    if average != "micro" and plan.warns_of_undefined:
        options["zero_division"] = "omit"
    return options
