"""Hints of labels: the option with which the labels of an utterance that cannot be read are readable on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..options.messages import Hint, Message, literal
from ..options.table import OPTIONS
from .inputs import LABELS, Column
from .labels import LABEL_MARKS, LABEL_SCHEMES, PADDING, plain_tag
from .reading import Reading


def label_hint(reference: Sequence[object], prediction: Sequence[object], reading: Reading) -> str:
    """Return the question or advice on labels of an utterance that cannot be read as the options say; empty if there is none.

    A label scheme is proposed only if it has all labels of both sides.

    >>> label_hint(["B", "E"], ["S", "S"], Reading.of(label_scheme="BI"))
    'Did you mean label_scheme="BMES"?'
    """
    scheme = reading.label_scheme
    ignore_index = reading.ignore_index
    has_ids = reading.id2label is not None
    # The labels of both sides pair only if they are equally many.
    if scheme is None or len(reference) != len(prediction):
        return ""
    if ignore_index is not None:
        return _swapped_hint(reference, prediction, ignore_index)
    labels = [*reference, *prediction]
    ids_hint = _ids_hint(labels, has_ids=has_ids)
    if PADDING in reference:
        # The labels of both sides where the reference has no padding.
        pairs = zip(reference, prediction, strict=True)
        kept = [(left, right) for left, right in pairs if left != PADDING]
        if _marks_in(chain.from_iterable(kept), scheme) is not None:
            add = Hint("add ", OPTIONS["ignore_index"].set(PADDING), ", or ")
            return Message("Is it padding? Then ", add, "drop masked positions. ", *ids_hint)
    if PADDING in prediction:
        return _swapped_hint(reference, prediction, PADDING)
    schemes_hint = _schemes_hint(labels, scheme)
    are_integers = all(isinstance(label, int) for label in labels)
    if not are_integers or not ids_hint:
        return Message(*schemes_hint)
    if not schemes_hint:
        return Message(*ids_hint)
    return Message(*ids_hint, " ", *schemes_hint)


def _marks_in(labels: Iterable[object], scheme: str) -> tuple[int, ...] | None:
    """Return what each label marks in a scheme, as in LABEL_MARKS; None if some label is not of the scheme."""
    marks_of_tags = {str(label): mark for label, mark in LABEL_MARKS[scheme].items()}
    tags = [plain_tag(str(label)) for label in labels]
    if not marks_of_tags.keys() >= {*tags}:
        return None
    return tuple(marks_of_tags[tag] for tag in tags)


def _schemes_hint(labels: Sequence[object], scheme: str) -> list[object]:
    """Return the fragments of a message that propose the other schemes that have these labels; none if there is no such one.

    Of schemes that read the labels alike, such as "BIO" and "BIOES" for B and I, the first one is proposed.
    """
    scheme_of_marks: dict[tuple[int, ...], str] = {}
    for name in LABEL_SCHEMES:
        marks = _marks_in(labels, name)
        if name != scheme and marks is not None and marks not in scheme_of_marks:
            scheme_of_marks[marks] = name
    if not scheme_of_marks:
        return []
    first, *others = scheme_of_marks.values()
    alternatives = "".join(f" or {literal(name)}" for name in others)
    return ["Did you mean ", OPTIONS["label_scheme"].set(first), f"{alternatives}?"]


def _swapped_hint(reference: Sequence[object], prediction: Sequence[object], ignore_index: int) -> str:
    """Return the question whether the sides are swapped, if only the prediction has ignored positions; else an empty string."""
    if ignore_index in prediction and ignore_index not in reference:
        return "Positions to ignore are those of the references: are predictions and references swapped?"
    return ""


def _ids_hint(labels: Iterable[object], *, has_ids: bool) -> list[object]:
    """Return the fragments of a message that ask for the tags of class ids; none if the tags of the ids are given."""
    if has_ids:
        return []
    tags: object = OPTIONS["id2label"]
    are_two_classes = {0, 1, PADDING}.issuperset(labels)
    if are_two_classes:
        tags = OPTIONS["id2label"].set(["B", "I"])
    question = "Are the labels class ids of a model? Then pass the tag of each, as by "
    return [question, tags, ", in place of ", OPTIONS["label_scheme"], "."]


#: The first utterances whose first and last labels are looked at, and the fewest that show a habit.
_FIRST_UTTERANCES = 128
_FEWEST = 3
#: The same of tags.
_FEWEST_WITH_TAGS = 8
#: The fewest types of tags that show entities: words may all have one type.
_FEWEST_TYPES = 2
#: The fewest runs of equal labels that show how long words are, and the share of them that is no longer than the usual length.
_FEWEST_RUNS = 16
_USUAL_QUANTILE = 0.95

#: The shares of 1 among labels between which 0 and 1 may be swapped. Of characters of Chinese, about six in ten begin a word.
_LEAST_ONES = 0.65
_MOST_ONES = 0.95


class _Edge(NamedTuple):
    """The edge of words, their start or their end, that 1 marks in a scheme of 0 and 1, and the label that is then always 1.

    With the scheme "start" the words `the dog` have the labels 1 0 0 1 0 0, and the first label of each utterance is 1.
    """

    scheme: str
    verb: str  #: what 1 does to a word, for the message
    label: str  #: which label of an utterance, for the message
    position: int  #: of this label in the utterance


_EDGES = {
    "start": _Edge(scheme="start", verb="starts", label="first", position=0),
    "end": _Edge(scheme="end", verb="ends", label="last", position=-1),
}


def doubt_of_labels(labels: Column, reading: Reading, *, is_reference: bool = False) -> Message | None:
    """Return the doubt that labels mean another thing than they are read as; None if there is none.

    Labels may be padded, 1 may mark the other edge of words, or gaps between units, and 0 and 1 may be swapped. Tags are looked
    at in the references alone.

    >>> import pyarrow as pa
    >>> columns = pa.chunked_array([[[0, 1], [1, 0, 1], [0, 0, 1]]], LABELS)
    >>> print(doubt_of_labels(columns, Reading.of(label_scheme="start")))
    the last label of each of the first 3 utterances is 1, and the first of 2 is 0: if 1 ends a word, add label_scheme="end".
    """
    scheme = reading.label_scheme
    if scheme is None:
        return None
    if scheme not in _EDGES:
        written = _first_tags(labels, reading) if is_reference else []
        return _doubt_of_entities(written) or _doubt_of_tags([[*map(plain_tag, tags)] for tags in written])
    if labels.type != LABELS or len(labels) < _FEWEST:
        return None
    ignore_index = reading.ignore_index
    # The references say which positions are ignored: predictions may have any labels there, such as those of padding.
    if ignore_index is not None and not is_reference:
        return None
    first_utterances = labels.slice(0, _FIRST_UTTERANCES).to_pylist()
    if ignore_index is not None:
        first_utterances = [[label for label in utterance if label != ignore_index] for utterance in first_utterances]
    if is_reference and _are_padded(first_utterances):
        return _doubt_of_padding(first_utterances)
    # The only label of an utterance is its first and its last one.
    utterances = [utterance for utterance in first_utterances if len(utterance) > 1]
    if len(utterances) < _FEWEST:
        return None
    return _doubt_of_edges(utterances, _EDGES[scheme], is_reference=is_reference)


def _doubt_of_edges(utterances: Sequence[Sequence[int]], expected: _Edge, *, is_reference: bool) -> Message | None:
    """Return the doubt that 1 marks another edge than the expected one, or gaps, or that 0 and 1 are swapped; else None.

    Where 1 starts a word, the first label of each utterance is 1, and where 1 ends a word, the last one is. An annotator may have
    left the first label 0, since no boundary is there; but then the last labels of all utterances are 1 by chance alone. The
    labels of gaps begin with 1 in some utterances and with 0 in others, as those of a prediction may; no reference does.
    """
    (other,) = [edge for edge in _EDGES.values() if edge is not expected]
    zero_count = sum(utterance[expected.position] == 0 for utterance in utterances)
    if not zero_count:
        return None
    is_never_one = zero_count == len(utterances)
    if is_never_one and is_reference and _have_token_at_edge(expected, utterances):
        return _doubt_of_token_at_edge(expected, len(utterances))
    if is_never_one and _have_zeros_for_ones(utterances):
        return _doubt_of_zeros(expected, utterances)
    others_are_one = all(utterance[other.position] == 1 for utterance in utterances)
    if others_are_one:
        received = f"the {other.label} label of each of the first {len(utterances)} utterances is 1"
        lacking = f", and the {expected.label} of {zero_count} is 0: "
        proposal = OPTIONS["label_scheme"].set(other.scheme)
        return Message(received, lacking, f"if 1 {other.verb} a word, add ", proposal, ".")
    if is_reference and not is_never_one:
        return _doubt_of_gaps(expected, zero_count, len(utterances))
    return None


def _first_tags(labels: Column, reading: Reading) -> list[list[str]]:
    """Return the tags of the first utterances as they are written, without those of ignored positions."""
    names = reading.id2label
    utterances: list[list[Any]] = labels.slice(0, _FIRST_UTTERANCES).to_pylist()
    if labels.type != LABELS:
        return utterances
    if names is None:
        return []
    # An id without a name is an error elsewhere.
    return [[names[id_] for id_ in utterance if 0 <= id_ < len(names)] for utterance in utterances]


def _doubt_of_entities(utterances: Sequence[Sequence[str]]) -> Message | None:
    """Return the doubt that tags are of entities, which have several types, and O, which is outside of them, has none; else None.

    >>> print(_doubt_of_entities([["B-PER", "I-PER", "O"], ["O", "B-LOC"]]))
    the tags have types, such as LOC and PER, which are not compared, and each O is a word of one unit: a scorer of entities, \
