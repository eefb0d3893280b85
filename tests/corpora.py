"""Corpora for tests: the forms in which they are written, and random ones.

A corpus is a list of utterances, an utterance a list of words, and a word a sequence of units: a tuple of strings, or a string
whose characters are the units. A blank utterance is an empty list.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hypothesis import strategies as st

Word: TypeAlias = Sequence[str]
Corpus: TypeAlias = Sequence[Sequence[Word]]

#: What `str.split` takes for whitespace, asked of it character by character.
WHITESPACE = "".join(character for character in map(chr, range(0x110000)) if not character.split())


def words_text(corpus: Corpus) -> list[str]:
    """Words separated by spaces; units are characters."""
    return [" ".join(map("".join, utterance)) for utterance in corpus]


def word_lists(corpus: Corpus) -> list[list[str]]:
    """Lists of words; units are characters."""
    return [["".join(word) for word in utterance] for utterance in corpus]


def wide_units_text(corpus: Corpus, word_boundary: str) -> list[str]:
    """Utterances as units text, with wide whitespace between words, as two spaces or a tab."""
    return [word_boundary.join(map(" ".join, utterance)) for utterance in corpus]


def units_text(corpus: Corpus, word_boundary: str = "WORD_BOUNDARY") -> list[str]:
    """Units separated by spaces, with a boundary token between words."""
    return [f" {word_boundary} ".join(map(" ".join, utterance)) for utterance in corpus]


def wordseg_text(corpus: Corpus) -> list[str]:
    """Text in the format of wordseg: `;esyll` after every syllable (here, two units), `;eword` after every word."""
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
    "units_text_two_spaces": Form(lambda corpus: wide_units_text(corpus, "  "), {"word_boundary": "  "}),
    "units_text_tab": Form(lambda corpus: wide_units_text(corpus, "\t"), {"word_boundary": "\t"}),
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
    """Return what of the default set a form can give."""
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


def random_difficulties(references: Corpus, seed: int, values: Sequence[float] | None = None) -> list[list[float]]:
    source = random.Random(seed)
    return [[source.choice(values) if values else source.random() for _ in words] for words in references]
