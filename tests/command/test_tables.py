"""Results as text: every format keeps all values, whatever the names of files."""

from __future__ import annotations

import csv
import io
import json
import math

import pandas
import pytest

from segscores.command.tables import FORMATS, Result, emphasised, format_cells, format_results, with_signature

from .cells import CELLS, latex_cells, markdown_cells

THIRD, TWO_THIRDS = 1 / 3, 2 / 3
ONE = [Result("a.txt", {"token_recall": THIRD, "token_tnr": 1.0})]
TWO = [
    Result("a.txt", {"token_recall": THIRD, "token_tnr": 1.0}, {"token_matched": 12345678, "token_spans": 9}),
    Result("b.txt", {"token_recall": TWO_THIRDS, "token_tnr": 0.0}, {"token_matched": 0, "token_spans": 9}),
]
UNDEFINED = [Result("a.txt", {"token_recall": math.nan, "token_tnr": 0.5})]
# One of every character that means something to one of the formats, and what people call files.
NAMES = (
    "a|b_%.txt",
    "|",
    "a,b.txt",
    'a"b.txt',
    "a;b.txt",
    " a b ",
    "狗.txt",
    "a\\b{}$&#^~.txt",
    "out/jieba/test.txt",
    "1e5",
    "0001",
    "-",
    "=1+1",
)

# What LaTeX prints for itself, and how each of the other ASCII characters is written in LaTeX.
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}


def test_the_formats_are_those_that_are_tested_here() -> None:
    assert {*CELLS, "json", "csv"} == set(FORMATS)


@pytest.mark.parametrize("form", CELLS)
def test_tables_have_a_row_a_score_and_a_column_a_prediction(form: str) -> None:
    assert CELLS[form](format_results(TWO, "reference.txt", form)) == [
        ["score", "a.txt", "b.txt"],
        ["token_recall", "0.3333", "0.6667"],
        ["token_tnr", "1.0000", "0.0000"],
        ["token_matched", "12345678", "0"],
        ["token_spans", "9", "9"],
    ]


@pytest.mark.parametrize("form", CELLS)
def test_tables_say_nan(form: str) -> None:
    assert CELLS[form](format_results(UNDEFINED, "reference.txt", form))[1] == ["token_recall", "nan"]


@pytest.mark.parametrize("form", CELLS)
@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.00004, "0.0000"), (0.00005001, "0.0001"), (0.99995001, "1.0000"), (0.12344999, "0.1234"), (1e-300, "0.0000")],
)
def test_tables_round_to_4_decimals(form: str, value: float, shown: str) -> None:
    results = [Result("a.txt", {"token_recall": value})]
    assert CELLS[form](format_results(results, "reference.txt", form))[1] == ["token_recall", shown]


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_ends_with_a_newline_or_has_trailing_spaces_of_its_own(form: str) -> None:
    text = format_results(TWO, "reference.txt", form)
    assert text == text.rstrip()
    assert "\r" not in text


#: As tabulate 0.10 prints them, in its formats "simple", "github" and "latex_booktabs".
TABULATED = {
    "table": [
        "score                   狗叫.txt    b%c",
        "-------------  ---------------  -----",
        "token_recall   0.5000 ± 0.1234      –",
        "a|b_c                12.0000†*      1",
        r"x<y^2~z\{#&$}                    café",
    ],
    "markdown": [
        "| score            |          狗叫.txt |   b%c |",
        "|------------------|-----------------|-------|",
        "| token_recall     | 0.5000 ± 0.1234 |     – |",
        r"| a\|b_c           |    **12.0000†** |     1 |",
        r"| x\<y^2\~z\\{#&$} |                 |  café |",
    ],
    "latex": [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" score         &          狗叫.txt &   b\%c \\",
        r"\midrule",
        r" token\_recall  & 0.5000 $\pm$ 0.1234 &     – \\",
        r" a\textbar{}b\_c         &      \textbf{12.0000\textdagger{}} &     1 \\",
        r" x\ensuremath{<}y\^{}2\textasciitilde{}z\textbackslash{}\{\#\&\$\} &                 &  café \\",
        r"\bottomrule",
        r"\end{tabular}",
    ],
}


