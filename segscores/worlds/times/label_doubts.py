"""Doubts about labels: labels of silence that count as words, and labels of two sides that do not pair.

The sides are columns of recordings, as in `doubts`. Their labels are numbers of one list, negative for silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Floats, Mask, Positions, numbers_of, offsets_of
from ...kernel.record import record
from ...options.errors import warn
from ...options.messages import Message
from ...options.quoting import shortened
from ...options.table import OPTIONS
from .intervals import SILENCE

#: The value of the option `label_map` that is no file.
LOWER = "lower"
#: A label is likely silence if it has at least this share of the silence of the other side,
_LEAST_OF_SILENCE = 0.5
#: and at most this share of its own time is within words of the other side.
_MOST_WITHIN_WORDS = 0.2
#: Labels are doubted if more than this share of those of a side would pair but for case and signs.
_MOST_UNLIKE = 0.1
#: The names of silence with signs around them, as in `[silence]` and `<pau>`.
_NAMES_OF_SILENCE = ("sil", "silence", "pau", "pause", "sp", "nonspeech")
#: Signs around a name, the first and the last one.
_BRACKETS = ("[]", "<>", "()", "{}")
_PAIRS_OF_SIGNS = ("++", "**", "##")
#: Further names of silence, and those of noise, between such signs. With a hyphen, for instance, they may be words.
_NAMES_IN_BRACKETS = (
    *("ssil", "nsn", "noise", "breath", "br", "brth", "nib", "usb", "laugh", "laughter", "cough", "lipsmack", "inhale"),
    *("vocnoise", "vocalizednoise", "iver", "music", "applause", "click", "spk", "nps", "fil", "sta"),
    *("pad", "blank", "blk", "eps", "epsilon", "empty", "background"),
)
#: The names of silence in other languages.
_NAMES_IN_OTHER_LANGUAGES = (
    *("静音", "靜音", "空白", "无声", "無声", "無聲", "无音", "無音", "沉默", "沈黙", "停顿", "停頓", "침묵", "묵음", "เงียบ"),
    *("stille", "schweigen", "silencio", "silêncio", "silenzio", "pausa", "тишина", "пауза", "молчание"),
)  # fmt: skip
#: The ends of utterances of models, and of HTK's networks.
_ENDS = frozenset({"<s>", "</s>", "!enter", "!exit"})
#: The place of a phone in its word, as Kaldi writes it: `sil_S`.
_PLACE_IN_WORD = re.compile(r"_[BIES]$")
#: Letters that stand for a pause and a breath in brackets, as in `<p>`; elsewhere they are phones.
_LETTERS_IN_BRACKETS = ("p", "b")
#: Long names, which may be words too, those of TIMIT and those of missing values. A name is doubted where a twentieth of the
#: words of a side have it; `sta` and `na` are frequent words of some languages.
_NAMES_ALONE = frozenset(
    (
        *_NAMES_OF_SILENCE,
        *_NAMES_IN_OTHER_LANGUAGES,
        *(name for name in _NAMES_IN_BRACKETS if len(name) > 3),
        "h#",
        "epi",
        "nan",
        "none",
        "null",
    )
)
_SHARE_OF_NAME = 0.05
#: Punctuation and quotation marks of text, which may stand around the word `silence` too.
_MARKS_OF_TEXT = ".,;:!?…。，！？'\"‘’“”«»"
#: A sign for silence, such as `#`, `_` or `{SL}`. Phonemes of SAMPA may be other signs, such as `{` and `@`, and a word of a
#: transcript a single mark.
_SIGN_OF_SILENCE = re.compile(r"[]#_*%<>\[()+…~=|/\\-]+|\.{2,}|\{.+\}")
#: A pause with its length, as in transcripts of conversations: `(0.3)`, and `(.)` for a short one.
_PAUSE_WITH_LENGTH = re.compile(r"\(\d*[.,]\d*\)")
#: Sides that share no label are doubted if one has this many times as many words as the other,
_TIMES_AS_MANY = 2
#: and the other at least as many as this.
_FEWEST_OF_LEVEL = 10
#: Sides that share at least this many labels, and half of those of the prediction, are doubted
_FEWEST_SHARED = 6
#: if at least this many words of the prediction have a word of the reference in their middle,
_FEWEST_AT_ONE_TIME = 12
#: and at most this share of them has the label of that word.
_MOST_EQUAL = 0.1
#: A number as a label, perhaps behind a letter.
_NUMBERED = re.compile(r"\w?\d+")
#: The first letters of the Unicode categories of punctuation, symbols, controls and separators.
_SIGNS = "PSCZ"


_Codes: TypeAlias = npt.NDArray[np.signedinteger[Any]]


@record
class LabelledSide:
    """A side of a comparison: its name for messages, and its intervals, one recording after the other.

    Attributes:
        starts, ends: in ticks, on an axis on which all recordings of all sides follow each other.
        codes: the numbers of the labels, negative for silence.
        recordings: the recording of each interval.
        labels: the labels of its words.
    """

    place: str
    starts: Positions
    ends: Positions
    codes: _Codes
    recordings: Positions
    labels: frozenset[str]

    @property
    def is_labelled(self) -> bool:
        """True if a word has a label."""
        return bool(self.labels - {""})

    @property
    def is_word(self) -> Mask:
        """A mask of the intervals that are not silence."""
        return self.codes >= 0

    def count_words(self) -> int:
        """Return the number of intervals that are not silence."""
        return int(np.count_nonzero(self.is_word))

    def time_within_words(self, times: Positions) -> Floats:
        """Return how much time of words there is up to each of these times."""
        order = np.argsort(self.starts[self.is_word], kind="stable")
        starts = self.starts[self.is_word][order]
        # Words that overlap, which is an error later, are taken to end where the next one begins.
        ends = np.minimum(self.ends[self.is_word][order], np.append(starts[1:], self.ends.max(initial=0)))
        # Words from 2 to 5 and from 6 to 7: at 2 5 6 7 there are 0 3 3 4.
        edges = np.stack((starts, ends), axis=1).ravel()
        lengths = np.diff(edges, prepend=edges[:1])
        lengths[::2] = 0
        return np.interp(times, edges, np.cumsum(lengths)) if len(edges) else np.zeros(len(times))


def labelled_sides(columns: Sequence[Any], labels: Sequence[str], places: Sequence[str]) -> list[LabelledSide]:
    """Return the sides of these columns, whose labels are numbers of `labels`; `places` are their names."""
    ends_of_sides = [numbers_of(column.field("ends").values) for column in columns]
    recordings_of_sides = []
    lengths = np.zeros(len(columns[0]), np.int64)
    for column, ends in zip(columns, ends_of_sides, strict=True):
        recordings = np.repeat(np.arange(len(column)), np.diff(offsets_of(column.field("ends"))))
        np.maximum.at(lengths, recordings, ends)
        recordings_of_sides.append(recordings)
    begins = np.cumsum(lengths) - lengths
    sides = []
    for column, place, ends, recordings in zip(columns, places, ends_of_sides, recordings_of_sides, strict=True):
        starts = numbers_of(column.field("starts").values)
        codes = numbers_of(column.field("labels").values)
        used = np.unique(codes)
        sides.append(
            LabelledSide(
                place,
                starts + begins[recordings],
                ends + begins[recordings],
                codes,
                recordings,
                frozenset(labels[code] for code in used[used >= 0].tolist()),
            )
        )
    return sides


@record
class NamedSilence:
    """The labels of silence that the user names."""

    labels: Collection[str] | None  #: None if the user does not use the option
    fits: bool  #: True if the recordings have one of these labels, or if the user says that no label is silence

    @classmethod
    def of(cls, silence: Collection[str] | None, labels: Collection[str], rename: Callable[[str], str]) -> NamedSilence:
        """Look for the labels that the user names among those of all recordings, as they are compared."""
        if silence is None:
            return cls(None, fits=False)
        as_written_or_compared = {*silence, *map(rename, silence)}
        return cls(silence, fits=not silence or not as_written_or_compared.isdisjoint(labels))


def warn_of_labels(
    sides: Sequence[LabelledSide], labels: Sequence[str], silence: NamedSilence, *, are_compared: bool
) -> None:
    """Warn of labels that are likely silence, whole utterances or those of other recordings, and of labels that do not pair.

    Labels that do not pair matter if scores compare labels, or if one side likely has words, and the other phones.
    """
    for doubt_of_silence in _doubts_of_silence(sides, labels, silence):
        warn(doubt_of_silence)
    # Labels of other things do not pair either: one doubt is enough.
    doubt_of_phrases = _doubt_of_phrases(sides)
    doubt_of_recordings = _doubt_of_recordings(sides)
    if doubt_of_phrases is not None:
        warn(doubt_of_phrases)
    elif doubt_of_recordings is not None:
        warn(doubt_of_recordings)
    elif are_compared:
        for doubt_of_pair in _doubts_of_pairs(sides):
            warn(doubt_of_pair)
    else:
        for doubt_of_level in _doubts_of_levels(sides):
            warn(doubt_of_level)


def _doubts_of_silence(sides: Sequence[LabelledSide], labels: Sequence[str], silence: NamedSilence) -> list[Message]:
    """Return the doubts about labels that are likely silence and count as words.

    `p: the label '#' counts as a word, and is where g has silence: if it is silence, add --silence '#'.`
    """
    reference, *predictions = sides
    doubts = []
    pairs = [(prediction, reference) for prediction in predictions]
    # The first prediction shows what is silence in the reference.
    pairs += [(reference, prediction) for prediction in predictions[:1]]
    for side, other in pairs:
        label, reason = _likely_silence(side, other, labels, silence)
        if label is None:
            continue
        # The option names all labels of silence, so that those of the default which occur are named too.
        by_default = [name for name in labels if name.lower() in SILENCE]
        named = by_default if silence.labels is None else [*silence.labels]
        remedy = OPTIONS["silence"].set((*named, label))
        doubts.append(
            Message(f"{side.place}: the label {label!r} counts as a word{reason}: if it is silence, add ", remedy, ".")
        )
    return doubts


def _likely_silence(
    side: LabelledSide, other: LabelledSide, labels: Sequence[str], silence: NamedSilence
) -> tuple[str | None, str]:
    """Return a label of a side that is likely silence, or None, and the reason as a message has it; empty if the name says it.

    The signs are, in this order: its name with signs around it, its name alone, the silence of the other side, its intervals.
    """
    named = _named_silence(side)
    if named is not None:
        return named, ""
    # Where labels that the user names occur, no other label is doubted.
    if silence.fits:
        return None, ""
    # The labels of the default are words if the user names others.
    of_default = sorted(label for label in side.labels if label.lower() in SILENCE)
    if of_default:
        return of_default[0], ", as the option names other labels"
    beside_silence = _label_in_silence(side, other, labels)
    if beside_silence is not None:
        return beside_silence, f", and is where {other.place} has silence"
    return _label_between(side, labels), ", and is likely none"


def _named_silence(side: LabelledSide) -> str | None:
    """Return the first label that is a name of silence with signs around it, as `[silence]`; None if there is none."""
    return next((label for label in sorted(side.labels) if _is_named_silence(label)), None)


def _is_named_silence(label: str) -> bool:
    """Return whether a label is a name of silence with signs around it, or one of noise in brackets.

    >>> _is_named_silence("!SIL"), _is_named_silence("[noise]"), _is_named_silence("silence."), _is_named_silence("'pause'")
    (True, True, False, False)
    """
    if label.isalpha():
        return False
    if label.lower() in _ENDS or _PAUSE_WITH_LENGTH.fullmatch(label):
        return True
    if _PLACE_IN_WORD.sub("", label).lower() in (*SILENCE, *_NAMES_OF_SILENCE):
        return True
    name = "".join(filter(str.isalpha, label.lower()))
    if name in _NAMES_OF_SILENCE and not _is_word_with_punctuation(label):
        return True
    signs_around = label[:1] + label[-1:]
    if signs_around in _BRACKETS:
        return name in (*_NAMES_IN_BRACKETS, *_LETTERS_IN_BRACKETS)
    return signs_around in _PAIRS_OF_SIGNS and name in _NAMES_IN_BRACKETS


def _is_word_with_punctuation(label: str) -> bool:
    """Return whether a label is letters with punctuation of text: `silence.`, but not `!SIL`, whose mark stands before them."""
    return label.rstrip(_MARKS_OF_TEXT).lstrip("'\"‘“«").isalpha()


def _label_between(side: LabelledSide, labels: Sequence[str]) -> str | None:
    """Return the first label that is a sign or a name of silence, and stands several times, each time between other labels.

    None if there is no such label. Phonemes that are letters may stand so too, as in lists of words such as `kick` and `cake`.
    """
    counts = np.bincount(side.codes[side.is_word], minlength=len(labels))
    # The codes 3 3 7 of a recording: 3 follows itself, and so it does not count.
    follows_itself = (side.codes[1:] == side.codes[:-1]) & (side.recordings[1:] == side.recordings[:-1])
    counts[side.codes[1:][follows_itself & side.is_word[1:]]] = 0
    fewest_of_name = _SHARE_OF_NAME * side.count_words()
    for code in np.flatnonzero(counts > 1).tolist():
        label: str = labels[code]
        is_name = label.lower() in _NAMES_ALONE and counts[code] >= fewest_of_name
        if is_name or _SIGN_OF_SILENCE.fullmatch(label):
            return label
    return None


def _label_in_silence(side: LabelledSide, other: LabelledSide, labels: Sequence[str]) -> str | None:
    """Return the label of a side that is nearly always where the other side is silent, most of whose silence it has.

    It occurs several times, with others between, and the other side does not have it. None if there is no such label.
    """
    codes = side.codes[side.is_word]
    times = (side.ends - side.starts)[side.is_word]
    times_within_words = (other.time_within_words(side.ends) - other.time_within_words(side.starts))[side.is_word]
    last_end = max(int(side.ends.max(initial=0)), int(other.ends.max(initial=0)))
    silence_of_other = last_end - other.time_within_words(np.array([last_end]))[0]
    # For each label its time, and how much of it is within words of the other side.
    time_of_label = np.bincount(codes, times, len(labels))
    time_within = np.bincount(codes, times_within_words, len(labels))
    # Silence between two words is one interval: a label that follows itself is counted once.
    begins_run = np.ones(len(side.codes), bool)
    begins_run[1:] = side.codes[1:] != side.codes[:-1]
    runs = np.bincount(side.codes[side.is_word & begins_run], minlength=len(labels))
    is_silent = (runs > 1) & (time_within <= _MOST_WITHIN_WORDS * time_of_label)
    has_silence = time_of_label - time_within >= _LEAST_OF_SILENCE * silence_of_other
    # All words of the side but those of the label are where the other side has words: both are likely of one recording.
    time_of_others = times.sum() - time_of_label
    time_of_others_within = times_within_words.sum() - time_within
    others_agree = time_of_others_within > (1 - _MOST_WITHIN_WORDS) * time_of_others
    likely = {labels[code] for code in np.flatnonzero(is_silent & has_silence & others_agree).tolist()}
    return min(likely - other.labels, default=None)


def _doubts_of_pairs(sides: Sequence[LabelledSide]) -> list[Message]:
    """Return the doubts about predictions whose labels do not pair with those of the reference, the first side."""
    reference, *predictions = sides
    doubts = [_doubt_of_pair(reference, prediction) for prediction in predictions]
    return [doubt for doubt in doubts if doubt is not None]


def _doubt_of_pair(reference: LabelledSide, prediction: LabelledSide) -> Message | None:
    """Return the doubt about labels that differ in case or signs, that all differ, or that one side lacks; else None."""
    both = f"{reference.place} and {prediction.place}"
    if reference.is_labelled != prediction.is_labelled:
        unlabelled = prediction if reference.is_labelled else reference
        if not unlabelled.count_words():
            return None
        return Message(
            f"{unlabelled.place}: no interval has a label, and these scores compare labels: is another column its label?"
        )
    shared = reference.labels & prediction.labels
    # The reference labels by their forms without signs, as "Dog," by "dog". Of several with one form, a shared label takes the
    # place of the others.
    reference_label_of = {without_signs(label): label for label in sorted(reference.labels - shared)}
    reference_label_of |= {without_signs(label): label for label in sorted(shared)}
    # An odd label of the prediction, such as "dog!", pairs with no reference label, but has the form of one.
    unpaired = prediction.labels - reference.labels
    odd = sorted(label for label in unpaired if without_signs(label) in reference_label_of)
    if len(odd) > _MOST_UNLIKE * len(prediction.labels):
        lower_labels = {label.lower() for label in reference.labels}
        by_case = [label for label in odd if label.lower() in lower_labels]
        lower = OPTIONS["label_map"].set(LOWER)
        if len(by_case) == len(odd):
            return Message(f"{both}: labels differ in case, as {odd[0]!r}, and do not pair: add ", lower, ".")
        first = next(label for label in odd if label not in by_case)
        example = f"{shortened(reference_label_of[without_signs(first)])} and {shortened(first)}"
        return Message(
            f"{both}: labels differ in signs, as {example}, and do not pair: write them alike, or give their classes in a file, ",
            OPTIONS["label_map"],
            ".",
        )
    are_several = len(reference.labels) > 1 and len(prediction.labels) > 1
    if are_several and not shared:
        first, other = (shortened(min(side.labels)) for side in (reference, prediction))
        return Message(
            f"{both}: no label is on both sides, such as {first} and {other}, and these scores compare labels: are they of the "
            f"same tier or column?"
        )
    return None


def _doubts_of_levels(sides: Sequence[LabelledSide]) -> list[str]:
    """Return the doubts about predictions that share hardly a label with the reference, and have far more words, or fewer."""
    reference, *predictions = sides
    doubts = [_doubt_of_level(reference, prediction) for prediction in predictions]
    return [doubt for doubt in doubts if doubt is not None]


def _doubt_of_level(reference: LabelledSide, prediction: LabelledSide) -> str | None:
    """Return the doubt about two sides that share hardly a label, of which one has many times as many words; else None."""
    have_names = _has_names(reference) and _has_names(prediction)
    # A word such as `a` may be the label of a phone too.
    shared = reference.labels & prediction.labels
    fewest_labels = min(len(reference.labels), len(prediction.labels))
    if not have_names or len(shared) > _MOST_UNLIKE * fewest_labels:
        return None
    few, many = sorted((reference, prediction), key=LabelledSide.count_words)
    times_as_many = many.count_words() / few.count_words()
    if few.count_words() < _FEWEST_OF_LEVEL or times_as_many < _TIMES_AS_MANY:
        return None
    labels = f"{shortened(min(few.labels - shared))} and {shortened(min(many.labels - shared))}"
    how_many = "hardly a label" if shared else "no label"
    return (
        f"{few.place} and {many.place}: {how_many} is on both sides, such as {labels}, and {many.place} has {times_as_many:.1f} "
        "times as many words: are they words on one side and phones on the other? Expected the same tier or column."
    )


def _doubt_of_recordings(sides: Sequence[LabelledSide]) -> str | None:
    """Return the doubt about a prediction that has the labels of the reference, but at other times; None if there is none."""
    reference, *predictions = sides
    for prediction in predictions:
        shared = reference.labels & prediction.labels
        is_half = 2 * len(shared) >= len(prediction.labels)
        if len(shared) < _FEWEST_SHARED or not is_half:
            continue
        labels, labels_there = _labels_at_one_time(reference, prediction)
        equal = int(np.count_nonzero(labels == labels_there))
        if len(labels) >= _FEWEST_AT_ONE_TIME and equal <= _MOST_EQUAL * len(labels):
            return (
                f"{reference.place} and {prediction.place}: of {len(labels)} words in whose middle the other side has a word, "
                f"{equal} have its label: are they of the same recordings?"
            )
    return None


def _labels_at_one_time(reference: LabelledSide, prediction: LabelledSide) -> tuple[_Codes, _Codes]:
    """Return the labels of the predicted words whose middle lies in a reference word, and the labels of these reference words."""
    reference_words = np.flatnonzero(reference.is_word)
    reference_words = reference_words[np.argsort(reference.starts[reference_words], kind="stable")]
    predicted_words = np.flatnonzero(prediction.is_word)
    middles = (prediction.starts[predicted_words] + prediction.ends[predicted_words]) // 2
    # Reference words start at 2 and 5. The last one that has started at the middles 1, 3 and 6 has the places -1, 0 and 1. The
    # place -1 is of no word: the word that it takes does not count.
    places = np.searchsorted(reference.starts[reference_words], middles, side="right") - 1
    started_words = reference_words[places]
    is_within = (places >= 0) & (middles < reference.ends[started_words])
    return prediction.codes[predicted_words[is_within]], reference.codes[started_words[is_within]]


def _has_names(side: LabelledSide) -> bool:
    """Return whether most labels of a side name what was said, where `7` and `u7` are those of a program that knows no names."""
    numbers = sum(_NUMBERED.fullmatch(label) is not None for label in side.labels)
    return side.is_labelled and 2 * numbers < len(side.labels)


def without_signs(label: str) -> str:
    """Return a label in lower case without punctuation, symbols and spaces; the label if it has nothing else.

    >>> without_signs("Dog,"), without_signs("#")
    ('dog', '#')
    """
    lower = unicodedata.normalize("NFC", label).lower()
    if lower.isalnum():
        return lower
    letters = "".join(sign for sign in lower if unicodedata.category(sign)[0] not in _SIGNS)
    return letters or lower


def _doubt_of_phrases(sides: Sequence[LabelledSide]) -> str | None:
    """Return the doubt about a side whose labels have several words, where those of the other side have one; else None."""
    reference, *predictions = sides
    for prediction in predictions:
        for side, other in ((reference, prediction), (prediction, reference)):
            if other.is_labelled and _share_of_phrases(side) > 0.5 and _share_of_phrases(other) <= _MOST_UNLIKE:
                phrase = next(label for label in sorted(side.labels) if len(label.split()) > 1)
                return (
                    f"{side.place}: most labels have several words, as {shortened(phrase)}, and those of {other.place} one: "
                    f"are its intervals utterances? Expected words."
                )
    return None


def _share_of_phrases(side: LabelledSide) -> float:
    """Return the share of the labels of a side that have several words; 0 without labels."""
    return sum(len(label.split()) > 1 for label in side.labels) / max(1, len(side.labels))