such as seqeval, compares types, and has no O.
    """
    tags = set(chain.from_iterable(utterances))
    types = sorted({tag.partition("-")[2] for tag in tags} - {""})
    has_outside = "O" in tags or "o" in tags
    if len(types) < _FEWEST_TYPES or not has_outside:
        return None
    received = f"the tags have types, such as {types[0]} and {types[1]}, which are not compared, "
    return Message(
        received,
        "and each O is a word of one unit: a scorer of entities, such as seqeval, compares types, and has no O.",
    )


def _doubt_of_tags(utterances: Sequence[Sequence[str]]) -> Message | None:
    """Return the doubt that the tags B and I are swapped, or that O stands for padding or special tokens; else None.

    >>> print(_doubt_of_tags([["I", "B"], ["I", "I", "B"]] * 4))
    the first tag of each of the first 8 utterances with several tags is I, which continues a word: are the tags B and I swapped?
    """
    longer = [tags for tags in utterances if len(tags) > 1]
    if len(longer) < _FEWEST_WITH_TAGS:
        return None
    is_tag = f"the first {len(longer)} utterances with several tags is"
    shown = f"of each of {is_tag}"
    are_continued = {tags[0] for tags in longer} == {"I"}
    # Where hardly any word has a B, the tags are those of a scheme without it.
    have_b = 2 * sum("B" in tags for tags in longer) >= len(longer)
    if are_continued and have_b:
        return Message(f"the first tag {shown} I, which continues a word: are the tags B and I swapped?")
    # If O stood for words of one unit, it would be between other words too.
    is_at_ends_alone = all("O" not in _without_ends(tags, "O") for tags in longer)
    last_count = sum(tags[-1] == "O" for tags in longer)
    are_equally_long = len({*map(len, longer)}) == 1
    if last_count < len(longer):
        shown = f"of {last_count} of {is_tag}"
    # The longest utterances of a padded batch end in no padding.
    are_most = last_count == len(longer) or (are_equally_long and 2 * last_count > len(longer))
    if is_at_ends_alone and are_most:
        problem = "which is read as a word of one unit and stands nowhere but at the ends: if it is padding, or a token such as "
        return Message(f"the last tag {shown} O, ", problem, "[SEP], leave these positions out on both sides.")
    if are_equally_long and _have_long_ends(np.unique(longer, return_inverse=True)[1].reshape(len(longer), -1)):
        return _doubt_of_padding(longer)
    return None


def _without_ends(tags: Sequence[str], tag: str) -> Sequence[str]:
    """Return the tags from the first to the last one that is another than this.

    >>> _without_ends(["O", "B", "I", "O", "O"], "O")
    ['B', 'I']
    """
    others = [index for index, other in enumerate(tags) if other != tag]
    return tags[others[0] : others[-1] + 1] if others else []


def _doubt_of_padding(utterances: Sequence[Sequence[object]]) -> Message:
    """Return the doubt that labels are those of a padded batch, whose utterances are equally long."""
    received = f"the first {len(utterances)} utterances have {len(utterances[0])} labels each, and most end in more equal labels "
    problem = "than stand elsewhere: if these are padding, leave them out on both sides, or make the "
    remedy = f"references {PADDING} there, and add "
    return Message(received, problem, remedy, OPTIONS["ignore_index"].set(PADDING), ".")


def _are_padded(utterances: Sequence[Sequence[int]]) -> bool:
    """Return whether labels are likely those of a padded batch: utterances are equally long, and most have long ends."""
    are_equally_long = len({*map(len, utterances)}) == 1
    return are_equally_long and _have_long_ends(np.array(utterances))


def _have_long_ends(labels: np.ndarray[Any, Any]) -> bool:
    """Return whether most rows end in twice as many equal labels as stand together elsewhere, as those of a padded batch do.

    Equal rows count once, and the longest runs of labels elsewhere are no measure, as a row of one long word may have them.

    >>> rows = [[1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1], [1, 1, 0, 1, 1, 0], [1, 1, 1, 0, 1, 1]]
    >>> _have_long_ends(np.array([[*row, *[0] * 6] for row in rows]))
    True
    """
    distinct = np.unique(labels, axis=0)
    row_count, unit_count = distinct.shape
    if not unit_count:
        return False
    # The rows 1 0 1 1 1 and 1 1 0 1 0 have runs of 1 1 3 and of 2 1 1 1 labels.
    begins_run = np.ones(distinct.shape, bool)
    begins_run[:, 1:] = distinct[:, 1:] != distinct[:, :-1]
    starts = np.flatnonzero(begins_run)
    lengths = np.diff(starts, append=distinct.size)
    is_last = (starts + lengths) % unit_count == 0
    lengths_elsewhere = np.sort(lengths[~is_last])
    # A row of one word and padding has two runs.
    have_words = len(starts) >= 3 * row_count
    if len(lengths_elsewhere) < _FEWEST_RUNS or not have_words:
        return False
    usual_length = lengths_elsewhere[int(_USUAL_QUANTILE * (len(lengths_elsewhere) - 1))]
    long_count = np.count_nonzero(lengths[is_last] > 2 * usual_length)
    return bool(long_count >= _FEWEST and 2 * long_count > row_count)


def _have_zeros_for_ones(utterances: Sequence[Sequence[int]]) -> bool:
    """Return whether 0 likely marks words, where the label at the edge of each utterance is 0: most labels are 1.

    An annotator may leave this label 0 too, since no boundary is there, and all others may be 1, as where each gap is a boundary.

    >>> _have_zeros_for_ones([[0, 1, 1, 0, 1, 1, 1, 1]]), _have_zeros_for_ones([[0, 1, 0, 0, 1, 0, 0, 0]])
    (True, False)
    """
    labels = [*chain.from_iterable(utterances)]
    return _LEAST_ONES * len(labels) < labels.count(1) < _MOST_ONES * len(labels)


def _doubt_of_zeros(expected: _Edge, utterances: Sequence[Sequence[int]]) -> Message:
    """Return the doubt that 0 and 1 are swapped."""
    labels = [*chain.from_iterable(utterances)]
    received = (
        f"the {expected.label} label of each of the first {len(utterances)} utterances is 0, and {labels.count(1)} of "
    )
    return Message(received, f"{len(labels)} labels are 1: if 0 {expected.verb} a word, swap 0 and 1.")


def _have_token_at_edge(expected: _Edge, utterances: Sequence[Sequence[int]]) -> bool:
    """Return whether the label next to that of the edge is 1 in all utterances, as where the edge has that of a special token.

    Where 1 starts a word, a first label 0 and a second one 1 make the first word one unit long, in all utterances.
    """
    inner = 1 if expected.position == 0 else -2
    return len(utterances) >= _FEWEST_WITH_TAGS and all(utterance[inner] == 1 for utterance in utterances)


def _doubt_of_token_at_edge(expected: _Edge, utterance_count: int) -> Message:
    """Return the doubt that the label at the edge of utterances is that of a special token."""
    received = (
        f"the {expected.label} label of each of the first {utterance_count} utterances is 0, and the one next to it 1: "
    )
    remedy = "if it is that of a token such as [CLS] or [SEP], leave these positions out on both sides."
    return Message(received, remedy)


def _doubt_of_gaps(expected: _Edge, zero_count: int, utterance_count: int) -> Message:
    """Return the doubt that labels are those of the gaps between units, of which there is one less than units."""
    received = f"the {expected.label} label of {zero_count} of the first {utterance_count} utterances is 0, and of the others 1. "
    place = "before" if expected.position == 0 else "after"
    rule = f"Each unit has a label, and where 1 {expected.verb} a word, the {expected.label} one is 1. "
    return Message(
        received, rule, f"If these are labels of the gaps between units, put 1 {place} those of each utterance."
    )
