"""Labels and tags that likely mean another thing than they are read as are doubted, and ordinary ones are not."""

import random
import re
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

import segscores

Labels = list[list[int]]

#: Labels of three utterances, of which 1 ends a word in the first list and starts one in the second.
ENDS = [[0, 0, 1, 1], [1, 0, 1], [0, 1, 0, 1]]
STARTS = [[1, 0, 0, 1], [1, 1, 0], [1, 0, 1, 0]]
#: Labels of the gaps between the units of STARTS: one less than units.
GAPS = [[0, 0, 1], [1, 0], [0, 1, 0]]
#: Labels of utterances of 3 to 9 units, one of them a single word.
UNPADDED = [[1, 0, 1], [1, 1, 0, 1, 0], [1, 0, 0, 1, 0, 1, 0, 1, 1], [1, 0, 0, 1, 1, 0, 1], [1, 0, 0, 0, 0, 0, 0]]
#: Labels of utterances of a word `I` and words of four and five units, as they are, one unit late and one unit early.
OF_WORDS = [[1, *[1, 0, 0, 0, 1, 0, 0, 0, 0] * times] for times in (1, 2, 3, 4)]
LATE = [[1, *labels[:-1]] for labels in OF_WORDS]
EARLY = [[*labels[1:], 0] for labels in OF_WORDS]
OTHER_WORDS = [[1, *[0, 0, 1, 0, 0, 1, 0, 0, 1] * times] for times in (1, 2, 3, 4)]
#: Labels of utterances of words of three, four, two units and one, and the same one unit late.
OF_FOUR = [[1, 0, 0, 1, 0, 0, 0, 1, 0, 1]] * 6
FOUR_LATE = [[1, *labels[:-1]] for labels in OF_FOUR]
#: Labels of utterances of words of four units, one, three, two, five and one, and the same reversed.
OF_SIX = [[1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]] * 4
SIX_REVERSED = [labels[::-1] for labels in OF_SIX]
MOSTLY_ONES = [[1, 0, *[1] * 9, 0, 0, *[1] * 6, 0]] * 4
MOSTLY_ONES_LATE = [[1, 0, 0, *[1] * 9, 0, 0, *[1] * 6]] * 4
#: Utterances that begin with a special token and end with another one.
BETWEEN_TOKENS = [[0, 1, *[0] * number, 1, 0] for number in range(1, 9)]


class Doubt(NamedTuple):
    """Sides, options, and a pattern of each warning, in order."""

    references: Any
    predictions: Any
    options: dict[str, Any]
    said: tuple[str, ...]


def same(labels: Any, *said: str, **options: Any) -> Doubt:
    """Return labels of both sides."""
    return Doubt(labels, labels, {"label_scheme": "start"} | options, said)


def on_sides(*names: str, said: str) -> tuple[str, ...]:
    """Return a pattern for each of these sides."""
    return tuple(f"^the {name}: {said}" for name in names)


def as_arrays(utterances: Labels) -> list[np.ndarray]:
    return [np.array(utterance) for utterance in utterances]


def padded(length: int, *utterances: str) -> Labels:
    """Labels with 0 behind them, of this length."""
    return [[int(label) for label in utterance.ljust(length, "0")] for utterance in utterances]


def swapped(utterances: Labels) -> Labels:
    return [[1 - label for label in labels] for labels in utterances]


def windows(seed: int) -> np.ndarray:
    """Windows of one length, whose first label starts a word."""
    labels = np.random.default_rng(seed).integers(0, 2, (20, 40))
    labels[:, 0] = 1
    return labels


def as_tags(utterances: Labels) -> list[list[str]]:
    return [["IB"[label] for label in labels] for labels in utterances]


def padded_before(padding: int) -> Labels:
    """Labels of OF_WORDS and of a last word of one unit, all of one length."""
    return [[padding] * (37 - len(utterance)) + [*utterance, 1] for utterance in OF_WORDS]


