"""`segscores sweep` and its pictures: what is read, printed and written."""

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from ...command_runs import write_files
from ...corpora import units_text
from ...files import conllu

SCORES = "[0.1, 0.8]\n[]\n[0.5]\n"
FILES = {"r": "ab c\n\nde\n", "s.jsonl": SCORES}
LINE = "sweep r s.jsonl"


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_readers_learn_that_the_threshold_is_chosen_on_the_test_set(printed, form):
    assert "best: with the threshold chosen on this test set" in printed(f"{LINE} --format {form}")


@pytest.mark.parametrize(("name", "start"), [("c.png", b"\x89PNG"), ("c.svg", b"<?xml"), ("C.PNG", b"\x89PNG")])
def test_picture(printed, name, start):
    points = ("", "--ratios 0:1:0.05", "--thresholds 0.5 --zero-division nan")
    lines = ["curve r 1=r", *(f"{LINE} {each}" for each in points)]
    # The form of the file does not depend on what is drawn.
    for line in lines[: None if name == "c.png" else 1]:
        printed(f"{line} --plot {name}")
        assert Path(name).read_bytes().startswith(start)
        Path(name).unlink()


def test_picture_of_sizes_has_a_tick_for_each_on_a_logarithmic_axis(printed):
    write_files({"p": "abc\n\nde\n", "q": "a bc\n\nde\n"})
    printed("curve r 40=p 100=q 3000=r --plot c.svg")
    written = Path("c.svg").read_text("utf-8")
    ticks = re.findall(r'<g id="xtick_\d+">.*?<!-- (\S+) -->', written, re.S)
    # Matplotlib would choose round numbers for a linear axis.
    assert ticks == ["40", "100", "3000"]
    assert "<!-- size -->" in written


def test_picture_of_many_points_is_small(printed):
    count = 20_000
    write_files(
        {"r": "ab" * (count // 2 - 1) + " ab\n", "s.jsonl": json.dumps([at / count for at in range(count - 1)])}
    )
    printed(f"{LINE} --plot curve.svg")
    assert Path("curve.svg").stat().st_size < 500_000
    assert "<!-- share of inner gaps that are boundaries (λ) -->" in Path("curve.svg").read_text("utf-8")


def test_missing_matplotlib_says_what_to_install(message, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    expected = 'matplotlib, which is not installed: pip install "matplotlib>=3.7"'
    assert expected in message(f"{LINE} --plot curve.png")


@pytest.mark.parametrize(
    ("option", "text", "points"),
    [
        ("threshold", "0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("threshold", "0:1:0.4", [0, 0.4, 0.8]),
        ("threshold", "0.5", [0.5]),
        ("threshold", "0.15,inf", [0.15, float("inf")]),
        # The numbers that decimals have.
        ("threshold", "0:1e-13:1e-14", [0.0, *(float(f"{digit}e-14") for digit in range(1, 10)), 1e-13]),
        ("threshold", "-0.3:0.3:0.1", [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]),
        # The paper's twenty-one.
        ("ratio", "0:1:0.05", [hundredths / 100 for hundredths in range(0, 101, 5)]),
    ],
)
def test_points_are_read(printed, option, text, points):
    output = printed(f"{LINE} --{option}s={text} --format csv")
    assert sorted(float(row[option]) for row in csv.DictReader(io.StringIO(output))) == points


WORDS = [["ab", "c"], ["de"]]
FORMS = {
    "units": units_text(WORDS),
    "wordseg": [f"{line} ;eword" for line in units_text(WORDS, ";eword")],
    "conllu": conllu(WORDS),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_reference_is_recognised(found, run, form):
    expected = found(LINE)["best"]
    write_files({"r": FORMS[form], "s.jsonl": SCORES.replace("[]\n", "")})
    status, output, messages = run(f"{LINE} --format json")
    assert (status, json.loads(output)["best"]) == (0, expected)
    assert messages.startswith("segscores: r: read as ")
