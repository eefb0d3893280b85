"""Files in any parts have the scores of the whole: utterances pair, and each is read once."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from segscores.corpora.file_tallies import tally_parts
from segscores.corpora.fold import fold_files
from segscores.corpora.sides import Side, Sides

from segscores.scoring import skipping
from segscores.scoring.options import Plan
from segscores.sources import fold

from ..naive import (
    characters,
    corpus_pairs,
    naive_counts,
    naive_group_scores,
    naive_scores,
    random_corpus_pair,
    words_text,
)

OPTIONS = Plan.of(text_format="words")
REFERENCE, PREDICTION = random_corpus_pair(150, seed=28, units="ab狗叫é𠮷", max_units=9)
MARK = b"\xef\xbb\xbf"


def cut_small(patch: pytest.MonkeyPatch, part_bytes: int = 20) -> None:
    """Have parts of few bytes."""
    patch.setattr(fold, "PART_BYTES", part_bytes)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch)


def sides_of(*paths: Iterable[Path | str]) -> Sides:
    sides = [Side(f"side {number}", tuple(map(str, own)), "words") for number, own in enumerate(paths)]
    return Sides.of(sides, OPTIONS, "words")


def write_lines(path: Path | str, corpus: Any) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes("".join(f"{line}\n" for line in words_text(corpus)).encode())


def score_of(output: str) -> dict[str, float]:
    (prediction,) = json.loads(output)["predictions"]
    return prediction["scores"]


@st.composite
def files_of(draw: st.DrawFn, corpus: Any) -> list[bytes]:
    """A corpus as the texts of one or more files, some of them without utterances."""
    ends = sorted(draw(st.lists(st.integers(0, len(corpus)), max_size=3)))
    texts = []
    for start, stop in pairwise([0, *ends, len(corpus)]):
        line_end = draw(st.sampled_from(["\n", "\r\n"]))
        text = "".join(f"{line}{line_end}" for line in words_text(corpus[start:stop]))
        # Without its newline a last line that is blank would be none.
        if start < stop and corpus[stop - 1] and draw(st.booleans()):
            text = text.removesuffix(line_end)
        mark = "\ufeff" if text and draw(st.booleans()) else ""
        texts.append((mark + text).encode())
    return texts


# A first U+FEFF would be a byte-order mark.
units = characters.filter(lambda character: character != "\ufeff")


@given(st.data(), corpus_pairs(units, max_utterances=12), st.sampled_from((1, 20, 1000)))
def test_files_that_pair_as_one_add_up_to_the_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, pair: tuple[Any, Any], part_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("files")
    paths: list[list[Path]] = []
    for side, corpus in zip("rp", pair, strict=True):
        own = []
        for number, text in enumerate(data.draw(files_of(corpus))):
            own.append(folder / f"{side}{number}")
            own[-1].write_bytes(text)
        paths.append(own)
    if len(paths[0]) == len(paths[1]):
        # As many files would pair one by one, where each has as many lines as its partner.
        (folder / "empty").touch()
        paths[0].append(folder / "empty")
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, part_bytes)
        folded = fold_files(tally_parts, sides_of(*paths))
    (tally,) = folded.found.whole()
    assert tally.totals() == naive_counts(*pair)
    assert folded.utterances == len(pair[0])


def write_rows(path: Path, lines: list[str], sizes: Iterable[int], column: str = "words") -> None:
    """A table whose groups, or batches, have the given numbers of rows; of an Arrow file if it is called so."""
    schema = pa.schema([(column, pa.string())])
    ends = [end for end in accumulate(sizes) if end < len(lines)]
    parts = [lines[start:stop] for start, stop in pairwise([0, *ends, len(lines)])]
    if path.suffix == ".parquet":
        with parquet.ParquetWriter(path, schema) as writer:
            for part in parts:
                writer.write_table(pa.table({column: pa.array(part, pa.string())}))
    else:
        opened = pa.ipc.new_stream if "stream" in path.name else pa.ipc.new_file
        with pa.OSFile(str(path), "wb") as sink, opened(sink, schema) as stream:
            for part in parts:
                stream.write_batch(pa.record_batch({column: pa.array(part, pa.string())}))


@given(
    corpus_pairs(max_utterances=12),
    st.tuples(*[st.lists(st.integers(0, 5), max_size=6)] * 2),
    st.tuples(*[st.sampled_from([".parquet", ".arrow", "-stream.arrow"])] * 2),
    st.sampled_from([1, 20, 1000]),
)
def test_rows_add_up_whatever_the_groups_of_both_sides_are(
    tmp_path_factory: pytest.TempPathFactory,
    pair: tuple[Any, Any],
    groups: tuple[list[int], list[int]],
    endings: tuple[str, str],
    part_bytes: int,
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    paths = [folder / f"{side}{ending}" for side, ending in zip("rp", endings, strict=True)]
    for path, corpus, sizes in zip(paths, pair, groups, strict=True):
        write_rows(path, words_text(corpus), sizes)
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, part_bytes)
        folded = fold_files(tally_parts, sides_of(*([path] for path in paths)))
    (tally,) = folded.found.whole()
    assert tally.totals() == naive_counts(*pair)


TEXT = b"a b\n" * 40


def test_a_file_with_nothing_but_a_mark_has_no_line(small_parts: None, run: Any) -> None:
    for path, data in (("r0", MARK), ("r1", MARK + b"a b\nc d"), ("p", b"ab\nc d\n")):
        Path(path).write_bytes(data)
    whole = run("r?", "p", "--format", "json")
    assert score_of(whole[1]) == naive_scores([["a", "b"], ["c", "d"]], [["ab"], ["c", "d"]])


@pytest.mark.parametrize("options", [[], ["--on-error", "skip"]], ids=["raise", "skip"])
@pytest.mark.parametrize("files", ["r0 p0", "r? p?"])
def test_running_out_of_memory_is_reported_in_one_line(
    small_parts: None, run: Any, monkeypatch: pytest.MonkeyPatch, options: list[str], files: str
) -> None:
    def run_out(*_: object) -> Any:
        raise MemoryError

    for path in ("r0", "p0", "r1", "p1"):
        Path(path).write_bytes(TEXT)
    for module in (pairs, skipping):
        monkeypatch.setattr(module, "compare_sides", run_out)
    status, output, message = run(*files.split(), *options)
    assert (status, output) == (2, "")
    assert re.fullmatch("segmentation-scores: error: out of memory[^\n]+\n", message)


def test_files_that_are_left_out_are_not_among_the_utterances(small_parts: None, run: Any) -> None:
    for number in range(3):
        Path(f"r{number}").write_bytes(TEXT)
        Path(f"p{number}").write_bytes(b"ab\n" * (40 + (number == 1)))
    Path("p2").write_bytes(b"ab\n" * 7 + b"a c\n" + b"ab\n" * 32)
    options = ("--on-error", "skip", "--per-utterance", "out.csv", "--scores", "token")
    assert run("r?", "p?", *options)[0] == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        places = [(row["file"], int(row["line"])) for row in csv.DictReader(file)]
    lines = range(1, 41)
    assert places == [*(("r0", line) for line in lines), *(("r2", line) for line in lines if line != 8)]


@pytest.mark.parametrize(
    "options",
    [
        ["--counts"],
        ["--confidence", "0.9", "--resamples", "99", "--seed", "5"],
        ["--average", "macro"],
        ["--scores", "windows"],
        ["--scores", "windows,type", "--on-error", "skip"],
        ["--scores", "unit_error,token", "--on-mismatch", "skip"],
        ["--scores", "unit_error,token", "--on-mismatch", "align", "--on-error", "skip"],
        ["--on-error", "skip", "--on-mismatch", "skip", "--confidence", "0.9", "--resamples", "50", "--seed", "1"],
        ["--per-utterance", "out.jsonl", "--worst", "token_fscore"],
    ],
    ids=" ".join,
)
def test_every_option_gives_the_same_in_small_parts(
    run: Any, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    reference, prediction = words_text(REFERENCE), words_text(PREDICTION)
    if "--on-mismatch" in options:
        prediction[70] += "x"
    data = ["\n".join(lines).encode() + b"\n" for lines in (reference, prediction)]
    if "--on-error" in options:
        data = [b"a \xff\n" + data[0], b"ab\n" + data[1]]
    # Two files against one.
    half = data[1].index(b"\n", len(data[1]) // 2) + 1
    for path, content in (("r", data[0]), ("p0", data[1][:half]), ("p1", data[1][half:])):
        Path(path).write_bytes(content)
    outputs = []
    for is_small in (False, True):
        if is_small:
            cut_small(monkeypatch)
        status, *said = run("r", "p?", *options)
        assert status == 0
        outputs.append([*said, Path("out.jsonl").read_text() if "out.jsonl" in options else ""])
    assert outputs[0] == outputs[1]


def test_the_size_of_windows_comes_from_the_utterances_that_are_scored(small_parts: None, run: Any) -> None:
    # Half of the mean length of a word: of 3 units in the scored utterances, and of 15 with those that one prediction
    # lacks, or that cannot be read.
    reference, prediction = [["abc"] * 3] * 4, [["ab", "c"] * 3] * 4
    bad, lacking, other = [["ab" * 30]], [["a"]], [["ba" * 30]]
    write_lines("r", reference + bad * 2)
    write_lines("p", prediction + lacking + other)
    write_lines("q", prediction + bad + other)
    Path("r").write_bytes(Path("r").read_bytes() + b"\xff" + b"ab" * 30 + b"\n")
    for name in ("p", "q"):
        Path(name).write_bytes(Path(name).read_bytes() + b"a\n")
    arguments = ("--scores", "windows", "--on-error", "skip", "--format", "json")
    status, output, _ = run("r", "p", *arguments)
    assert status == 0
    assert "|win:2-segeval|" in json.loads(output)["signature"]
    assert score_of(output) == pytest.approx(naive_group_scores("windows", reference, prediction, window_size=2))
    # The utterance that only q has is scored, in the windows of both.
    status, output, _ = run("r", "p", "q", *arguments)
    assert status == 0
    found = json.loads(output)
    assert "|win:2-segeval|" in found["signature"]
    expected = naive_group_scores("windows", reference + bad, prediction + bad, window_size=2)
    assert found["predictions"][1]["scores"] == pytest.approx(expected)
