"""Forms and options: the forms of files by the user's options, and the options with which functions read files of known forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...options.option import implied_format, likely_format
from ...options.table import with_implied
from ..formats.registry import FORMATS, PLAIN
from ..reading import DEFAULT_WORD_BOUNDARY
from .names import Files
from .recognition import recognise_formats


def recognise_by_options(sides: Sequence[Files], options: Mapping[str, Any], references: int = 1) -> list[Files]:
    """Return the sides with their forms, by the user's options; the first `references` sides are references."""
    options_and_implied = with_implied(options)
    named_formats = options.get("text_format")
    if named_formats:
        # One format is for all sides: the first is the last. The first of two is of the references.
        wanted = ""
        reference_format, *_ = named_formats
        *_, prediction_format = named_formats
    else:
        # Without a format it is the one that other options imply; None, if they imply none, is recognised.
        wanted = likely_format(options)
        reference_format = prediction_format = implied_format(options_and_implied) or None
    return recognise_formats(
        sides,
        [reference_format] * references + [prediction_format] * (len(sides) - references),
        word_boundary=options.get("word_boundary"),
        ignored_tokens=options.get("ignored_tokens") or (),
        separator=options_and_implied.get("separator"),
        given=[name for name, value in options.items() if value is not None],
        scores=options.get("scores") or (),
        wanted=wanted,
    )


def forms_as_options(sides: Sequence[Files], references: int = 1) -> dict[str, Any]:
    """Return the options with which functions read sides of known forms: their formats, and the tokens of units text.

    Every side was recognised, and has a form. The first `references` sides are references.
    """
    if not sides:
        # No text is open on the page.
        return {"text_format": PLAIN.name}
    forms = [side.known_form for side in sides]
    formats = [form.text_format for form in forms]
    reference_format, *_ = formats
    options: dict[str, Any] = {"text_format": reference_format}
    if len(set(formats)) > 1:
        prediction_format = _format_for_option(formats[references:]) or reference_format
        options = {"reference_format": reference_format, "prediction_format": prediction_format}
    # The tokens of units text are options too, which hold for the formats in `options` alone. If predictions have several
    # formats, only one of them is there: no tokens are taken from a form of another format.
    named_forms = [form for form in forms if form.text_format in options.values()]
    forms_with_tokens = [form for form in named_forms if form.has_tokens]
    if forms_with_tokens:
        first_with_tokens, *_ = forms_with_tokens
        if first_with_tokens.word_boundary != DEFAULT_WORD_BOUNDARY:
            options["word_boundary"] = first_with_tokens.word_boundary
        if first_with_tokens.ignored_tokens:
            options["ignored_tokens"] = list(first_with_tokens.ignored_tokens)
    return options


def _format_for_option(formats: Sequence[str]) -> str:
    """Return the format that the option has which is for all predictions, by their formats; empty if there are no predictions.

    Units text, which has options, goes before others, and a format with a line per utterance before those with several.
    """
    if not formats:
        return ""
    rows = [FORMATS[name] for name in formats]
    with_token = [row for row in rows if row.has_boundary_token]
    with_line_per_utterance = [row for row in rows if row.sentences is None]
    first_row, *_ = [*with_token, *with_line_per_utterance, *rows]
    return first_row.name
