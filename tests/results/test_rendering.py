"""Results in every format: what each one shows, and names that mean something to one of them."""

import csv
import html
import io
import json
import math
import re

import pytest

import segscores
from segscores.apps.command.main import main
from segscores.options.table import OPTIONS
from segscores.results.rendering import render
from segscores.results.result import Cell, Column, Note, Result, Table
from segscores.results.scored import Scored, result_of

from ..apps.command.cells import CELLS, latex_cells, markdown_cells
from ..command_runs import write_files

EVERYTHING = Result(
    [
        Table(
            [Column("score", has_keys=True), "狗叫.txt", Column("p", is_detail=True), Column("b%c", is_text=True)],
            [
                ["token_recall", Cell(0.5, (0.25, 0.76), "best"), Cell(0.0004321, form=".2g"), Cell(0.0, None, "", False)],
                ["a|b_c", Cell(12.0, mark="tied"), None, 1],
                [r"x<y^2~z\{#&$}", math.nan, "狗", " café\x1b "],
            ],
        ),
        Table(["no rows"], []),
        Table(["one"], [[1]]),
    ],
    [Note("[low, high]: ends"), Note("p: chance", is_detail=True), Note("{best}"), Note("from {} to {}", ["<i>_x", "b\nc"])],
    record={"predictions": [{"nan": math.nan}], "reference": "é"},
    signature="wb:`|n:2",
)  # fmt: skip

#: Tables and LaTeX as tabulate 0.10 prints them, in its formats "simple", "github" and "latex_booktabs".
RENDERED = {
    "table": r"""
score                            狗叫.txt        p  b%c
-------------  ------------------------  -------  --------
token_recall   0.5000* [0.2500, 0.7600]  0.00043  –
a|b_c                          12.0000†           1
x<y^2~z\{#&$}                         –        狗  café\x1b

one
-----
1

[low, high]: ends.
p: chance.
* best.
from <i>_x to b c.

signature: wb:`|n:2""",
    "markdown": r"""
| score            |                      狗叫.txt |       p | b%c       |
|------------------|-----------------------------|---------|-----------|
| Word recall      | **0.5000** [0.2500, 0.7600] | 0.00043 | –         |
| A\|b c           |                    12.0000† |         | 1         |
| X\<y^2\~z\\{#&$} |                           – |       狗 | café\\x1b |

| one   |
|-------|
| 1     |

[low, high]: ends; p: chance; bold: best; from \<i>\_x to b c.

signature: ``wb:`|n:2``""",
    "latex": r"""
\begin{tabular}{lrl}
\toprule
 score         &                    狗叫.txt & b\%c      \\
\midrule
 Word recall   & \textbf{0.5000} [0.2500, 0.7600] & –        \\
 A\textbar{}b c         &                  12.0000\textdagger{} & 1        \\
 X\ensuremath{<}y\^{}2\textasciitilde{}z\textbackslash{}\{\#\&\$\} &                         – & café\textbackslash{}x1b \\
\bottomrule
\end{tabular}

\begin{tabular}{l}
\toprule
 one   \\
\midrule
 1     \\
\bottomrule
\end{tabular}
% [low, high]: ends; bold: best; from <i>_x to b c.
% signature: wb:`|n:2""",
    "html": r"""
<div class="segscores">
<table>
<thead><tr><th scope="col">score</th><th scope="col">狗叫.txt</th><th scope="col">p</th><th scope="col">b%c</th></tr></thead>
<tbody>
<tr><th scope="row">Word recall</th><td><strong>0.5000</strong> [0.2500, 0.7600]</td><td>0.00043</td><td>–</td></tr>
<tr><th scope="row">A|b c</th><td>12.0000†</td><td></td><td>1</td></tr>
<tr><th scope="row">X&lt;y^2~z\{#&amp;$}</th><td>–</td><td>狗</td><td>café\x1b</td></tr>
</tbody>
</table>
<table>
<thead><tr><th scope="col">one</th></tr></thead>
<tbody>
<tr><th scope="row">1</th></tr>
</tbody>
</table>
<p>[low, high]: ends; p: chance; bold: best; from &lt;i&gt;_x to b c.</p>
<p>signature: wb:`|n:2</p>
</div>""",
    "csv": r"""
score,狗叫.txt,p,b%c,signature
token_recall,0.5,0.0004321,0.0,wb:`|n:2
a|b_c,12.0,,1,wb:`|n:2
x<y^2~z\{#&$},nan,狗, café\x1b ,wb:`|n:2""",
    "json": r"""
{
  "schema": 1,
  "reference": "é",
  "signature": "wb:`|n:2",
  "predictions": [
    {
      "nan": null
    }
  ]
}""",
}


