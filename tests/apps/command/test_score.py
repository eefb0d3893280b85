"""`segscores score`: names of predictions, bounds, the scores of each utterance, and what several files share."""

import csv
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import segscores

from ...command_runs import write_files
from ...corpora import random_corpus_pair, words_text
from ...files import conllu
from ...naive import DEFAULT_KEYS, naive_counts, naive_scores

CORPUS = random_corpus_pair(60, seed=11, units="abcdé狗叫")
TEXTS = [words_text(side) for side in CORPUS]
KNOWN = ["a", "b", "狗", "aa", "ab", "ba", "狗a", "b狗"]
GOLD = ["the dog", "is on", "a boat"]
REFERENCE = ["ab c d", "a bc", "", "a b c", "abc d", "d cb a", "ab"] * 3
PREDICTION = ["a b cd", "a bc", "", "a bc", "ab cd", "d cb a", "a b"] * 3
OTHER = [line if index % 2 else REFERENCE[index] for index, line in enumerate(PREDICTION)]
#: Lines of the files of the reference and of the prediction: they pair as one text, or file by file.
CUTS = {1: (0, 20), 2: (20, 21), 3: (21, 60)}
PLACES = [(number, line) for number, (start, stop) in CUTS.items() for line in range(1, stop - start + 1)]
FILES = {
    **{f"{name}.txt": lines for name, lines in zip("rp", TEXTS, strict=True)},
    **{f"{name}-{number}.txt": lines[slice(*cut)] for name, lines in zip("rp", TEXTS, strict=True)
       for number, cut in CUTS.items()},
    "reference": REFERENCE, "prediction": PREDICTION, "other": OTHER, "known.txt": KNOWN,
    "gold/test.txt": GOLD, "out/tp/test.txt": ["thedog", "is on", "a boat"],
    "out/jieba/test.txt": ["the dog", "ison", "aboat"],
    **dict.fromkeys(("out/other.txt", "a=b.txt", "lr=0.1/p.txt"), GOLD),
}  # fmt: skip


def rows_of(path: str) -> list[dict[str, Any]]:
    """The scores of utterances in either format, with numbers read."""
    if path.lower().endswith(".jsonl"):
        return [json.loads(line, parse_constant=pytest.fail) for line in Path(path).read_text("utf-8").splitlines()]
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [
            {name: value if name in ("prediction", "file") else float(value or "nan") for name, value in row.items()}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ("out/tp/test.txt out/jieba/test.txt out/other.txt", ["tp/test.txt", "jieba/test.txt", "other.txt"]),
        ("out/tp/test.txt", ["tp/test.txt"]),
        ("out/other.txt", ["other.txt"]),
        ("tp=out/tp/test.txt out/other.txt", ["tp", "other.txt"]),
        ("'狗 1=out/other.txt'", ["狗 1"]),
        # Files and folders with such names are paths.
        ("a=b.txt x=./a=b.txt", ["a=b.txt", "x"]),
        ("lr=0.1/p.txt small=./lr=0.1/p.txt", ["p.txt", "small"]),
    ],
)
def test_names_are_given_or_the_shortest_ends_of_paths(printed, paths, names):
    table = printed(f"score gold/test.txt {paths} --format csv")
    assert next(csv.reader(io.StringIO(table)))[1:-1] == names


def test_every_subcommand_takes_names(found, printed, message):
    two = "gold/test.txt tp=out/tp/test.txt out/other.txt"
    entries = found(f"score {two}")["predictions"]
    expected = [("tp", "out/tp/test.txt"), ("other.txt", "out/other.txt")]
    assert [(entry["prediction"], entry["path"]) for entry in entries] == expected
    printed(f"report {two} -o page.html")
    assert "tp, other.txt against" in Path("page.html").read_text(encoding="utf-8")
    assert found("errors gold/test.txt tp=out/tp/test.txt")["predictions"][0]["prediction"] == "tp"
    compared = "compare gold/test.txt out/tp/test.txt jieba=out/jieba/test.txt --baseline"
    for baseline in ("jieba", "out/jieba/test.txt"):
        assert list(found(f"{compared} {baseline}")["systems"]) == ["jieba", "tp/test.txt"]
    assert re.search("'jiebaa'.*jieba", message(f"{compared} jiebaa"))


