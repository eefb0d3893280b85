"""Forms of sides, which the rows of a side, and two sides, must share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...options.messages import Hint, OptionTypeError
from ...options.table import LISTS, OPTIONS
from ..form import LABEL_LISTS, NESTED_LISTS, NOTHING, STRINGS, Form
from ..formats.registry import FORMS, PLAIN
from .source import Side


class NotedForm(NamedTuple):
    """The form of the values of a side."""

    form: Form
    since: int  #: the first utterance that shows the form: blank ones before it have any


class Forms(dict[int, NotedForm]):
    """A dict from the number of a side to the form of its values."""

    def of_side(self, number: int) -> Form:
        """Return the form of the values of a side."""
        if number not in self:
            return NOTHING
        return self[number].form

    def add(self, number: int, side: Side, form: Form, first_utterance: int) -> None:
        """Note the form of the values of a side from `first_utterance` on, and check that it fits the form of earlier values.

        Files may have several forms, if their units are of one kind.
        """
        noted = self.get(number, NotedForm(NOTHING, first_utterance))
        common = noted.form.common(form)
        if common is None and side.is_file:
            # Such as lists of words after strings: both have characters. Messages name the first form.
            common = noted.form
        if common is None:
            received = f"the {side.role} from row {first_utterance} are {form.noun}, earlier ones are {noted.form.noun}"
            raise TypeError(f"mixed forms: {received}; expected the same form for every row.")
        if common != noted.form:
            # These are the first values of the side, or the first that are not blank: blank ones fit several forms.
            noted = NotedForm(common, first_utterance)
        self[number] = noted

    def check(self, sides: Sequence[Side]) -> None:
        """Check that options fit the formats of the sides, and that collections have the form of the reference."""
        self._check_formats(sides)
        if any(side.is_file for side in sides):
            return
        for number, noted in self.items():
            if number > 0 and not self._pair(sides, number):
                raise _mixed_forms(self.of_side(0), noted.form, sides[number].name)

    def _pair(self, sides: Sequence[Side], number: int) -> bool:
        """Return whether the references and the prediction of this number may have the forms that they have."""
        reference = self.of_side(0)
        prediction = self.of_side(number)
        if reference.common(prediction) is not None:
            return True
        if sides[number].has_own_reader:  # a tokenizer reads texts, whatever the references are
            return True
        if NESTED_LISTS in (reference, prediction):  # a word may have several analyses on one side alone
            return True
        # Lists of words beside strings are left, which pair if the strings have a format. Labels pair with neither.
        has_formats = sides[0].reading.has_formats
        return has_formats and LABEL_LISTS not in (reference, prediction)

    def _check_formats(self, sides: Sequence[Side]) -> None:
        """Check that the options of formats are for a format that some side has."""
        # If the sides have formats of their own, and one side alone is read here, the options may be for the other.
        is_one_of_two = len(sides) == 1 and sides[0].reading.has_formats
        if is_one_of_two or not any(side.reading.of_formats for side in sides):
            return
        formats: set[str] = set()
        for number, side in enumerate(sides):
            formats |= side.formats_of(self.of_side(number))
        received = ""
        if formats == {LISTS}:
            received = "; received lists of words"
        elif formats == {"labels"}:
            received = "; received lists of labels"
        for side in sides:
            side.reading.check_formats(formats, received)

    def of_corpus(self, sides: Sequence[Side]) -> Form:
        """Return the form that tallies and signatures name: of the values of the reference, or of the files of all sides."""
        # A format of several lines per utterance is a form too, if all sides have it; other sides have the empty string here.
        sentence_formats = {side.sentence_format for side in sides}
        if len(sentence_formats) == 1 and "" not in sentence_formats:
            return FORMS[sentence_formats.pop()]
        return self.of_side(0)


def _mixed_forms(reference: Form, prediction: Form, name: str) -> OptionTypeError:
    """Return the error of forms that differ, such as "crf: mixed forms: the references are strings and the predictions …"."""
    place = f"{name}: " if name else ""
    received = f"the references are {reference.noun} and the predictions {prediction.noun}"
    hint: object = ""
    if LABEL_LISTS not in (reference, prediction):
        format_of_strings = OPTIONS["reference_format" if reference == STRINGS else "prediction_format"]
        hint = Hint(", or the format of the strings, such as ", format_of_strings.set(PLAIN.name))
    return OptionTypeError(f"{place}mixed forms: {received}; expected the same form on both sides", hint, ".")
