"""Reading: from the contents of boxes to utterances, and from errors to the boxes that they are about.

Conventions
-----------
A box holds text, or a file that is too long to show. Text has one utterance per line, is CoNLL-U, or is JSON lines with a
column to read. The form of each box is recognised separately; boxes that belong together are then read so that they can be
compared. The page counts utterances from 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

from ..reading.texts import TextForm, Utterances, read_texts, recognise_form
from ..support.errors import UtteranceError

#: The size limits of a text; the command takes files of any size.
MAX_CHARACTERS = 5_000_000
MAX_FILE_BYTES = 10_000_000
#: The limits of resampling: words of all predictions, and utterances times systems times resamples.
MAX_RESAMPLED_WORDS, MAX_RESAMPLED = 1_000_000, 150_000_000

FORMS = ["recognise", "words", "units", "conllu"]

#: The box of each side that errors of the package name.
_BOXES = {
    "references": "reference",
    "predictions": "prediction",
    "difficulties": "difficulties",
    "boundary_scores": "scores",
}
_WORDS = TextForm("words")


class BoxError(ValueError):
    """An error in the content of a box."""

    def __init__(self, box: str, message: str) -> None:
        super().__init__(message)
        self.box = box


@dataclass(frozen=True)
class Given:
    """The content of a box.

    Attributes:
        file: the name of that file; empty if the text was typed.
        column: the chosen column of JSON lines; empty for the default.
        usual_columns: the names of columns that are read by default.
    """

    box: str
    text: str
    file: str = ""
    column: str = ""
    usual_columns: tuple[str, ...] = ()

    @property
    def is_blank(self) -> bool:
        """Whether the text is whitespace only."""
        return not self.text.strip()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of JSON lines; empty for any other text."""
        return columns_of(self.text)

    @cached_property
    def chosen(self) -> str:
        """The column to read; empty if the text has no columns."""
        if not self.columns:
            return ""
        listed = ", ".join(self.columns)
        if self.column:
            if self.column not in self.columns:
                raise BoxError(self.box, f"there is no column {self.column!r}; the columns are {listed}.")
            return self.column
        found = [name for name in self.usual_columns if name in self.columns] or list(self.columns)
        if len(found) > 1 and found[0] not in self.usual_columns:
            raise BoxError(self.box, f"JSON lines with the columns {listed}: choose the one to read under Column.")
        return found[0]

    @cached_property
    def rows(self) -> list[str] | list[list[str]]:
        """The values of the column, one per utterance."""
        rows: list[Any] = []
        for number, line in enumerate(self.text.removeprefix("\ufeff").removesuffix("\n").split("\n"), 1):
            value = _object(line).get(self.chosen)
            is_list = isinstance(value, list) and all(isinstance(word, str) for word in value)
            if not isinstance(value, str) and not is_list:
                shown = line if len(line) <= 60 else f"{line[:59]}…"
                raise BoxError(
                    self.box,
                    f"line {number}: expected a JSON object with a text or a list of words under {self.chosen!r}, received "
                    f"{shown!r}. For labels use the command.",
                )
            if rows and isinstance(rows[0], str) != isinstance(value, str):
                raise BoxError(
                    self.box, f"line {number}: expected texts or lists of words on all lines, received both."
                )
            rows.append(value.replace("\n", " ") if isinstance(value, str) else value)
        return rows

    @cached_property
    def form(self) -> TextForm | None:
        """The recognised form of the box; None for lists of words."""
        if not self.chosen:
            return recognise_form(self.text)
        rows = self.rows
        return recognise_form("\n".join(rows)) if are_texts(rows) else None


@dataclass(frozen=True)
class Sides:
    """Boxes that belong together, as they were read.

    Attributes:
        form: the form for the options; for CoNLL-U and lists of words, the form of their words.
    """

    utterances: dict[str, Utterances]
    forms: dict[str, str]
    form: TextForm
    given: dict[str, Given]

    @property
    def reading(self) -> dict[str, Any]:
        """The options for reading utterances."""
        return self.form.options()

    def signed(self, signature: str) -> str:
        """The signature of scores of the utterances, with the form of the texts in place of that of their lists.

        Words of CoNLL-U are scored as lists; the command, which reads the files, names their form.
        """
        reference, *others = (each.form for each in self.given.values())
        if reference is None:
            return signature
        are_conllu = all(form is not None and form.text_format == "conllu" for form in (reference, *others))
        return signature.replace("|text:lists|", f"|text:{'conllu' if are_conllu else 'words'}|", 1)

    @property
    def read_as(self) -> str:
        """A description of the forms of the boxes."""
        return "; ".join(dict.fromkeys(self.forms.values()))