@pytest.mark.parametrize(
    ("values", "head"),
    [("aabbcd", ["score", "p.txt", "a", "b", "c", "d"]), ("aabcde", ["by", "token_recall", "count_utterances"])],
)
def test_five_subsets_or_more_are_rows(printed, values, head):
    write_files({"r.txt": ["a b"] * 6, "p.txt": ["ab"] * 6, "by": [*values]})
    assert printed("score r.txt p.txt --by by --scores token_recall").splitlines()[0].split() == head


LOW_F = "tp/test.txt: token_fscore is 0.7272727272727273, expected at least 1.0"


@pytest.mark.parametrize(
    ("bounds", "failures"),
    [
        ("--min token_fscore=1.0", [LOW_F]),
        ("--min token_fscore=0.72", []),
        ("--min=token_fscore=0.5 --min=token_recall=0.8 --max token_precision=0.8",
         ["tp/test.txt: token_recall is 0.6666666666666666, expected at least 0.8",
          "other.txt: token_precision is 1.0, expected at most 0.8"]),
        ("--min token_fscore=1.0 --confidence 0.95", [LOW_F]),
        # An undefined score keeps no bound.
        ("--scores oov --vocabulary gold/test.txt --zero-division nan --min oov_recall=0",
         [f"{name}: oov_recall is nan, expected at least 0.0" for name in ("tp/test.txt", "other.txt")]),
        # So does 0/0 whose value nobody named, even if it is the best one.
        ("--scores oov --vocabulary gold/test.txt --max oov_recall=1",
         [f"{name}: oov_recall is undefined (0/0), expected at most 1.0" for name in ("tp/test.txt", "other.txt")]),
        ("--scores oov --vocabulary gold/test.txt --zero-division 0 --max oov_recall=1", []),
        # A word error rate has no largest value; the adjusted Rand index goes below 0.
        ("--scores word_error,rand --max word_error_rate=90 --min adjusted_rand_index=-0.25", []),
    ],
)  # fmt: skip
def test_bounds_give_the_status(run, bounds, failures):
    status, output, messages = run(f"score gold/test.txt out/tp/test.txt out/other.txt {bounds}")
    assert (status, output[:5]) == (bool(failures), "score")
    lines = [line.removeprefix("segscores: ") for line in messages.splitlines() if "warning" not in line]
    assert lines == failures


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("--scores word_error --max word_error_rate=30", "percent? Then pass 0.3."),
        ("--scores word_error --max word_error_rate=3", "percent? Then pass 0.03."),
        ("--scores word_error --max word_error_rate=2.9", ""),
        ("--scores word_error --max word_insertions=30", ""),
        ("--scores word_error --min word_error_rate=0.1", "lower values are better: did you mean --max?"),
        ("--scores token --max token_recall=0.9", "higher values are better: did you mean --min?"),
        ("--scores token --max token_recall=0.9 --min token_recall=0.1", ""),
        ("--scores rates --max over_segmentation=0.9 --min r_value=0.1", ""),
    ],
)
def test_a_bound_that_decides_otherwise_is_doubted(run, bound, said):
    _, _, messages = run(f"score gold/test.txt out/tp/test.txt {bound}")
    assert said in messages
    assert ("warning" in messages) == bool(said)


#: Bounds of two predictions, with what a broken one prints: `tp` has the precision 4 / 5 and the recall 4 / 6, `same` is right.
BOUNDS = {
    "--min token_recall=0.1": [],
    "--min token_precision=0.8": [],
    "--min token_precision=0.81": ["tp: token_precision is 0.8, expected at least 0.81"],
    "--max token_recall=0.67": ["same: token_recall is 1.0, expected at most 0.67"],
    "--max token_precision=0.8": ["same: token_precision is 1.0, expected at most 0.8"],
    "--max token_precision=0.79": [
        "tp: token_precision is 0.8, expected at most 0.79", "same: token_precision is 1.0, expected at most 0.79"
    ],
    # Every word is in the vocabulary: the recall of unknown words is 0/0.
    "--min oov_recall=0": [f"{name}: oov_recall is nan, expected at least 0.0" for name in ("tp", "same")],
    "--max oov_recall=1": [f"{name}: oov_recall is nan, expected at most 1.0" for name in ("tp", "same")],
}  # fmt: skip


