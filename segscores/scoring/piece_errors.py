"""Errors of pieces that fail: the first utterance that has one, its place, and the message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ..options.errors import FileError, UtteranceError, counting_from
from ..options.messages import Message, OptionTypeError, placed
from ..reading.formats.registry import PLAIN, UNITS
from ..reading.proposals import settings_in
from ..reading.sources.source import Side
from ..reading.trouble import Trouble, failures
from .observations import Observations
from .piece import Piece
from .streams import REFERENCE, Pairing

#: Makes the error for the user from an utterance's error and a piece of only this utterance.
Explain: TypeAlias = "Callable[[UtteranceError, Piece], Exception]"


class Failed(Exception):  # noqa: N818 - it carries an error out of a thread
    """A piece that has no result, or a pairing that can't be read to its end.

    Attributes:
        error: the error for the user, as far as the piece shows it.
        observed: the observations of the utterances before the one with the error, and of this one.
        difference: the error in short, such as "line 3: the units differ", if utterances of files differ; else empty.
    """

    def __init__(
        self, pairing: Pairing, error: Exception, observed: Sequence[Observations] = (), difference: str = ""
    ) -> None:
        super().__init__(error)
        self.pairing = pairing
        self.error = error
        self.observed = observed
        self.difference = difference

    def explained(self, sides: Sequence[Side], observed: Observations) -> Exception:
        """Return the error for the user, and add to `observed` what the piece observed, which may show an earlier error."""
        # Three errors are possible, and each is the likely cause of those before it: the error of the piece, the one of forms
        # that do not fit the forms of earlier pieces, and the one of tags that were read as units.
        error = self.pairing.explained(self.error, self.difference)
        try:
            for observed_in_piece in self.observed:
                observed.update(observed_in_piece, sides)
        except (TypeError, ValueError) as error_of_forms:
            error = error_of_forms
        try:
            observed.trouble.item_signs.reject_tags()
        except OptionTypeError as error_of_tags:
            error = error_of_tags
        return error


def first_error(work: Callable[[Piece], object], explain: Explain, piece: Piece, error: Exception) -> Failed:
    """Return the error of the first utterance with which `work` fails.

    `error` is the error of the whole piece, which may be of a later utterance: `work` reads one side, and then the other.
    """

    def cut(start: int, stop: int) -> Piece:
        """Return utterances of the piece with observations of their own."""
        return piece.cut(start, stop, Observations(trouble=Trouble(piece.sides[REFERENCE].reading)))

    def error_of(part: Piece) -> Exception | None:
        """Return the error with which `work` fails on a part of the piece; None if it does not fail."""
        try:
            work(part)
        except (TypeError, ValueError) as raised:
            return raised
        return None

    def error_of_beginning(_start: int, stop: int) -> Exception | None:
        """Return the error with which `work` fails on the utterances from 0 to before `stop`; None if it does not fail."""
        return error_of(cut(0, stop))  # from 0, wherever `failures` looks next

    # The shortest beginning of the piece that fails ends with the first bad utterance. If none fails, only the whole piece does,
    # and its last utterance is the bad one.
    whole_fails = (len(piece) - 1, error)  # an utterance and its error, as `failures` yields them
    failing = failures(error_of_beginning, start=0, stop=len(piece), fails=True)
    bad_utterance, error_up_to = next(failing, whole_fails)
    earlier = cut(0, bad_utterance)
    row = cut(bad_utterance, bad_utterance + 1)
    if bad_utterance > 0:
        error_of(earlier)  # it has no error, but its observations are filled
    # An utterance that is good alone fails only after those before it, as one of another form does.
    error_alone = error_of(row) or error_up_to
    if isinstance(error, UtteranceError) and isinstance(error_alone, UtteranceError):
        # The hint of the whole piece may say more: one on an encoding needs the lines around the utterance.
        if error.problem == error_alone.problem:
            error_alone = error_alone.but(hint=error.hint)
    explained = _explained(error_alone, row, explain, piece)
    return Failed(piece.pairing, explained.error, (earlier.observed, row.observed), explained.difference)


class _Explained(NamedTuple):
    """The error for the user, and the difference in short, as `Failed` has it."""

    error: Exception
    difference: str = ""


def _explained(error: Exception, row: Piece, explain: Explain, around: Piece) -> _Explained:
    """Return an error for the user: with its place, and the first of its hints that helps.

    `row` is a piece of the one utterance with the error, and `around` the piece with those around it. Only an utterance of files
    that differs on both sides has a difference.
    """
    if isinstance(error, pa.ArrowInvalid):
        # Arrow does not name the side.
        source, index = row.pairing.find(_damaged_side(row), row.utterances_before)
        damaged = f"{source.name}, {source.where(index)}: the data are damaged from here on: {error}"
        return _Explained(ValueError(damaged))
    if not isinstance(error, UtteranceError):
        return _Explained(error)
    error = _with_label_hint(row, error)
    side_number = error.prediction
    error = row.with_tried_hint(error, side_number, around)
    error = _with_form(error, around)
    reference = row.sides[REFERENCE]
    side = row.sides[side_number]
    if not side.is_file:
        # `at` makes the number of the utterance, which is 0 in the row, its number in the whole pass.
        explained = explain(_with_offsets(row, error).at(row.utterances_before), row)
        # The name is of the prediction, such as "system 'new'": an error of the reference is of no system.
        if side.name and error.side != reference.role:
            explained = placed(explained, side.name)
        return _Explained(explained)
    # Both sides are to blame, unless the error names one.
    difference = ""
    if side_number != REFERENCE and not error.side:
        difference = row.describe(error, side_number, briefly=True)
    in_file = FileError(row.describe(error, side_number), counting=_counting(error, row))
    # For programs that show the error beside the texts, such as the page.
    in_file.of_utterance = _with_offsets(row, error).at(row.utterances_before)
    in_file.number = side_number
    return _Explained(in_file, difference)


def _damaged_side(row: Piece) -> int:
    """Return the number of the first side whose Arrow data are damaged; that of the reference if none is damaged alone."""
    for number in range(len(row.sides)):
        try:
            row.raw(number).validate(full=True)
        except pa.ArrowInvalid:
            return number
    return REFERENCE


def _counting(error: UtteranceError, row: Piece) -> str:
    """Return where counting starts in the file with the fault, such as " (Lines count from 1.)"; empty for recordings.

    `row` is a piece of the one utterance with the error.
    """
    side_number = error.prediction
    # An error of both sides is counted in the reference, if that is a file.
    if row.sides[REFERENCE].is_file and error.side != row.sides[side_number].role:
        side_number = REFERENCE
    # One of several files of a side may be text, whose lines count from 1, and another a table, whose rows count from 0.
    source, _ = row.pairing.find(side_number, row.utterances_before)
    if source.noun == "recording":
        # Recordings have names.
        return ""
    return counting_from(source.noun, error)


def _with_label_hint(row: Piece, error: UtteranceError) -> UtteranceError:
    """Return the error with a hint at the option that reads the labels; unchanged if it has a hint, or the sides no labels."""
    reading = row.sides[REFERENCE].reading
    if error.hint or reading.label_scheme is None:
        return error
    try:
        reference = _only_value(row, REFERENCE)
        prediction = _only_value(row, error.prediction)
    except (TypeError, ValueError):
        # A value that is no list of labels at all has no hint at labels.
        return error
    if not (isinstance(reference, list) and isinstance(prediction, list)):
        return error
    from ..reading.label_hints import label_hint

    return error.but(hint=label_hint(reference, prediction, reading))


def _with_form(error: UtteranceError, around: Piece) -> UtteranceError:
    """Return an error of units that differ with the form that the values likely have, unless an option makes the units equal."""
    is_of_units = error.prediction != REFERENCE and not error.side
    if not is_of_units or settings_in(error.hint):
        return error
    form = around.observed.trouble.doubt_of_form(around.sides, may_be_weak=not error.hint)
    # Advice is better than an option of another form, which does not make the units of this utterance equal either.
    is_no_better = form is None or (error.hint and settings_in(form))
    return error if is_no_better else error.but(hint=Message("A likely cause is in ", form))


def _with_offsets(row: Piece, error: UtteranceError) -> UtteranceError:
    """Return the error with the place in the text of each side at which the units differ."""
    # An error of one side, or of the reference alone, has no place on both sides.
    if error.offset is None or error.side or error.prediction == REFERENCE:
        return error
    return error.but(
        reference_offset=_offset_in(row, REFERENCE, error.offset),
        prediction_offset=_offset_in(row, error.prediction, error.offset),
    )


def _offset_in(row: Piece, side_number: int, offset: int) -> int | None:
    """Return the place in the text of a side of the unit with an offset in units; None if the text has another form."""
    from ..reading.offsets import offset_in_text

    text = _only_value(row, side_number)
    side = row.sides[side_number]
    # The options of preparation are those of the reference, for both sides.
    reference = row.sides[REFERENCE].reading
    reading = replace(side.reading, normalize=reference.normalize, subword_marks=reference.subword_marks)
    # Only in words text and units text, as they are, does an offset in units tell the place.
    is_plain = reading.text_format in (PLAIN.name, UNITS.name) and reading.joiner is None and not reading.documents
    if not is_plain or side.has_own_reader or not isinstance(text, str):
        return None
    return offset_in_text(text, offset, reading, joins_units=side.joins_units)


def _only_value(row: Piece, side_number: int) -> Any:
    """Return the value of a side in a piece of one utterance, as it was received."""
    (value,) = row.raw(side_number).to_pylist()
    return value
