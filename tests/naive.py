"""The scores by their definitions, with sets of spans, in plain Python; and corpora to try them on.

Nothing here imports the package, so that what it says is said independently. A corpus is a list of utterances, an
utterance a list of words, and a word a sequence of units: a tuple of strings, or a string whose characters are the units.
A blank utterance is an empty list.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hypothesis import strategies as st

Word: TypeAlias = Sequence[str]
Corpus: TypeAlias = Sequence[Sequence[Word]]

DEFAULT_KEYS = (
    *("boundary_all_precision", "boundary_all_recall", "boundary_all_fscore"),
    *("boundary_noedge_precision", "boundary_noedge_recall", "boundary_noedge_fscore"),
    *("token_precision", "token_recall", "token_fscore"),
    *("type_precision", "type_recall", "type_fscore"),
    "token_tnr",
)

#: What `str.split` takes for whitespace, asked of it character by character.
WHITESPACE = "".join(character for character in map(chr, range(0x110000)) if not character.split())


def spans(words: Sequence[Word]) -> set[tuple[int, int]]:
    """The span of every word, in units."""
    found, start = set(), 0
    for word in words:
        found.add((start, start + len(word)))
        start += len(word)
    return found


def boundaries(words: Sequence[Word], edges: bool) -> set[int]:
    """The positions at which words begin or end; without edges, those of the utterance are left out."""
    all_boundaries = {position for span in spans(words) for position in span}
    return all_boundaries if edges else all_boundaries - {0, sum(map(len, words))}


def naive_utterance_counts(reference: Sequence[Word], prediction: Sequence[Word]) -> dict[str, int]:
    """What one utterance adds to every count that adds up."""
    sets = {
        "boundary_all": (boundaries(reference, edges=True), boundaries(prediction, edges=True)),
        "boundary_noedge": (boundaries(reference, edges=False), boundaries(prediction, edges=False)),
        "token": (spans(reference), spans(prediction)),
    }
    counts = {}
    for group, (left, right) in sets.items():
        counts[f"{group}_matched"] = len(left & right)
        counts[f"{group}_predicted"] = len(right)
        counts[f"{group}_reference"] = len(left)
    units = sum(map(len, reference))
    counts["token_spans"] = len([(start, end) for end in range(1, units + 1) for start in range(end)])
    return counts | {"utterances": 1, "units": units}


def naive_counts(references: Corpus, predictions: Corpus) -> dict[str, int]:
    """Every count of a corpus."""
    counts = dict.fromkeys(naive_utterance_counts([], []), 0)
    for reference, prediction in zip(references, predictions, strict=True):
        for column, count in naive_utterance_counts(reference, prediction).items():
            counts[column] += count
    types = [{tuple(word) for utterance in corpus for word in utterance} for corpus in (references, predictions)]
    counts["type_matched"] = len(types[0] & types[1])
    counts["type_predicted"] = len(types[1])
    counts["type_reference"] = len(types[0])
    return counts


def naive_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """The thirteen scores of the default set."""
    return scores_of_counts(naive_counts(references, predictions), zero_division)


def scores_of_counts(counts: dict[str, int], zero_division: float = 0.0) -> dict[str, float]:
    """The thirteen scores of the default set, from counts."""

    def ratio(numerator: int, denominator: int) -> float:
        return numerator / denominator if denominator else float(zero_division)

    scores = {}
    for group in ("boundary_all", "boundary_noedge", "token", "type"):
        matched, predicted, reference = (counts[f"{group}_{kind}"] for kind in ("matched", "predicted", "reference"))
        scores[f"{group}_precision"] = ratio(matched, predicted)
        scores[f"{group}_recall"] = ratio(matched, reference)
        scores[f"{group}_fscore"] = ratio(2 * matched, predicted + reference)
    negatives = counts["token_spans"] - counts["token_reference"]
    false_positives = counts["token_predicted"] - counts["token_matched"]
    scores["token_tnr"] = ratio(negatives - false_positives, negatives)
    return scores


def naive_dictionary_scores(
    references: Corpus,
    predictions: Corpus,
    dictionary: Sequence[Word],
    acceptable: Sequence[Word] = (),
    zero_division: float = 0.0,
) -> dict[str, float]:
    """The scores over a dictionary's segments (Jiang et al. 2011); segments are sequences of units, as words are."""
    positives: tuple[set[Any], set[Any]] = (set(), set())
    negatives: tuple[set[Any], set[Any]] = (set(), set())
    segments, no_negatives = ({tuple(segment) for segment in listed} for listed in (dictionary, acceptable))
    for index, sides in enumerate(zip(references, predictions, strict=True)):
        units = [unit for word in sides[0] for unit in word]
        for end in range(1, len(units) + 1):
            for start in range(end):
                segment = tuple(units[start:end])
                if segment not in segments:
                    continue
                for side, words in enumerate(sides):
                    if (start, end) in spans(words):
                        positives[side].add((index, start, end))
                    elif segment not in no_negatives:
                        negatives[side].add((index, start, end))

    def ratio(both: tuple[set[Any], set[Any]], side: int) -> float:
        return len(both[0] & both[1]) / len(both[side]) if both[side] else float(zero_division)

    return {
        "dictionary_tpr": ratio(positives, 0),
        "dictionary_ppv": ratio(positives, 1),
        "dictionary_tnr": ratio(negatives, 0),
        "dictionary_npv": ratio(negatives, 1),
    }


