"""Files in pieces have the scores of whole files: the pieces pair, and contain every utterance once."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from segscores.corpora import columns, pairs, shards, sources
from segscores.corpora.file_tallies import tally_parts
from segscores.corpora.opening import FileError
from segscores.corpora.shards import Piece, Shard, run_shards
from segscores.corpora.sides import Side, Sides
from segscores.kernel import workers
from segscores.kernel.workers import WorkerDeath
from segscores.scoring import skipping
from segscores.scoring.options import Plan

from ..naive import (
    characters,
    corpus_pairs,
    naive_counts,
    naive_group_scores,
    naive_scores,
    random_corpus_pair,
    units_text,
    word_lists,
    words_text,
)

OPTIONS = Plan.of(text_format="words")
REFERENCE, PREDICTION = random_corpus_pair(150, seed=28, units="ab狗叫é𠮷", max_units=9)
EXPECTED = naive_scores(REFERENCE, PREDICTION)
MARK = b"\xef\xbb\xbf"
SIZES = (1, 2, 7, 30, 200, 5000)


def map_here(function: Callable[..., Any], tasks: Iterable[Any], count: int, setup: object) -> Iterator[Any]:
    """What workers do, in this process; all that would go from one to the other is pickled."""
    for task in tasks:
        try:
            result = function(*pickle.loads(pickle.dumps((setup, task))))
        except (ValueError, TypeError, OSError, MemoryError) as error:
            result = error
        yield task, pickle.loads(pickle.dumps(result))


def cut_small(patch: pytest.MonkeyPatch, shard_bytes: int = 50, read_bytes: int = 16, part_bytes: int = 20) -> None:
    """Have pieces of few bytes, which are scored here."""
    patch.setattr(workers, "map_in_workers", map_here)
    patch.setattr(shards, "SHARD_BYTES", shard_bytes)
    patch.setattr(shards, "_READ_BYTES", read_bytes)
    for module in (sources, columns):
        patch.setattr(module, "PART_BYTES", part_bytes)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
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


@given(
    st.data(),
    corpus_pairs(units, max_utterances=12),
    st.tuples(st.sampled_from(SIZES), st.sampled_from((1, 3, 16, 1000)), st.sampled_from((1, 20, 1000))),
)
def test_pieces_of_any_size_add_up_to_the_whole_and_cover_it_once(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, pair: tuple[Any, Any], sizes: tuple[int, int, int]
) -> None:
    folder = tmp_path_factory.mktemp("pieces")
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
    sides = sides_of(*paths)
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, *sizes)
        (group,) = shards._pair_files(sides)
        _check_cover(list(shards._cut(group, sides)), paths)
        outcome = run_shards(tally_parts, sides, jobs=2)
    (tally,) = outcome.found.whole()
    assert tally.totals() == naive_counts(*pair)
    assert sum(count for _, _, count in outcome.extents) == len(pair[0])


def _check_cover(found: list[Shard], paths: list[list[Path]]) -> None:
    """Check that shards have all bytes of all files once and in order, and as many lines on each side."""
    read: list[list[bytes]] = [[], []]
    for shard in found:
        counts = []
        for side, pieces in enumerate(shard.sides):
            lines = 0
            for piece in pieces:
                data = Path(piece.path).read_bytes()
                assert piece.first == _count_lines(data[: piece.start])
                read[side].append(data[piece.start : piece.stop])
                lines += _count_lines(read[side][-1])
            counts.append(lines)
        assert counts[0] == counts[1]
        assert shard.count in (None, counts[0])
    for side, own in zip(read, paths, strict=True):
        # A mark may be passed over.
        assert b"".join(side).replace(MARK, b"") == b"".join(path.read_bytes() for path in own).replace(MARK, b"")


def _count_lines(data: bytes) -> int:
    data = data.removeprefix(MARK)
    return len(data.removesuffix(b"\n").split(b"\n")) if data else 0


@pytest.mark.parametrize("shard_bytes", SIZES)
def test_files_pair_one_by_one_in_pieces(monkeypatch: pytest.MonkeyPatch, run: Any, shard_bytes: int) -> None:
    bounds = [0, 40, 41, 100, 150]
    for number, (start, stop) in enumerate(pairwise(bounds)):
        write_lines(f"r/{number}", REFERENCE[start:stop])
        write_lines(f"p/{number}", PREDICTION[start:stop])
    cut_small(monkeypatch, shard_bytes)
    status, output, message = run("r/*", "p/*", "--format", "json", "--jobs", "2", "--per-utterance", "out.csv")
    assert (status, message) == (0, "")
    assert score_of(output) == EXPECTED
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["prediction"], row["file"], int(row["line"])) for row in rows] == [
        ("p/*", f"r/{number}", line + 1)
        for number, (start, stop) in enumerate(pairwise(bounds))
        for line in range(stop - start)
    ]
    expected = [
        naive_scores([left], [right])["token_fscore"] for left, right in zip(REFERENCE, PREDICTION, strict=True)
    ]
    assert [float(row["token_fscore"]) for row in rows] == expected


@pytest.mark.parametrize("count", [1, 3])
def test_several_predictions_are_divided_at_the_same_utterances(small_pieces: None, run: Any, count: int) -> None:
    corpora = {"p": PREDICTION, "q": REFERENCE, "s": [[unit for word in words for unit in word] for words in REFERENCE]}
    for name, corpus in {"r": REFERENCE, **corpora}.items():
        for number, (start, stop) in enumerate(pairwise([0, *range(50, 50 * count, 50), 150])):
            write_lines(f"{name}/{number}", corpus[start:stop])
    status, output, message = run("r/*", *(f"{name}/*" for name in corpora), "--format", "json", "--jobs", "2")
    assert (status, message) == (0, "")
    words = [
        [["".join(word) for word in utterance] for utterance in corpus] for corpus in (REFERENCE, *corpora.values())
    ]
    found = [prediction["scores"] for prediction in json.loads(output)["predictions"]]
    assert found == [naive_scores(words[0], corpus) for corpus in words[1:]]


def test_units_text_in_pieces(small_pieces: None, run: Any) -> None:
    for name, corpus in (("r", REFERENCE), ("p", PREDICTION)):
        Path(name).write_text("\n".join(units_text(corpus, ";eword")) + "\n", encoding="utf-8")
    options = ("--text-format", "units", "--word-boundary", ";eword")
    status, output, message = run("r", "p", *options, "--format", "json", "--jobs", "3")
    assert (status, message) == (0, "")
    assert score_of(output) == EXPECTED


@pytest.mark.parametrize("shard_bytes", SIZES)
@pytest.mark.parametrize("form", ["strings", "lists"])
def test_json_lines_in_pieces(monkeypatch: pytest.MonkeyPatch, run: Any, shard_bytes: int, form: str) -> None:
    write = words_text if form == "strings" else word_lists
    rows = zip(write(REFERENCE), write(PREDICTION), strict=True)
    text = "".join(f"{json.dumps({'reference': left, 'prediction': right})}\n" for left, right in rows)
    Path("t.jsonl").write_text(text.removesuffix("\n"))
    cut_small(monkeypatch, shard_bytes)
    status, output, message = run("t.jsonl", "--format", "json", "--jobs", "2")
    assert (status, message) == (0, "")
    assert score_of(output) == EXPECTED


def test_json_lines_beside_text_in_pieces(small_pieces: None, run: Any) -> None:
    write_lines("p.txt", PREDICTION)
    rows = [json.dumps({"other": [1, {"x": None}], "gold": line}) for line in words_text(REFERENCE)]
    Path("r.jsonl").write_text("\r\n".join(rows))
    status, output, message = run("r.jsonl", "p.txt", "--reference-column", "gold", "--format", "json", "--jobs", "2")
    assert (status, message) == (0, "")
    assert score_of(output) == EXPECTED


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
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as stream:
            for part in parts:
                stream.write_batch(pa.record_batch({column: pa.array(part, pa.string())}))


@given(
    corpus_pairs(max_utterances=12),
    st.tuples(*[st.lists(st.integers(0, 5), max_size=6)] * 2),
    st.tuples(*[st.sampled_from([".parquet", ".arrow"])] * 2),
    st.tuples(st.sampled_from([1, 100, 1000, 100_000]), st.sampled_from([1, 20, 1000])),
)
def test_rows_in_pieces_add_up_whatever_the_groups_of_both_sides_are(
    tmp_path_factory: pytest.TempPathFactory,
    pair: tuple[Any, Any],
    groups: tuple[list[int], list[int]],
    endings: tuple[str, str],
    piece_and_part: tuple[int, int],
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    paths = [folder / f"{side}{ending}" for side, ending in zip("rp", endings, strict=True)]
    for path, corpus, sizes in zip(paths, pair, groups, strict=True):
        write_rows(path, words_text(corpus), sizes)
    sides = sides_of(*([path] for path in paths))
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, piece_and_part[0], part_bytes=piece_and_part[1])
        found = list(shards._cut(shards._pair_files(sides)[0], sides))
        outcome = run_shards(tally_parts, sides, jobs=2)
    for side in range(2):
        pieces = [piece for shard in found for piece in shard.sides[side]]
        assert [piece.start for piece in pieces] == [0, *(piece.stop for piece in pieces[:-1])]
        assert pieces[-1].stop in (None, len(pair[0]))
    (tally,) = outcome.found.whole()
    assert tally.totals() == naive_counts(*pair)


def test_rows_are_cut_where_groups_end_on_both_sides_and_numbered_on(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows(Path("r.parquet"), words_text(REFERENCE), [10] * 15, "reference")
    write_rows(Path("p.parquet"), words_text(PREDICTION), [7] * 22, "prediction")
    cut_small(monkeypatch, shard_bytes=1)
    sides = sides_of(["r.parquet"], ["p.parquet"])
    found = list(shards._cut(shards._pair_files(sides)[0], sides))
    assert [shard.sides[1][0].start for shard in found] == [0, 70, 140]
    options = ("--jobs", "2", "--per-utterance", "out.csv", "--scores", "token")
    assert run("r.parquet", "p.parquet", *options)[0] == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        assert [int(row["row"]) for row in csv.DictReader(file)] == list(range(150))
    wrong = words_text(PREDICTION)
    wrong[137] = "other"
    write_rows(Path("p.parquet"), wrong, [7] * 22, "prediction")
    assert "column prediction, row 137: " in run("r.parquet", "p.parquet", "--jobs", "2")[2]


def test_one_large_group_against_many_small_ones_is_one_piece(small_pieces: None) -> None:
    # A group is read from its beginning, so that every piece of it would be read anew.
    write_rows(Path("r.parquet"), words_text(REFERENCE), [150])
    write_rows(Path("p.parquet"), words_text(PREDICTION), [1] * 150)
    for paths in (["r.parquet"], ["p.parquet"]), (["p.parquet"], ["r.parquet"]):
        sides = sides_of(*paths)
        (shard,) = shards._cut(shards._pair_files(sides)[0], sides)
        assert [(piece.start, piece.stop) for side in shard.sides for piece in side] == [(0, 150)] * 2


WHOLE = {
    "packed": ("r.gz", gzip.compress),
    "CoNLL-U": ("r.conllu", lambda data: data),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_files_that_cannot_be_cut_are_one_piece(small_pieces: None, kind: str) -> None:
    path, pack = WHOLE[kind]
    Path(path).write_bytes(pack(b"1\ta\n2\tb\n\n" * 50))
    sides = sides_of([path], [path])
    (group,) = shards._pair_files(sides)
    assert list(shards._cut(group, sides)) == [group]


def test_streams_and_several_tables_that_pair_as_one_are_one_piece(small_pieces: None, run: Any) -> None:
    lines = words_text(REFERENCE)
    write_rows(Path("r1.parquet"), lines[:70], [10] * 7, "reference")
    write_rows(Path("r2.parquet"), lines[70:], [10] * 8, "reference")
    table = pa.table({"prediction": words_text(PREDICTION)})
    with pa.OSFile("p.arrow", "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=10)
    status, output, message = run("r?.parquet", "p.arrow", "--format", "json", "--jobs", "2")
    assert (status, message) == (0, "")
    assert score_of(output) == EXPECTED


# Whatever is wrong is told as of whole files.

TEXT = b"a b\n" * 40
WRONG: dict[str, tuple[bytes, bytes]] = {
    "lines less": (TEXT, TEXT[:-12]),
    "lines more": (TEXT, TEXT + b"a\n" * 3),
    "one line more": (TEXT, TEXT + b"a\n"),
    "blank lines more": (TEXT, TEXT + b"\n\n"),
    "no prediction": (TEXT, b""),
    "no reference": (b"", TEXT),
    "other units": (TEXT, TEXT[:100] + b"a c\n" + TEXT[104:]),
    "no text": (TEXT[:80] + b"a \xff\n" + TEXT[84:], TEXT),
    "a NUL": (TEXT, TEXT[:156] + b"a\0b\n"),
    "UTF-16": (TEXT.decode().encode("utf-16"), TEXT),
    "old line ends": (TEXT, TEXT.replace(b"\n", b"\r")),
    "nothing at all": (b"", b""),
    "damaged": (TEXT, gzip.compress(TEXT)[:-4]),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("shard_bytes", [1, 50, 500])
def test_errors_count_in_whole_files(
    run: Any, monkeypatch: pytest.MonkeyPatch, name: str, on_error: str, shard_bytes: int
) -> None:
    for path, data in zip("rp", WRONG[name], strict=True):
        Path(path).write_bytes(data)
    whole = run("r", "p", "--on-error", on_error)
    cut_small(monkeypatch, shard_bytes)
    assert run("r", "p", "--on-error", on_error, "--jobs", "2") == whole
    assert whole[0] == 2 or (on_error == "skip" and "left out" in whole[2])


@pytest.mark.parametrize("paths", [("r?", "p"), ("p", "r?")], ids=["reference", "prediction"])
@pytest.mark.parametrize("count", [8, 12])
def test_different_numbers_of_lines_in_pieces_that_pair_as_one_are_those_of_the_sides(
    run: Any, monkeypatch: pytest.MonkeyPatch, paths: tuple[str, str], count: int
) -> None:
    for path, lines in (("r0", 5), ("r1", 5), ("p", count)):
        Path(path).write_bytes(b"a b\n" * lines)
    whole = run(*paths)
    assert "r? has 10 lines" in whole[2]
    assert f"p has {count} lines" in whole[2]
    cut_small(monkeypatch, 8)
    assert run(*paths, "--jobs", "2") == whole


def test_a_file_with_nothing_but_a_mark_has_no_line_in_pieces_either(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, data in (("r0", MARK), ("r1", MARK + b"a b\nc d"), ("p", b"ab\nc d\n")):
        Path(path).write_bytes(data)
    whole = run("r?", "p", "--format", "json")
    assert score_of(whole[1]) == naive_scores([["a", "b"], ["c", "d"]], [["ab"], ["c", "d"]])
    cut_small(monkeypatch)
    assert run("r?", "p", "--format", "json", "--jobs", "2") == whole


@pytest.mark.parametrize("options", [[], ["--on-error", "skip"]], ids=["raise", "skip"])
@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]], ids=["threads", "pieces"])
@pytest.mark.parametrize("files", ["r0 p0", "r? p?"])
def test_running_out_of_memory_is_reported_in_one_line(
    run: Any, monkeypatch: pytest.MonkeyPatch, options: list[str], jobs: list[str], files: str
) -> None:
    def run_out(*_: object) -> Any:
        raise MemoryError

    for path in ("r0", "p0", "r1", "p1"):
        Path(path).write_bytes(TEXT)
    cut_small(monkeypatch)
    for module in (pairs, skipping):
        monkeypatch.setattr(module, "compare_sides", run_out)
    status, output, message = run(*files.split(), *options, *jobs)
    assert (status, output) == (2, "")
    assert re.fullmatch("segmentation-scores: error: out of memory[^\n]+\n", message)


def test_a_bad_line_in_a_piece_is_numbered_in_its_file(small_pieces: None, run: Any) -> None:
    for number in range(3):
        Path(f"p{number}").write_bytes(TEXT if number != 1 else TEXT[:120] + b"\xff\n" + TEXT[124:])
    Path("r").write_bytes(TEXT * 3)
    assert "error: p1, line 31: the byte 0xff at offset 0" in run("r", "p?", "--jobs", "2")[2]


@pytest.mark.parametrize("jobs", [[], ["--jobs", "1"], ["--jobs", "2"]], ids=["threads", "one", "pieces"])
def test_files_that_fail_in_their_middle_are_left_out_whole(small_pieces: None, run: Any, jobs: list[str]) -> None:
    for number in range(5):
        Path(f"r{number}").write_bytes(TEXT)
        Path(f"p{number}").write_bytes(b"ab\n" * (40 - 10 * (number == 2)))
    Path("p1").write_bytes(b"ab\n" * 7 + b"a c\n" + b"ab\n" * 32)
    # This one fails in its first piece, and no other.
    Path("p3").write_bytes(b"\xff\xfe" + b"ab\n" * 40)
    status, output, message = run("r?", "p?", "--on-error", "skip", "--format", "json", "--counts", *jobs)
    assert status == 0
    warned = message.splitlines()
    assert len(warned) == 3
    assert "warning: left out: r2 has 40 lines and p2 has 30 lines" in warned[0]
    assert "warning: left out: p3: the file is UTF-16" in warned[1]
    assert "warning: 1 of 120 utterances could not be scored" in warned[2]
    assert "r1 and p1, line 8: the units differ" in warned[2]
    counts = json.loads(output)["predictions"][0]["counts"]
    expected = naive_counts([["a", "b"]] * 119, [["ab"]] * 119)
    assert {key: counts[key] for key in expected} == expected
    assert counts["left_out"] == 1


@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]], ids=["whole", "pieces"])
def test_files_that_are_left_out_are_not_among_the_utterances(small_pieces: None, run: Any, jobs: list[str]) -> None:
    for number in range(3):
        Path(f"r{number}").write_bytes(TEXT)
        Path(f"p{number}").write_bytes(b"ab\n" * (40 + (number == 1)))
    Path("p2").write_bytes(b"ab\n" * 7 + b"a c\n" + b"ab\n" * 32)
    options = ("--on-error", "skip", "--per-utterance", "out.csv", "--scores", "token")
    assert run("r?", "p?", *options, *jobs)[0] == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        places = [(row["file"], int(row["line"])) for row in csv.DictReader(file)]
    lines = range(1, 41)
    assert places == [*(("r0", line) for line in lines), *(("r2", line) for line in lines if line != 8)]


def test_the_death_of_a_worker_ends_the_run_or_costs_its_piece(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def map_and_die(function: Any, tasks: Any, count: int, setup: Any) -> Iterator[Any]:
        for number, (task, result) in enumerate(map_here(function, tasks, count, setup)):
            yield task, WorkerDeath(-9) if number == 1 else result

    Path("r").write_bytes(TEXT)
    Path("p").write_bytes(b"ab\n" * 40)
    # Ten lines a piece.
    cut_small(monkeypatch, shard_bytes=40)
    monkeypatch.setattr(workers, "map_in_workers", map_and_die)
    status, output, message = run("r", "p", "--jobs", "2")
    assert (status, output) == (2, "")
    told = r"r and p, lines 11 to 20: the worker that scored this was killed \(SIGKILL\)"
    assert re.search(rf"error: {told}; .*Fewer --jobs take less memory\.", message)
    status, output, message = run(
        "r", "p", "--jobs", "2", "--on-error", "skip", "--format", "json", "--counts", "--per-utterance", "out.csv"
    )
    assert status == 0
    assert re.search(rf"warning: left out: {told}", message)
    assert json.loads(output)["predictions"][0]["counts"]["utterances"] == 30
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        lines = [int(row["line"]) for row in csv.DictReader(file)]
    assert lines == [*range(1, 11), *range(21, 41)]


@pytest.mark.parametrize(
    ("shard", "text"),
    [
        (Shard(0, ((Piece("r"),), (Piece("p"),))), "r and p"),
        (Shard(0, ((Piece("t.jsonl"),), (Piece("t.jsonl"),))), "t.jsonl"),
        (Shard(0, ((Piece("r", 40, 80, 10),), (Piece("p", 30, 60, 10),)), 10), "r and p, lines 11 to 20"),
        (Shard(0, ((Piece("r", 0, 80),), (Piece("p", 0, 60), Piece("q", 0, 9))), 20), "r and p, lines 1 to 20"),
        (Shard(0, ((Piece("t.jsonl", 5, 9, 1),),), 1), "t.jsonl, lines 2 to 2"),
        (Shard(0, ((Piece("t.parquet", 10, 20, 10),),), 10), "t.parquet, rows 10 to 19"),
    ],
)
def test_a_shard_is_called_by_its_files_and_utterances(shard: Shard, text: str) -> None:
    assert str(shard) == text


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
def test_every_option_gives_the_same_in_pieces_and_whole(
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
    for jobs in ([], ["--jobs", "1"], ["--jobs", "2"]):
        if jobs == ["--jobs", "2"]:
            cut_small(monkeypatch)
        status, *said = run("r", "p?", *options, *jobs)
        assert status == 0
        outputs.append([*said, Path("out.jsonl").read_text() if "out.jsonl" in options else ""])
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_size_of_windows_comes_from_the_utterances_that_are_scored(small_pieces: None, run: Any, jobs: str) -> None:
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
    arguments = ("--scores", "windows", "--on-error", "skip", "--format", "json", "--jobs", jobs)
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


def test_the_size_of_windows_comes_from_all_pieces(small_pieces: None, run: Any) -> None:
    # Half of the mean length of a word, in units: 9 of 3 units and 1 of 30 units.
    reference, prediction = [["abc"] * 3] * 3 + [["ab" * 15]], [["ab", "c"] * 3] * 3 + [["ab"] * 15]
    write_lines("r", reference)
    write_lines("p", prediction)
    status, output, message = run("r", "p", "--scores", "windows", "--format", "json", "--jobs", "2")
    assert (status, message) == (0, "")
    assert score_of(output) == pytest.approx(naive_group_scores("windows", reference, prediction, window_size=3))


# Processes.


@pytest.mark.parametrize("kind", ["packed", "Parquet"])
def test_workers_score_many_files(run: Any, kind: str) -> None:
    for number, (start, stop) in enumerate(pairwise([0, 30, 31, 90, 150])):
        for side, column, corpus in (("r", "reference", REFERENCE), ("p", "prediction", PREDICTION)):
            lines = words_text(corpus[start:stop])
            text = "".join(f"{line}\n" for line in lines).encode()
            if kind == "Parquet":
                write_rows(Path(f"{side}{number}.parquet"), lines, [7] * 9, column)
            elif kind == "JSON lines":
                rows = [json.dumps({column: line}) for line in lines]
                Path(f"{side}{number}.jsonl").write_text("\n".join(rows) + "\n")
            else:
                Path(f"{side}{number}.txt").write_bytes(text if kind == "text" else gzip.compress(text))
    status, output, message = run("r*", "p*", "--format", "json", "--jobs", "2")
    assert (status, message) == (0, "")
    assert score_of(output) == EXPECTED


def test_errors_of_workers_name_the_problem(run: Any) -> None:
    for number in range(4):
        Path(f"r{number}").write_bytes(TEXT)
        Path(f"p{number}").write_bytes(TEXT)
    Path("p2").write_bytes(TEXT + b"\xff\n")
    Path("p3").write_bytes(b"\xff" + TEXT)
    status, output, message = run("r?", "p?", "--jobs", "2")
    assert (status, output) == (2, "")
    assert "error: p2, line 41: the byte 0xff at offset 0 is not valid UTF-8" in message


def test_without_anything_to_score_the_error_says_so() -> None:
    for path in ("r0", "r1", "p0", "p1"):
        Path(path).write_text("a\n" * (3 + (path == "p0")))
    Path("p1").unlink()
    with pytest.raises(
        FileError, match=r"nothing could be scored\. The first problem: r0 has 3 lines and p0 has 4 lines"
    ):
        run_shards(tally_parts, sides_of(["r0", "r1"], ["p0", "p1"]), skips=True)
