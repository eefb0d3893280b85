"""Compatible brackets: the example of the definition, and counts against every pair of brackets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.segmentation import Segmentation
from segscores.options.errors import UtteranceError
from segscores.scoring.measures.constituent import CONSTITUENT_KEYS, constituent_scores, tally_constituent
from segscores.scoring.mismatch import compare_segmentations

from ...corpora import Corpus, Word, characters, cut
from ...naive import naive_counts, spans
from ...tallies import listed, read, summed, text_of

Levels = tuple[Corpus, Corpus, Corpus]


def tally(words: Segmentation, morphemes: Segmentation, prediction: Segmentation) -> dict[str, np.ndarray]:
    return tally_constituent(compare_segmentations(words, prediction), morphemes)


@st.composite
def leveled_corpora(draw: st.DrawFn) -> Levels:
    """Words, morphemes inside them, and a prediction."""
    corpora: Levels = ([], [], [])
    for _ in range(draw(st.integers(1, 4))):
        units = draw(st.lists(characters, max_size=10))
        ends = st.lists(st.booleans(), min_size=len(units), max_size=len(units))
        morpheme_ends, at_words, predicted_ends = draw(ends), draw(ends), draw(ends)
        word_ends = [end and at_word for end, at_word in zip(morpheme_ends, at_words, strict=True)]
        for corpus, level in zip(corpora, (word_ends, morpheme_ends, predicted_ends), strict=True):
            corpus.append(cut(units, level))  # type: ignore[attr-defined]
    return corpora


def naive_utterance(words: list[Word], morphemes: list[Word], prediction: list[Word]) -> dict[str, int]:
    crossing = dividing = 0
    for s, e in spans(prediction):
        brackets = spans(words) | spans(morphemes)
        is_crossing = any(a < s < b < e or s < a < e < b for a, b in brackets)
        is_dividing = any(a <= s and e <= b and (a, b) != (s, e) for a, b in spans(morphemes))
        assert not (is_crossing and is_dividing)
        crossing += is_crossing
        dividing += is_dividing
    matched = naive_counts([morphemes], [prediction])
    return {
        "brackets_compatible": len(prediction) - crossing - dividing,
        "brackets_crossing": crossing,
        "brackets_dividing": dividing,
        "brackets_predicted": len(prediction),
        "brackets_all_compatible": int(bool(prediction) and not crossing + dividing),
        "brackets_utterances": int(bool(prediction)),
        "morpheme_matched": matched["token_matched"],
        "morpheme_predicted": matched["token_predicted"],
        "morpheme_reference": matched["token_reference"],
    }


@given(leveled_corpora())
def test_equals_the_definition_over_all_pairs_of_brackets(levels: Levels) -> None:
    columns = listed(tally(*(read(corpus, "units_text") for corpus in levels)))
    for number, utterance in enumerate(zip(*levels, strict=True)):
        counts = {column: values[number] for column, values in columns.items()}
        assert counts == naive_utterance(*utterance)


@given(leveled_corpora())
def test_labels_are_counted_as_text_is(levels: Levels) -> None:
    labels = tally(*(read(corpus, "labels") for corpus in levels))
    text = tally(*(read(corpus, "units_text") for corpus in levels))
    assert listed(labels) == listed(text)


@pytest.mark.parametrize(
    ("prediction", "crossing", "dividing", "morphemes"),
    [
        ("database system", 0, 0, 1), ("data base system", 0, 0, 3), ("databasesystem", 0, 0, 0),
        ("data basesystem", 1, 0, 1), ("database sys tem", 0, 2, 0), ("dat abase system", 1, 1, 1),
        ("databases ystem", 1, 1, 0),
    ],
)  # fmt: skip
def test_the_brackets_of_database_system(prediction: str, crossing: int, dividing: int, morphemes: int) -> None:
    columns = tally(text_of("database system"), text_of("data base system"), text_of(prediction))
    assert [int(columns[f"brackets_{kind}"][0]) for kind in ("crossing", "dividing")] == [crossing, dividing]
    assert int(columns["morpheme_matched"][0]) == morphemes
    assert int(columns["brackets_all_compatible"][0]) == int(crossing + dividing == 0)


def test_the_rates_of_three_utterances() -> None:
    words = text_of("database system", "", "database system", "database")
    morphemes = text_of("data base system", "", "data base system", "data base")
    prediction = text_of("data basesystem", "", "database sys tem", "data base")
    scores = constituent_scores(summed(tally(words, morphemes, prediction)), 0.0)
    assert tuple(scores) == CONSTITUENT_KEYS
    assert scores == pytest.approx(
        {
            "compatible_brackets_rate": 4 / 7,
            "all_compatible_brackets_rate": 1 / 3,
            "crossing_brackets_rate": 1 / 7,
            "dividing_brackets_rate": 2 / 7,
            "morpheme_precision": 3 / 7,
            "morpheme_recall": 3 / 8,
            "morpheme_fscore": 6 / 15,
        },
        abs=1e-12,
    )


def test_a_word_that_ends_inside_a_morpheme_is_refused() -> None:
    words = text_of("data base", "", "the database system")
    morphemes = text_of("data base", "", "the data basesystem")
    with pytest.raises(
        UtteranceError, match=r"^utterance 2: word 1 of the reference ends inside a morpheme; .* swapped"
    ) as caught:
        tally(words, morphemes, words)
    assert caught.value.utterance == 2


def test_morphemes_of_other_units_are_refused() -> None:
    words = text_of("database")
    with pytest.raises(UtteranceError, match=r"^utterance 0: the units differ at offset 7"):
        tally(words, text_of("data bass"), words)
    with pytest.raises(ValueError, match=r"^2 references and 1 predictions"):
        tally(words, text_of("database", ""), words)