def words_text(corpus: Corpus) -> list[str]:
    """Words separated by spaces; units are characters."""
    return [" ".join("".join(word) for word in utterance) for utterance in corpus]


def word_lists(corpus: Corpus) -> list[list[str]]:
    """Lists of words; units are characters."""
    return [["".join(word) for word in utterance] for utterance in corpus]


def units_text(corpus: Corpus, word_boundary: str = "WORD_BOUNDARY") -> list[str]:
    """Units separated by spaces, with a boundary token between words."""
    return [f" {word_boundary} ".join(" ".join(word) for word in utterance) for utterance in corpus]


def wordseg_text(corpus: Corpus) -> list[str]:
    """As wordseg writes it: `;esyll` after every syllable (here, two units), `;eword` after every word."""
    return [" ".join(token for word in utterance for token in (*_syllables(word), ";eword")) for utterance in corpus]


def _syllables(word: Word) -> list[str]:
    tokens = []
    for start in range(0, len(word), 2):
        tokens += [*word[start : start + 2], ";esyll"]
    return tokens


def start_labels(corpus: Corpus) -> list[list[int]]:
    """1 where a unit begins a word."""
    return [[label for word in utterance for label in [1, *[0] * (len(word) - 1)]] for utterance in corpus]


def end_labels(corpus: Corpus) -> list[list[int]]:
    """1 where a unit ends a word."""
    return [[label for word in utterance for label in [*[0] * (len(word) - 1), 1]] for utterance in corpus]


def bi_tags(corpus: Corpus) -> list[list[str]]:
    """B where a unit begins a word, else I."""
    return [[tag for word in utterance for tag in "B" + "I" * (len(word) - 1)] for utterance in corpus]


def bmes_tags(corpus: Corpus) -> list[list[str]]:
    """S for a word of one unit, else B, M … and E."""
    return [
        [tag for word in utterance for tag in ("S" if len(word) == 1 else "B" + "M" * (len(word) - 2) + "E")]
        for utterance in corpus
    ]


@dataclass(frozen=True)
class Form:
    """An input form.

    Attributes:
        write: from a corpus to what is passed as references or predictions.
        options: with which `score` reads it.
        any_units: whether units may be longer than a character.
        has_words: whether it says what the words are, so that there are type scores.
    """

    write: Callable[[Corpus], list[Any]]
    options: dict[str, Any] = field(default_factory=dict)
    any_units: bool = True
    has_words: bool = True


