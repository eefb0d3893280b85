"""`segscores errors`: the same as `analyse_errors` on the lines of the files, in tables and in CSV."""

import csv
import io
import re

import pytest

from segscores import __version__
from segscores.analysis.error_analysis import analyse_errors

from ...command_runs import write_files
from ...files import conllu

REFERENCE = ["ab c d", "a bc", "", "a b c", "abc d", "d cb a", "ab"] * 3
PREDICTION = ["a b cd", "a bc", "", "a bc", "ab cd", "d cb a", "a b"] * 3
VOCABULARY = ["ab", "c", "d"]
FILES = {"r": REFERENCE, "p": PREDICTION, "v": VOCABULARY}


def tables_of(output: str) -> dict[str, list[list[str]]]:
    """The rows of every table, by the name of its first column."""
    *printed, signature = output.rstrip("\n").split("\n\n")
    assert signature.startswith("signature: segscores|text:")
    lines = [table.splitlines() for table in printed]
    return {table[0].split()[0]: [re.split(r" {2,}", row.strip()) for row in table[2:]] for table in lines}


@pytest.mark.parametrize("piece_bytes", [1 << 20, 16])
@pytest.mark.parametrize("vocabulary", [None, VOCABULARY])
def test_json_has_what_lists_give(found, monkeypatch, piece_bytes, vocabulary):
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", piece_bytes)
    result = found("errors r p --top 2 --examples 2 --context 1" + (" --vocabulary v" if vocabulary else ""))
    options = {"examples": 2, "context": 1, "vocabulary": vocabulary}
    expected = analyse_errors(REFERENCE, PREDICTION, text_format="words", **options).to_dict(2)
    known = r"vocab:[0-9a-f]{8}\|" if vocabulary else ""
    signature = rf"segscores\|text:words\|avg:micro\|zero:0\|{known}ref:[0-9a-f]{{8}}\|n:21\|v:{__version__}"
    assert re.fullmatch(signature, result["signature"])
    for example in (example for error in expected["errors"] for example in error["examples"]):
        example["place"] = f"line {example['utterance'] + 1}"
    predictions = [{"prediction": "p", "path": "p"}]
    assert result == {"schema": 1, "reference": "r", "predictions": predictions, **expected}


#: Of 42 words: `ab` is cut twice of two times in each third, `c d` and `b c` are run together, `abc d` is cut elsewhere.
TABLES = {
    "class": "correct 18 0.4286 18 | over 6 0.1429 6 | under 12 0.2857 6 | mis 6 0.1429 3",
    "reference": "ab  a b  over  6  line 1: [ab] c d | abc d  ab cd  mis  3  line 5: [abc d] | "
    "b c  bc  under  3  line 4: a [b c] | c d  cd  under  3  line 1: ab [c d]",
    "word": "ab 6 0 6 0 0 0.0000 | c 6 0 0 6 0 0.0000 | d 9 3 0 3 3 0.3333 | abc 3 0 0 0 3 0.0000",
    "length": "1 27 12 0 12 3 0.4444 | 2 12 6 6 0 0 0.5000 | 3 3 0 0 0 3 0.0000",
    "frequency": "2-3 12 6 0 3 3 0.5000 | 4-7 12 0 6 6 0 0.0000 | 8-15 18 12 0 3 3 0.6667",
    "vocabulary": "in 21 3 6 9 3 0.1429 | out 21 15 0 3 3 0.7143",
}


def test_tables_by_hand_and_csv_has_every_digit(printed):
    tables = tables_of(printed("errors r p --vocabulary v --top 4"))
    for name, rows in TABLES.items():
        separator = " {2,}" if name == "reference" else " +"
        assert tables[name] == [re.split(separator, row) for row in rows.split(" | ")]
    names = {"class": "classes", "reference": "errors", "word": "words"}
    for name, rows in tables_of(printed("errors r p --vocabulary v")).items():
        line = f"errors r p --vocabulary v --table {names.get(name, name)} --format csv"
        (*_, last), *signed = csv.reader(io.StringIO(printed(line)))
        assert last == "signature"
        digits = re.compile(r"\d\.\d+")
        assert [
            [f"{float(cell):.4f}" if digits.fullmatch(cell) else cell for cell in row[:-1]] for row in signed
        ] == rows


def test_chosen_tables_in_their_order_and_none_of_errors_without_one(printed):
    assert list(tables_of(printed("errors r p --table length --table classes --table length"))) == ["length", "class"]
    assert list(tables_of(printed("errors r r"))) == ["class", "length", "frequency"]


WORDSEG = "errors r p --text-format units --word-boundary ;eword --ignored-tokens ;esyll"


@pytest.mark.parametrize(
    ("files", "line", "row", "lengths"),
    [
        ({}, "errors r p --table errors --examples 3 --top 1 --context 1",
         ["ab", "a b", "over", "6", "line 1: [ab] c; line 7: [ab]; line 8: [ab] c"], None),
        # Units text has bars between words.
        ({"r": "dh ax ;eword d ao g ;eword\n", "p": "dh ax d ;esyll ao g ;eword\n"}, WORDSEG,
         ["dh ax | d ao g", "dh ax d ao g", "under", "1", "line 1: [dh ax | d ao g]"], [["2", "1"], ["3", "1"]]),
        # CoNLL-U has sentences, and no spaces in words.
        ({"r.conllu": conllu([["is"], ["New York", "is"]]), "p.conllu": conllu([["i", "s"], ["New York", "is"]])},
         "errors r.conllu p.conllu",
         ["is", "i s", "over", "1", "sentence 1: [is]"], [["2", "2"], ["7", "1"]]),
    ],
    ids=["several examples", "units", "CoNLL-U"],
)  # fmt: skip
def test_errors_are_shown_in_the_form_of_the_text(printed, files, line, row, lengths):
    write_files(files)
    tables = tables_of(printed(line))
    assert tables["reference"] == [row]
    assert lengths is None or [each[:2] for each in tables["length"]] == lengths


def test_a_vocabulary_has_the_form_of_the_text(printed):
    write_files({"r": "dh ax ;eword d ao g ;eword\n", "p": "dh ax d ;esyll ao g ;eword\n", "v": "d  ao g\n"})
    tables = tables_of(printed(f"{WORDSEG} --vocabulary v"))
    assert [row[:2] for row in tables["vocabulary"]] == [["in", "1"], ["out", "1"]]


def test_csv_has_every_word_unless_asked_for_fewer(printed):
    words = [f"{first}{second}" for first in "abcd" for second in "efgh"]
    write_files({"many": [" ".join(words)], "cut": [" ".join(" ".join(word) for word in words)]})
    for options, count in (("--format csv", 16), ("--format csv --top 3", 3)):
        assert len(printed(f"errors many cut --table words {options}").splitlines()) == 1 + count
