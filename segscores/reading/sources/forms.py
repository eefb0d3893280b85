"""Forms of values: strings, lists of words or lists of labels, which the rows of a side, and two sides, must share."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ...options.messages import Hint, OptionTypeError
from ...options.table import LISTS, OPTIONS
from ..inputs import ANALYSES, FORM_NAMES, LABELS, common_form, form_name
from .source import Side


class Forms(dict[int, tuple[pa.DataType, int]]):
    """A dict from the number of a side to the type of its values (see `reading.inputs`) and the first utterance with it."""

    def add(self, number: int, side: Side, form: pa.DataType, first: int) -> None:
        """Add the form of the values of a side from the utterance `first` on, which must be the form before it.

        Files may have several forms, if their units are of one kind.
        """
        known, since = self.get(number, (pa.null(), first))
        common = common_form(known, form)
        if common is None and side.is_file:
            common = known
        if common is None:
            received = f"the {side.role} from row {first} are {form_name(form)}, earlier ones are {form_name(known)}"
            raise TypeError(f"mixed forms: {received}; expected the same form for every row.")
        self[number] = common, since if common == known else first

    def check(self, sides: Sequence[Side]) -> None:
        """Check that options fit the formats of the sides, and that collections have the form of the reference."""
        self._check_formats(sides)
        if any(side.is_file for side in sides):
            return
        reference = self.get(0, (pa.null(), 0))[0]
        for number, (prediction, _) in self.items():
            # A tokenizer reads texts, whatever the references are. A word may have several analyses on one side alone.
            may_pair = sides[number].reader or ANALYSES in (reference, prediction)
            may_pair = may_pair or (sides[0].reading.has_formats and LABELS not in (reference, prediction))
            if number and common_form(reference, prediction) is None and not may_pair:
                name = f"{sides[number].name}: " if sides[number].name else ""
                received = f"the references are {form_name(reference)} and the predictions {form_name(prediction)}"
                formats = OPTIONS["reference_format"], " or ", OPTIONS["prediction_format"]
                hint = "" if LABELS in (reference, prediction) else Hint(", or ", *formats, " for the strings")
                raise OptionTypeError(f"{name}mixed forms: {received}; expected the same form on both sides", hint, ".")

    def _check_formats(self, sides: Sequence[Side]) -> None:
        # A side that is not read here may have another format.
        is_one_of_two = len(sides) == 1 and sides[0].reading.has_formats
        if is_one_of_two or not any(side.reading.of_formats for side in sides):
            return
        formats = set().union(*(side.formats_of(self.get(number, (None,))[0]) for number, side in enumerate(sides)))
        received = {LISTS: "; received lists of words", "labels": "; received lists of labels"}
        for side in sides:
            side.reading.check_formats(formats, received.get("".join(formats), ""))

    def name(self, sides: Sequence[Side]) -> str | None:
        """Return the form of the references, as tallies and signatures name it; None if there are none, or only empty lists."""
        formats = {side.sentences for side in sides}
        if formats != {""} and len(formats) == 1:
            return formats.pop()
        return FORM_NAMES.get(self.get(0, (None, 0))[0])