def columns_of(text: str) -> tuple[str, ...]:
    """The columns of JSON lines that hold texts or lists, judged by the first line; empty for any other text.

    >>> columns_of('{"id": 1, "reference": "the dog"}')
    ('reference',)
    """
    first = text.removeprefix("\ufeff").lstrip().partition("\n")[0]
    found = _object(first) if first.startswith("{") else {}
    return tuple(name for name, value in found.items() if isinstance(value, (str, list)))


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_sides(
    given: Sequence[Given], form: str = "recognise", word_boundary: str = "", ignored_tokens: str = ""
) -> Sides:
    """Read boxes that belong together, the first one the reference."""
    boxes = {each.box: each for each in given}
    found = {box: each.form for box, each in boxes.items()}
    with_lists = form in ("recognise", "conllu") and any(
        each is None or each.text_format == "conllu" for each in found.values()
    )
    texts = {box: each.text for box, each in boxes.items() if not each.chosen}
    rows = {box: each.rows for box, each in boxes.items() if each.chosen}
    joined = [*texts.values(), *("\n".join(values) for values in rows.values() if are_texts(values))]
    chosen = find_form(form, joined, word_boundary, ignored_tokens)
    if with_lists or chosen.text_format == "conllu":
        if word_boundary.strip() or ignored_tokens.strip():
            raise BoxError(
                "settings", "word boundary and ignored tokens are for units text: clear them, or choose other texts."
            )
        chosen = TextForm("conllu", reason=chosen.reason if chosen.text_format == "conllu" else "")
    utterances: dict[str, Utterances] = {}
    as_lists = chosen.text_format == "conllu"
    are_conllu = [each is not None and each.text_format == "conllu" for each in found.values()]
    # Words of CoNLL-U may contain spaces; leave them out if the other text can't contain them.
    beside = [] if all(are_conllu) else ["x"]
    for (box, text), is_conllu in zip(
        texts.items(), [are_conllu[list(boxes).index(box)] for box in texts], strict=True
    ):
        try:
            if as_lists and not is_conllu and (any(are_conllu) or rows):
                utterances[box] = [line.split() for line in read_texts([text], _WORDS)[0]]  # type: ignore[union-attr]
            else:
                utterances[box] = read_texts([text, *(beside if is_conllu else [])], chosen)[0]
        except UtteranceError as error:
            raise BoxError(box, f"line {error.utterance + 1}: {error.detail}") from None
    for box, values in rows.items():
        utterances[box] = [value.split() for value in values] if as_lists and are_texts(values) else values
        if not as_lists and not are_texts(values):
            raise BoxError(box, "these are lists of words: choose the form recognise.")
    forms = {box: _described(each, chosen, form) for box, each in boxes.items()}
    return Sides({box: utterances[box] for box in boxes}, forms, chosen, boxes)


def are_texts(rows: list[str] | list[list[str]]) -> TypeGuard[list[str]]:
    """Whether the values of a column are texts, not lists of words."""
    return not rows or isinstance(rows[0], str)


def _described(given: Given, chosen: TextForm, form: str) -> str:
    own = given.form
    if own is None:
        described = "lists of words"
    elif chosen.text_format == "conllu" and own.text_format != "conllu" and form == "recognise":
        described = str(_WORDS)
    else:
        described = str(chosen)
    return f"JSON lines, {given.chosen}: {described}" if given.chosen else described


def find_form(form: str, texts: Sequence[str], word_boundary: str = "", ignored_tokens: str = "") -> TextForm:
    """The form of texts: as chosen by the visitor, or recognised.

    Args:
        word_boundary, ignored_tokens: for units text, as typed; empty for the defaults. If given, the form is units text.
    """
    if form not in FORMS:
        raise BoxError("settings", f"unknown form {form!r}: expected one of {', '.join(FORMS)}.")
    found = recognise_form(*texts)
    boundary, ignored = word_boundary.strip(), tuple(ignored_tokens.split())
    if len(boundary.split()) > 1:
        raise BoxError("settings", f"word boundary: expected a token without whitespace, received {boundary[:80]!r}.")
    if boundary or ignored:
        if form in ("words", "conllu"):
            raise BoxError(
                "settings",
                f"word boundary and ignored tokens are for units text: clear them, or choose another form than {form}.",
            )
        found = found if found.text_format == "units" else TextForm("units")
        return TextForm("units", boundary or found.word_boundary, ignored or found.ignored_tokens)
    if form not in ("recognise", found.text_format):
        found = TextForm(form)
    return found


def check_text(box: str, text: object) -> str:
    """Check that a value is a text and not too long, and return it."""
    if not isinstance(text, str):
        raise BoxError(box, f"{box}: expected a text, received {type(text).__name__}.")
    if len(text) > MAX_CHARACTERS:
        raise BoxError(
            box, f"{box}: {len(text):,} characters; this page takes {MAX_CHARACTERS:,}. Use the command for more."
        )
    if "\0" in text:
        raise BoxError(
            box, f"{box}: there is a NUL character (U+0000) at offset {text.index(chr(0))}, which no text has."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = f"half a surrogate pair (U+{ord(text[error.start]):04X}) at offset {error.start}"
        raise BoxError(box, f"{box}: there is {found}, which no text has.") from None
    return text


def check_resampled(box: str, utterances: int, words: int, *, n_resamples: int, systems: int = 1) -> None:
    """Reject a resampling that would take too long for the page."""
    received = f"{counted(utterances, 'utterance')} of {counted(words, 'word')}"
    if words > MAX_RESAMPLED_WORDS:
        raise BoxError(
            box,
            f"{received} are too many to be resampled here: the page takes {MAX_RESAMPLED_WORDS:,} words. Use the command.",
        )
    if utterances * n_resamples * systems > MAX_RESAMPLED:
        most = MAX_RESAMPLED // (utterances * systems)
        raise BoxError(
            box, f"{received} are resampled up to {most:,} times here, not {n_resamples:,}. Use the command for more."
        )


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def problem_of(error: Exception, boxes: Sequence[str]) -> BoxError:
    """Assign an error to a box: the box that it is about, the settings for options, or the prediction for a pair of boxes."""
    box = error.box if isinstance(error, BoxError) else _BOXES.get(getattr(error, "side", ""), "")
    if box not in boxes:
        box = "prediction" if "prediction" in boxes else boxes[-1]
    return BoxError(box, message_of(error))


def message_of(error: Exception) -> str:
    """The message of an error; utterances count from 1."""
    return f"utterance {error.utterance + 1}: {error.detail}" if isinstance(error, UtteranceError) else str(error)
