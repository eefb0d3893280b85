"""The inputs of the test vectors: small ones, each about a rule of the specification, and random corpora.

The rules are those of docs/reference/specification.md. A case that is an error breaks the first of its rules, and must
be refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from ..kernel.record import record
from .conformity import CASES

#: The words of an utterance, each a list of units.
Words: TypeAlias = "list[list[str]]"
#: The words of the utterances of a corpus, and of a prediction of it.
Pair: TypeAlias = "tuple[list[Words], list[Words]]"


@record
class VectorCase:
    """A name, the rules that it is about, both sides, and the options."""

    name: str
    rules: Sequence[str]
    references: list[Any]
    predictions: list[Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False  #: whether it breaks the first of the rules


#: The options of each group of scores with vectors, by the number of its rule; S1 to S5 are the default.
GROUPS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "S6": ("boundary_start", {}),
    "S7": ("boundary_end", {}),
    "S8": ("boundary_accuracy", {}),
    "S9": ("dictionary", {"dictionary": ["a", "ab", "b a", "狗", "é"], "acceptable": ["ab", "b a"]}),
    "S10": ("oov", {"vocabulary": ["a ab", "b", "狗叫", "é b"]}),
    "S11": ("exact", {}),
    "S17": ("word_error", {}),
    "S18": ("rand", {}),
    "S19": ("rates", {}),
    "S20": ("tolerance", {}),
    "S24": ("windows", {}),
    "S25": ("similarity", {}),
    "S26": ("agreement", {}),
}
#: Further options with which groups are scored, by the numbers of their rules: they change the values.
_VARIANTS: dict[str, Sequence[Mapping[str, Any]]] = {
    "S19": ({"rates_tolerance": 1}, {"rates_tolerance": 2}),
    "S20": ({"tolerance": 0}, {"tolerance": 2}, {"tolerance": 3}),
    "S24": (
        {"window_size": 1}, {"window_size": 3}, {"window_size": 100}, {"window_size": "utterance"},
        {"window_convention": "nltk"}, {"window_convention": "nltk", "window_size": "utterance"},
        {"window_convention": "nltk_units"}, {"window_convention": "nltk_units", "window_size": 2},
    ),
    "S25": ({"transposition_span": 1}, {"transposition_span": 3}, {"transposition_span": 5}),
    "S26": ({"transposition_span": 4},),
}  # fmt: skip
#: The number of utterances of a random corpus of a group.
_UTTERANCES_OF_GROUPS = 8
#: The rules of groups that look words up in a list, which labels, without words, cannot.
_RULES_WITH_WORDS = {"S9", "S10"}
#: The options of words text, and of the two kinds of labels.
_AS_WORDS = {"text_format": "words"}
_AS_STARTS = {"label_scheme": "start"}
_AS_ENDS = {"label_scheme": "end"}
#: Units of random corpora: of all lengths in UTF-8 and UTF-16, and what combines with the unit before.
_CHARACTERS = "abab狗叫é\u0301𠮷🐕\u200b"
_TOKENS = ("a", "b", "ab", "ng", "a\u0301", "狗", "🐕\u200d", "x")


def cases() -> Iterator[VectorCase]:
    """Yield the cases in the order of the vectors."""
    for name, (references, predictions) in CASES.items():
        yield VectorCase(name, ("S1", "S2", "S3", "S4", "S5"), references, predictions, _AS_WORDS)
    yield from _OF_TEXT
    yield from _OF_PAIRS
    yield from _OF_AVERAGES
    yield from _of_forms()
    yield from _of_groups()
    yield from _of_choices()
    yield from _of_intervals()
    yield from _of_special_intervals()


_OF_TEXT = (
    VectorCase("every whitespace separates", ("T4", "T5"),
               ["a\tb\nc\x0bd\x0ce\rf\x1cg\x1dh\x1ei\x1fj\x85k\xa0l\u1680m\u2000n\u200ao\u2028p\u2029q\u202fr\u205fs\u3000t"],
               ["ab c d e f g h i j k l m n o p q r s t"], _AS_WORDS),
    VectorCase("what is no whitespace", ("T4", "T5"), ["a\u200bb \ufeffc\u180ed e\u2060"], ["a\u200bb\ufeff c\u180ed e\u2060"],
               _AS_WORDS),
    VectorCase("repeated whitespace makes no words", ("T5",), ["  a   b ", "\tc\n"], ["ab", "c"], _AS_WORDS),
    VectorCase("a code point is a unit", ("T3", "T5"), ["e\u0301 👩\u200d🔬b 𠮷c"], ["e \u0301 👩 \u200d🔬b 𠮷c"], _AS_WORDS),
    VectorCase("nothing is folded", ("T3", "S4"), ["A a A é"], ["A a Aé"], _AS_WORDS),
    VectorCase("tokens are units", ("T6", "S4"), ["a b WORD_BOUNDARY ab WORD_BOUNDARY a b"], ["a b WORD_BOUNDARY ab a b"]),
    VectorCase("units of several letters", ("T6", "S5"), ["dh ax WORD_BOUNDARY d ao g"], ["dh ax d WORD_BOUNDARY ao g"]),
    VectorCase("boundary tokens at the ends and repeated", ("T6",),
               ["WORD_BOUNDARY a WORD_BOUNDARY  WORD_BOUNDARY b WORD_BOUNDARY"], ["a b"]),
    VectorCase("only a whole token is a boundary", ("T6",), ["aWORD_BOUNDARY WORD_BOUNDARY b"], ["aWORD_BOUNDARY b"]),
    VectorCase("only boundary tokens are blank", ("T6", "P4"), ["WORD_BOUNDARY", "a"], ["", "a"]),
    VectorCase("another boundary token", ("T6",), ["a b ;eword c ;eword"], ["a ;eword b c ;eword"], {"word_boundary": ";eword"}),
    VectorCase("ignored tokens", ("T6",), ["a ;esyll b ;esyll ;eword c ;esyll ;eword"], ["a b ;esyll c ;eword"],
               {"word_boundary": ";eword", "ignored_tokens": [";esyll", "|"]}),
    VectorCase("lists of words", ("T7",), [["a", "bc"], ["d"]], [["ab", "c"], ["d"]]),
    VectorCase("lists have the same form with any format of text", ("T7",), [["a", "bc"]], [["ab", "c"]], _AS_WORDS),
    VectorCase("whitespace in a word of a list", ("T7", "S4"), [["New York", " ", "is"]], [["New", " York ", "is"]]),
    VectorCase("empty strings of a list are no words", ("T7",), [["", "a", "", "b"], [""]], [["a", "b"], []]),
    VectorCase("labels of the starts of words", ("T8",), [[1, 0, 1, 0], [0, 0, 1], [1]], [[1, 1, 1, 0], [1, 0, 1], [0]],
               _AS_STARTS),
    VectorCase("labels of the ends of words", ("T8",), [[0, 1, 0, 1], [0, 1, 0], [1]], [[1, 0, 0, 1], [0, 1, 1], [0]], _AS_ENDS),
    VectorCase("a blank utterance of labels", ("T8", "P4"), [[], [1, 1]], [[], [1, 0]], _AS_STARTS),
    VectorCase("U+0000", ("T9",), ["a b", "a\0b"], ["a b", "a b"], _AS_WORDS, is_error=True),
    VectorCase("U+0000 in the prediction", ("T9",), [["a"], ["b"]], [["a\0"], ["b"]], is_error=True),
    VectorCase("a lone surrogate", ("T9",), ["a b", "\ud83d a"], ["a b", "\ud83d a"], _AS_WORDS, is_error=True),
    VectorCase("label 2", ("T9",), [[1, 0], [1, 0, 2]], [[1, 0], [1, 0, 0]], _AS_STARTS, is_error=True),
)  # fmt: skip
_OF_PAIRS = (
    VectorCase("different numbers of utterances", ("P1",), ["a b", "c"], ["a b"], _AS_WORDS, is_error=True),
    VectorCase("no utterances", ("P1",), [], [], _AS_WORDS, is_error=True),
    VectorCase("a blank prediction", ("P2",), ["a", "b c"], ["a", ""], _AS_WORDS, is_error=True),
    VectorCase("a blank reference", ("P2",), [" \t", "b c"], ["a", "b c"], _AS_WORDS, is_error=True),
    VectorCase("a blank list", ("P2",), [["a"], [""]], [["a"], ["b"]], is_error=True),
    VectorCase("other units", ("P3",), ["a b", "c d", "e"], ["a b", "cx", "f"], _AS_WORDS, is_error=True),
    VectorCase("fewer units", ("P3",), ["a b c"], ["a b"], _AS_WORDS, is_error=True),
    VectorCase("units in another order", ("P3",), ["a b"], ["b a"], _AS_WORDS, is_error=True),
    VectorCase("composed and decomposed characters", ("P3", "T3"), ["é"], ["e\u0301"], _AS_WORDS, is_error=True),
    VectorCase("upper and lower case", ("P3", "T3"), ["The dog"], ["the dog"], _AS_WORDS, is_error=True),
    VectorCase("units that are joined", ("P3", "T6"), ["a b WORD_BOUNDARY c"], ["ab WORD_BOUNDARY c"], is_error=True),
    VectorCase("more labels", ("P3", "T8"), [[1, 0]], [[1, 0, 0]], _AS_STARTS, is_error=True),
    VectorCase("blank on both sides", ("P4", "S1", "S5"), ["", "a b", "\u3000"], [" ", "ab", ""], _AS_WORDS),
    VectorCase("blank utterances alone", ("P4", "Z1"), ["", ""], ["", " "], _AS_WORDS),
    VectorCase("pairs left out", ("P5",), ["a b", "x", "c d", "", "e"], ["ab", "y", "c d", "f", "e"],
               {**_AS_WORDS, "on_error": "skip"}),
    VectorCase("pairs that are no text left out", ("P5", "R1"), ["a b", "c\0", "d e", "f"], ["a b", "c", "d\0e", "f"],
               {**_AS_WORDS, "on_error": "skip"}),
    VectorCase("labels left out", ("P5", "T8"), [[1, 0], [1, 1], [1], [2]], [[1, 0, 1], [1, 0], [1], [1]],
               {**_AS_STARTS, "on_error": "skip"}),
    VectorCase("every pair left out", ("P5",), ["a", "b"], ["c", ""], {**_AS_WORDS, "on_error": "skip"}, is_error=True),
    VectorCase("nothing to leave out", ("P5",), ["a b", "c"], ["ab", "c"], {**_AS_WORDS, "on_error": "skip"}),
    VectorCase("different numbers are not left out", ("P1", "P5"), ["a", "b"], ["a"], {**_AS_WORDS, "on_error": "skip"},
               is_error=True),
)  # fmt: skip
_ONE_WORD_EACH = ["a", "bcd", "e f"], ["a", "bcd", "ef"]
_OF_AVERAGES = (
    *(VectorCase(f"0/0 is {value}", ("Z1",), ["a", "b"], ["a", "b"], {**_AS_WORDS, "zero_division": value}) for value in
      (0, 1, 0.5, "nan")),
    VectorCase("a denominator of 0 alone", ("Z1", "S19"), ["ab", "c"], ["a b", "c"],
               {**_AS_WORDS, "scores": ["rates"], "zero_division": 1}),
    VectorCase("means leave undefined scores out", ("A2", "Z1"), *_ONE_WORD_EACH, {**_AS_WORDS, "average": "macro"}),
    *(VectorCase(f"means with {value} for 0/0", ("A2", "Z1"), *_ONE_WORD_EACH,
                 {**_AS_WORDS, "average": "macro", "zero_division": value}) for value in (0, 1, 0.25, "nan")),
    VectorCase("a mean of no values", ("A2",), ["a", "b"], ["a", "b"],
               {**_AS_WORDS, "average": "macro", "scores": ["boundary_noedge"]}),
    VectorCase("blank pairs are in no mean", ("A2", "P4"), ["", "a b", ""], ["", "ab", ""],
               {**_AS_WORDS, "average": "macro", "zero_division": 1}),
    VectorCase("types of each pair", ("A2", "S4"), ["a b a", "a c", "b ab"], ["a ba", "ac", "b a b"],
               {**_AS_WORDS, "average": "macro", "scores": ["type"]}),
    VectorCase("means over clusters", ("A3", "S4"), ["a b a", "a c", "b ab", "", "c"], ["a ba", "ac", "b a b", "", "c"],
               {**_AS_WORDS, "average": "cluster", "clusters": ["x", "y", "x", "z", "y"]}),
    VectorCase("means without the pairs left out", ("A2", "P5"), ["a b", "x", "c"], ["ab", "y", "c"],
               {**_AS_WORDS, "average": "macro", "on_error": "skip"}),
    VectorCase("single scores, in this order", ("S3", "S4", "S1"), ["a b ab"], ["ab ab"],
               {**_AS_WORDS, "scores": ["token_recall", "type_fscore", "boundary_all_precision"]}),
    VectorCase("types at other places", ("S4",), ["ab a", "b ab"], ["a b a", "b ab"], _AS_WORDS),
    VectorCase("spans of one unit", ("S5", "Z1"), ["a", "b"], ["a", "b"], {**_AS_WORDS, "scores": ["tnr"]}),
)  # fmt: skip


def _of_forms() -> Iterator[VectorCase]:
    """Yield random corpora in each form, with each average."""
    averages: tuple[Mapping[str, Any], ...] = ({}, {"average": "macro"}, {"average": "macro", "zero_division": 1})
    for seed in range(4):
        characters = _random_pair(seed, 3 + 4 * seed, _CHARACTERS)
        tokens = _random_pair(100 + seed, 3 + 4 * seed, _TOKENS)
        for average in averages:
            name = f"random corpus {seed + 1}, {' '.join(map(str, average.values())) or 'micro'}"
            # Rules of means, or of the micro average, which has no option.
            rules = ("A2", "Z1") if average else ("A1",)
            yield _case(f"{name}, words text", ("T5", *rules), _words_text, characters, {**_AS_WORDS, **average})
            yield _case(f"{name}, lists", ("T7", *rules), _lists, characters, average)
            yield _case(f"{name}, units text", ("T6", *rules), _units_text, tokens, average)
            yield _case(f"{name}, labels of starts", ("T8", *rules), _starts, tokens, {**_AS_STARTS, **average})
            yield _case(f"{name}, labels of ends", ("T8", *rules), _ends, tokens, {**_AS_ENDS, **average})


def _of_groups() -> Iterator[VectorCase]:
    """Yield for each group of `GROUPS` random corpora, with the options of the group and its variants, and a case of 0/0."""
    for group_number, (rule, (group, group_options)) in enumerate(GROUPS.items()):
        options = {"scores": [group], **group_options}
        # Each group has corpora of its own, by its own seeds.
        characters = _random_pair(200 + group_number, _UTTERANCES_OF_GROUPS, _CHARACTERS)
        tokens = _random_pair(300 + group_number, _UTTERANCES_OF_GROUPS, _TOKENS)
        # The first variant is the group as it is.
        for variant in ({}, *_VARIANTS.get(rule, ())):
            name = group + "".join(f", {option} {value}" for option, value in variant.items())
            yield from _of_variant(name, rule, {**options, **variant}, characters, tokens)
        zero_division = {**_AS_WORDS, **options, "zero_division": 0.5}
        yield VectorCase(f"{group}, 0/0", (rule, "Z1"), ["", "a"], ["", "a"], zero_division)


def _of_variant(
    name: str, rule: str, options: Mapping[str, Any], characters: Pair, tokens: Pair
) -> Iterator[VectorCase]:
    """Yield the cases of a group with one choice of options: two corpora as text of both formats, as a mean, and as labels."""
    yield _case(f"{name}, words text", (rule,), _words_text, characters, {**_AS_WORDS, **options})
    yield _case(f"{name}, units text", (rule,), _units_text, tokens, options)
    mean = {**_AS_WORDS, **options, "average": "macro", "zero_division": 1}
    yield _case(f"{name}, macro", (rule, "A2"), _words_text, characters, mean)
    if rule not in _RULES_WITH_WORDS:
        yield _case(f"{name}, labels", (rule, "T8"), _starts, tokens, {**_AS_STARTS, **options})


def _of_choices() -> Iterator[VectorCase]:
    """Yield cases whose values depend on a choice of the rules: of equal matchings, of a rounding, of the pairs that count."""
    windows = {**_AS_WORDS, "scores": ["windows"]}
    yield VectorCase("a window of 3.5 gaps is one of 4", ("S24",), ["abcdefg hijklmn"], ["abc defg hijklm n"], windows)
    yield VectorCase("blank pairs have no gaps", ("S24", "P4"), ["", "abc d efgh i", "", ""], ["", "abcd ef ghi", "", ""],
                     {**windows, "window_convention": "nltk"})  # fmt: skip
    yield VectorCase("transpositions from the left", ("S25",), ["ab cd efgh"], ["abc def gh"],
                     {**_AS_WORDS, "scores": ["similarity"], "transposition_span": 3})  # fmt: skip
    # The positions of the boundaries of both sides, and the tolerance.
    ties: tuple[tuple[set[int], set[int], int], ...] = (
        ({3}, {2, 4}, 1), ({2, 4}, {3}, 1), ({1, 2, 5, 6}, {2, 3, 6}, 2), ({1, 3, 4, 7}, {4, 5}, 3), ({2, 3}, {1, 2, 5}, 3),
        ({2, 5, 6}, {1, 3, 4, 8}, 2), ({1, 4, 5, 8}, {2, 3, 6, 7}, 2),
    )  # fmt: skip
    for number, (reference, prediction, tolerance) in enumerate(ties, 1):
        reference_labels = [int(position in reference) for position in range(1, 10)]
        predicted_labels = [int(position in prediction) for position in range(1, 10)]
        yield VectorCase(f"matchings of one size, {number}", ("S19", "S20"), [reference_labels], [predicted_labels],
                         {**_AS_ENDS, "scores": ["rates"], "rates_tolerance": tolerance})  # fmt: skip
    # The second pair is left out, because its units differ. Its long reference makes the default window size larger nevertheless.
    yield VectorCase("the size of windows is of all pairs", ("S24", "P5"), ["abcd ef gh i", "x" * 40], ["abcde f g hi", "y"],
                     {**windows, "on_error": "skip"})  # fmt: skip


def _of_intervals() -> Iterator[VectorCase]:
    """Yield random corpora with intervals: of text and of labels, with each average, with clusters and without."""
    for seed, confidence in ((1, 0.95), (2, 0.8), (3, 0.99)):
        pair = _random_pair(400 + seed, count=14, units=_CHARACTERS)
        # Speakers 0 1 4 4 1 0 …: clusters whose utterances are not side by side.
        clusters = [f"speaker {at * at % 5}" for at in range(14)]
        chosen = {**_AS_WORDS, "confidence": confidence}
        name = f"intervals {seed}"
        yield _case(name, ("I1", "I3", "I4"), _words_text, pair, chosen)
        yield _case(f"{name}, clusters", ("I1", "I4"), _words_text, pair, {**chosen, "clusters": clusters})
        yield _case(f"{name}, macro", ("I2", "A2"), _words_text, pair, {**chosen, "average": "macro"})
        yield _case(f"{name}, macro, clusters", ("I2", "A2"), _words_text, pair,
                    {**chosen, "average": "macro", "zero_division": 1, "clusters": clusters})  # fmt: skip
        yield _case(f"{name}, means over clusters", ("I2", "A3"), _words_text, pair,
                    {**chosen, "average": "cluster", "clusters": clusters})  # fmt: skip
        yield _case(f"{name}, labels", ("I3", "T8"), _ends, pair, {**_AS_ENDS, "confidence": confidence})


def _of_special_intervals() -> Iterator[VectorCase]:
    """Yield small corpora whose intervals need a rule: a score does not vary, or is undefined, or there are few pairs."""
    chosen = {**_AS_WORDS, "confidence": 0.95}
    yield VectorCase(
        "intervals of perfect scores", ("I5",), ["a b", "cd ef g", "", "h i"], ["a b", "cd ef g", "", "h i"], chosen
    )
    yield VectorCase("intervals where all is wrong", ("I5",), ["a b", "cd ef"], ["ab", "c def"], chosen)
    yield VectorCase("intervals of perfect means", ("I5", "A2"), ["a", "b c", "d e f"], ["a", "b c", "d e f"],
                     {**chosen, "average": "macro"})  # fmt: skip
    yield VectorCase("intervals of perfect clusters", ("I5",), ["a b", "cd", "e", "f g"], ["a b", "cd", "e", "f g"],
                     {**chosen, "clusters": ["x", "x", "y", "z"]})  # fmt: skip
    yield VectorCase("a score that is undefined without a unit", ("I2",), ["a b", "c"], ["a b", "c"], chosen)
    yield VectorCase("a score that no unit changes", ("I5",), ["a bc", "d ef"], ["a b c", "d e f"], chosen)
    yield VectorCase("types that no unit changes", ("I5", "S4"), ["a b cd", "cd a b", "b a cd"],
                     ["a b c d", "c d a b", "b a c d"], chosen)  # fmt: skip
    yield VectorCase("means that no unit changes", ("I5", "A2"), ["a bc", "d ef", ""], ["a b c", "d e f", ""],
                     {**chosen, "average": "macro"})  # fmt: skip
    yield VectorCase("intervals of the pairs that remain", ("I1", "P5"), ["a b", "x", "c d", "ef"], ["ab", "y", "c d", "e f"],
                     {**chosen, "on_error": "skip"})  # fmt: skip
    yield VectorCase("an interval as wide as the range", ("I4",), ["a b", "c d"], ["ab", "c d"],
                     {**chosen, "confidence": 0.9999})  # fmt: skip
    yield VectorCase("an interval of one pair", ("I1",), ["a b"], ["ab"], chosen, is_error=True)
    yield VectorCase("an interval of one cluster", ("I1",), ["a b", "c"], ["ab", "c"], {**chosen, "clusters": ["x", "x"]},
                     is_error=True)  # fmt: skip


def _case(name: str, rules: Sequence[str], write: Any, pair: Pair, options: Mapping[str, Any]
          ) -> VectorCase:  # fmt: skip
    """Return the case of a random pair; `write` makes an utterance of its words, such as `_words_text`."""
    references, predictions = pair
    return VectorCase(
        name, rules, [write(words) for words in references], [write(words) for words in predictions], options
    )


def _random_pair(seed: int, count: int, units: Sequence[str]) -> Pair:
    """Return a corpus and a prediction of it, the same for a seed; some utterances are blank, or of one unit."""
    # Only `random` itself gives the same numbers in every version of Python.
    draw = random.Random(seed).random
    references: list[Words] = []
    predictions: list[Words] = []
    for _ in range(count):
        # Up to eleven units, after each of which a word ends with the probability 0.4.
        drawn = [units[int(draw() * len(units))] for _ in range(int(draw() * 12))]
        ends = [draw() < 0.4 for _ in drawn]
        references.append(_cut(drawn, ends))
        predicted_ends = []
        for end in ends:
            # Seven of ten ends are kept, and three are drawn anew.
            is_kept = draw() < 0.7
            predicted_ends.append(end if is_kept else draw() < 0.5)
        predictions.append(_cut(drawn, predicted_ends))
    return references, predictions


def _cut(units: Sequence[str], ends: Sequence[bool]) -> Words:
    """Return the words of units; `ends` says after which of them, the last apart, a word ends.

    >>> _cut(["a", "b", "c"], [False, True, False])
    [['a', 'b'], ['c']]
    """
    words: Words = []
    is_first = True
    for unit, is_end in zip(units, ends, strict=True):
        if is_first:
            words.append([])
        words[-1].append(unit)
        is_first = is_end
    return words


def _words_text(words: Words) -> str:
    """Return words text: `ab c` of `[["a", "b"], ["c"]]`."""
    return " ".join(_lists(words))


def _units_text(words: Words) -> str:
    """Return units text: `a b WORD_BOUNDARY c` of `[["a", "b"], ["c"]]`."""
    return " WORD_BOUNDARY ".join(" ".join(word) for word in words)


def _lists(words: Words) -> list[str]:
    """Return words as strings: `["ab", "c"]` of `[["a", "b"], ["c"]]`."""
    return ["".join(word) for word in words]


def _starts(words: Words) -> list[int]:
    """Return a label for each unit: 1 for the first one of a word."""
    labels = []
    for word in words:
        labels += [1, *[0] * (len(word) - 1)]
    return labels


def _ends(words: Words) -> list[int]:
    """Return a label for each unit: 1 for the last one of a word."""
    labels = []
    for word in words:
        labels += [*[0] * (len(word) - 1), 1]
    return labels
