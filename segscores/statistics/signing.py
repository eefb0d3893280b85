"""The signatures of scored files, and of scored values of Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..reading.form import STRINGS, WORD_LISTS, Form
from ..reading.formats.registry import FORMS
from ..scoring.signature import signature_of, signed_skipped

if TYPE_CHECKING:
    from ..reading.sources.names import Files
    from ..reading.sources.source import Side
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
    """Return the signature of scores of files: see `signature_of`.

    `text_format` is the format of all files; it is "words" if they have several.
    """
    fields: dict[str, object] = {}
    # A tokenizer cuts a text in another way if it sees a space before it.
    puts_space_first = any(side.tokenizer and side.tokenizer.space for side in files)
    if puts_space_first:
        fields["space"] = "yes"
    fields |= further or {}
    # `text_format` stands for the formats of both sides.
    formats = {"text_format": text_format, "reference_format": None, "prediction_format": None}
    form = _form_of(files, text_format, observed)
    return _sign(plan, formats, form, observed, resampling=resampling, clusters=clusters, further=fields)


def sign_sides(
    sides: Sequence[Side],
    plan: Plan,
    observed: Observations,
    *,
    resampling: Resampling | None = None,
    clusters: int | None = None,
    further: Mapping[str, object] | None = None,
) -> str:
    """Return the signature of scores of values of Python, of which `observed` has the digest."""
    form = observed.trouble.forms.of_corpus(sides)
    # There are no files, whose formats would take the place of the plan's.
    formats_of_files: dict[str, object] = {}
    return _sign(
        plan, formats_of_files, form, observed, resampling=resampling, clusters=clusters, further=further or {}
    )


def _sign(
    plan: Plan,
    formats: Mapping[str, object],
    form: Form,
    observed: Observations,
    *,
    resampling: Resampling | None,
    clusters: int | None,
    further: Mapping[str, object],
) -> str:
    """Return the signature of a plan.

    `formats` are the formats of files, in place of the plan's. `further` are more fields of the signature by name.
    """
    average = "micro"
    intervals = ""
    if resampling is not None:
        average = resampling.average
        intervals = str(resampling)
    fields = dict(further)
    # A comparison has the field itself: the number of utterances that each system skips, over all its runs.
    if "skipped" not in fields:
        fields |= signed_skipped(observed.trouble.skipped)
    return signature_of(
        {**signed_options(plan, average), **formats},
        form,
        observed.utterances,
        average=average,
        intervals=intervals,
        clusters=clusters,
        digest=observed.digest,
        further=fields,
    )


def _form_of(files: Sequence[Files], text_format: str, observed: Observations) -> Form:
    """Return the form of the reference; strings, if its utterances have several lines, and another side has another format."""
    # A format with several lines for each utterance, such as "conllu"; empty for files in which a line or a row is an utterance.
    reference_format, *prediction_formats = (side.sentence_format(text_format) for side in files)
    has_utterance_per_line = reference_format == ""
    if has_utterance_per_line:
        form = observed.trouble.forms.of_side(0)  # of the reference
        # Lists that are all empty have a form without a name. They may be of words.
        return form if form.name else WORD_LISTS
    if all(prediction_format == reference_format for prediction_format in prediction_formats):
        return FORMS[reference_format]
    return STRINGS


def signed_options(plan: Plan, average: str) -> dict[str, Any]:
    """Return the options of a plan; `zero_division` is "omit" where a mean over utterances leaves out undefined scores."""
    options = plan.plain()
    # The plan warns of undefined scores if the user gave no `zero_division`; a mean then leaves them out.
    if average != "micro" and plan.warns_of_undefined:
        options["zero_division"] = "omit"
    return options
