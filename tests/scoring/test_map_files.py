"""Files in any parts have the scores of the whole: utterances pair, and each is read once."""

import json
import re
import warnings
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from segscores.options.errors import FileError
from segscores.reading.sources.names import Files
from segscores.reading.sources.sides import open_files
from segscores.scoring.passes import sum_tallies
from segscores.scoring.plan import Plan

from ..corpora import characters, corpus_pairs, words_text
from ..files import text
from ..naive import naive_counts
from ..naive_groups import naive_group_scores

pytestmark = pytest.mark.usefixtures("in_folder")

OPTIONS = Plan.of(text_format="words")
SKIPPING = Plan.of(text_format="words", on_error="skip")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of few bytes."""
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 20)


@dataclass(frozen=True)
class Kind:
    """A kind of file: the ending of its name, the name of an utterance and the number of the first."""

    ending: str
    noun: str
    first: int

    def write(self, path: Path, lines: list[str], rows: int, line_end: str) -> None:
        """Write lines of words; `rows` is the size of the groups or batches of a table."""
        if self.ending == ".txt":
            path.write_bytes(("\ufeff" * (rows % 2) + "".join(f"{line}{line_end}" for line in lines)).encode())
        elif self.ending == ".conllu":
            sentences = (enumerate(line.split(" "), 1) for line in lines)
            data = "".join("".join(f"{at}\t{word}\n" for at, word in words) + "\n" for words in sentences)
            path.write_bytes(data.replace("\n", line_end).encode())
        elif self.ending == ".jsonl":
            path.write_bytes(
                "".join(json.dumps({"x": line}, ensure_ascii=rows % 2 > 0) + line_end for line in lines).encode()
            )
        elif self.ending == ".parquet":
            parquet.write_table(pa.table({"x": pa.array(lines, pa.string())}), path, row_group_size=rows)
        else:
            table = pa.table({"x": pa.array(lines, pa.string())})
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table, max_chunksize=rows)


KINDS = [
    Kind(".txt", "line", 1),
    Kind(".conllu", "sentence", 1),
    Kind(".jsonl", "line", 1),
    Kind(".parquet", "row", 0),
    Kind(".arrow", "row", 0),
]
#: Utterances that can't be scored, on both sides, the side that the error names, and the problem.
BAD = [
    ("x", "y", (0, 1), "the units differ at offset 0"),
    ("x\0", "x", (0,), "there is a NUL"),
    ("x", "x\0", (1,), "there is a NUL"),
]
# A first U+FEFF would be a byte-order mark.
units = characters.filter(lambda character: character != "\ufeff")
ends = st.lists(st.integers(0, 12), max_size=3).map(sorted)


@given(
    pair=corpus_pairs(units, max_utterances=12),
    wrong=st.dictionaries(st.integers(0, 11), st.sampled_from(BAD), max_size=3),
    kinds=st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)),
    cuts=st.tuples(ends, ends),
    rows=st.integers(1, 7),
    line_end=st.sampled_from(["\n", "\r\n"]),
    piece_bytes=st.sampled_from([1, 7, 20, 300, 1 << 19]),
    workers=st.integers(1, 3),
)
def test_files_cut_in_any_way_have_the_same_scores_first_error_and_utterances_left_out(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    pair: tuple[Any, Any],
    wrong: dict[int, tuple[str, str, tuple[int, ...], str]],
    kinds: tuple[Kind, Kind],
    cuts: tuple[list[int], list[int]],
    rows: int,
    line_end: str,
    piece_bytes: int,
    workers: int,
) -> None:
    if any(kind.ending == ".conllu" for kind in kinds):
        # It has no blank sentences.
        pair = ([[("z",)], *filter(None, pair[0])], [[("z",)], *filter(None, pair[1])])
    if len(cuts[0]) == len(cuts[1]):
        cuts = cuts[0], cuts[0]  # as many files pair one by one
    bad = {row: found for row, found in sorted(wrong.items()) if row < len(pair[0])}
    folder = tmp_path_factory.mktemp("files")
    files: list[Files] = []
    places: list[list[str]] = []
    for at, (kind, corpus, own) in enumerate(zip(kinds, pair, cuts, strict=True)):
        lines = words_text(corpus)
        for row, found in bad.items():
            lines[row] = found[at]
        bounds = [0, *(min(end, len(lines)) for end in own), len(lines)]
        paths, named = [], []
        for number, (start, stop) in enumerate(pairwise(bounds)):
            paths.append(folder / f"{at}{number}{kind.ending}")
            kind.write(paths[-1], lines[start:stop], rows, line_end)
            named += [rf"{at}{number}\{kind.ending}.* {kind.noun} {row + kind.first}: " for row in range(stop - start)]
        files.append(Files(f"side {at}", tuple(map(str, paths)), "x"))
        places.append(named)
    good = [[words for row, words in enumerate(corpus) if row not in bad] for corpus in pair]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("segscores.reading.sources.source.PIECE_BYTES", piece_bytes)
        sides = open_files(files, OPTIONS.reading, "words")
        if bad:
            row, (_, _, named_sides, problem) = next(iter(bad.items()))
            with pytest.raises(FileError, match=re.escape(problem)) as caught:
                sum_tallies(sides, OPTIONS, workers=workers)
            for at in named_sides:
                assert re.search(places[at][row].replace(": ", r"\b"), str(caught.value)), str(caught.value)
        if not good[0]:
            with pytest.raises(ValueError, match=f"^none of the {len(bad)} utterances can be scored"):
                sum_tallies(open_files(files, SKIPPING.reading, "words"), SKIPPING, workers=workers)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sides = open_files(files, SKIPPING.reading, "words")
            (tally,), observed = sum_tallies(sides, SKIPPING, workers=workers)
    assert tally.totals() == naive_counts(*good) | {"skipped_utterances": len(bad)}
    assert observed.utterances == len(pair[0])
    assert observed.trouble.skipped == [len(bad)]


def test_the_default_window_size_comes_from_the_whole_reference(small_parts: None, run: Any) -> None:
    # Half of the mean length of a word: 6 for the lines of the reference that can be read, whether a prediction has them or not.
    reference, prediction = [["abc"] * 3] * 4, [["ab", "c"] * 3] * 4
    long, lacking = [["ab" * 30]], [["a"]]
    good = {"r": reference + long * 2, "p": prediction + lacking * 2, "q": prediction + long + lacking}
    last = {"r": b"\xff" + b"ab" * 30 + b"\n", "p": b"a\n", "q": b"a\n"}
    for name, corpus in good.items():
        Path(name).write_bytes(text(corpus) + last[name])
    size = round((4 * 9 + 2 * 60) / (4 * 3 + 2) / 2)
    kept = {"p": (reference, prediction), "q": (reference + long, prediction + long)}
    for names in (["p"], ["q"], ["p", "q"]):
        status, output, _ = run("r", *names, "--scores", "windows", "--on-error", "skip", "--format", "json")
        assert status == 0
        found = json.loads(output)
        assert f"|win:{size}-segeval|" in found["signature"]
        for name, entry in zip(names, found["predictions"], strict=True):
            expected = naive_group_scores("windows", *kept[name], window_size=size)
            assert entry["scores"] == pytest.approx(expected)
