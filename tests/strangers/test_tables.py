"""CSV and TSV as people and programs write them: columns by name or number, quotes, separators, and what is no table."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shlex
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import segscores
from segscores.reading.word_lists import words_alone
from tests.command_runs import Run, write_files

#: The words of two utterances: 3 predicted, 4 reference, 2 matched.
FSCORE = 4 / 7


def scores_of(run: Run, *arguments: str, scores: str = "token_fscore") -> dict[str, float]:
    status, out, err = run(*arguments, "--scores", scores, "--format", "json")
    assert status == 0, err
    return dict(json.loads(out)["predictions"][0]["scores"])


#: Files, and the arguments that name them.
READ = {
    "a column of text beside numbers": (
        {"g.csv": "id,utt\n1,the dog\n2,a cat\n", "p.csv": "id,utt\n1,thedog\n2,a cat\n"},
        "g.csv p.csv",
    ),
    "both sides, with usual names": ({"t.tsv": "reference\tprediction\nthe dog\tthedog\na cat\ta cat\n"}, "t.tsv"),
    "pandas, with its index": ({"t.csv": ",gold,pred\n0,the dog,thedog\n1,a cat,a cat\n"}, "t.csv"),
    "both sides, the prediction's name is a system's": ({"t.csv": "gold,crf\nthe dog,thedog\na cat,a cat\n"}, "t.csv"),
    "named columns": ({"t.csv": "Satz,Wort\nthe dog,thedog\na cat,a cat\n"}, "t.csv --columns Satz,Wort"),
    "no header": ({"t.csv": "the dog,thedog\na cat,a cat\n"}, "t.csv --columns 1,2"),
    "numbers of columns under a header": ({"t.csv": "gold,pred\nthe dog,thedog\na cat,a cat\n"}, "t.csv --columns 1,2"),
    "the number of a column is in the first row": ({"t.csv": "2,the dog,thedog\n1,a cat,a cat\n"}, "t.csv --columns 2,3"),
    "a usual name in a row of both sides": ({"t.csv": "text,the dog,thedog\nnews,a cat,a cat\n"}, "t.csv --columns 2,3"),
    "a letter above numbers in a row of both sides": (
        {"t.csv": "x,the dog,thedog\n1,a cat,a cat\n"}, "t.csv --columns 2,3",
    ),
    "names that count from 0": ({"t.csv": "0,1\nthe dog,thedog\na cat,a cat\n"}, "t.csv --columns 0,1"),
    "names that count, beside an index": (
        {"t.csv": ",0,1\n0,the dog,thedog\n1,a cat,a cat\n"}, "t.csv --columns 0,1",
    ),
    "names of systems that are numbers": ({"t.csv": "id,gold,1\n1,the dog,thedog\n2,a cat,a cat\n"}, "t.csv --columns 2,1"),
    "Excel in Europe": (
        {"t.csv": "\ufeffage;gold;pred\r\n3,5;the dog;thedog\r\n4,5;a cat;a cat\r\n"},
        "t.csv",
    ),
    "quotes": ({"t.csv": 'gold,pred\n"the dog","thedog"\n"a\ncat","a cat"\n'}, "t.csv"),
    "CR in the last row, which has no end": ({"t.csv": 'gold,pred\nthe dog,thedog\na cat,"a\rcat"'}, "t.csv"),
    "quotes as letters": ({"t.tsv": 'gold\tpred\nthe "dog\tthe"dog\na cat\ta cat\n'}, "t.tsv"),
    "a column alone": ({"g.csv": "text\nthe dog\na cat\n", "p.csv": "text\nthedog\na cat\n"}, "g.csv p.csv"),
    "text beside a table": ({"g.csv": "id,utt\n1,the dog\n2,a cat\n", "p.txt": "thedog\na cat\n"}, "g.csv p.txt"),
    "names of several words": (
        {"t.csv": "ID,Gold segmentation,Predicted segmentation\n1,the dog,thedog\n2,a cat,a cat\n"}, "t.csv",
    ),
    "names of code": ({"t.csv": "utt_id,y_true,y_pred\nu1,the dog,thedog\nu2,a cat,a cat\n"}, "t.csv"),
    "an id and a system": (
        {"g.csv": "utt_id,gold\nu1,the dog\nu2,a cat\n", "p.csv": "utt_id,crf\nu1,thedog\nu2,a cat\n"}, "g.csv p.csv",
    ),
    "French": ({"t.csv": "Numéro;Référence;Prédiction\n1;the dog;thedog\n2;a cat;a cat\n"}, "t.csv"),
    "Chinese": ({"t.csv": "序号,参考答案,预测结果\n1,the dog,thedog\n2,a cat,a cat\n"}, "t.csv"),
    "a separator at the end of each line": ({"t.csv": "reference;prediction;\nthe dog;thedog;\na cat;a cat;\n"}, "t.csv"),
    "the input beside the output of two segmenters": (
        {"g.csv": "raw,output\nthedog,the dog\nacat,a cat\n", "p.csv": "raw,output\nthedog,thedog\nacat,a cat\n"},
        "g.csv p.csv",
    ),
    "the input beside labels": ({"t.csv": "input,label,pred\nthedog,the dog,thedog\nacat,a cat,a cat\n"}, "t.csv"),
    "another name": ({"t.txt": "the dog\tthedog\na cat\ta cat\n"}, "t.txt --columns 1,2"),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_the_columns_of_a_table_are_read(case: str, in_folder: Path, run: Run) -> None:
    files, arguments = READ[case]
    write_files(files)
    assert scores_of(run, *arguments.split(), "--text-format", "words") == {"token_fscore": pytest.approx(FSCORE)}
    _, _, err = run(*arguments.split(), "--text-format", "words")
    told = dict(re.findall(r"(\S+): read as a table, of which ([\w ]+) is the column of utterances\.", err))
    chosen = [name for name in arguments.split() if name.endswith((".csv", ".tsv")) and "--columns" not in arguments]
    assert [*told] == chosen
    assert all(column in files[name].splitlines()[0] for name, column in told.items())


#: Files, the arguments, and parts of the error.
REFUSED = {
    "lines that end in CR alone": (
        {"t.csv": "gold,pred\rthe dog,thedog\ra cat,a cat\r"}, "t.csv", ["t.csv", "CR alone", "tr '\\r' '\\n'"],
    ),
    "no column is known": (
        {"t.csv": "the dog,thedog\na cat,a cat\n"}, "t.csv", ["t.csv", "1 ('the dog')", "--columns"],
    ),
    "no names, but usual words": (
        {"t.csv": "the true dog,thetruedog\na cat,a cat\n"}, "t.csv", ["1 ('the true dog')", "--columns"],
    ),
    "UTF-16": ({"t.csv": "reference\tprediction\na\ta\n".encode("utf-16")}, "t.csv", ["UTF-16", "--encoding utf-16"]),
    "Excel's line": ({"t.csv": "sep=;\nreference;prediction\na;a\n"}, "t.csv", ["line 1", "tail -n +2"]),
    "several columns of text": ({"t.csv": "id,satz,wort\n1,a b,c\n2,d,e\n"}, "t.csv", ["satz, wort", "--columns"]),
    "the input and the output of one segmenter": (
        {"t.csv": "input,output\nthedog,the dog\nacat,a cat\n"}, "t.csv", ["prediction", "input, output", "--columns"],
    ),
    "no such column": ({"t.csv": "gold,pred\na,a\n"}, "t.csv --columns gold,crf", ["'crf'", "gold, pred", "--columns"]),
    "a separator without quotes": ({"t.csv": "id,utt\n1,a b\n2,well, c\n"}, "t.csv t.csv", ["row 3", "quotes"]),
    "named columns of uneven rows": ({"t.txt": "g,s\na b,ab\nc,c,d\n"}, "t.txt --columns g,s", ["t.txt, row 3", "quotes"]),
    "a quote that is never closed": (
        {"t.csv": "id,utt\n" + "1,a b\n" * 20_000 + '2,"c\n' + "3,d\n" * 9}, "t.csv", ["line 20002", "quote"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_can_not_be_told_is_an_error(case: str, in_folder: Path, run: Run) -> None:
    files, arguments, parts = REFUSED[case]
    write_files(files)
    if arguments == "t.csv" and "quote" in parts:
        arguments = "t.csv t.csv --columns 2,2"
    status, _, err = run(*arguments.split(), "--scores", "token")
    assert status == 2
    assert not [part for part in parts if part not in err], err


def test_a_table_of_many_short_rows_takes_no_time(in_folder: Path, run: Run) -> None:
    write_files({"t.csv": "id,utt\n" + "1,a b\n" * 20_000})
    began = time.process_time()
    status, output, _ = run("t.csv", "t.csv", "--columns", "utt,utt", "--scores", "token")
    assert (status, "1.0" in output) == (0, True)
    assert time.process_time() - began < 8


#: Above a column of numbers, the first row is read as a header. Whether its text is of words that the rows below have.
FIRST_ROWS = {
    ("age,the dog", "g.csv p.csv"): True,
    ("NA,dog", "g.csv p.csv --columns 2"): True,
    # The user says that it is the name.
    ("age,the dog", "g.csv p.csv --columns 'the dog'"): False,
    ("age,Satz", "g.csv p.csv"): False,
    ("age,a good Satz", "g.csv p.csv"): False,
    # A usual name, also where it is a word of the text.
    ("age,text", "g.csv p.csv"): False,
    ("age,a text", "g.csv p.csv"): False,
}


@pytest.mark.parametrize(("case", "is_doubtful"), FIRST_ROWS.items())
def test_a_first_row_of_words_of_the_others_is_said(
    case: tuple[str, str], is_doubtful: bool, in_folder: Path, run: Run
) -> None:
    first_row, arguments = case
    for name in ("g.csv", "p.csv"):
        (in_folder / name).write_text(f"{first_row}\n3,a dog\n4,a text\n5,the cat\n")
    status, _, messages = run(*shlex.split(arguments), "--scores", "token")
    said = f"g.csv: row 1 is read as the names of the columns, which are {first_row.replace(',', ', ')}: if it is data, put"
    assert (status, said in messages) == (0, is_doubtful), messages


#: Last rows of a table of ids and utterances, and whether they sum up the others.
LAST_ROWS = {
    "Total;2": True,
    "Gesamt: ;2": True,
    "macro avg;2": True,
    "macro;2": False,
    "total war;it is": False,
    "3;total": False,
}


@pytest.mark.parametrize("row", LAST_ROWS)
def test_a_last_row_that_sums_up_the_others_is_said(row: str, in_folder: Path, run: Run) -> None:
    write_files(dict.fromkeys(("g.csv", "p.csv"), f"id;utt\n1;the dog\n2;a cat\n{row}\n"))
    status, _, messages = run("g.csv", "p.csv", "--scores", "token")
    said = f"g.csv: the last row, {row.replace(';', ', ')}, is read as an utterance"
    assert (status, said in messages) == (0, LAST_ROWS[row]), messages


def tsv(*columns: str, rows: list[tuple[str, ...]]) -> str:
    """A table with tabs."""
    return "".join("\t".join(row) + "\n" for row in [columns, *rows])


def json_lines(*columns: str, rows: list[tuple[str, ...]]) -> str:
    """A table of JSON lines."""
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


#: Rows of two models, and of a model each.
OF_MODELS = [
    ("crf", "the dog", "thedog"),
    ("crf", "a cat", "a cat"),
    ("lstm", "the dog", "the dog"),
    ("lstm", "a cat", "a cat"),
]
SPEAKERS = [(name, *row) for name, (_, *row) in zip("abcd", OF_MODELS, strict=True)]
IDS = [("u1", "a b"), ("u2", "ab"), ("u3", "a b")]
#: The files that are scored, by their rows, further arguments, and what is said.
PAIRED_ROWS: dict[str, tuple[dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]], str, str]] = {
    "the same references for each model": (
        {"t": (("model", "gold", "pred"), OF_MODELS)}, "--columns gold,pred", "each model, such as 'crf', 'lstm', has the same"),
    "a column of models that an option names": (
        {"t": (("model", "gold", "pred"), OF_MODELS)}, "--columns gold,pred --by column:model", ""),
    "other references for each model": (
        {"t": (("model", "gold", "pred"), [*OF_MODELS[:3], ("lstm", "it is", "it is")])}, "--columns gold,pred", ""),
    "a run in the middle that lacks a row": (
        {"t": (("model", "gold", "pred"), [*OF_MODELS[:2], ("hmm", "the dog", "the dog"), *OF_MODELS[2:]])},
        "--columns gold,pred", ""),
    "the same references of each speaker": ({"t": (("speaker", "gold", "pred"), OF_MODELS)}, "--columns gold,pred", ""),
    "one model for each row": ({"t": (("model", "gold", "pred"), SPEAKERS)}, "--columns gold,pred", ""),
    "ids in another order": (
        {"g": (("utt_id", "text"), IDS), "p": (("utt_id", "text"), [("u3", "a b"), ("u2", "ab"), ("u1", "ab")])},
        "--columns text,text", "the values of utt_id are the same in different orders, and rows pair by position"),
    "ids in the same order": (
        {"g": (("id", "text"), IDS), "p": (("id", "text"), [*IDS[:2], ("u3", "ab")])}, "--columns text,text", ""),
    "other ids": ({"g": (("id", "text"), IDS), "p": (("id", "text"), [*IDS[:2], ("u4", "ab")])}, "--columns text,text", ""),
    "ages in another order": (
        {"g": (("age", "text"), [("2", "a b"), ("2", "ab"), ("3", "ab")]),
         "p": (("age", "text"), [("3", "ab"), ("2", "ab"), ("2", "ab")])}, "--columns text,text", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRED_ROWS)
@pytest.mark.parametrize("ending", [".tsv", ".jsonl"])
def test_rows_that_likely_do_not_pair_are_said(case: str, ending: str, in_folder: Path, run: Run) -> None:
    tables, arguments, said = PAIRED_ROWS[case]
    write = tsv if ending == ".tsv" else json_lines
    write_files({name + ending: write(*columns, rows=rows) for name, (columns, rows) in tables.items()})
    status, _, message = run(*(name + ending for name in tables), *arguments.split(), "--scores", "token")
    assert (status, said in message, message == "") == (0, True, not said), message


#: The last row of a table of ids and both sides, the number of rows before it, and whether it is said to sum them up.
LAST_OF_BOTH_SIDES = {
    "a mean": (("mean", "2", "1"), 1, True),
    "words that name a sum": (("u3", "total", "to tal"), 1, False),
    "a number of rows": (("n=3", "2", "1"), 1, True),
    # The first 64 KiB end before the last row.
    "a sum of many rows": (("total", "2", "1"), 3000, True),
    "a last one of many rows": (("u3", "it is", "itis"), 3000, False),
}


@pytest.mark.parametrize("case", LAST_OF_BOTH_SIDES)
@pytest.mark.parametrize("ending", [".tsv", ".jsonl"])
def test_a_last_row_beside_both_sides_is_looked_at(case: str, ending: str, in_folder: Path, run: Run) -> None:
    last, count, is_said = LAST_OF_BOTH_SIDES[case]
    rows = [*[("u1", "the dog is here", "thedog is here")] * count, last]
    write = tsv if ending == ".tsv" else json_lines
    write_files({f"t{ending}": write("id", "gold", "pred", rows=rows)})
    status, _, message = run(f"t{ending}", "--columns", "gold,pred", "--scores", "token", "--on-error", "skip")
    assert (status, f"the last row, {', '.join(last)}, is read" in message) == (0, is_said), message


def test_a_row_in_the_middle_of_many_is_no_last_one(in_folder: Path, run: Run) -> None:
    """The first 64 KiB of the file end behind the row `total`, whichever it is."""
    rows = [*[("total", "the dog is here", "thedog is here")] * 3000, ("u1", "it is", "itis")]
    write_files({"t.jsonl": json_lines("id", "gold", "pred", rows=rows)})
    assert run("t.jsonl", "--columns", "gold,pred", "--scores", "token")[2] == ""


#: Files of other formats whose names or lines are like those of tables.
OTHERS = {
    "sigmorphon.tsv": ("the dogs\tthe dog @@s\nno\tno\n", "sigmorphon"),
    "conll.tsv": ("北\tB\n京\tE\n很\tS\n\n", "conll"),
    "mecab.tsv": ("東京\t名詞\nに\t助詞\nEOS\n", "mecab"),
    "times.csv": ("start,end,label\n0.4,0.7,dog\n0.7,1.2,barks\n", "times"),
    "words.tsv": ("the dog\na cat\n", "words"),
    "tagged.tsv": ("the/D dog/N\na/D cat/N\n", "tagged"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_of_another_format_keeps_it(name: str, in_folder: Path, run: Run) -> None:
    text, text_format = OTHERS[name]
    write_files({name: text})
    status, out, err = run(name, name, "--scores", "token", "--format", "json")
    assert status == 0, err
    assert f"text:{text_format}|" in json.loads(out)["signature"]


@pytest.mark.parametrize("before", ["", "7,"])
def test_quotes_enclose_cells_wherever_the_first_rows_end(before: str, in_folder: Path) -> None:
    row = f'{before}"the, dog"\n'
    # The format is found by the first 64 kB: they end at each place within a row. A long cell makes them few.
    for length in range(len(row)):
        lines = ["the," + " dog" * 16_330 + "x" * length, *["the, dog"] * 60]
        header = f"{'id,' if before else ''}text\n"
        write_files({"t.csv": header + "".join(f'{before}"{line}"\n' for line in lines), "t.txt": lines})
        table, text = (
            segscores.tally(Path(name), Path(name), text_format="words", scores="token") for name in ("t.csv", "t.txt")
        )
        assert table.to_dict()["reference_digest"] == text.to_dict()["reference_digest"], length


def test_a_misplaced_quote_is_named_by_its_line(in_folder: Path, run: Run) -> None:
    # More than the table that is read at once, and rows of several lines.
    row = '"a\n\n\nb","a b"\n'
    write_files({"t.csv": f'gold,pred\n{row * 80_000}5" pipe,5 pipe\n'})
    status, _, err = run("t.csv", "--text-format", "words", "--scores", "token")
    assert (status, "t.csv, line 320002: a quote stands within a cell" in err) == (2, True), err


def test_python_reads_tables_too(in_folder: Path) -> None:
    write_files({"g.csv": "id,utt\n1,the dog\n2,a cat\n", "t.tsv": "age\twords\n3\tthedog\n4\ta cat\n"})
    options: dict[str, Any] = {"text_format": "words", "scores": "token_fscore"}
    expected = {"token_fscore": pytest.approx(FSCORE)}
    assert segscores.score(Path("g.csv"), Path("t.tsv"), **options) == expected
    assert segscores.score(Path("g.csv"), segscores.open_source("t.tsv", column="2"), **options) == expected


@pytest.mark.parametrize("seed", range(12))
def test_a_table_of_the_csv_module_scores_as_parquet(seed: int, in_folder: Path, run: Run) -> None:
    generator = random.Random(seed)
    delimiter = generator.choice(",;\t")
    lineterminator = generator.choice(["\n", "\r\n"])
    quoting = generator.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    units = [generator.choice(["a", "b", ",", ";", '"', "\t", "\n", "é"]) for _ in range(300)]

    def utterances() -> list[str]:
        spaced = [unit + generator.choice(["", " "]) for unit in units]
        return [f"x{''.join(spaced[at : at + 10])}y" for at in range(0, len(units), 10)]

    columns = {"id": [*map(str, range(30))], "gold": utterances(), "pred": utterances()}
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=lineterminator)
    writer.writerows([[*columns], *zip(*columns.values(), strict=True)])
    write_files({"t.csv": buffer.getvalue()})
    parquet.write_table(pa.table(columns), "t.parquet")
    options = "--columns", "gold,pred", "--text-format", "words"
    scores = "token,boundary_noedge"
    assert scores_of(run, "t.csv", *options, scores=scores) == scores_of(run, "t.parquet", *options, scores=scores)
    assert scores_of(run, "t.csv", scores=scores) == scores_of(run, "t.parquet", *options, scores=scores)


META = "file\tchild\tage\na.txt\tann\t18\nb.txt\tann\t18\nc.txt\tbob\t20\nd.txt\tbob\t20\n"
UTTERANCES = "the dog\na cat\nthe cat\na dog\n"


@pytest.mark.parametrize("name", ["meta.tsv", "meta", "meta;", "meta,"])
def test_lines_of_columns_are_no_ids(name: str, in_folder: Path, run: Run) -> None:
    text = META if name.endswith(".tsv") else META.partition("\n")[2]
    if name[-1] in ";,":
        text = text.replace("\t", name[-1])
    write_files({"g": UTTERANCES, name: text})
    for option, *others in (("--by",), ("--clusters", "--confidence", "0.95")):
        status, _, err = run("g", "g", option, name, *others)
        assert status == 2
        for part in (f"{name}: each line has 3 columns", f"{option} {name}:"):
            assert part in err


@pytest.mark.parametrize("ages", [["2;06", "3;00"], ["1;11.28", "2;00."]])
def test_ages_of_childes_are_no_columns(ages: list[str], in_folder: Path, run: Run) -> None:
    write_files({"g": UTTERANCES, "ages": [age for age in ages for _ in range(2)]})
    status, out, err = run("g", "g", "--by", "ages", "--text-format", "words", "--scores", "token", "--format", "csv")
    assert (status, [age in out for age in ages]) == (0, [True, True]), err


#: Cells of two utterances, and what is said about them.
CELLS = {
    "lists": (["['the', 'dog']", "['a', 'cat']"], "looks like lists of words, as Python or JSON writes them"),
    "fences": (["```\nthe dog\n```", "```\na cat\n```"], "each utterance has several lines, as the first one has 3"),
    "one cell of two lines": (["the\ndog", "a cat"], ""),
}


@pytest.mark.parametrize("name", ["g.csv", "g.jsonl"])
@pytest.mark.parametrize("kind", CELLS)
def test_cells_of_another_form_are_said(kind: str, name: str, in_folder: Path, run: Run) -> None:
    cells, said = CELLS[kind]
    rows = ["text", *(f'"{cell}"' for cell in cells)]
    if name == "g.jsonl":
        rows = [json.dumps({"text": cell}) for cell in cells]
    write_files({name: rows})
    status, _, err = run(name, "--columns", "text,text", "--text-format", "words", "--scores", "token")
    assert (status, said in err, "warning" in err) == (0, True, bool(said)), err


@pytest.mark.parametrize("column", ["age", "3"])
def test_ids_are_a_column_of_a_table(column: str, in_folder: Path, run: Run) -> None:
    write_files({"g": UTTERANCES, "p": "thedog\na cat\nthe cat\na dog\n", "meta.tsv": META, "ages": "18\n18\n20\n20\n"})
    options = "--text-format", "words", "--scores", "token_fscore", "--format", "csv"
    of_column = run("g", "p", "--by", f"meta.tsv:{column}", *options)
    of_lines = run("g", "p", "--by", "ages", *options)
    assert of_column[0] == 0, of_column[2]
    # The CSV has the option's file in no cell.
    assert of_column[1].replace("meta.tsv", "ages") == of_lines[1]
    clusters = "--clusters", f"meta.tsv:{column}", "--confidence", "0.95"
    status, out, err = run("g", "p", *clusters, "--scores", "token_fscore", "--format", "json")
    assert status == 0, err
    assert "clusters:2" in json.loads(out)["signature"]
    assert f"meta.tsv:{column}" in json.loads(out)["record"]["command"]


#: Word lists, and a part of the warning; the reference's words are 3 of its 4 words, so that the rate is 1/4.
WORD_LISTS = {
    "jieba": ("我們 3 n\n台北 12 ns\n去 4 v\n", "frequency and a tag"),
    "unigrams": ("我們\t3\n台北\t2\n去\t4\n", "a word and a frequency"),
    "scores of tokens": ("我們\t-3.25\n台北\t-2\n去\t-4.5\n", "a word and a frequency"),
    "uniq -c": ("      2 我們\n     12 台北\n      4 去\n", "a frequency and a word"),
    "Leipzig": ("101\t我們\t25\n102\t台北\t9\n103\t去\t4\n", "a number, a word and a frequency"),
    "one digit": ("我們 3\n台北 2\n去 4\n", "a word and a frequency"),
    "pandas": ("word,count\n我們,3\n台北,12\n去,4\n", "columns between commas"),
    "a dictionary of MeCab": ("我們,1,1,100,名詞,*\n台北,1,1,100,名詞,*\n去,2,2,30,動詞,*\n", "columns between commas"),
    "tags": ("我們/r\n台北/ns\n去/v\n", "a word and a tag after /"),
    "a lexicon of Kaldi": ("我們 1.0 w o m\n台北 0.5 t ai\n去 1.0 q ü\n", "a word and its pronunciation"),
    "a dictionary of HTK": ("我們 [我們] w o m sp\n台北 [台北] t ai\n去 [] q ü\n", "a word and its pronunciation"),
    "words": ("我們\n台北\n去\n", ""),
    "special tokens of a model": ("<s>\n<pad>\n</s>\n<unk>\n我們\n台北\n去\n", ""),
}


@pytest.mark.parametrize("case", WORD_LISTS)
def test_a_word_list_with_frequencies_is_read_as_its_words(case: str, in_folder: Path, run: Run) -> None:
    text, warning = WORD_LISTS[case]
    write_files({"g": "我們 去 3 台北\n", "words": text})
    options = "--text-format", "words", "--scores", "oov_rate", "--format", "json"
    status, out, err = run("g", "g", "--vocabulary", "words", *options)
    assert status == 0, err
    assert json.loads(out)["predictions"][0]["scores"] == {"oov_rate": 0.25}
    assert warning in err
    assert bool(warning) == ("--vocabulary" in err)


#: Lists whose numbers may be tones or words, or whose signs may be of words, and whether they have columns.
NUMBERS = {
    "      2 the\n      1 dog\n      4 is": True, "2 the\n1 dog\n4 is": False, "the\t2\ndog\t1\nis\t4": True,
    "2\tthe\n1\tdog\n4\tis": True, "the 23\ndog 1\nis 4": True, "the 3\ndog 4\nis 1": False,
    "  the 3\n  dog 4\n  is 1": False, "and/or\nkm/h": False, "the/dt\ndog/nn\nis/vb": True,
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_beside_words_are_frequencies_where_they_cannot_be_tones(text: str) -> None:
    entries = text.split("\n")
    words, note = words_alone(entries, "vocabulary")
    assert words == (["the", "dog", "is"] if NUMBERS[text] else entries)
    assert bool(note) == NUMBERS[text]


#: Words text whose lines look like rows, and what does not.
LIKE_ROWS = {"1\tthe dog\n2\ta cat\n3\tthe cat\n": True, "1;a b\n2;c\n3;d e\n": True, "a, b\nc, d\ne, f\n": False}


@pytest.mark.parametrize("text", LIKE_ROWS)
def test_lines_like_rows_are_read_as_words_with_a_warning(text: str, in_folder: Path, run: Run) -> None:
    write_files({"g.txt": text})
    status, _, err = run("g.txt", "g.txt", "--text-format", "words", "--scores", "token")
    assert status == 0
    assert ("Read one with --columns, such as 2" in err) == LIKE_ROWS[text]
    # The advice works.
    if LIKE_ROWS[text]:
        status, _, err = run("g.txt", "g.txt", "--text-format", "words", "--columns", "2,2")
        assert status == 0, err


#: Rows without a header, and the number of the column of text. A row of an id, a class and words is none of a dictionary of MFA.
COLUMNS_OF_TEXT = {
    "the dog;\na cat;\nit is;\n": 1,
    "the dog\t3\na cat\t1\nit is\t2\n": 1,
    "s1\t1\tthe dog\ns2\t0\ta cat\ns3\t1\tit is\n": 3,
    "s1\t0.95\tthe dog barks\ns2\t0.5\ta cat\ns3\t1.0\tit is\n": 3,
}


@pytest.mark.parametrize("text", COLUMNS_OF_TEXT)
def test_the_column_with_most_text_is_proposed(text: str, in_folder: Path, run: Run) -> None:
    write_files({"g.txt": text})
    status, _, err = run("g.txt", "g.txt")
    assert (status, f"Read one with --columns, such as {COLUMNS_OF_TEXT[text]}." in err) == (0, True), err


def test_lists_beside_sides_in_another_encoding_are_in_it_or_in_utf8(in_folder: Path, run: Run) -> None:
    write_files({"g": "café a\nthé b\n".encode("latin-1"), "ids": "Zoé\nBob\n".encode("latin-1")})
    write_files({"latin": "café\na\nthé\n".encode("latin-1"), "utf8": "café\na\nthé\n"})
    for words in ("latin", "utf8"):
        options = "--vocabulary", words, "--encoding", "latin-1", "--text-format", "words"
        assert scores_of(run, "g", "g", *options, scores="oov_rate") == {"oov_rate": 1 / 4}
    status, out, err = run("g", "g", "--by", "ids", "--encoding", "latin-1", "--format", "csv")
    assert status == 0, err
    assert "Zoé" in out


# `stdin` is a fixture of the command's tests.
def test_standard_input_is_a_table_where_columns_are_named(in_folder: Path, run: Run, stdin: Any) -> None:
    stdin(b"id,gold,pred\n1,the dog,thedog\n2,a cat,a cat\n")
    assert scores_of(run, "-", "--columns", "gold,pred") == {"token_fscore": pytest.approx(FSCORE)}
    write_files({"g.csv": "text\nthe dog\na cat\n"})
    stdin(b"id,text\n1,thedog\n2,a cat\n")
    assert scores_of(run, "g.csv", "-", "--columns", "text,text") == {"token_fscore": pytest.approx(FSCORE)}
    stdin(b"gold,pred\na,a\n")
    assert "name its columns with --columns REFERENCE,PREDICTION" in run("-")[2]
