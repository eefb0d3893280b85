"""Proposals: a change of options is tried on the utterances in question before a message advises it.

Conventions
-----------
- A proposal is a message. The options with values in it, its settings, are the change that it advises.
- A proposal is good if the changed call runs, and both sides then have the same units. A message without settings changes
  nothing that could be tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..kernel.comparison import find_mismatches
from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.messages import Message, Setting, Settings
from ..options.table import LISTS, OPTIONS
from .form import EMPTY_LISTS, NOTHING, Form
from .formats.registry import check_form, joins_units, reader_for
from .inputs import WORDS, read_column
from .preparation import stages_of
from .reading import READING_OPTION_NAMES, Reading

_FORMATS = {"text_format", "reference_format", "prediction_format"}
#: The names of the options of reading that name no format.
_OPTIONS_BUT_FORMATS = frozenset(READING_OPTION_NAMES) - _FORMATS


@record
class Utterances:
    """The same utterances of both sides, as they were received, and how they are read."""

    reference: Sequence[Any]
    prediction: Sequence[Any]
    readings: tuple[Reading, Reading]  #: of the reference, and of the prediction

    def agree(self) -> bool:
        """Return whether both sides can be read, and have the same units."""
        of_reference, of_prediction = self.readings
        reference_joins, prediction_joins = joins_units([of_reference.text_format, of_prediction.text_format])
        try:
            reference = _read(self.reference, of_reference, joins=reference_joins)
            prediction = _read(self.prediction, of_prediction, joins=prediction_joins)
            return not find_mismatches(reference, prediction).any()
        except (TypeError, ValueError):
            return False

    def agree_with(self, proposal: object) -> bool:
        """Return whether both sides have the same units with the settings of a proposal; True if it has none.

        >>> reading = Reading(text_format="words")
        >>> two = Utterances(["d uː | j uː"], ["d | uː j uː"], (reading, reading))
        >>> units = OPTIONS["text_format"].set("units")
        >>> two.agree_with(Message(units)), two.agree_with(Message(units, OPTIONS["word_boundary"].set("|")))
        (False, True)
        """
        changes = settings_in(proposal)
        if not changes:
            return True
        try:
            readings = self._changed(changes)
        except (TypeError, ValueError):
            return False
        return replace(self, readings=readings).agree()

    def _changed(self, changes: dict[str, Any]) -> tuple[Reading, Reading]:
        """Return the readings with changed options, after a check that these go together."""
        of_reference, of_prediction = self.readings
        # The proposed format of a side, or else of both sides, or else the format that the side has.
        format_of_both = changes.get("text_format")
        reference_format = changes.get("reference_format") or format_of_both or of_reference.text_format
        prediction_format = changes.get("prediction_format") or format_of_both or of_prediction.text_format
        formats = {"reference_format": reference_format, "prediction_format": prediction_format}
        # The changed options of reading that are no formats.
        others = {name: value for name, value in changes.items() if name in _OPTIONS_BUT_FORMATS}
        # The options of the call, which both sides share, as a person would give them: without defaults.
        given = {}
        for name in READING_OPTION_NAMES:
            value = getattr(of_reference, name)
            if value != OPTIONS[name].default:
                given[name] = value
        # Check the call with these options. It is made for its errors alone: each side is read with its own reading.
        checked = Reading.of_checked(given | others | formats)
        checked.check_formats(
            [_format_of_values(self.reference, reference_format), _format_of_values(self.prediction, prediction_format)]
        )
        # The reading of a side has its format as `text_format`.
        own = {"reference_format": None, "prediction_format": None} | others
        return (
            replace(of_reference, text_format=reference_format, **own),
            replace(of_prediction, text_format=prediction_format, **own),
        )


def _format_of_values(values: Sequence[Any], text_format: str) -> str:
    """Return the format of utterances that are strings; LISTS, whatever the format is, of lists of words."""
    first_value, *_ = values
    return text_format if isinstance(first_value, str) else LISTS


def settings_in(proposal: object) -> dict[str, Any]:
    """Return the options of a proposal, by their names, with the values that it advises.

    >>> settings_in(Message("did you mean ", OPTIONS["separator"].set("#"), "?"))
    {'separator': '#'}
    """
    return {setting.option.name: setting.option.kind.check(setting.value) for setting in _settings_in(proposal)}


def has_option_of(reading: Reading, proposal: object) -> bool:
    """Return whether a reading has an option that a proposal sets, other than a format: a person knows of what it is about."""
    return not set(settings_in(proposal)).isdisjoint(options_given(reading))


def options_given(reading: Reading) -> list[str]:
    """Return the names of the options of a reading, other than formats, that differ from their defaults."""
    return [name for name in _OPTIONS_BUT_FORMATS if getattr(reading, name) != OPTIONS[name].default]


def refusing_scores(proposal: object, scores: Sequence[str]) -> list[str]:
    """Return the scores, of those of a request, with which an option that a proposal sets is an error.

    >>> proposal = Message("add ", OPTIONS["subword_marks"].set("strip"), ".")
    >>> refusing_scores(proposal, ["token", "token_use"]), refusing_scores(proposal, ["token"])
    (['token_use'], [])
    """
    refused_by: set[str] = set()
    for setting in _settings_in(proposal):
        refused_by.update(OPTIONS[setting.option.name].refused_by)
    return [name for name in scores if name in refused_by]


def goes_with_some(proposal: object, scores: Sequence[str]) -> bool:
    """Return whether a proposal goes with at least one of the scores of a request; without names they are the default ones."""
    # The name "all" stands for scores that refuse an option, and for others.
    return not scores or "all" in scores or len(refusing_scores(proposal, scores)) < len(scores)


def with_other_scores(proposal: str, scores: Sequence[str]) -> str:
    """Return a proposal, with the advice to name other scores if one of a request refuses an option that the proposal sets."""
    refusing = refusing_scores(proposal, scores)
    if not refusing:
        return proposal
    first, *_ = refusing
    return Message(proposal, " It does not go with ", OPTIONS["scores"].set(first), ": name others.")


def _settings_in(fragment: object) -> Iterator[Setting]:
    """Yield the settings of a fragment of a message, which may be a message itself."""
    if isinstance(fragment, Setting):
        yield fragment
    elif isinstance(fragment, Settings):
        yield from fragment
    elif isinstance(fragment, Message):
        for part in fragment.fragments:
            yield from _settings_in(part)


def _read(values: Sequence[Any], reading: Reading, *, joins: bool) -> Segmentation:
    """Return the segmentation of a side.

    `joins` says whether the units of a word are joined into characters, because the other side has no units: see `joins_units`.
    """
    column = read_column(list(values), side="")  # no message is shown
    form = Form.of(column)
    check_form(form, reading)
    if form in (EMPTY_LISTS, NOTHING):
        column = column.cast(WORDS)  # for the reader, which expects words or labels in lists
    segmentation = reader_for(form, reading)(column.combine_chunks())
    for stage in stages_of(reading, joins_units=joins):
        segmentation = stage(segmentation)
    return segmentation
