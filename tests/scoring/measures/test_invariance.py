"""Invariances that every score group of the registry must have on any corpus, but for EXCEPTIONS."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscores import CorpusTally, score, tally
from segscores.scoring.measures.group import ScoreGroup
from segscores.scoring.measures.registry import GROUPS, compute_scores
from segscores.scoring.passes import concatenate_tallies, open_systems
from segscores.scoring.plan import Plan

from ...corpora import Corpus, Word, corpus_pairs, random_corpus_pair, units_text
from ...naive_groups import GROUP_OPTIONS, TAG_GROUPS, TEXT_GROUPS, naive_group_scores, with_tags

Pair = tuple[list[list[Word]], list[list[Word]]]
Check = Callable[["Case", Pair, random.Random], None]

# Most words are out of a vocabulary of eight, which is what is wanted here.
pytestmark = pytest.mark.filterwarnings("ignore:.*outside the vocabulary, .* implausible")


@dataclass(frozen=True)
class Case:
    """A group with the options that it is scored with, and a pair whose scores are computed once for all checks."""

    group: ScoreGroup
    options: Mapping[str, Any] = field(default_factory=dict)
    pair: Pair = ([], [])
    known: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.group.name

    def sides(self, *corpora: Corpus) -> list[Any]:
        return [with_tags(corpus) if "tags" in self.group.needs else units_text(corpus) for corpus in corpora]

    def all_options(self, zero_division: float = 0.0) -> dict[str, Any]:
        return {"scores": self.name, "zero_division": zero_division, **GROUP_OPTIONS.get(self.name, {}), **self.options}

    def tally(self, references: Corpus, predictions: Corpus) -> CorpusTally:
        return tally(*self.sides(references, predictions), **self.all_options())

    def scores(self, references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
        return score(*self.sides(references, predictions), **self.all_options(zero_division))

    def whole(self, zero_division: float = 0.0) -> dict[str, float]:
        """The scores of the pair."""
        if str(zero_division) not in self.known:
            self.known[str(zero_division)] = self.scores(*self.pair, zero_division)
        return self.known[str(zero_division)]

    def naive(self, pair: Pair, zero_division: float) -> dict[str, float]:
        return naive_group_scores(self.name, *pair, zero_division, **self.options)


def agrees_with_naive(case: Case, pair: Pair, _: random.Random) -> None:
    for zero_division in (0.0, 1.0):
        found, expected = case.whole(zero_division), case.naive(pair, zero_division)
        # Fractions are rounded in the sixteenth place.
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14), f"{case.name} disagrees with the naive scorer"
        assert list(found) == list(case.group.keys)


#: Of a corpus against itself, scores that are neither perfect nor wrong: properties of the text.
OF_THE_TEXT = {key for group in TEXT_GROUPS.values() for key in group.keys if group.keys[key].better == "of the text"}
OF_THE_TEXT |= {"boundary_matches", *GROUPS["subword"].keys, *GROUPS["token_use"].keys}


def perfect_on_itself(case: Case, pair: Pair, _: random.Random) -> None:
    for side in pair:
        for key, value in case.scores(side, side, zero_division=math.nan).items():
            if key not in OF_THE_TEXT:
                perfect = 1.0 if case.group.keys[key].better == "higher" else 0.0
                assert math.isnan(value) or value == perfect, f"{key} of {case.name} is not perfect on a corpus itself"
                # The best value of a score is an end of its range, except where scores on both sides of it are worse.
                is_end = case.group.keys[key].better == "near 0" or perfect in case.group.keys[key].range
                assert is_end, f"the range of {key} of {case.name} does not end at its best value"


COUNTERPARTS = {
    "precision": "recall", "recall": "precision", "tpr": "ppv", "ppv": "tpr", "tnr": "npv", "npv": "tnr",
    "insertions": "deletions", "deletions": "insertions",
}  # fmt: skip
#: Scores in terms of the reference alone.
WITHOUT_COUNTERPART = ("iv_recall", "oov_rate", "word_error_rate")


def swaps_with_the_sides(case: Case, pair: Pair, _: random.Random) -> None:
    forward, backward = case.whole(), case.scores(*pair[::-1])
    for key, value in forward.items():
        name, _, kind = key.rpartition("_")
        if key not in WITHOUT_COUNTERPART:
            counterpart = f"{name}_{COUNTERPARTS[kind]}" if kind in COUNTERPARTS else key
            assert value == backward.get(counterpart), (
                f"{key} of {case.name} is not {counterpart} of the swapped sides; COUNTERPARTS says which score it becomes, "
                f"WITHOUT_COUNTERPART has those in terms of the reference alone"
            )


def ignores_the_order(case: Case, pair: Pair, source: random.Random) -> None:
    order = source.sample(range(len(pair[0])), len(pair[0]))
    shuffled = [[side[index] for index in order] for side in pair]
    assert case.scores(*shuffled) == case.whole(), f"{case.name} depends on the order of utterances"


def adds_up(case: Case, pair: Pair, source: random.Random) -> None:
    """Into three shards, in any order; a shard may be empty."""
    shards: list[list[Any]] = [[], [], []]
    for utterances in zip(*pair, strict=True):
        source.choice(shards).append(utterances)
    parts = [case.tally([left for left, _ in shard], [right for _, right in shard]) for shard in shards]
    message = f"the shards of {case.name} do not add up to the whole"
    assert sum(parts) == sum(reversed(parts)) == case.tally(*pair), message
    assert sum(parts).scores() == case.whole(), message


def stays_in_range(case: Case, pair: Pair, _: random.Random) -> None:
    for key, value in case.whole(math.nan).items():
        low, high = case.group.keys[key].range
        assert math.isnan(value) or low <= value <= high, f"{key} of {case.name} leaves its range"


def is_undefined_only_for_want_of_counts(case: Case, pair: Pair, _: random.Random) -> None:
    naive = case.naive(pair, math.nan)
    undefined = {key for key, value in case.whole(math.nan).items() if math.isnan(value)}
    assert undefined == {key for key in case.group.keys if math.isnan(naive[key])}, (
        f"{case.name} is undefined elsewhere"
    )


def amounts_of(group: ScoreGroup) -> list[str]:
    return [key for key in group.keys if not group.keys[key].is_share]


NO_SUMS = {"generalized_hamming", "morpheme_distance", "distinct_tokens", *amounts_of(GROUPS["subword"])}
#: Scores that are counts, and double with the corpus: amounts, but for those that are means.
COUNTS = {key for group in TEXT_GROUPS.values() for key in amounts_of(group)} - NO_SUMS


def keeps_when_doubled(case: Case, pair: Pair, _: random.Random) -> None:
    references, predictions = pair
    expected = {key: value * (1 + (key in COUNTS)) for key, value in case.whole().items()}
    assert case.scores(references * 2, predictions * 2) == expected, (
        f"{case.name} changes when the corpus is doubled, or does not double: `is_share` of its keys says which scores are "
        "counts, and NO_SUMS which of these are no sums over utterances"
    )


def counts_double(case: Case, pair: Pair, _: random.Random) -> None:
    once, twice = (case.tally(*(side * times for side in pair)).counts() for times in (1, 2))
    assert twice == {column: 2 * count for column, count in once.items()}, f"a count of {case.name} does not add up"


def follows_without_each_utterance(case: Case, pair: Pair, _: random.Random) -> None:
    """Check that what is no sum, counted without each utterance and taken of some, is that of the other utterances."""
    if case.group.statistic is None:
        return
    plan = Plan.of(**case.all_options())
    sides, plan = open_systems(plan, *case.sides(*pair))
    (utterances,), _ = concatenate_tallies(sides, plan)
    statistic = utterances.statistics[case.name]
    rest = statistic.without_each()
    for at in range(min(len(pair[0]), 8)):
        others = [index for index in range(len(pair[0])) if index != at]
        if not others:
            continue
        expected = case.scores(*([side[index] for index in others] for side in pair))
        values = {column: values[at] for column, values in rest.items()}
        message = (
            f"without an utterance, {case.name} is not that of the others: see `without_each`, `take` of its statistic"
        )
        assert compute_scores(values, plan.keys) == pytest.approx(expected, rel=1e-12, abs=1e-14), message
        taken = statistic.take(np.array(others)).totals()
        assert compute_scores(taken, plan.keys) == pytest.approx(expected, rel=1e-12, abs=1e-14), message


def ignores_blank_utterances(case: Case, pair: Pair, source: random.Random) -> None:
    at = source.randrange(len(pair[0]) + 1)
    longer = [[*side[:at], [], *side[at:]] for side in pair]
    assert case.scores(*longer) == case.whole(), f"{case.name} counts blank utterances"


def ignores_what_the_units_are(case: Case, pair: Pair, _: random.Random) -> None:
    units = sorted({unit for utterance in pair[0] for word in utterance for unit in word})
    renamed = {unit: chr(0x4E00 + index) * (index % 3 + 1) for index, unit in enumerate(units)}
    translated = [[[tuple(renamed[unit] for unit in word) for word in words] for words in side] for side in pair]
    assert case.scores(*translated) == case.whole(), f"{case.name} depends on what the units are"


#: What every group keeps to, but those listed in EXCEPTIONS.
CHECKS: tuple[Check, ...] = (
    agrees_with_naive, perfect_on_itself, ignores_the_order, adds_up, stays_in_range,
    is_undefined_only_for_want_of_counts, ignores_blank_utterances, keeps_when_doubled, counts_double,
    swaps_with_the_sides, ignores_what_the_units_are, follows_without_each_utterance,
)  # fmt: skip
#: What a group does not keep to. Each is here because its scores are of the reference's words or spans (no swapping), a
#: dictionary or a vocabulary names units, types are counted once, and a pair of units is one of all pairs of the corpus.
EXCEPTIONS: Mapping[str, tuple[Check, ...]] = {
    "type": (counts_double,),
    "tnr": (swaps_with_the_sides,),
    "dictionary": (ignores_what_the_units_are,),
    "oov": (ignores_what_the_units_are,),
    "rand": (keeps_when_doubled,),
    "rates": (swaps_with_the_sides,),
    "token_use": (counts_double, swaps_with_the_sides),
    # Bytes per token are of the units.
    "subword": (swaps_with_the_sides, ignores_what_the_units_are),
}
#: Options other than those of GROUP_OPTIONS, and what does not hold with them.
VARIANTS: tuple[tuple[str, dict[str, Any], tuple[Check, ...]], ...] = (
    # The size of an utterance's windows is that of the reference's words.
    ("windows", {"window_size": "utterance"}, (swaps_with_the_sides,)),
    ("windows", {"window_size": 4}, ()),
    ("tolerance", {"tolerance": 3}, ()),
    ("similarity", {"transposition_span": 4}, ()),
    ("agreement", {"transposition_span": 1}, ()),
)


def cases() -> list[Any]:
    without_options = [(name, {}, EXCEPTIONS.get(name, ())) for name in (*TEXT_GROUPS, *TAG_GROUPS)]
    return [
        pytest.param(name, options, exceptions, id="-".join([name, *map(str, options.values())]))
        for name, options, exceptions in [*without_options, *VARIANTS]
    ]


def holds(check: Check, case: Case, pair: Pair, source: random.Random) -> None:
    """Raise the error of a check with what to do about it."""
    try:
        check(case, pair, source)
    except AssertionError as error:
        raise AssertionError(
            f"{error}\nMend the measure. If it cannot keep to this, add {check.__name__} to the entry {case.name!r} of "
            f"EXCEPTIONS (tests/scoring/measures/test_invariance.py), and say why."
        ) from error


# Few units, so that words recur.
pairs = corpus_pairs(st.sampled_from(["a", "b", "狗", "\x01"]))
randoms = st.randoms(use_true_random=False)
LARGER: Any = random_corpus_pair(30, seed=1999, units="ab狗")


@pytest.mark.parametrize(("name", "options", "exceptions"), cases())
@settings(max_examples=settings.default.max_examples // 6)
@given(pair=pairs, source=randoms)
@example(pair=([[]], [[]]), source=random.Random(0))
@example(pair=([[("a",)]], [[("a",)]]), source=random.Random(0))
@example(pair=LARGER, source=random.Random(1999))
def test_invariance(
    name: str, options: dict[str, Any], exceptions: tuple[Check, ...], pair: Pair, source: random.Random
) -> None:
    case = Case(GROUPS[name], options, pair)
    for check in CHECKS:
        if check not in exceptions:
            holds(check, case, pair, source)


#: By how often they repeat, the words of one utterance on both sides: errors of every kind, and near misses in one chain.
LONG: dict[str, Callable[[int], tuple[Corpus, Corpus]]] = {
    "errors": lambda times: ([["ab", "c", "de", "f"] * times], [["a", "bc", "def"] * times]),
    "one chain": lambda times: ([["aa"] * times], [["a", *["aa"] * (times - 1), "a"]]),
}
#: Entropies and rounded shares are no polynomials, and distances of morphemes take the product of the lengths.
NOT_LONG = {"token_use", "bpr", "morpheme"}


@pytest.mark.parametrize("name", [name for name in TEXT_GROUPS if name not in NOT_LONG])
@pytest.mark.parametrize("repeat", LONG.values(), ids=LONG)
def test_the_counts_of_a_long_utterance_are_polynomials(name: str, repeat: Callable[[int], Any]) -> None:
    """In 48,000 words, quadratic steps would take for ever, and recursion, overflow and rounding are seen."""
    first, second, third, long = (Case(GROUPS[name]).tally(*repeat(times)).counts() for times in (10, 20, 30, 12_000))
    # Pairs of the 72,000 units are more than 2 ** 31.
    steps = (12_000 - 10) // 10
    assert long == {
        column: count
        + steps * (second[column] - count)
        + steps * (steps - 1) // 2 * (third[column] - 2 * second[column] + count)
        for column, count in first.items()
    }
