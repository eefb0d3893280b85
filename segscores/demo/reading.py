"""Reading: from boxes and files to texts, and from errors to the box that they are about."""

from __future__ import annotations

__all__ = [
    "FORMS",
    "MAX_CHARACTERS",
    "MAX_FILE_BYTES",
    "BoxError",
    "check_resampled",
    "check_text",
    "counted",
    "find_form",
    "note",
    "problem_note",
    "text_of",
]

from html import escape
from pathlib import Path
from typing import Any

from ..reading.texts import recognise_form

#: What a page takes of one text; the command takes files of any size.
MAX_CHARACTERS = 5_000_000
MAX_FILE_BYTES = 10_000_000
#: What a page resamples: words of all predictions, and utterances, each counted for every system and every resample.
MAX_RESAMPLED_WORDS, MAX_RESAMPLED = 1_000_000, 150_000_000

#: How a text can be read, as the visitor chooses it.
FORMS = ["recognise", "words", "units", "conllu"]

#: Where the metric's errors name a side, the box that has it.
_BOXES = {"references": "reference", "predictions": "prediction", "difficulties": "difficulties"}


class BoxError(ValueError):
    """What is wrong with the content of one box.

    Attributes:
        box: its name, as the tabs call it.
    """

    def __init__(self, box: str, message: str) -> None:
        super().__init__(message)
        self.box = box


def text_of(box: str, text: str, file: str | None) -> str:
    """The text of a box, or of the file beside it where there is one.

    Raises:
        BoxError: it is too long, or the file is no UTF-8 text.
    """
    if not file:
        return check_text(box, text)
    path = Path(file)
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise BoxError(box, f"the file has {size:,} bytes; this page takes {MAX_FILE_BYTES:,}. Use the command for it.")
    try:
        return check_text(box, path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BoxError(
            box,
            f"{path.name}: the byte 0x{error.object[error.start]:02x} at offset {error.start} is not valid UTF-8; expected a "
            f"text file, not packed, in UTF-8.",
        ) from None


def check_text(box: str, text: object) -> str:
    """The text, if it is one and not too long.

    Raises:
        BoxError: it is no text or too long.
    """
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
    """Refuse what a page would work at for too long.

    Args:
        box: the one that the message is about.
        utterances: of the reference.
        words: of all predictions.
        n_resamples: how many times the utterances are drawn.
        systems: how many systems there are.

    Raises:
        BoxError: it is too much.
    """
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


def find_form(form: str, texts: list[str], word_boundary: str = "", ignored_tokens: str = "") -> Any:
    """How the texts are to be read: as the visitor says, or as the texts look.

    Args:
        form: one of FORMS.
        texts: those that belong together.
        word_boundary, ignored_tokens: for units text, as typed; empty for what is usual.

    Raises:
        BoxError: `form` is no form.
    """
    if form not in FORMS:
        raise BoxError("form", f"unknown form {form!r}: expected one of {', '.join(FORMS)}.")
    found = recognise_form(*texts)
    if form not in ("recognise", found.text_format):
        found = type(found)(form)
    boundary, ignored = word_boundary.strip(), tuple(ignored_tokens.split())
    if form == "units" and (boundary or ignored):
        found = type(found)("units", boundary or found.word_boundary, ignored or found.ignored_tokens)
    return found


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def note(text: str) -> str:
    """A line under a box."""
    return f"<p class=note>{escape(text)}</p>"


def problem_note(error: Exception, boxes: tuple[str, ...]) -> dict[str, str]:
    """What is wrong, under the box that it is about, or where it is between boxes under the prediction, else the last one.

    Args:
        error: an error of the metric, or a `BoxError`.
        boxes: the names of the boxes that have a line for it.
    """
    box = error.box if isinstance(error, BoxError) else _BOXES.get(getattr(error, "side", ""), "")
    if box not in boxes:
        box = "prediction" if "prediction" in boxes else boxes[-1]
    shown = f'<p class="note problem" role=alert>{escape(str(error))}</p>'
    return {name: shown if name == box else "" for name in boxes}