def padded_tags(padding: str) -> list[list[str]]:
    words = [["B", "I"] * number + ["S"] for number in range(1, 9)]
    return [[*utterance, *[padding] * (17 - len(utterance))] for utterance in words]


#: Rows of a padded batch, as a model has them: a special token, the labels, and padding.
IGNORED = [[-100, *utterance, *[-100] * (14 - len(utterance))] for utterance in UNPADDED]
#: References, predictions, and what is said.
MOVED: dict[str, tuple[Labels, Labels, str]] = {
    "late": (OF_WORDS, LATE, "4 are those of the references, and 20 would be one unit earlier: is there a label too many"),
    "early": (OF_WORDS, EARLY, "0 are those of the references, and 16 would be one unit later: is there a label too many"),
    # Of 18 word ends, 12 would agree, and 6 are those of the first units.
    "late, with a last word of one unit": (OF_FOUR, FOUR_LATE, "12 would be one unit earlier"),
    # Of 20 word ends, 16 would agree, and 4 are those of the first units.
    "reversed": (OF_SIX, SIX_REVERSED,
        "12 are those of the references, and 16 would be if the labels of each utterance were reversed: do they begin"),
    "two of four utterances reversed": (OF_SIX, [*OF_SIX[:2], *SIX_REVERSED[2:]], ""),
    "fewer than 16 word ends": (OF_FOUR[:5], FOUR_LATE[:5], ""),
    "late, where most agree as they are": (MOSTLY_ONES, MOSTLY_ONES_LATE, ""),
    "two of four utterances late": (OF_WORDS, [*OF_WORDS[:2], *LATE[2:]], ""),
    "as they are": (OF_WORDS, OF_WORDS, ""),
    "other words": (OF_WORDS, OTHER_WORDS, ""),
}  # fmt: skip
BOTH = ("references", "predictions")
FORMS: dict[str, Callable[[Labels], Any]] = {"lists": list, "arrays": as_arrays}
AT_OTHER_END = "label of each of the first 3 .* add label_scheme="
PADDING = r"5 utterances have 14 labels each, .* padding.* add ignore_index=-100\."
ZEROS = on_sides(*BOTH, said=".*swap 0 and 1")
DOUBTS: dict[str, Doubt] = {
    # The ones are at the other end.
    **{
        f"{form}: a 1 at each {end}": same(make(labels), *on_sides(*BOTH, said=f'.*{AT_OTHER_END}"{end}"'), label_scheme=scheme)
        for (form, make), (labels, scheme, end) in product(FORMS.items(), [(ENDS, "start", "end"), (STARTS, "end", "start")])
    },
    "references with a 1 at each end": Doubt(
        ENDS, STARTS, {"label_scheme": "start"}, on_sides("references", said=".*label_scheme=")),
    "predictions with a 1 at each end": Doubt(
        STARTS, ENDS, {"label_scheme": "start"}, on_sides("predictions", said=".*label_scheme=")),
    "a 1 at each end, as said": same(ENDS, label_scheme="end"),
    "a 1 at each start, as said": same(STARTS),
    "two utterances, which show no habit": same(ENDS[:2]),
    "a first label of 0, since no boundary is there": same([[0, 0, 1, 0], [0, 1], [0, 0, 1]]),
    "utterances of one unit, which show nothing": same([[0], [1], [0], *STARTS]),
    # The last label marks a boundary too, as that of a full stop.
    "a 1 at each start and end": same([[1, 0, 1], [1, 1, 1], [1, 0, 0, 1]]),
    # Padding, and positions that do not count.
    **{
        f"{form}: a batch padded with {padding}": same(
            make([[*utterance, *[padding] * (14 - len(utterance))] for utterance in UNPADDED]), PADDING)
        for padding, (form, make) in product([0, 1], {"lists": list, "an array": np.array}.items())
    },
    **{
        f"ignored positions with {at_ignored} on the other side": Doubt(
            IGNORED, [[at_ignored if label == -100 else label for label in row] for row in IGNORED],
            {"label_scheme": "start", "ignore_index": -100}, ())
        for at_ignored in (0, 1)
    },
    # Padded before their labels, predictions begin with 0 and end with 1 of a word of one unit.
    "padding before labels that count": Doubt(
        padded_before(-100), padded_before(0), {"label_scheme": "start", "ignore_index": -100}, ()),
    # Labels of one length that end in 0. Elsewhere there are runs of one to three equal labels.
    "ends of more than twice the usual run": same(padded(11, "101011", "101001", "110110", "111011"), "padding"),
    "ends of twice the usual run": same(padded(10, "101011", "101001", "110110", "111011")),
    "half of the utterances": same(
        padded(12, "101011", "101001", "110110", "111011011011", "101011011011", "110110110101")),
    "three runs each": same(padded(12, "101", "1101", "1001", "1011", "1", "11", "111", "1111"), "padding"),
    "fewer than three runs each": same(padded(12, "101", "1101", "1001", "1011", "1", "11", "111", "1111", "11111")),
    "a longer run of sixteen": same(padded(9, "101", "1101", "1001", "1011", "1", "11", "111", "1111")),
    "two long ends": same(padded(20, "10110101", "11010101", "10101011010101101011")),
    "fifteen runs": same(padded(12, "101011", "101101", "110110", "1", "11")),
    # An utterance of two words that comes again and again: "my crocodile".
    "one utterance": same(padded(11, "101") * 3),
    # Some utterances of two words show no length of words: "a crocodile", "my elephant", "the giraffe".
    "two words": same(padded(10, "11", "101", "1001")),
    # A label beside those of the text.
    "eight utterances between special tokens": same(BETWEEN_TOKENS, r"such as \[CLS\]"),
    "eight reversed utterances between special tokens": same(
        [utterance[::-1] for utterance in BETWEEN_TOKENS], r"such as \[CLS\]", label_scheme="end"),
    "seven utterances between special tokens": same(BETWEEN_TOKENS[:-1]),
    **{
        f"tags padded with {padding}": same(padded_tags(padding), sign, label_scheme="BIOES")
        for padding, sign in (("O", "7 of the first 8"), ("I", "17 labels each"), ("S", "17 labels each"))
    },
    # 0 for each start of a word.
    "0 and 1 swapped": same(swapped([labels[:-1] for labels in OF_WORDS]), *ZEROS),
    "their ends": same(swapped([labels[::-1] for labels in OF_WORDS]), *ZEROS, label_scheme="end"),
    "ends of one unit": same(swapped([[*labels, 1] for labels in OF_WORDS]), *ZEROS),
    "words of three units": same([[0, 1, 1, 0, 1, 1, 0, 1, 1, 0]] * 3),
    "words of three and four units": same([[0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]] * 3, *ZEROS),
    "gaps, of which some first ones are boundaries": same(
        [[0, 1, 1, 1, 0], [1, 1, 1, 0, 1], [0, 1, 1, 1, 1]], "labels of the gaps between units, put 1 before"),
    "a boundary in every gap": same([[0, *[1] * 19]] * 3, *on_sides(*BOTH, said='.*add label_scheme="end"')),
    "a first label without a boundary": same([[0, *labels[1:]] for labels in OF_WORDS]),
    # Labels of gaps.
    **{
        f"{form}: gaps as {scheme} labels": same(
            make(GAPS), *on_sides("references", said=f".* put 1 {place} those of each utterance"), label_scheme=scheme)
        for (form, make), (scheme, place) in product(FORMS.items(), [("start", "before"), ("end", "after")])
    },
    "gaps that a model predicts": Doubt(STARTS, [[0, 0, 0, 1], [1, 1, 0], [0, 0, 1, 0]], {"label_scheme": "start"}, ()),
    **{f"windows of one length, {seed}": same(windows(seed)) for seed in range(5)},
    # One unit late or early. Moved, a word of one unit at the beginning is new, and one at the end is lost.
    **{
        f"{name}, {scheme}": Doubt(
            as_tags(references) if scheme == "BI" else references, as_tags(predictions) if scheme == "BI" else predictions,
            {"label_scheme": scheme}, on_sides(*["predictions"] * bool(said), said=f"of the .*{said}"))
        for (name, (references, predictions, said)), scheme in product(MOVED.items(), ("start", "BI"))
    },
    "late in a long list": Doubt(
        OF_WORDS * 400, LATE * 400, {"label_scheme": "start"},
        ("within the first 128 utterances, 128 are those .* one unit earlier",)),
    # Tags that stand for another thing.
    "swapped tags": same([[*"IBIIB"]] * 8, "tags B and I swapped", label_scheme="BI"),
    "swapped names of class ids": same([[1, 0, 1, 1, 0]] * 8, "tags B and I swapped", label_scheme=None, id2label=["B", "I"]),
    "seven utterances": same([[*"IBIIB"]] * 7, label_scheme="BI"),
    "few words that begin": same([[*"IB"]] * 3 + [[*"II"]] * 5, label_scheme="BI"),
    "swapped tags beside words of one unit": same(
        [[*"IB"], ["B"]] * 8, "8 utterances with several tags .* tags B and I swapped", label_scheme="BI"),
    "one utterance that begins a word": same([[*"IBIIB"]] * 8 + [[*"BI"]], label_scheme="BI"),
    "O as padding": same([[*"BIBOO"]] * 8, "nowhere but at the ends: if it is padding", label_scheme="BIO"),
    "O as special tokens": same([[*"OBIBO"]] * 8, "nowhere but at the ends: if it is padding", label_scheme="BIO"),
    "a word of one unit within": same([[*"BIBOO"]] * 8 + [[*"BOBIO"]], label_scheme="BIO"),
    "an utterance that ends in another word": same([[*"BIBOO"]] * 8 + [[*"BIBI"]], label_scheme="BIO"),
    "entities": same([["B-PER", "I-PER", "O", "B-LOC"]], "such as LOC and PER, which are not compared", label_scheme="BIO"),
    "class ids of entities": same(
        [[1, 0, 2]], "such as LOC and PER, which are not compared", label_scheme="BIO", id2label=["O", "B-PER", "B-LOC"]),
    "words of one type": same([["B-W", "I-W", "O", "B-W"]], label_scheme="BIO"),
    "words with parts of speech": same([["B-NN", "I-NN", "B-VV"]], label_scheme="BIO"),
}  # fmt: skip