@pytest.mark.parametrize("form", TABULATED)
def test_tables_are_aligned_and_escaped(form: str) -> None:
    rows = [
        ["token_recall", "0.5000 ± 0.1234", "–"],
        ["a|b_c", emphasised("12.0000†"), " 1"],
        [r"x<y^2~z\{#&$}", "", "café "],
    ]
    assert format_cells(["score", "狗叫.txt", "b%c"], rows, form).split("\n") == TABULATED[form]


@pytest.mark.parametrize("form", TABULATED)
def test_a_table_without_rows_has_its_header(form: str) -> None:
    assert "score" in format_cells(["score", "a.txt"], [], form)


@pytest.mark.parametrize("results", [ONE, TWO], ids=["one", "two"])
def test_csv_gives_every_digit(results: list[Result]) -> None:
    header, *rows = csv.reader(io.StringIO(format_results(results, "reference.txt", "csv")))
    assert header == ["score", *(result.prediction for result in results)]
    for column, result in enumerate(results, 1):
        expected = result.scores | result.counts
        assert {row[0]: float(row[column]) for row in rows} == expected
        assert [row[0] for row in rows] == list(expected)


def test_csv_says_nan() -> None:
    assert format_results(UNDEFINED, "reference.txt", "csv") == "score,a.txt\ntoken_recall,nan\ntoken_tnr,0.5"


def test_csv_has_counts_as_integers() -> None:
    assert "token_matched,12345678,0" in format_results(TWO, "reference.txt", "csv").split("\n")


@pytest.mark.parametrize("results", [ONE, TWO], ids=["one", "two"])
def test_json_gives_every_digit(results: list[Result]) -> None:
    read = json.loads(format_results(results, "reference.txt", "json"))
    assert read["reference"] == "reference.txt"
    for entry, result in zip(read["predictions"], results, strict=True):
        assert entry["prediction"] == result.prediction
        assert list(entry["scores"].items()) == list(result.scores.items())
        assert entry.get("counts", {}) == result.counts


def test_json_has_null_for_nan() -> None:
    text = format_results(UNDEFINED, "reference.txt", "json")
    assert json.loads(text, parse_constant=pytest.fail)["predictions"][0]["scores"] == {
        "token_recall": None,
        "token_tnr": 0.5,
    }


def named(name: str) -> list[Result]:
    return [Result(name, {"token_recall": 0.5}), Result("other", {"token_recall": 1.0})]


@pytest.mark.parametrize("name", NAMES)
def test_json_gives_back_any_name_and_csv_all_but_formulas_and_controls(name: str) -> None:
    read = json.loads(format_results(named(name), name, "json"))
    assert (read["reference"], read["predictions"][0]["prediction"]) == (name, name)
    rows = list(csv.reader(io.StringIO(format_results(named(name), name, "csv"))))
    shown = {"=1+1": "'=1+1", "two\nlines": "two\\nlines"}.get(name, name)
    assert rows == [["score", shown, "other"], ["token_recall", "0.5", "1.0"]]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_a_table_of_markdown(name: str) -> None:
    rows = markdown_cells(format_results(named(name), "reference.txt", "markdown"))
    assert rows == [["score", name.strip(), "other"], ["token_recall", "0.5000", "1.0000"]]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        # Without the escapes, GitHub shows none of the first, an emphasised b, and other characters.
        ("<unk>", r"\<unk>"),
        ("*b* _b_ __b__ ~b~", r"\*b\* \_b\_ \_\_b\_\_ \~b\~"),
        ("`b` &lt; &#38; a\\|b", r"\`b\` \&lt; \&#38; a\\\|b"),
        # These are no markup.
        ("a_b.txt & [c] > d; #1 +2", "a_b.txt & [c] > d; #1 +2"),
    ],
)
def test_markup_in_a_name_is_shown_in_markdown(name: str, written: str) -> None:
    header = format_results(named(name), "reference.txt", "markdown").split("\n")[0]
    assert header.startswith("| score ")
    assert f" {written} |" in header


