"""The formats of text, and what other code asks of them all: the format of a name or of a text, and the reader of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from importlib import import_module
from typing import TypeAlias

import pyarrow as pa

from ...kernel.segmentation import Segmentation
from ...options.messages import OptionError, OptionTypeError, Settings
from ...options.table import OPTIONS, WORLDS
from ..class_tags import ClassTags, example_of_tags, from_class_ids
from ..form import EMPTY_LISTS, FORMS_OF_VALUES, LABEL_LISTS, NESTED_LISTS, NOTHING, RECORDED, STRINGS, WORD_LISTS, Form
from ..labels import LABEL_SCHEMES, from_labels
from ..layers import layers_of, nested_layers
from ..readers import from_word_lists, lines
from ..reading import Reading
from . import known, units, words
from .format import Evidence, Format
from .signs import beginning_of

Reader: TypeAlias = Callable[[pa.Array], Segmentation]

#: The format of a text that shows no other: what remedies propose.
PLAIN = words.FORMAT
#: The format with a boundary token between words.
UNITS = units.FORMAT
#: The modules of the rows in the order in which a text is recognised; those of formats that nothing shows are last. The formats
#: of a world stand in its folder.
MODULES = (
    "worlds.times.row",
    "worlds.documents.conllu",
    "worlds.tags.mecab",
    "reading.formats.conll",
    "worlds.morphs.sigmorphon",
    "worlds.tags.kytea",
    "worlds.tags.vlsp",
    "worlds.tags.tagged",
    "reading.formats.separated",
    "reading.formats.units",
    "reading.formats.words",
    "reading.formats.syllables",
    "worlds.morphs.alternatives",
)


def _rows() -> Iterator[Format]:
    """Yield the formats of the modules."""
    for name in MODULES:
        row: Format = import_module(f"segscores.{name}").FORMAT
        yield row


FORMATS: dict[str, Format] = {row.name: row for row in _rows()}
#: The names of the formats in which an utterance has several lines.
SENTENCE_FORMATS = tuple(row.name for row in FORMATS.values() if row.sentences is not None)
#: The forms that stored tallies name: of values, and of files in which an utterance has several lines. None names no utterances.
FORMS: dict[str | None, Form] = {
    form.name: form for form in (NOTHING, *FORMS_OF_VALUES.values(), *(row.form for row in FORMATS.values()))
}
_BYTE_ORDER_MARK = "\ufeff"
_END_MARK = "\x1a"  # of programs of DOS


def recognise(text: str, *, is_json: bool = False) -> tuple[Format, Evidence | None]:
    """Return the form of a text, by its first lines, and the evidence; without evidence, words text.

    The form has a reader, or the remedy of a form that is known and not read. `is_json` says that the name of the file means JSON
    lines, and that only another form of JSON would be remarkable.

    >>> row, evidence = recognise("東京\\t名詞\\nEOS\\n")
    >>> row.name, evidence.sign
    ('mecab', 'the lines EOS')
    >>> row, evidence = recognise("@UTF8\\n@Begin\\n*MOT:\\tlook .\\n")
    >>> row.name, evidence.sign
    ('chat', "line 1 is '@UTF8'")
    """
    content = text.removeprefix(_BYTE_ORDER_MARK).rstrip(_END_MARK)
    return _recognise(content.replace("\r\n", "\n"), is_json)


@lru_cache(maxsize=8)  # several places ask for the form of one file
def _recognise(text: str, is_json: bool) -> tuple[Format, Evidence | None]:
    """Return the first format of which a text has evidence, and the evidence; plain text and None if it has of none.

    `text` has no byte-order mark, and LF for CRLF.
    """
    beginning = beginning_of(text)
    # Formats that are read may show anywhere in the text, as by a boundary token. Those that are known and refused show at its
    # beginning.
    steps: list[tuple[Iterable[Format], str]] = [
        (known.EARLY, beginning),
        (FORMATS.values(), text),
        (known.LATE, beginning),
    ]
    for formats, searched in steps:
        for candidate in formats:
            if is_json and not candidate.is_json:
                continue
            evidence = candidate.evidence(searched)
            if evidence is not None:
                return candidate, evidence
    return PLAIN, None


def has_documents(text_format: str) -> bool:
    """Return whether a format of several lines per utterance marks where a document begins."""
    sentences = FORMATS[text_format].sentences
    return sentences is not None and sentences.read_documents is not None


def read_as(text_format: str) -> str:
    """Return the format in which utterances are read: formats of files are parsed into words, or into units text."""
    row = FORMATS[text_format]
    if row.sentences is None:
        return text_format
    return row.sentences.read_as


def sentence_reader(text_format: str) -> Callable[[bytes], Segmentation] | None:
    """Return the function that reads the parsed sentences of a format in which an utterance has several lines.

    None stands for the reader of text: of formats whose sentences are parsed into ordinary text, and of those of one line per
    utterance, for which `text_format` may be empty.
    """
    row = FORMATS.get(text_format)
    if row is None or row.sentences is None:
        return None
    return row.sentences.read


def joins_units(formats: Sequence[str]) -> list[bool]:
    """Return for each side whether its units are joined into words: if another side has no units, characters are the units.

    >>> joins_units(["units", "words"]), joins_units(["units", "units"])
    ([True, False], [False, False])
    """
    are_units = [FORMATS[read_as(text_format)].tokens_are_units for text_format in formats]
    return [is_units and not all(are_units) for is_units in are_units]


def check_form(form: Form, reading: Reading) -> None:
    """Check that the form of the input fits the options: labels have a scheme, and other values have none."""
    # Empty lists and nothing fit any options, and a world checks its recordings.
    if form in (EMPTY_LISTS, NOTHING, RECORDED):
        return
    if reading.world:
        expected = f": expected {WORLDS[reading.world]}, received {form.noun}"
        raise OptionTypeError(
            OPTIONS["text_format"].set(reading.world), f"{expected}: these are not read as {reading.world} here."
        )
    scheme = reading.label_scheme
    if reading.id2label is not None and form != LABEL_LISTS:
        example = "one list per utterance and one class id per unit, such as [[0, 1]]"
        id2label = OPTIONS["id2label"]
        raise OptionTypeError(
            id2label, f" is for lists of class ids, {example}; received {form.noun}: leave ", id2label, " out."
        )
    if scheme is not None and form == STRINGS:
        option = OPTIONS["label_scheme"]
        first_labels = [*LABEL_SCHEMES[scheme][:2]]
        example = f"one list per utterance and one label per unit, such as [{first_labels}]"
        problem = f" is for lists of labels, {example}; received {form.noun}. To score text, leave "
        raise OptionTypeError(option.set(scheme), problem, option, " out.")
    if scheme is None and form == LABEL_LISTS:
        raise _error_of_labels_alone()
    reads_nested_lists = bool(reading.analyses or reading.tags)
    if form == NESTED_LISTS and not reads_nested_lists:
        raise _error_of_nested_lists()
    if form == WORD_LISTS and reading.documents:
        expected = ": expected strings, each of which has the lines of a document"
        raise OptionTypeError(OPTIONS["documents"], expected, ", received lists of words, which have no lines.")


def _error_of_labels_alone() -> OptionTypeError:
    """Return the error for lists of integers without an option that says what they mean."""
    option = OPTIONS["label_scheme"]
    return OptionTypeError(
        "received lists of integers without ",
        OPTIONS["id2label"],
        ", which says what they mean: pass ",
        *example_of_tags(),
        ", or ",
        option.set("start"),
        " if 1 starts a word and 0 does not, or ",
        option.set("end"),
        " if 1 ends one.",
    )


def _error_of_nested_lists() -> OptionTypeError:
    """Return the error for lists of lists of words that no score reads.

    An example is "received lists of lists of words, which are pairs of words and tags for scores='tagged_token' or …; expected …"
    """
    received: list[object] = []
    for layer in nested_layers():
        if received:
            received.append(" or ")
        scores = Settings(OPTIONS["scores"].set(name) for name in layer.scores)
        received += [f"{layer.nested} for ", scores]
    expected = "; expected strings, or a list of words for each utterance."
    return OptionTypeError("received lists of lists of words, which are ", *received, expected)


def reader_for(form: Form, reading: Reading) -> Reader:
    """Return the reader for a form under the options, which `check_form` has checked."""
    scheme = reading.label_scheme
    if scheme is not None and reading.id2label is not None:
        return partial(from_class_ids, tags=ClassTags.of(scheme, reading.id2label))
    if scheme is not None:
        return partial(from_labels, scheme=scheme)
    for layer in layers_of(reading):
        reader = layer.reader(form, reading)
        if reader is not None:
            return reader
    if form != STRINGS:
        return partial(from_word_lists, keeps_spaces=reading.keeps_spaces)
    read = text_reader(reading)
    return lambda utterances: read(lines(utterances))


def text_reader(reading: Reading) -> Callable[[bytes], Segmentation]:
    """Return the reader of blocks of whole lines."""
    row = FORMATS[reading.text_format]
    read = row.read
    if read is None:
        raise OptionError(
            row.setting, ': it is for files; strings are "units" or "words", or of another format of lines.'
        )
    return partial(read, reading=reading)
