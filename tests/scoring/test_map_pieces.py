"""However an input is cut into batches and parts, its scores, its first error and what is left out are the same."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.options.errors import FileError, UtteranceError
from segscores.reading.inputs import read_column
from segscores.reading.sources.files import file_source
from segscores.reading.sources.memory import Examples
from segscores.reading.sources.source import Batch, Rows, Side, Source
from segscores.scoring.map_pieces import map_pieces
from segscores.scoring.passes import concatenate_tallies, sum_tallies
from segscores.scoring.plan import Plan
from segscores.scoring.tally import score_tally

from ..corpora import corpus_pairs, words_text
from ..naive import naive_scores

pytestmark = pytest.mark.usefixtures("in_folder")

PLAN = Plan.of(text_format="words")
#: What a kind of batch makes of strings, some of them None.
KINDS: dict[str, Callable[[Sequence[str | None]], Batch]] = {
    "rows": lambda texts: Rows((pa.array(texts, pa.string()),)),
    "checked rows": lambda texts: Rows((read_column(list(texts), "references").chunk(0),), is_checked=True),
    "examples": lambda texts: Examples((list(texts),)),
}


@dataclass(frozen=True)
class Cuts:
    """The cuts of a side."""

    kind: str
    sizes: tuple[int, ...]

    def source(self, texts: Sequence[Any]) -> Source:
        def batches() -> Iterator[Batch]:
            start = 0
            for size in (*self.sizes, len(texts)):
                if size or start == len(texts):
                    yield KINDS[self.kind](texts[start : start + size])
                start += size

        return Source("the texts", batches)


@st.composite
def cuts(draw: st.DrawFn) -> Cuts:
    return Cuts(draw(st.sampled_from(sorted(KINDS))), tuple(draw(st.lists(st.integers(0, 5), max_size=6))))


def open_sides(cuts_of_sides: Sequence[Cuts], texts: Sequence[Sequence[Any]], plan: Plan = PLAN) -> list[Side]:
    roles = ["references", *["predictions"] * (len(texts) - 1)]
    rows = zip(roles, cuts_of_sides, texts, strict=True)
    return [Side(role, (side_cuts.source(side),), plan.reading) for role, side_cuts, side in rows]


ANY_CUTS = {
    "cuts_of_sides": st.tuples(cuts(), cuts(), cuts()),
    "piece_bytes": st.sampled_from([1, 2, 17, 60, 1 << 19]),
    "workers": st.integers(1, 4),
}


@pytest.mark.filterwarnings("ignore:.* this looks like ")
@given(pair=corpus_pairs(max_utterances=12), **ANY_CUTS)
def test_scores_do_not_depend_on_cuts_or_threads(
    pair: tuple[Any, Any], cuts_of_sides: tuple[Cuts, ...], piece_bytes: int, workers: int
) -> None:
    references, predictions = map(words_text, pair)
    how: dict[str, Any] = {"piece_bytes": piece_bytes, "workers": workers}
    sides = open_sides(cuts_of_sides, [references, predictions, references])
    expected = [naive_scores(*pair), naive_scores(pair[0], pair[0])]
    totals, observed = sum_tallies(sides, PLAN, **how)
    assert [score_tally(total, PLAN) for total in totals] == expected
    tallies, _ = concatenate_tallies(sides, PLAN, **how)
    assert [tally.scores(PLAN) for tally in tallies] == expected
    assert observed.utterances == len(references)
    assert observed.trouble.skipped == []


#: Values of every form, and of none.
VALUES = ["a b", "ab", ["a", "b"], ["ab"], [], [1, 0], None, 3, ["a", 1], ["a", None], "x\0", "c", ["B", "I"], ["I"]]


def error_of(sides: Sequence[Side], plan: Plan, **how: Any) -> tuple[type[Exception], str] | None:
    try:
        sum_tallies(sides, plan, **how)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return None


@given(
    rows=st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES)), min_size=1, max_size=8),
    before=st.integers(0, 5),
    skips=st.booleans(),
    **ANY_CUTS,
)
@pytest.mark.filterwarnings("ignore:.*could not be scored")
def test_the_error_for_values_of_any_forms_does_not_depend_on_cuts_or_threads(
    rows: list[tuple[Any, Any]],
    before: int,
    *,
    skips: bool,
    cuts_of_sides: tuple[Cuts, ...],
    piece_bytes: int,
    workers: int,
) -> None:
    rows = rows[:1] * before + rows
    texts = [list(side) for side in zip(*rows, strict=True)]
    cuts_of_sides = tuple(replace(side_cuts, kind="examples") for side_cuts in cuts_of_sides[:2])
    plan = Plan.of(text_format="words", on_error="skip") if skips else PLAN
    whole = error_of(open_sides([Cuts("examples", ())] * 2, texts, plan), plan, workers=1)
    sides = open_sides(cuts_of_sides, texts, plan)
    assert error_of(sides, plan, piece_bytes=piece_bytes, workers=workers) == whole
    for count in range(len(rows)):
        shorter = error_of(
            open_sides([Cuts("examples", ())] * 2, [side[: count + 1] for side in texts]), PLAN, workers=1
        )
        if shorter is not None and not skips:
            assert shorter == whole


@pytest.mark.parametrize("kind", ["rows", "examples"])
@pytest.mark.parametrize("longer", [0, 1])
def test_parts_are_bounded_on_all_sides(kind: str, longer: int) -> None:
    texts = [["x"] * 50, ["x"] * 50]
    texts[longer] = ["x" * 10_000] * 50
    sizes: list[int] = []

    def batches(side: Sequence[str]) -> Iterator[Batch]:
        for start in range(0, 50, 5):
            yield KINDS[kind](side[start : start + 5])

    sides = [
        Side("references", (Source("a", lambda side=side: batches(side)),), PLAN.reading)  # type: ignore[misc]
        for side in texts
    ]
    list(map_pieces(sides, lambda part: sizes.append(len(part)), piece_bytes=20_000, workers=1))
    assert sum(sizes) == 50
    assert max(sizes) <= 3


def test_a_source_is_closed_whatever_ends_the_pass() -> None:
    opened: list[str] = []

    def batches(name: str, text: str) -> Iterator[Batch]:
        opened.append(name)
        try:
            for _ in range(12):
                yield KINDS["rows"]([text] * 9)
        finally:
            opened.remove(name)

    def sides(text: str) -> list[Side]:
        given = [("a", "a b"), ("b", text)]
        return [
            Side("references", (Source(name, lambda name=name, some=some: batches(name, some)),), PLAN.reading)  # type: ignore[misc]
            for name, some in given
        ]

    threads = threading.active_count()
    for workers in (1, 3):
        how: dict[str, Any] = {"piece_bytes": 30, "workers": workers}
        sum_tallies(sides("ab"), PLAN, **how)
        assert not opened
        with pytest.raises(UtteranceError, match=r"utterance .*: the units differ"):
            sum_tallies(sides("ac"), PLAN, **how)
        assert not opened
        passing = map_pieces(sides("ab"), len, **how)
        next(passing)
        passing.close()  # type: ignore[attr-defined]
        assert not opened
    assert threading.active_count() == threads


#: What happens to a file while it is read.
CHANGES: dict[str, Callable[[Path], object]] = {
    "append": lambda path: path.write_bytes(path.read_bytes() + b"a b\n"),
    "truncate": lambda path: os.truncate(path, path.stat().st_size - 101),
    "replace": lambda path: (Path("new").write_bytes(path.read_bytes()), Path("new").replace(path)),
    "spoil": lambda path: path.write_bytes(path.read_bytes()[:-100] + b"\xff" * 100),
    "differ": lambda path: path.write_bytes(path.read_bytes().replace(b"b", b"c")),
}


@pytest.mark.parametrize("is_between_passes", [False, True])
@pytest.mark.parametrize(
    ("name", "change"), [*(("r.txt", change) for change in CHANGES), ("r.jsonl", "spoil"), ("r.conllu", "append")]
)
def test_a_file_that_changes_while_it_is_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, name: str, is_between_passes: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(name)
    # Long words make few utterances of as many bytes.
    words = "ab", "b" * 60
    text = " ".join(words)
    utterance = {".txt": text, ".jsonl": f'{{"x": "{text}"}}', ".conllu": "1\t{}\n2\t{}\n".format(*words)}[path.suffix]
    count = 1_500_000 // len(utterance)  # more than is read at once
    path.write_text(f"{utterance}\n" * count, encoding="utf-8")
    os.utime(path, (1e9, 1e9))
    reference = Side("references", (file_source(name, ["x"] if path.suffix == ".jsonl" else []),), PLAN.reading)
    if is_between_passes:
        assert sum(map_pieces([reference], len)) == count

    def batches() -> Iterator[Rows]:
        for number in range(20):
            if number == 2:
                CHANGES[change](path)
            yield Rows((pa.array([text] * (count // 20 + 1)),))

    sides = [reference, Side("predictions", (Source("predictions", batches),), PLAN.reading)]
    with pytest.raises(FileError, match=rf"^{name}: the file changed while it was read\.$"):
        list(map_pieces(sides, lambda part: part.compare(1, PLAN)))