@pytest.mark.parametrize("first", BOUNDS)
def test_a_bound_holds_alone_and_after_any_other(run, first):
    command = "score gold/test.txt tp=out/tp/test.txt same=out/other.txt --scores token,oov --zero-division nan"
    for other in BOUNDS:
        # Alone where it is its own other one.
        bounds = dict.fromkeys((first, other))
        status, _, messages = run(f"{command} --vocabulary gold/test.txt {' '.join(bounds)}")
        failures = {f"segscores: {failure}" for bound in bounds for failure in BOUNDS[bound]}
        assert (status, {line for line in messages.splitlines() if "expected" in line}) == (bool(failures), failures)


@pytest.mark.parametrize("path", ["U.CSV", "U.JSONL"])
def test_each_utterance_scores_as_its_line_alone_and_has_its_place(found, path):
    (all_,) = found(f"score r-*.txt p-*.txt --counts --per-utterance {path}")["predictions"]
    assert naive_counts(*CORPUS).items() <= all_["counts"].items()
    rows = rows_of(path)
    names = ["prediction", "file", "line", *DEFAULT_KEYS]
    assert list(rows[0])[: len(names)] == names
    assert all(name.startswith("count_") for name in list(rows[0])[len(names) :])
    assert sum(row["count_token_matched"] for row in rows) == all_["counts"]["token_matched"]
    places = [("p-*.txt", f"r-{number}.txt", line) for number, line in PLACES]
    assert [(row["prediction"], row["file"], row["line"]) for row in rows] == places
    for row, *sides in zip(rows, *CORPUS, strict=True):
        expected = naive_scores(*([side] for side in sides), math.nan)
        # An undefined score is an empty cell, and null in JSON.
        scores = {key: math.nan if row[key] is None else row[key] for key in expected}
        assert scores == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    "paths", ["r-*.txt p-*.txt q-*.txt r-*.txt", "r.txt p-*.txt q.txt r.txt", "r-*.txt p.txt q.txt r.txt"]
)
def test_an_utterance_has_the_same_place_for_every_prediction(printed, paths):
    joined = {name: ["".join(line.split()) for line in lines] for name, lines in FILES.items() if name[0] == "r"}
    write_files({name.replace("r", "q", 1): lines for name, lines in joined.items()})
    printed(f"score {paths} --scores token --per-utterance u.jsonl")
    several = [(f"r-{number}.txt", line) for number, line in PLACES]
    expected = several if paths.startswith("r-") else [(None, line) for line in range(1, 61)]
    assert [(row.get("file"), row["line"]) for row in rows_of("u.jsonl")] == expected * 3


def test_each_file_names_its_utterances_as_its_messages_do(printed, message):
    """Lines are counted from 1, rows of a table from 0."""
    write_files({"m/1.txt": ["a b", "c d"], "m/2.csv": ["text", "a b", "c d"]})
    write_files({"n/1.txt": ["a b", "c d"], "n/2.csv": ["text", "a b", "c x"]})
    text = message("score m/* n/* --columns text")
    assert "m/2.csv, column text, row 1 and n/2.csv, column text, row 1: the units differ" in text
    assert "(Rows count from 0" in text
    printed("score m/* m/* --columns text --scores token --per-utterance u.csv")
    places = [("m/1.txt", 1), ("m/1.txt", 2), ("m/2.csv", 0), ("m/2.csv", 1)]
    assert [(row["file"], row["line or row"]) for row in rows_of("u.csv")] == places


def test_scores_of_more_utterances_than_are_written_at_once_are_in_order(printed):
    numbers = range(1, 20_004)
    write_files({"p": ["a b"] * 20_003, "r": ["ab" if number % 10_001 == 0 else "a b" for number in numbers]})
    printed("score r p --scores token_recall --per-utterance u.csv")
    rows = rows_of("u.csv")
    assert [row["line"] for row in rows] == [*numbers]
    assert [row["line"] for row in rows if row["token_recall"] == 0] == [10_001, 20_002]


@pytest.mark.parametrize(
    ("key", "values"), [("token_fscore", [0, 0, 4 / 7, 1, None]), ("word_error_rate", [1, 1, 2 / 4, 0, None])]
)
def test_the_worst_come_first(printed, key, values):
    write_files({"r": ["a b", "c d", "", "e f g h", "i j k"], "p": ["ab", "c d", "", "ef g h", "ijk"]})
    printed(f"score r p q=./r --scores token,word_error --zero-division nan --worst {key} --per-utterance u.jsonl")
    rows = rows_of("u.jsonl")
    # Of equal scores the longer utterance comes first, then the earlier; undefined scores, of blank lines, come last.
    order = {"p": [5, 1, 4, 2, 3], "q": [4, 5, 1, 2, 3]}
    assert [(row["prediction"], row["line"]) for row in rows] == [
        (name, line) for name in order for line in order[name]
    ]
    assert [row[key] for row in rows[:5]] == values


