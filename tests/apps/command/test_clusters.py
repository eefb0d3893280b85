"""Clusters on the command line: of a file, a column, documents and blocks of lines, as Python takes them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import segscores

from ...command_runs import write_files
from ...corpora import random_corpus_pair, words_text

# The documents here are few and of several sizes.
pytestmark = pytest.mark.filterwarnings("ignore:\\d+ clusters count as about:UserWarning")

# CoNLL-U has no blank sentences.
_PAIRS = [pair for pair in zip(*random_corpus_pair(60, seed=3, units="abcd"), strict=True) if pair[0]][:40]
REFERENCE, PREDICTION = (words_text([pair[side] for pair in _PAIRS]) for side in (0, 1))
THIRD = ["".join(line.split()) for line in REFERENCE]
#: Documents of one to seven sentences, not all of the same length.
IDS = [f"d{index}" for index in range(21) for _ in range(1 + index % 3)][:40]
TABLE = {"reference": REFERENCE, "prediction": PREDICTION, "doc": IDS, "number": [int(name[1:]) for name in IDS]}
TABLE["newdoc"] = IDS
ROWS = [json.dumps(dict(zip(TABLE, row, strict=True))) for row in zip(*TABLE.values(), strict=True)]


def conllu(lines: list[str], more: str = "") -> list[str]:
    """Sentences with documents; more are the columns behind the word."""
    sentences = []
    for index, line in enumerate(lines):
        head = "# newdoc id = x\n" if index and IDS[index] != IDS[index - 1] else ""
        words = "".join(f"{number}\t{word}{more}\n" for number, word in enumerate(line.split(), 1))
        sentences.append(f"{head}# sent_id = {index}\n{words}8.1\tempty{more}\n")
    return sentences


FILES = {
    "ref.txt": REFERENCE, "a.txt": PREDICTION, "b.txt": THIRD, "ids": IDS, "both.jsonl": ROWS,
    "bare.csv": [f"{number + 1},{REFERENCE[row]},{PREDICTION[row]}" for row, number in enumerate(TABLE["number"])],
    "part0.jsonl": ROWS[:13], "part1.jsonl": [], "part2.jsonl": ROWS[13:],
    "ref.conllu": conllu(REFERENCE), "a.conllu": conllu(PREDICTION), "ref.tsv": conllu(REFERENCE, "\t_" * 8),
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("ref.txt a.txt --clusters ids", IDS),
        ("ref.txt a.txt --clusters every:7", [index // 7 for index in range(40)]),
        ("ref.conllu a.conllu --clusters newdoc", IDS),
        # A reference that is recognised.
        ("ref.tsv a.txt --clusters newdoc", IDS),
        ("both.parquet --clusters column:doc", IDS),
        ("both.parquet --clusters column:newdoc", IDS),
        ("both.jsonl --clusters column:doc", IDS),
        # The first row has a cell 1, and is no header.
        ("bare.csv --columns 2,3 --clusters column:1", IDS),
        # One of several tables may have no rows.
        ("part*.jsonl --clusters column:doc", IDS),
    ],
)
@pytest.mark.usefixtures("piece_bytes")
def test_score_takes_clusters(found, line, ids):
    pq.write_table(pa.table(TABLE), "both.parquet", row_group_size=30)
    result = found(f"score {line} --confidence 0.9")
    expected = segscores.score(REFERENCE, PREDICTION, text_format="words", confidence=0.9, clusters=ids)
    assert result["predictions"][0]["scores"] == expected
    assert f"|clusters:{len(set(ids))}|" in result["signature"]


def test_compare_takes_clusters(found):
    result = found("compare ref.txt a.txt b.txt --clusters ids")
    systems = {"a.txt": PREDICTION, "b.txt": THIRD}
    compared = segscores.compare(REFERENCE, systems, text_format="words", clusters=IDS)
    assert (result["clusters"], result["systems"]) == (21, json.loads(compared.to_json())["systems"])


def test_bad_utterances_are_left_out_of_their_clusters(found):
    write_files({"bad.txt": ["x", *PREDICTION[1:20], "x", *PREDICTION[21:]]})
    result = found("score ref.txt bad.txt --confidence 0.9 --clusters ids --on-error skip")
    *sides, ids = ([side[at] for at in range(40) if at not in {0, 20}] for side in (REFERENCE, PREDICTION, IDS))
    expected = segscores.score(*sides, text_format="words", confidence=0.9, clusters=ids)
    assert result["predictions"][0]["scores"] == expected


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("score ref.conllu a.conllu --confidence 0.9", "ref.conllu"),
        ("compare ref.conllu a.txt b.txt", "ref.conllu"),
        ("report ref.conllu a.txt -o page.html", "ref.conllu"),
        ("score ref.tsv a.txt --confidence 0.9", "ref.tsv"),
        ("score ref.conllu a.conllu --confidence 0.9 --clusters newdoc", ""),
        ("compare ref.conllu a.txt b.txt --clusters newdoc", ""),
        ("report ref.conllu a.txt -o page.html --clusters newdoc", ""),
        ("score ref.conllu a.conllu --confidence 0.9 --clusters every:2", ""),
        # Scores without intervals need no clusters.
        ("score ref.conllu a.conllu", ""),
    ],
)
def test_documents_that_nothing_names_are_warned_of(run, line, named):
    status, _, messages = run(line)
    told = " ".join(messages.split())
    assert (status, "consists of documents" in told) == (0, bool(named))
    assert f"{named} consists of documents ('# newdoc')" in told if named else "newdoc" not in told
    assert ("Add --clusters newdoc" in told) is bool(named)


def test_a_byte_order_mark_hides_no_document(found, run):
    # One word alone, so that a mark before it would hide the sentence, and the first comment in the file is the only one.
    sentence = "1\tdog\n\n"
    for name, text in {"one": sentence * 3 + "# newdoc\n" + sentence * 2, "two": "# newdoc\n" + sentence * 3}.items():
        write_files({f"plain.{name}.conllu": text, f"marked.{name}.conllu": f"\ufeff{text}"})
    line = "score {0} {0} --confidence 0.9 --scores token"
    marked, plain = (found(f"{line.format(f'{kind}.*.conllu')} --clusters newdoc") for kind in ("marked", "plain"))
    assert marked["signature"] == plain["signature"]
    assert "|clusters:3|" in marked["signature"]
    assert "marked.two.conllu consists of documents" in run(line.format("marked.two.conllu"))[2]
