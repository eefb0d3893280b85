"""Forms of sides, which the rows of a side, and two sides, must share."""

from __future__ import annotations

from collections.abc import Sequence

from ...options.messages import Hint, OptionTypeError
from ...options.table import LISTS, OPTIONS
from ..form import LABEL_LISTS, NESTED_LISTS, NOTHING, Form
from ..formats.registry import FORMS
from .source import Side


class Forms(dict[int, tuple[Form, int]]):
    """A dict from the number of a side to the form of its values and the first utterance with it."""

    def of_side(self, number: int) -> Form:
        """Return the form of the values of a side."""
        return self.get(number, (NOTHING, 0))[0]

    def add(self, number: int, side: Side, form: Form, first: int) -> None:
        """Add the form of the values of a side from the utterance `first` on, which must be the form before it.

        Files may have several forms, if their units are of one kind.
        """
        known, since = self.get(number, (NOTHING, first))
        common = known.common(form)
        if common is None and side.is_file:
            common = known
        if common is None:
            received = f"the {side.role} from row {first} are {form.noun}, earlier ones are {known.noun}"
            raise TypeError(f"mixed forms: {received}; expected the same form for every row.")
        self[number] = common, since if common == known else first

    def check(self, sides: Sequence[Side]) -> None:
        """Check that options fit the formats of the sides, and that collections have the form of the reference."""
        self._check_formats(sides)
        if any(side.is_file for side in sides):
            return
        reference = self.of_side(0)
        for number, (prediction, _) in self.items():
            # A tokenizer reads texts, whatever the references are. A word may have several analyses on one side alone.
            may_pair = sides[number].reader or NESTED_LISTS in (reference, prediction)
            may_pair = may_pair or (sides[0].reading.has_formats and LABEL_LISTS not in (reference, prediction))
            if number and reference.common(prediction) is None and not may_pair:
                name = f"{sides[number].name}: " if sides[number].name else ""
                received = f"the references are {reference.noun} and the predictions {prediction.noun}"
                formats = OPTIONS["reference_format"], " or ", OPTIONS["prediction_format"]
                hint = "" if LABEL_LISTS in (reference, prediction) else Hint(", or ", *formats, " for the strings")
                raise OptionTypeError(f"{name}mixed forms: {received}; expected the same form on both sides", hint, ".")

    def _check_formats(self, sides: Sequence[Side]) -> None:
        # A side that is not read here may have another format.
        is_one_of_two = len(sides) == 1 and sides[0].reading.has_formats
        if is_one_of_two or not any(side.reading.of_formats for side in sides):
            return
        formats = set().union(*(side.formats_of(self.of_side(number)) for number, side in enumerate(sides)))
        received = {LISTS: "; received lists of words", "labels": "; received lists of labels"}
        for side in sides:
            side.reading.check_formats(formats, received.get("".join(formats), ""))

    def of_corpus(self, sides: Sequence[Side]) -> Form:
        """Return the form that tallies and signatures name: of the values of the reference, or of the files of all sides."""
        formats = {side.sentences for side in sides}
        if formats != {""} and len(formats) == 1:
            return FORMS[formats.pop()]
        return self.of_side(0)