@pytest.mark.parametrize("name", NAMES)
def test_latex_prints_any_name_as_it_is(name: str) -> None:
    rows = latex_cells(format_results(named(name), "reference.txt", "latex"))
    escaped = "".join(LATEX.get(character, character) for character in name.strip())
    assert rows == [["score", escaped, "other"], ["token\\_recall", "0.5000", "1.0000"]]


ENDS = [Result("a.txt", {"token_recall": THIRD, "token_tnr": 1.0}, {}, {"token_recall": (0.25, TWO_THIRDS)})]
SIGNATURE = "segscores|text:words|n:2"


@pytest.mark.parametrize("form", CELLS)
def test_tables_show_the_interval_after_the_score(form: str) -> None:
    rows = CELLS[form](format_results(ENDS, "reference.txt", form))
    assert rows[1:] == [["token_recall", "0.3333 [0.2500, 0.6667]"], ["token_tnr", "1.0000"]]


def test_the_ends_of_an_interval_are_scores_of_their_own_in_csv_and_json() -> None:
    expected = {"token_recall": THIRD, "token_recall_low": 0.25, "token_recall_high": TWO_THIRDS, "token_tnr": 1.0}
    read = json.loads(format_results(ENDS, "reference.txt", "json"))["predictions"][0]["scores"]
    assert list(read.items()) == list(expected.items())
    _, *rows = csv.reader(io.StringIO(format_results(ENDS, "reference.txt", "csv")))
    assert [(key, float(value)) for key, value in rows] == list(expected.items())


@pytest.mark.parametrize(
    ("form", "last"),
    [
        ("table", f"\n\nsignature: {SIGNATURE}"),
        ("markdown", f"\n\nsignature: `{SIGNATURE}`"),
        ("latex", f"\\end{{tabular}}\n% signature: {SIGNATURE}"),
    ],
)
def test_a_table_is_followed_by_its_signature(form: str, last: str) -> None:
    signed = format_results(TWO, "reference.txt", form, SIGNATURE)
    assert signed.endswith(last)
    assert signed.startswith(format_results(TWO, "reference.txt", form))


def test_notes_stand_between_a_table_and_its_signature() -> None:
    assert with_signature("T", "s", "table", ["a note."]) == "T\n\na note.\n\nsignature: s"
    assert with_signature("T", "s", "latex", ["a note."]) == "T\n% a note.\n% signature: s"
    assert with_signature("T", "", "markdown", ["a note."]) == "T\n\na note."


def test_markdown_fences_a_signature_with_a_backtick() -> None:
    assert with_signature("T", "wb:`", "markdown").endswith("signature: ``wb:```")


def test_csv_has_the_signature_as_a_column_and_numbers_alone_in_the_others() -> None:
    table = pandas.read_csv(io.StringIO(format_results(TWO, "reference.txt", "csv", SIGNATURE)), index_col="score")
    assert set(table.pop("signature")) == {SIGNATURE}
    assert [str(kind) for kind in table.dtypes] == ["float64", "float64"]
    assert table.loc["token_recall", "b.txt"] == TWO_THIRDS


def test_json_has_the_signature_beside_the_reference() -> None:
    assert json.loads(format_results(TWO, "reference.txt", "json", SIGNATURE))["signature"] == SIGNATURE


@pytest.mark.parametrize(
    ("form", "shown"), [("table", "0.5* [0]"), ("markdown", "**0.5** [0]"), ("latex", r"\textbf{0.5} [0]")]
)
def test_emphasis_is_bold_or_an_asterisk(form: str, shown: str) -> None:
    table = format_cells(["score", "a"], [["x", f"{emphasised('0.5')} [0]"], ["y", "0.25†"]], form)
    assert CELLS[form](table)[1] == ["x", shown]
    assert CELLS[form](table)[2] == ["y", r"0.25\textdagger{}" if form == "latex" else "0.25†"]