FORMS = {
    "words_text": Form(words_text, {"text_format": "words"}, any_units=False),
    "word_lists": Form(word_lists, any_units=False),
    "units_text": Form(units_text),
    "units_text_ascii_token": Form(lambda corpus: units_text(corpus, "</w>"), {"word_boundary": "</w>"}),
    "units_text_wide_token": Form(lambda corpus: units_text(corpus, "▁狗"), {"word_boundary": "▁狗"}),
    "wordseg": Form(wordseg_text, {"word_boundary": ";eword", "ignored_tokens": [";esyll"]}),
    "start": Form(start_labels, {"label_scheme": "start"}, has_words=False),
    "end": Form(end_labels, {"label_scheme": "end"}, has_words=False),
    "BI": Form(bi_tags, {"label_scheme": "BI"}, has_words=False),
    "BMES": Form(bmes_tags, {"label_scheme": "BMES"}, has_words=False),
}
CHARACTER_FORMS = tuple(name for name, form in FORMS.items() if not form.any_units)
#: Tokens that mean something in one of FORMS, so that no unit is one of them.
RESERVED_TOKENS = ("WORD_BOUNDARY", "</w>", "▁狗", ";eword", ";esyll")


def expected_scores(form: Form, scores: dict[str, float]) -> dict[str, float]:
    """What of the default set a form can give."""
    return {key: value for key, value in scores.items() if form.has_words or not key.startswith("type_")}


# Every length of UTF-8, bytes that wide whitespace has too, look-alikes, what combines, what is invisible, and controls.
CHARACTERS = (
    "abåéе\u0301\u0300\u0345狗叫，ー々𠮷🐕\U0001f3fd\u200d\u200b\ufeff\u2060"
    "\x01\x08\x1b\x7f\x80\x9f\u00ad\u2030\u3001\uffff"
)

characters = st.one_of(
    st.sampled_from("ab"),
    st.sampled_from(CHARACTERS),
    st.characters(exclude_categories=["Cs"], exclude_characters=WHITESPACE + "\0"),
)
tokens = st.text(characters, min_size=1, max_size=3).filter(lambda token: token not in RESERVED_TOKENS)


def cut(units: Sequence[str], is_end: Sequence[bool]) -> list[Word]:
    """The words that units make, where `is_end` says after which of them, the last apart, a word ends."""
    words: list[Word] = []
    start = 0
    for position, ends in enumerate([*is_end[: len(units) - 1], True], 1):
        if ends and units:
            words.append(tuple(units[start:position]))
            start = position
    return words


@st.composite
def utterance_pairs(draw: st.DrawFn, units: st.SearchStrategy[str] = characters, max_units: int = 8) -> Any:
    """Two segmentations of one utterance, often blank or of a single unit."""
    drawn = draw(st.lists(units, max_size=max_units))
    ends = st.lists(st.booleans(), min_size=len(drawn), max_size=len(drawn))
    return cut(drawn, draw(ends)), cut(drawn, draw(ends))


def corpus_pairs(
    units: st.SearchStrategy[str] = characters, min_utterances: int = 1, max_utterances: int = 6
) -> st.SearchStrategy[tuple[list[list[Word]], list[list[Word]]]]:
    """A reference and a prediction over the same units; words are tuples of units."""
    pairs = st.lists(utterance_pairs(units), min_size=min_utterances, max_size=max_utterances)
    return pairs.map(lambda drawn: ([left for left, _ in drawn], [right for _, right in drawn]))


def random_corpus_pair(
    count: int, seed: int, units: Sequence[str] = CHARACTERS, max_units: int = 12
) -> tuple[list[list[Word]], list[list[Word]]]:
    """As `corpus_pairs`, but many and at once, the same for a seed."""
    source = random.Random(seed)
    references, predictions = [], []
    for _ in range(count):
        drawn = source.choices(units, k=source.randrange(max_units + 1))
        share = source.random()  # so that under- and over-split predictions, and perfect ones, all occur
        reference_ends = [source.random() < 0.4 for _ in drawn]
        references.append(cut(drawn, reference_ends))
        predictions.append(
            cut(drawn, [end if source.random() < 0.7 else source.random() < share for end in reference_ends])
        )
    return references, predictions