@pytest.mark.parametrize("form", OPTIONS["format"].kind.choices)
def test_every_format_shows_everything(form):
    assert render(EVERYTHING, form) == RENDERED[form].removeprefix("\n")


@pytest.mark.parametrize(
    ("form", "shown"),
    [("table", r"\u72d7"), ("markdown", r"\u72d7"), ("html", "&#29399;"), ("json", r"\u00e9"), ("csv", "狗")],
)
def test_every_format_writes_what_an_encoding_lacks(form, shown):
    text = render(EVERYTHING, form, "ascii")
    assert shown in text
    if form == "markdown":
        # Columns stay aligned.
        assert len(set(map(len, text.partition("\n\n")[0].splitlines()))) == 1


@pytest.mark.parametrize("form", CELLS)
@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        *((Cell(value), shown) for value, shown in ((0.00004, "0.0000"), (0.00005001, "0.0001"), (0.99995001, "1.0000"))),
        (Cell(0.12344999), "0.1234"),
        (Cell(1e-300), "0.0000"),
        (Cell(0.5, (math.nan, 0.6)), "0.5000 [–, 0.6000]"),
        (Cell(-0.25, (-0.5, 0.0), form="+.4f"), "-0.2500 [-0.5000, +0.0000]"),
        (Cell(1.23e-6, form=".2g"), "1.2e-06"),
        (12345678, "12345678"),
    ],
)  # fmt: skip
def test_one_rule_writes_numbers(form, cell, shown):
    shown = shown.replace("-", "$-$") if form == "latex" else shown
    assert CELLS[form](render(Result([Table(["score", "a"], [["x", cell]])]), form))[1] == ["x", shown]


def test_a_table_without_rows_has_its_header():
    assert render(Result([Table(["score", "a.txt"], [])])).startswith("score")


#: Names of scores as papers have them, one for each group, and one of which the registry knows nothing.
HEADINGS = {
    "boundary_all_fscore": "Boundary F-score (with edges)", "token_fscore": "Word F-score", "type_recall": "Word type recall",
    "boundary_noedge_precision": "Boundary precision (without edges)", "token_tnr": "True negative rate",
    "dictionary_tpr": "Positive segments found", "iv_recall": "IV recall", "utterance_accuracy": "Utterance accuracy",
    "word_error_rate": "Word error rate", "adjusted_rand_index": "Adjusted Rand index", "r_value": "R-value",
    "tolerance_fscore": "Boundary F-score (within a tolerance)", "pk": "Pk", "boundary_similarity": "Boundary similarity",
    "agreement_kappa": "Cohen's kappa", "unit_error_rate": "Unit error rate", "balanced_recall": "Balanced recall",
}  # fmt: skip


@pytest.mark.parametrize("form", OPTIONS["format"].kind.choices)
def test_readers_see_names_in_words_and_programs_keys(form):
    shown = render(result_of([Scored("a", dict.fromkeys(HEADINGS, 0.5))], "r"), form)
    for key, heading in HEADINGS.items():
        named = heading if form != "html" else html.escape(heading).replace("&#x27;", "&#39;")
        assert (named in shown) is (form in ("markdown", "latex", "html"))
        assert (key in shown) is (form not in ("markdown", "latex", "html") or key == heading)


#: A count, a share with an interval that is undefined for one system, and a share alone.
PAPER = result_of(
    [
        Scored(name, {"word_insertions": count, "token_fscore": f, "pk": pk}, {}, {"token_fscore": ends}, "", undefined)
        for name, count, f, ends, pk, undefined in (
            ("a_1", 3.0, 0.91236, (0.9, 0.925), 0.5, []),
            ("b", 12.0, 0.0, (0.0, 0.0), 1.0, ["token_fscore"]),
        )
    ],
    "r",
)


def test_percent_is_of_shares_alone():
    text = render(PAPER, "markdown", percent=True)
    assert markdown_cells(text.partition("\n\n")[0]) == [
        ["score", "a_1", "b"],
        ["Word insertions", "3.0000", "12.0000"],
        ["Word F-score", "91.24 [90.00, 92.50]", "–"],
        ["Pk", "50.00", "100.00"],
    ]
    assert text.endswith("scores in percent.")


