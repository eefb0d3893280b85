"""Labels and tags that likely mean another thing than they are read as are doubted, and ordinary ones are not."""

import random
import warnings
from typing import Any

import numpy as np
import pytest

import segscores

#: Labels of three utterances, of which 1 ends a word in the first list and starts one in the second.
ENDS = [[0, 0, 1, 1], [1, 0, 1], [0, 1, 0, 1]]
STARTS = [[1, 0, 0, 1], [1, 1, 0], [1, 0, 1, 0]]


@pytest.mark.parametrize("as_arrays", [False, True])
@pytest.mark.parametrize(("labels", "scheme", "other"), [(ENDS, "start", "end"), (STARTS, "end", "start")])
def test_labels_whose_ones_are_at_the_other_end_are_said(
    labels: list[list[int]], scheme: Any, other: Any, as_arrays: bool
) -> None:
    sides = [np.array(utterance) for utterance in labels] if as_arrays else labels
    with pytest.warns(UserWarning, match=f'label of each of the first 3 .* add label_scheme="{other}"') as warned:
        segscores.score(sides, sides, label_scheme=scheme, scores="token")
    assert [str(one.message).partition(":")[0] for one in warned] == ["the references", "the predictions"]


#: Labels of utterances of 3 to 9 units, one of them a single word.
UNPADDED = [[1, 0, 1], [1, 1, 0, 1, 0], [1, 0, 0, 1, 0, 1, 0, 1, 1], [1, 0, 0, 1, 1, 0, 1], [1, 0, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("as_array", [False, True])
def test_labels_of_a_padded_batch_are_said(padding: int, as_array: bool) -> None:
    labels: Any = [[*utterance, *[padding] * (14 - len(utterance))] for utterance in UNPADDED]
    sides = np.array(labels) if as_array else labels
    with pytest.warns(
        UserWarning, match=r"5 utterances have 14 labels each, .* padding.* add ignore_index=-100\."
    ) as warned:
        segscores.score(sides, sides, label_scheme="start", scores="token")
    assert len(warned) == 1


@pytest.mark.parametrize("at_ignored", [0, 1])
def test_labels_at_ignored_positions_raise_no_doubt(at_ignored: int) -> None:
    """Rows of a padded batch, as a model has them: a special token, the labels, and padding."""
    references = [[-100, *utterance, *[-100] * (14 - len(utterance))] for utterance in UNPADDED]
    predictions = [[at_ignored if label == -100 else label for label in row] for row in references]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = segscores.score(references, predictions, label_scheme="start", ignore_index=-100, scores="token_fscore")
    assert found == {"token_fscore": 1.0}


def padded(length: int, *utterances: str) -> list[list[int]]:
    """Labels with 0 behind them, of this length."""
    return [[int(label) for label in utterance.ljust(length, "0")] for utterance in utterances]


#: Labels of one length that end in 0, and whether they are padded. Elsewhere there are runs of one to three equal labels.
OF_ONE_LENGTH = {
    "ends of more than twice the usual run": (padded(11, "101011", "101001", "110110", "111011"), True),
    "ends of twice the usual run": (padded(10, "101011", "101001", "110110", "111011"), False),
    "half of the utterances": (
        padded(12, "101011", "101001", "110110", "111011011011", "101011011011", "110110110101"), False),
    "three runs each": (padded(12, "101", "1101", "1001", "1011", "1", "11", "111", "1111"), True),
    "fewer than three runs each": (padded(12, "101", "1101", "1001", "1011", "1", "11", "111", "1111", "11111"), False),
    "a longer run of sixteen": (padded(9, "101", "1101", "1001", "1011", "1", "11", "111", "1111"), False),
    "two long ends": (padded(20, "10110101", "11010101", "10101011010101101011"), False),
    "fifteen runs": (padded(12, "101011", "101101", "110110", "1", "11"), False),
    # An utterance of two words that comes again and again: "my crocodile".
    "one utterance": (padded(11, "101") * 3, False),
    # Some utterances of two words show no length of words: "a crocodile", "my elephant", "the giraffe".
    "two words": (padded(10, "11", "101", "1001"), False),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE_LENGTH)
def test_labels_of_one_length_are_doubted_if_most_end_in_long_runs(name: str) -> None:
    labels, are_padded = OF_ONE_LENGTH[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        segscores.score(labels, labels, label_scheme="start", scores="token")
    assert ["padding" in str(warning.message) for warning in caught] == [True] * are_padded


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
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            segscores.score(labels, labels, label_scheme="start", scores="token")
        doubts += any("padding" in str(one.message) for one in warned)
    assert doubts <= 1


@pytest.mark.parametrize("seed", range(5))
def test_windows_of_one_length_are_read_without_a_word(seed: int) -> None:
    labels = np.random.default_rng(seed).integers(0, 2, (20, 40))
    labels[:, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segscores.score(labels, labels, label_scheme="start", scores="token")


@pytest.mark.parametrize(("scheme", "are_doubted"), [("start", True), ("end", True), ("start", False)])
def test_a_label_beside_those_of_the_text_is_said(scheme: Any, are_doubted: bool) -> None:
    utterances = [[0, 1, *[0] * number, 1, 0] for number in range(1, 9 if are_doubted else 8)]
    labels = utterances if scheme == "start" else [utterance[::-1] for utterance in utterances]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        segscores.score(labels, labels, label_scheme=scheme, scores="token")
    assert ["such as [CLS]" in str(one.message) for one in warned] == [True] * are_doubted


@pytest.mark.parametrize(
    ("padding", "sign"), [("O", "7 of the first 8"), ("I", "17 labels each"), ("S", "17 labels each")]
)
def test_tags_of_a_padded_batch_are_said(padding: str, sign: str) -> None:
    words = [["B", "I"] * number + ["S"] for number in range(1, 9)]
    tags = [[*utterance, *[padding] * (17 - len(utterance))] for utterance in words]
    with pytest.warns(UserWarning, match=sign) as warned:
        segscores.score(tags, tags, label_scheme="BIOES", scores="token")
    assert len(warned) == 1


#: Labels of utterances of a word `I` and words of four and five units, as they are, one unit late and one unit early.
OF_WORDS = [[1, *[1, 0, 0, 0, 1, 0, 0, 0, 0] * times] for times in (1, 2, 3, 4)]
LATE = [[1, *labels[:-1]] for labels in OF_WORDS]
EARLY = [[*labels[1:], 0] for labels in OF_WORDS]
#: Labels of utterances of words of three, four, two units and one.
OF_FOUR = [[1, 0, 0, 1, 0, 0, 0, 1, 0, 1]] * 6
#: The same of words of four units, one, three, two, five and one.
OF_SIX = [[1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]] * 4
#: References, predictions, and what is said. Moved, a word of one unit at the beginning is new, and one at the end is lost.
MOVED: dict[str, tuple[list[list[int]], list[list[int]], str]] = {
    "late": (
        OF_WORDS,
        LATE,
        "4 are those of the references, and 20 would be one unit earlier: is there a label too many",
    ),
    "early": (
        OF_WORDS,
        EARLY,
        "0 are those of the references, and 16 would be one unit later: is there a label too many",
    ),
    # Of 18 word ends, 12 would agree, and 6 are those of the first units.
    "late, with a last word of one unit": (
        OF_FOUR,
        [[1, *labels[:-1]] for labels in OF_FOUR],
        "12 would be one unit earlier",
    ),
    # Of 20 word ends, 16 would agree, and 4 are those of the first units.
    "reversed": (
        OF_SIX,
        [labels[::-1] for labels in OF_SIX],
        "12 are those of the references, and 16 would be if the labels of each utterance were reversed: do they begin",
    ),
    "two of four utterances reversed": (OF_SIX, [*OF_SIX[:2], *[labels[::-1] for labels in OF_SIX[2:]]], ""),
    "fewer than 16 word ends": (OF_FOUR[:5], [[1, *labels[:-1]] for labels in OF_FOUR[:5]], ""),
    "late, where most agree as they are": (
        [[1, 0, *[1] * 9, 0, 0, *[1] * 6, 0]] * 4,
        [[1, 0, 0, *[1] * 9, 0, 0, *[1] * 6]] * 4,
        "",
    ),
    "two of four utterances late": (OF_WORDS, [*OF_WORDS[:2], *LATE[2:]], ""),
    "as they are": (OF_WORDS, OF_WORDS, ""),
    "other words": (OF_WORDS, [[1, *[0, 0, 1, 0, 0, 1, 0, 0, 1] * times] for times in (1, 2, 3, 4)], ""),
}


@pytest.mark.parametrize("scheme", ["start", "BI"])
@pytest.mark.parametrize("name", MOVED)
def test_labels_that_are_moved_by_one_unit_are_said(name: str, scheme: Any, recwarn: pytest.WarningsRecorder) -> None:
    *sides, said = MOVED[name]
    written = sides if scheme == "start" else [[["IB"[label] for label in labels] for labels in side] for side in sides]
    segscores.score(written[0], written[1], label_scheme=scheme, scores="token")
    messages = [str(warning.message) for warning in recwarn]
    assert [message.startswith("the predictions: of the") for message in messages] == [True] * bool(said)
    assert all(said in message for message in messages)


def test_labels_of_long_lists_that_are_moved_are_said() -> None:
    with pytest.warns(UserWarning, match="within the first 128 utterances, 128 are those .* one unit earlier"):
        segscores.score(OF_WORDS * 400, LATE * 400, label_scheme="start", scores="token")


def swapped(utterances: list[list[int]]) -> list[list[int]]:
    return [[1 - label for label in labels] for labels in utterances]


#: Labels of 0 for each start of a word, and the scheme, and whether 0 and 1 are taken for swapped.
OF_ZEROS: dict[str, tuple[list[list[int]], Any, bool]] = {
    "words of four and five units": (swapped([labels[:-1] for labels in OF_WORDS]), "start", True),
    "their ends": (swapped([labels[::-1] for labels in OF_WORDS]), "end", True),
    "ends of one unit": (swapped([[*labels, 1] for labels in OF_WORDS]), "start", True),
    "words of three units": ([[0, 1, 1, 0, 1, 1, 0, 1, 1, 0]] * 3, "start", False),
    "words of three and four units": ([[0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]] * 3, "start", True),
    "gaps, of which some first ones are boundaries": (
        [[0, 1, 1, 1, 0], [1, 1, 1, 0, 1], [0, 1, 1, 1, 1]],
        "start",
        False,
    ),
    "a boundary in every gap": ([[0, *[1] * 19]] * 3, "start", False),
    "a first label without a boundary": ([[0, *labels[1:]] for labels in OF_WORDS], "start", False),
}


@pytest.mark.parametrize("name", OF_ZEROS)
def test_labels_of_zeros_for_ones_are_said(name: str, recwarn: pytest.WarningsRecorder) -> None:
    labels, scheme, are_swapped = OF_ZEROS[name]
    segscores.score(labels, labels, label_scheme=scheme, scores="token")
    said = [str(warning.message) for warning in recwarn if "swap 0 and 1" in str(warning.message)]
    assert len(said) == 2 * are_swapped


def test_a_prediction_is_doubted_by_the_labels_that_count(recwarn: pytest.WarningsRecorder) -> None:
    """Padded before their labels, predictions begin with 0 and end with 1 of a word of one unit."""
    labels = [[*utterance, 1] for utterance in OF_WORDS]
    longest = max(map(len, labels))
    sides = [[[padding] * (longest - len(utterance)) + utterance for utterance in labels] for padding in (-100, 0)]
    scores = segscores.score(sides[0], sides[1], label_scheme="start", ignore_index=-100, scores="token_fscore")
    assert (scores, list(recwarn)) == ({"token_fscore": 1.0}, [])


@pytest.mark.parametrize("side", ["references", "predictions"])
def test_labels_of_one_side_whose_ones_are_at_the_other_end_are_said(side: str) -> None:
    with pytest.warns(UserWarning, match=f"the {side}: .*label_scheme="):
        segscores.score(
            **{"references": STARTS, "predictions": STARTS, side: ENDS}, label_scheme="start", scores="token"
        )


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (ENDS, "end"),
        (STARTS, "start"),
        # Two utterances show no habit.
        (ENDS[:2], "start"),
        # The first label of each utterance is 0, since no boundary is there.
        ([[0, 0, 1, 0], [0, 1], [0, 0, 1]], "start"),
        # Utterances of one unit show nothing.
        ([[0], [1], [0], *STARTS], "start"),
        # The first label of every utterance marks a boundary, and the last does too, as that of a full stop.
        ([[1, 0, 1], [1, 1, 1], [1, 0, 0, 1]], "start"),
    ],
)
def test_labels_whose_ones_are_at_the_right_end_are_read_without_a_word(labels: list[list[int]], scheme: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segscores.score(labels, labels, label_scheme=scheme, scores="token")


#: Labels of the gaps between the units of STARTS: one less than units.
GAPS = [[0, 0, 1], [1, 0], [0, 1, 0]]


@pytest.mark.parametrize("as_arrays", [False, True])
@pytest.mark.parametrize(("scheme", "place"), [("start", "before"), ("end", "after")])
def test_labels_of_gaps_are_said(scheme: Any, place: str, as_arrays: bool) -> None:
    sides = [np.array(utterance) for utterance in GAPS] if as_arrays else GAPS
    with pytest.warns(UserWarning, match=f"the references: .* put 1 {place} those of each utterance") as warned:
        segscores.score(sides, sides, label_scheme=scheme, scores="token")
    assert len(warned) == 1


def test_labels_of_gaps_that_a_model_predicts_are_read_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segscores.score(STARTS, [[0, 0, 0, 1], [1, 1, 0], [0, 0, 1, 0]], label_scheme="start", scores="token")


#: Tags or class ids of utterances, options, and what is said: tags that are swapped, and O for padding. Empty: nothing.
OF_TAGS: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "swapped tags": ([[*"IBIIB"]] * 8, {"label_scheme": "BI"}, "tags B and I swapped"),
    "swapped names of class ids": ([[1, 0, 1, 1, 0]] * 8, {"id2label": ["B", "I"]}, "tags B and I swapped"),
    "seven utterances": ([[*"IBIIB"]] * 7, {"label_scheme": "BI"}, ""),
    "few words that begin": ([[*"IB"]] * 3 + [[*"II"]] * 5, {"label_scheme": "BI"}, ""),
    "swapped tags beside words of one unit": (
        [[*"IB"], ["B"]] * 8,
        {"label_scheme": "BI"},
        "8 utterances with several tags",
    ),
    "one utterance that begins a word": ([[*"IBIIB"]] * 8 + [[*"BI"]], {"label_scheme": "BI"}, ""),
    "padding": ([[*"BIBOO"]] * 8, {"label_scheme": "BIO"}, "nowhere but at the ends: if it is padding"),
    "special tokens": ([[*"OBIBO"]] * 8, {"label_scheme": "BIO"}, "nowhere but at the ends: if it is padding"),
    "a word of one unit within": ([[*"BIBOO"]] * 8 + [[*"BOBIO"]], {"label_scheme": "BIO"}, ""),
    "an utterance that ends in another word": ([[*"BIBOO"]] * 8 + [[*"BIBI"]], {"label_scheme": "BIO"}, ""),
    "entities": (
        [["B-PER", "I-PER", "O", "B-LOC"]],
        {"label_scheme": "BIO"},
        "such as LOC and PER, which are not compared",
    ),
    "class ids of entities": (
        [[1, 0, 2]],
        {"label_scheme": "BIO", "id2label": ["O", "B-PER", "B-LOC"]},
        "such as LOC and PER, which are not compared",
    ),
    "words of one type": ([["B-W", "I-W", "O", "B-W"]], {"label_scheme": "BIO"}, ""),
    "words with parts of speech": ([["B-NN", "I-NN", "B-VV"]], {"label_scheme": "BIO"}, ""),
}


@pytest.mark.parametrize("name", OF_TAGS)
def test_tags_that_stand_for_another_thing_are_said(name: str, recwarn: pytest.WarningsRecorder) -> None:
    labels, options, said = OF_TAGS[name]
    segscores.score(labels, labels, **options, scores="token")
    assert [said in str(warning.message) for warning in recwarn] == [True] * bool(said)