def test_conllu_has_sentences(found):
    rest = ["New York", "is"]
    write_files({"r.conllu": conllu([rest, ["so"]]), "p.conllu": conllu([rest, ["s", "o"]])})
    result = found("score r.conllu p.conllu --per-utterance u.csv --scores token")
    assert [(row["sentence"], row["token_recall"]) for row in rows_of("u.csv")] == [(1, 1.0), (2, 0.0)]
    assert result["signature"].startswith("segscores|text:conllu|")


def test_nothing_is_written_where_a_line_is_wrong(message):
    write_files({"wrong": [*PREDICTION[:-1], "xx"], "u.csv": "as it was"})
    assert "reference and wrong, line 21: the units differ" in message("score reference wrong --per-utterance u.csv")
    assert Path("u.csv").read_text(encoding="utf-8") == "as it was"


def test_a_reference_on_standard_input_asks_for_the_size_of_windows(found, message, monkeypatch):
    def stdin(side: int) -> None:
        text = io.BytesIO("".join(f"{line}\n" for line in TEXTS[side]).encode())
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(text, encoding="utf-8"))

    expected = 'can be read only once: pass --window-size with a number of gaps, or "utterance"'
    assert expected in message("score - p.txt --scores windows")
    for side, line, size in ((0, "score - p.txt --window-size 3", {"window_size": 3}), (1, "score r.txt -", {})):
        stdin(side)
        scores = segscores.score(*TEXTS, text_format="words", scores="windows", **size)
        assert found(f"{line} --scores windows")["predictions"][0]["scores"] == scores


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_of_utterances_have_ids_and_counts(printed):
    """A mixed model in R reads the metadata, and the counts of each utterance, by hand."""
    write_files(
        {"r": ["a b", "c d e", "f"], "p": ["ab", "c d e", "f"], "meta.tsv": "child\tage\nEve\t20\nEve\t21\nAdam\t20\n"}
    )
    line = "score r p --scores token_recall --by meta.tsv:age --clusters meta.tsv:child --confidence 0.9 --counts"
    printed(f"{line} --per-utterance u.csv")
    names = "prediction,line,child,age,token_recall,count_units,count_token_matched,count_token_predicted,count_token_reference"
    rows = ["p,1,Eve,20,0.0,2,0,1,2", "p,2,Eve,21,1.0,3,3,3,3", "p,3,Adam,20,1.0,1,1,1,1"]
    assert Path("u.csv").read_text("utf-8").splitlines() == [names, *rows]
    printed("score r p --scores token_recall --by length --per-utterance u.csv")
    assert Path("u.csv").read_text("utf-8").splitlines()[:2] == ["prediction,line,token_recall", "p,1,0.0"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("ids", "heading", "others"),
    [
        ("--by line.txt", "line (by)", {}),
        ("--by token_recall.txt", "token_recall (by)", {}),
        ("--by count_units.txt --counts", "count_units (by)", {"count_units": 2}),
        ("--clusters ids/age.txt --confidence 0.9 --by age.txt", "age (by)", {"age": "y"}),
        ("--clusters age.txt --confidence 0.9 --by age.txt", "age", {}),
        ("--clusters prediction.txt --confidence 0.9", "prediction (clusters)", {}),
    ],
)
def test_ids_whose_name_another_column_has_get_a_column_of_their_own(printed, ids, heading, others):
    names = ("line", "token_recall", "count_units", "age", "prediction")
    write_files({"r": ["a b", "c"], "p": ["ab", "c"], "ids/age.txt": "y\nz\n"})
    write_files({f"{name}.txt": "x\nw\n" for name in names})
    printed(f"score r p --scores token_recall {ids} --per-utterance u.jsonl")
    row = json.loads(Path("u.jsonl").read_text("utf-8").splitlines()[0])
    expected = {"prediction": "p", "line": 1, "token_recall": 0.0, heading: "x", **others}
    assert {name: row[name] for name in expected} == expected
    assert len(row) == len(expected) + 3 * ("--counts" in ids)