def warnings_of(references: Any, predictions: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        segscores.score(references, predictions, scores="token", **options)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", DOUBTS)
def test_labels_are_doubted_where_they_likely_mean_another_thing(name: str) -> None:
    references, predictions, options, said = DOUBTS[name]
    messages = warnings_of(references, predictions, **options)
    assert len(messages) == len(said), messages
    for message, pattern in zip(messages, said, strict=True):
        assert re.search(pattern, message), message


def utterances_of_one_length(source: random.Random) -> list[list[int]]:
    """Labels of 3 to 64 utterances of as many units, whose words are as long as those of a sentence of this docstring.

    A child who sees a dog asks what it is, and a parent answers that the animal is a friend of the neighbours.
    """
    word_lengths = [len(word) for word in str(utterances_of_one_length.__doc__).split()]
    unit_count = source.randrange(4, 60)
    utterances: list[list[int]] = []
    utterance_count = source.choice([3, 4, 6, 8, 16, 32, 64])
    while len(utterances) < utterance_count:
        labels: list[int] = []
        while len(labels) < unit_count:
            labels += [1] + [0] * (source.choice(word_lengths) - 1)
        if len(labels) == unit_count:
            utterances.append(labels)
    return utterances


def test_random_utterances_of_one_length_are_hardly_ever_taken_for_padded() -> None:
    source = random.Random(5)
    doubts = 0
    for _ in range(1000):
        labels = utterances_of_one_length(source)
        messages = warnings_of(labels, labels, label_scheme="start")
        doubts += any("padding" in message for message in messages)
    assert doubts <= 1
