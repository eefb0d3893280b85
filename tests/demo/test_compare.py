"""The tab Compare: what it answers, its problems, and that its exports are those of the command."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from segscores.demo.answers import answer, export
from segscores.demo.examples import EXAMPLES

from ..command.running import run_command
from ..naive import naive_scores
from .answers import CONLLU, check_problem, copied, shown
from .conftest import RunCopied

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

REFERENCE = "约翰 喜欢 玛丽\n他 笑 了\n<b> 我们 走 吧"
#: The second is right everywhere, the third nearly so.
SYSTEMS = {
    "old": "约翰喜欢 玛丽\n他笑了\n<b> 我们走 吧",
    "new": REFERENCE,
    "<i>other</i>": "约翰 喜欢 玛 丽\n他 笑 了\n<b> 我们 走 吧",
}
TABLE = "".join(
    json.dumps({"reference": reference, "b": b, "a": a}) + "\n"
    for reference, b, a in [("a b", "ab", "a b"), ("c d", "c d", "c d"), ("e f", "ef", "ef")]
)


def values_of(reference: str = REFERENCE, systems: dict[str, str] = SYSTEMS, **options: str) -> dict[str, str]:
    """The fields of the tab."""
    boxes = [
        {f"prediction_{letter}": text, f"prediction_{letter}.name": name}
        for letter, (name, text) in zip("abc", systems.items(), strict=False)
    ]
    return {"reference": reference} | {name: text for box in boxes for name, text in box.items()} | options


def test_the_example_has_a_difference_that_is_real_and_one_that_is_not() -> None:
    (example,) = EXAMPLES["compare"].values()
    text = shown(answer("compare", example))
    scores = {
        example[f"prediction_{letter}.name"]: naive_scores(
            *(
                [[tuple(word) for word in line.split()] for line in example[box].split("\n")]
                for box in ("reference", f"prediction_{letter}")
            )
        )["token_fscore"]
        for letter in "abc"
    }
    assert text.startswith(
        "Word F-score: syllables {syllables:.4f} · not distinguishable: bigram {bigram:.4f} · "
        "significantly worse: unigram {unigram:.4f} ".format(**scores)
    )


def rows(values: dict[str, str]) -> list[list[str]]:
    """The cells of the table of systems, each with the texts in it."""
    found = answer("compare", values).html or ""
    table = re.search(r'<table class="sortable systems.*?</table>', found, re.S)
    assert table
    return [
        [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in re.split(r"<t[hd]\b", row)[1:]]
        for row in table[0].split("<tr>")[1:]
    ]


def cell(row: list[str], column: int) -> str:
    """A cell without the attributes of its element."""
    return row[column].rpartition('">')[2].removeprefix(">").strip()


def test_systems_are_rows_sorted_by_the_chosen_score() -> None:
    header, *systems = rows(values_of())
    assert [cell(header, column) for column in range(4)] == ["System", "Word F-score", "Ranks", "Against old"]
    assert [cell(row, 0) for row in systems] == ["new", "<i>other</i>", "old"]
    # 10 words; of the third's 11 words 9 are right, of the first's 6 words 3.
    assert [cell(row, 1).split()[0] for row in systems] == ["1.0000", f"{18 / 21:.4f}", f"{6 / 16:.4f}"]
    header, *systems = rows(values_of(by="token_precision", baseline="new", margin="0.9"))
    assert [cell(header, column) for column in (1, 3)] == ["Word precision", "Against new"]
    assert [cell(row, 1).split()[0] for row in systems] == ["1.0000", f"{9 / 11:.4f}", f"{3 / 6:.4f}"]
    assert cell(systems[0], 3) == "baseline"
    assert "(margin 0.9)" in cell(systems[1], 3)
    # Of a score that is better lower, the best is first too.
    header, *systems = rows(values_of(scores="windows", by="pk"))
    assert cell(systems[0], 0) == "new"


def test_the_utterances_that_differ_most_come_first() -> None:
    text = shown(answer("compare", values_of()))
    assert "3 of 3 utterances have different values of Word F-score" in text
    # By word F the second is 0 and 1, the first 2/5 and 1, the third 4/7 and 1.
    assert re.findall(r"(\d) old: Word F-score (\S+)", text) == [("2", "0.0000"), ("1", "0.4000"), ("3", "0.5714")]
    assert "约翰 + 喜欢 | 玛丽" in text
    same = shown(answer("compare", values_of(systems={"x": REFERENCE, "y": REFERENCE})))
    assert "All systems have the same Word F-score in each utterance." in same


PLAIN = {"old": SYSTEMS["old"], "new": REFERENCE, "other": SYSTEMS["<i>other</i>"]}
DIFFERENT = {"p": "the dog\na b\nbc", "q": "the dog\na x\nb c", "r": "t hedog\nax\nbc"}


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (values_of(systems=PLAIN), ["old=old.txt"]),
        (
            values_of(systems=PLAIN, scores="token,windows", baseline="new", margin="0.05", n_trials="200"),
            ["--margin", "0.05"],
        ),
        (values_of("the dog\na x\nb c", DIFFERENT, on_mismatch="skip"), ["skip"]),
        ({"reference": TABLE, "reference.file": "all.jsonl"}, ["all.jsonl", "--columns", ",b,a"]),
        (values_of(CONLLU * 2, {"a": "thedog\nthe dog", "b": "the dog\nthe dog"}), ["a=a.txt"]),
    ],
    ids=["text", "options", "skip", "columns", "CoNLL-U"],
)
def test_the_command_computes_what_the_page_shows(
    values: dict[str, str], options: list[str], run_copied: RunCopied
) -> None:
    found = answer("compare", values)
    assert found.html, found.problem
    command, of_report = copied(found)[:2]
    assert [word for word in options if word not in shlex.split(command)] == []
    assert json.loads(export("compare", "json", values)) == run_copied("compare", values, command)
    run_command(*shlex.split(of_report)[1:])
    if "baseline" not in values:
        assert Path("report.html").read_text("utf-8").split() == export("compare", "html", values).split()


def test_the_python_code_computes_what_the_page_shows() -> None:
    values = values_of("a b\nc d", {"x": "ab\nc d", "y": "a b\nc d"}, scores="token")
    code = copied(answer("compare", values))[2]
    names: dict = {}
    exec(code.removesuffix("print(found)"), names)
    # One of the first's three words is wrong, and two of the reference's four are missed.
    assert names["found"].scores["x"]["token_fscore"] == pytest.approx(4 / 7)


@pytest.mark.parametrize(
    ("values", "box", "problem"),
    [
        (values_of(systems={"a": SYSTEMS["old"], "b": "他\n笑\n了"}), "", "b.txt, line 1: the units differ at offset 0"),
        (values_of(systems={"a": "他", "b": REFERENCE}), "", "reference.txt has 3 lines and a.txt has 1 line"),
        (values_of("约翰", {"a": "约翰", "b": "约翰"}), "", "at least two utterances"),
        (values_of(systems={"x": REFERENCE, "x ": REFERENCE}), "prediction_b", "two systems have the name 'x'"),
        (values_of(systems={"x" * 61: REFERENCE, "y": REFERENCE}), "prediction_a", "the name has 61 characters"),
        (values_of(baseline="newer"), "", "unknown baseline 'newer'"),
        (values_of(n_trials="100000000"), "", "n_trials: expected|too many for intervals"),
    ],
)  # fmt: skip
def test_a_problem_says_where_it_is(values: dict[str, str], box: str, problem: str) -> None:
    check_problem(answer("compare", values), problem, box)


def test_one_system_waits_for_another() -> None:
    found = answer("compare", values_of(systems={"a": REFERENCE}))
    assert (found.html, "Waiting for the reference and two predictions." in found.problem) == (None, True)


def test_a_system_without_a_name_has_that_of_its_file_or_its_letter() -> None:
    values = values_of(systems={"": SYSTEMS["old"]}) | {"prediction_d": REFERENCE, "prediction_d.file": "out/bies.txt"}
    assert [cell(row, 0) for row in rows(values)[1:]] == ["bies.txt", "A"]


def test_the_picture_has_a_dot_for_each_score_and_names_stay_text() -> None:
    picture = ElementTree.fromstring(export("compare", "svg", values_of()))
    assert len(picture.findall(".//{*}circle")) == 13 * len(SYSTEMS)
    assert {text.text for text in picture.findall(".//{*}text")} > {*SYSTEMS, "Word F-score"}
    assert "<i>other" not in (answer("compare", values_of()).html or "")
