"""Errors of pieces that fail: the first utterance that has one, its place, and the message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import pyarrow as pa

from ..options.errors import FileError, UtteranceError, counting_from
from ..options.messages import OptionTypeError, placed
from ..reading.formats.registry import PLAIN, UNITS
from ..reading.label_hints import label_hint
from ..reading.offsets import offset_in_text
from ..reading.sources.source import Side
from ..reading.trouble import Trouble, failures
from .observations import Observations
from .piece import Piece
from .streams import Pairing

#: Makes the error for the user from an utterance's error and a piece of only this utterance.
Explain: TypeAlias = "Callable[[UtteranceError, Piece], Exception]"


class Failed(Exception):  # noqa: N818 - it carries an error out of a thread
    """A piece that has no result, or a pairing that can't be read to its end.

    `observed` are the observations of the utterances before the one with the error, and of this one; `difference` is the error in
    short, if utterances of files differ.
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
        """Return the error for the user; the observations may have an earlier one."""
        error = self.pairing.explained(self.error, self.difference)
        try:
            for observed_in_piece in self.observed:
                observed.update(observed_in_piece, sides)
        except (TypeError, ValueError) as earlier:
            error = earlier
        try:
            # Tags that were read as units differ too: then the tags are the likely cause.
            observed.trouble.reject_tags()
        except OptionTypeError as tags:
            return tags
        return error


def first_error(work: Callable[[Piece], object], explain: Explain, piece: Piece, error: Exception) -> Failed:
    """Return the error of the first utterance with which `work` fails; on the whole piece it may fail with a later one."""

    def cut(start: int, stop: int) -> Piece:
        return piece.cut(start, stop, Observations(trouble=Trouble(piece.sides[0].reading)))

    def error_of(part: Piece) -> Exception | None:
        try:
            work(part)
        except (TypeError, ValueError) as raised:
            return raised
        return None

    # The first beginning of the piece that fails. If none does, the whole piece fails: its last utterance is the first bad one.
    first = len(piece) - 1
    error_up_to = error
    for failure in failures(lambda _, stop: error_of(cut(0, stop)), 0, len(piece), fails=True):
        first, error_up_to = failure
        break
    before = cut(0, first)
    row = cut(first, first + 1)
    if first:
        error_of(before)
    # An utterance that is good alone has another form than those before; the observations show it.
    alone = error_of(row) or error_up_to
    if isinstance(error, UtteranceError) and isinstance(alone, UtteranceError) and error.problem == alone.problem:
        # The hint on an encoding needs the lines around the utterance.
        alone = alone.but(hint=error.hint)
    explained, difference = _explained(alone, row, explain)
    return Failed(piece.pairing, explained, (before.observed, row.observed), difference)


def _explained(error: Exception, row: Piece, explain: Explain) -> tuple[Exception, str]:
    """Return the error of a piece of one utterance for the user, shorter if the utterances of files differ."""
    if isinstance(error, pa.ArrowInvalid):
        source, index = row.pairing.find(0, row.first)
        return ValueError(f"{source.name}, {source.where(index)}: the data are damaged from here on: {error}"), ""
    if not isinstance(error, UtteranceError):
        return error, ""
    error = _with_label_hint(row, error)
    number = error.prediction
    error = row.tried(error, number)
    reference = row.sides[0]
    side = row.sides[number]
    if not side.is_file:
        explained = explain(_with_offsets(row, error).at(row.first), row)
        if side.name and error.side != reference.role:
            explained = placed(explained, side.name)
        return explained, ""
    # Both sides are to blame, unless the error names one.
    difference = ""
    if number and not error.side:
        difference = row.describe(error, number, briefly=True)
    # The message says where counting starts in the file that has the fault: at line 1, say.
    counted = side
    if reference.is_file and error.side != side.role:
        counted = reference
    noun = counted.sources[0].noun
    counting = ""
    if noun != "recording":
        counting = counting_from(noun, error)
    in_file = FileError(row.describe(error, number), counting=counting)
    in_file.of_utterance = _with_offsets(row, error).at(row.first)
    in_file.number = number
    return in_file, difference


def _with_label_hint(row: Piece, error: UtteranceError) -> UtteranceError:
    """Return the error with the option that reads the labels of both sides, if the sides have labels."""
    reading = row.sides[0].reading
    if error.hint or reading.label_scheme is None:
        return error
    try:
        reference = row.raw(0)[0].as_py()
        prediction = row.raw(error.prediction)[0].as_py()
    except (TypeError, ValueError):
        # A value that is no list of labels at all.
        return error
    if not (isinstance(reference, list) and isinstance(prediction, list)):
        return error
    return error.but(hint=label_hint(reference, prediction, reading))


def _with_offsets(row: Piece, error: UtteranceError) -> UtteranceError:
    """Return the error with the place in the text of each side at which the units differ."""
    if error.offset is None or error.side or not error.prediction:
        return error
    offsets: dict[str, int | None] = {}
    reference = row.sides[0].reading
    for name, number in (("reference_offset", 0), ("prediction_offset", error.prediction)):
        text = row.raw(number)[0].as_py()
        side = row.sides[number]
        reading = replace(side.reading, normalize=reference.normalize, subword_marks=reference.subword_marks)
        is_plain = reading.text_format in (PLAIN.name, UNITS.name) and reading.joiner is None and not reading.documents
        offsets[name] = None
        if is_plain and side.reader is None and isinstance(text, str):
            offsets[name] = offset_in_text(text, error.offset, reading, joins_units=side.joins_units)
    return error.but(**offsets)
