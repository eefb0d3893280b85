"""Lines: the drawn lines that a visitor has in view, of all those that the tools above them leave.

The fields of the tools are `query`, `order` ("worst", or as in the text), `errors_only`, `start` (the number of lines before the
page in view), `line` (the number of the line to go to) and `lexicon` (whether the words of all lines are wanted).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from ...analysis.differences import Difference
from ...kernel.record import record
from ..report.contents import ShownUtterance
from ..report.page import PAGE, Report

#: The fields of the tools, which the page keeps.
FIELDS = dict.fromkeys(("query", "order", "errors_only", "start", "line", "lexicon"), "")


@record
class Lines:
    """The lines in view."""

    rows: Sequence[ShownUtterance]
    start: int  #: the number of lines before them
    count: int  #: the number of lines that the tools leave
    status: str  #: what the lines are, in words
    lexicon: Sequence[str] | None = None  #: the words that any line has on both sides; None if nobody asks
    target: int | None = None  #: the number of the line that a visitor went to

    @property
    def has_more(self) -> bool:
        """Return whether lines stand behind those in view."""
        return self.start + len(self.rows) < self.count


def lines_of(report: Report, values: Mapping[str, str]) -> Lines:
    """Return the lines in view of the only prediction of a report."""
    (prediction,) = report.predictions
    worst_first = list(prediction.analysis.shown)
    in_text = sorted(worst_first, key=lambda row: row.utterance)
    rows = worst_first if values.get("order") == "worst" else in_text
    query = values.get("query", "").strip()
    rows = _found(rows, query, errors_only=bool(values.get("errors_only")))
    start = _number(values.get("start", ""))
    noun = report.names.noun
    missing = ""  # a sentence that says so if the line to go to is not drawn
    target = None
    if values.get("line"):
        number = _number(values["line"])
        place = _place_of(number, in_text, report.names.first_number)
        if place is None:
            missing = f"There is no {noun} {number:,} here. "
        else:
            # Leave out no line, and show the page that has this one, from its beginning: with 25 lines a page, the line with the
            # place 30 is on the page that begins at 25.
            target = number
            rows = in_text
            start = place // PAGE * PAGE
    # The tools may leave fewer lines than stood before the page in view: then show the last page.
    last_page = max(0, len(rows) - 1) // PAGE * PAGE
    start = min(start, last_page)
    in_view = rows[start : start + PAGE]
    kind = f"with “{query}”" if query and target is None else "here"
    status = f"No {noun} {kind}."
    if in_view:
        status = f"{start + 1:,} to {start + len(in_view):,} of the {len(rows):,} {noun}s {kind}."
    lexicon = None
    # If not all lines are drawn, the words of the others would be missing.
    if values.get("lexicon") and len(worst_first) == report.utterances:
        lexicon = _common_words(worst_first)
    return Lines(in_view, start, len(rows), missing + status, lexicon, target)


def _place_of(number: int, in_text: Sequence[ShownUtterance], first_number: int) -> int | None:
    """Return the place of a line among the drawn lines, by its number; None if it is not drawn.

    Not every line is drawn: line 8 may be the fifth of those that are, and has the place 4. `first_number` is the number of the
    first line of the text.
    """
    for place, row in enumerate(in_text):
        if row.utterance + first_number == number:
            return place
    return None


def _found(rows: Sequence[ShownUtterance], query: str, *, errors_only: bool) -> list[ShownUtterance]:
    """Return the lines that have a query, all of them if it is empty; and of these, if asked, only those with an error."""
    found = []
    for row in rows:
        if errors_only and all(row.difference.is_matched):
            continue
        if not query or _folded(query) in _searched(row.difference):
            found.append(row)
    return found


def _common_words(shown: Sequence[ShownUtterance]) -> list[str]:
    """Return the words that both sides have, wherever they stand."""
    reference: set[str] = set()
    prediction: set[str] = set()
    for row in shown:
        # Each word stands beside True if it is matched, which says nothing here: the two sides may have it in other places.
        reference.update(word for word, _ in row.difference.reference)
        prediction.update(word for word, _ in row.difference.prediction)
    return sorted(reference & prediction)


def _searched(difference: Difference) -> str:
    """Return what a search looks at: the units, and the words of each side, so that a query may have spaces or none."""
    # Units such as phones, between which the page has a space, have | between words: "d ɔ g | ɪ z".
    joint = " | " if difference.separator else " "
    texts = [difference.separator.join(difference.segments)]
    for words in (difference.reference, difference.prediction):
        texts.append(joint.join(word for word, _ in words))
    return _folded("\n".join(texts))


def _folded(text: str) -> str:
    """Return a text in which letters of either case, and composed or not, are the same."""
    return unicodedata.normalize("NFC", text).lower()


def _number(text: str) -> int:
    """Return the number that a field has; 0 for a text that is none, or a number of ten digits, more than there are lines."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if is_number else 0
