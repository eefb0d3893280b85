"""Tallies and lexicons of parts add up to those of the whole."""

import random
from functools import cache

import pyarrow as pa
import pytest

from segscores.reading.inputs import TEXT
from segscores.scoring.plan import Plan
from segscores.scoring.tally import Tally, tally_comparison

from ..corpora import Corpus
from ..naive import naive_counts
from ..naive_groups import GROUP_OPTIONS, TEXT_GROUPS
from ..tallies import compared, tally_columns

PLAN = Plan.of(text_format="words")


def tally_of(references: Corpus, predictions: Corpus) -> Tally:
    return tally_comparison(compared(references, predictions), None, PLAN)


def merged(tallies: list[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.update(tally)
    return whole


def test_a_copy_of_a_tally_grows_apart_from_it() -> None:
    first = tally_of([["a", "b"]], [["a", "b"]])
    second = first.copy()
    first.update(tally_of([["c"]], [["c"]]))
    assert second.totals() == naive_counts([["a", "b"]], [["a", "b"]])
    assert first.totals() == naive_counts([["a", "b"], ["c"]], [["a", "b"], ["c"]])


#: Words of CoNLL-U are aligned in one way alone, words in one way alone, and morphemes need not spell a word.
NOT_ALIGNED = {(name, rule) for name in ("syntactic_word", "bpr", "morpheme") for rule in ("skip", "align")}
NOT_ALIGNED -= {("syntactic_word", "skip")}
RULES = {"skip": {"on_error": "skip"}, "align": {"on_mismatch": "align"}}


def tally_mismatched(pairs: list[tuple[str, str]], rule: str, scores: str) -> Tally:
    options = {key: value for name in TEXT_GROUPS for key, value in GROUP_OPTIONS.get(name, {}).items()}
    chosen = options if scores == "all" else GROUP_OPTIONS.get(scores, {})
    plan = Plan.of(text_format="words", **RULES[rule], scores=scores, **chosen)
    return tally_columns(*(pa.chunked_array([pa.array(side, TEXT)]) for side in zip(*pairs, strict=True)), plan)


def mismatched_pairs() -> list[tuple[str, str]]:
    source = random.Random(4)

    def write(units: list[str]) -> str:
        return "".join(unit + " " * (source.random() < 0.4) for unit in units)

    pairs = []
    for _ in range(30):
        units = source.choices("ab狗", k=source.randrange(7))
        other = source.choice([units, units, [], units[1:], ["b", *units], [*units, "a"], source.choices("ab狗", k=4)])
        pairs.append((write(units), write(other)))
    return pairs


@cache
def totals_of_all(rule: str) -> dict[str, int]:
    """The counts of all groups together."""
    return tally_mismatched(mismatched_pairs(), rule, "all").totals()


@pytest.mark.filterwarnings("ignore:\\d+ of \\d+ utterances could not be scored:UserWarning")
@pytest.mark.parametrize(
    ("name", "rule"),
    [(name, rule) for name in TEXT_GROUPS for rule in ("skip", "align") if (name, rule) not in NOT_ALIGNED],
)
def test_counts_of_differing_units_depend_neither_on_other_utterances_nor_on_other_groups(name: str, rule: str) -> None:
    pairs = mismatched_pairs()
    whole = tally_mismatched(pairs, rule, name).totals()
    # A part of which nothing can be scored is an error.
    size = {"align": 1, "skip": 6}[rule]
    parts = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    assert merged([tally_mismatched(part, rule, name) for part in parts]).totals() == whole
    together = totals_of_all(rule)
    # Edits are counted beside all other scores only where units are aligned.
    shared = whole.keys() & together.keys()
    assert shared == whole.keys() or name == "unit_error"
    assert {column: together[column] for column in shared} == {column: whole[column] for column in shared}