def test_systems_are_rows_on_request():
    assert latex_cells(render(PAPER, "latex", percent=True, systems="rows")) == [
        ["prediction", "Word insertions", "Word F-score", "Pk"],
        [r"a\_1", "3.0000", "91.24 [90.00, 92.50]", "50.00"],
        ["b", "12.0000", "–", "100.00"],
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "csv", "percent": True}, 'percent is for tables that people read: leave it out with format="csv".'),
        ({"form": "json", "systems": "rows"}, "systems is for tables that people read"),
        ({"systems": "row"}, "systems: expected \"columns\" or \"rows\", received 'row'. Did you mean 'rows'?"),
        ({"form": "tex"}, "format: expected .* received 'tex'"),
        ({"systems": "rows"}, "the columns of this result are no systems"),
    ],
)
def test_layouts_that_a_result_does_not_have(options, message):
    analysis = segscores.analyse_errors(REFERENCE, SYSTEMS["b"], text_format="words")
    with pytest.raises(ValueError, match=message):
        analysis.render(**options)


# What LaTeX prints for itself, and how each of the other ASCII characters is written in LaTeX.
LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\^{}", "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    # One of every character that means something to one of the formats, and what people call files.
    ["a|b_%.txt", "|", "a,b.txt", 'a"b.txt', "a;b.txt", " a b ", "狗.txt", "a\\b{}$&#^~.txt", "1e5", "0001", "-", "=1+1"],
)  # fmt: skip
def test_no_name_breaks_a_format(name):
    result = result_of([Scored(name, {"token_recall": 0.5}), Scored("other", {"token_recall": 1.0})], name)
    read = json.loads(render(result, "json"))
    assert (read["reference"], read["predictions"][0]["prediction"]) == (name, name)
    rows = list(csv.reader(io.StringIO(render(result, "csv"))))
    assert rows == [["score", "'=1+1" if name == "=1+1" else name, "other"], ["token_recall", "0.5", "1.0"]]
    rest = ["Word recall", "0.5000", "1.0000"]
    assert markdown_cells(render(result, "markdown")) == [["score", name.strip(), "other"], rest]
    escaped = "".join(LATEX.get(character, character) for character in name.strip())
    assert latex_cells(render(result, "latex"))[0] == ["score", escaped, "other"]
    headers = re.findall(r'<th scope="col">(.*?)</th>', render(result, "html"))
    assert list(map(html.unescape, headers)) == ["score", name.strip(), "other"]


@pytest.mark.parametrize("name", ["*", "[", "[a]", "*b"])
def test_no_row_begins_with_what_latex_takes_for_an_argument(name, tmp_path, monkeypatch, capsys):
    """LaTeX reads `\\\\ *`, `\\\\ [a]` and `\\midrule [a]` as commands with an argument: the word vanishes, or LaTeX stops."""
    monkeypatch.chdir(tmp_path)
    write_files({"r": [f"{name} b c"] * 2, name: [f"{name}b c"] * 2})
    for line in (f"errors r {name} --table words", f"score r {name} --systems rows"):
        assert main([*line.split(), "--format", "latex"]) == 0
        table = capsys.readouterr().out
        assert not re.search(r"(\\\\|rule)\s*[*\[]", table), table
        assert f"{{{name[0]}}}{name[1:]}" in [row[0] for row in latex_cells(table)]


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
def test_markup_in_a_name_is_shown_in_markdown(name, written):
    header = render(Result([Table(["score", name], [])]), "markdown").split("\n")[0]
    assert f" {written} |" in header


REFERENCE = ["the dog", "is on", "a boat"]
SYSTEMS = {"a": ["thedog", "is on", "a boat"], "b": ["the dog", "ison", "aboat"]}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_results_of_functions_print_as_the_command_does(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_files({"r": REFERENCE} | SYSTEMS)
    comparison = segscores.compare(REFERENCE, SYSTEMS, text_format="words")
    analysis = segscores.analyse_errors(REFERENCE, SYSTEMS["b"], text_format="words", examples=1)
    for found, arguments in ((comparison, ["compare", "r", "a", "b"]), (analysis, ["errors", "r", "b"])):
        main(arguments)
        printed = re.sub(r"line (\d)", lambda line: f"utterance {int(line[1]) - 1}", capsys.readouterr().out)
        # The column of places has another width.
        assert re.sub("[ -]+", " ", str(found)) == re.sub("[ -]+", " ", printed.rstrip("\n"))
        assert json.loads(found.to_json())["signature"] == found.signature
        assert repr(found) == str(found)
        assert found._repr_html_() == render(found.result(), "html")
    frame = comparison.to_frame()
    assert list(frame.columns[:5]) == ["score", "system", "value", "low", "high"]
    assert set(frame["system"]) == {"a", "b"}
    assert segscores.analyse_errors(REFERENCE, SYSTEMS["b"], text_format="words").to_frame()["count"].sum() == 2
