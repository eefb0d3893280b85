"""Tests of what the tabs show: the scores of naive scorers, drawings, and links."""

from __future__ import annotations

import base64
import gzip
import html
import json
import random
import re
from itertools import chain
from xml.etree import ElementTree

import pytest

from segscores.apps.demo.answers import answer, export
from segscores.apps.demo.examples import EXAMPLES
from segscores.apps.demo.tab import WITHOUT_CONTROL
from segscores.apps.demo.tabs import TABS
from segscores.options.tasks import COMMANDS
from segscores.scoring.measures.registry import GROUPS

from ...naive import naive_scores, spans
from .answers import (
    ALIGNMENT,
    COMMITTEE,
    COMPARED,
    DIFFICULTY,
    SCORE,
    SENTENCES,
    SYSTEMS,
    THRESHOLD,
    board,
    compare_values,
    copied,
    shown,
    words,
)


def test_a_gap_is_clicked_only_where_the_box_has_the_units() -> None:
    packed = base64.b64encode(gzip.compress(SCORE["prediction"].encode())).decode()
    marked = {"reference": "\u200ea b", "prediction": "\u200ea b"}
    given = (
        {},
        {"reference.bytes": packed},
        {"prediction.bytes": packed},
        {"normalize": "NFC"},
        {"subword_marks": "strip"},
        {"on_mismatch": "align"},
        marked,
    )
    found = [answer("score", SCORE | each).html or "" for each in given]
    assert ["data-editable" in each for each in found] == [True, True, False, False, False, False, False]


def test_a_tab_has_a_control_for_each_option_or_the_reason_why_not() -> None:
    options = {tab: COMMANDS[tab.task].options for tab in TABS.values() if tab.controls and tab.has_endpoint}
    for tab, known in options.items():
        asked = {name for name, option in known.items() if option.section != "output"}
        missing = asked - {*tab.controls, *tab.lacks, *WITHOUT_CONTROL}
        assert not missing, f"{tab.name} has no control for {', '.join(missing)}: name the reason in WITHOUT_CONTROL"
    stale = WITHOUT_CONTROL.keys() - set().union(*options.values())
    assert not stale, f"no subcommand of a tab has {', '.join(stale)}: take it out of WITHOUT_CONTROL"


def test_every_group_stands_on_the_board() -> None:
    """Those of tags for words with tags."""
    tagged = {"reference": "the/D dog/N", "prediction": "the/D do/V g/N", "text_format": "tagged"}
    for values, needs_tags in ((SCORE, False), (tagged, True)):
        groups = [name for name in TABS["score"].groups if ("tags" in GROUPS[name].needs) == needs_tags]
        assert {*board("score", {**values, "scores": ",".join(groups)})} == {
            key for name in groups for key in GROUPS[name].keys
        }


HALF = "k is half the mean length of a reference word"
PACKED = base64.b64encode(gzip.compress(SCORE["reference"].encode())).decode()
MANY = [f"[{number}]:[{number}]" for number in range(80)]


def of_window(reference: str, size: str) -> tuple[str, dict[str, str]]:
    """The tab Learn with a sentence and a size of windows."""
    return "learn", {"reference": reference, "prediction": reference, "window_size": size}


@pytest.mark.parametrize(
    ("tab", "values", "told"),
    [
        # thedog and lit, tle are wrong: 8 of 11 predicted and of 11 reference words are right.
        ("score", {**SCORE, "scores": "token,windows,word_error", "sections": "scores"},
         ["8 of 11 words found · word F 0.73", "token_precision 0.7273 8 / 11", "word_deletions lower is better 1 "]),
        ("score", {"prediction": SCORE["prediction"], "reference.bytes": PACKED, "reference.file": "gold.txt.gz"},
         ["8 of 11 words found"]),
        # The share takes 10 of the 20 gaps, and 0.525 takes 11.
        ("threshold", {**THRESHOLD, "ratio": "0.5249999"}, ["--ratios 0.5249999", "ratio=0.5249999", "|ratios:0.5249999|"]),
        ("alignment", {"reference": "\n".join(MANY), "prediction": "\n".join(MANY[:40])},
         ["these texts have 80. All are scored."]),
        # Of 11 words the frequent "the" and "and" are right, seven times, and 15 are predicted.
        ("learn", {"question": "types"},
         ["Word precision words right / words predicted 7 / 15 = 0.467",
          "Word type recall distinct words right / distinct words of the reference 2 / 6 = 0.333"]),
        # Halves of the mean lengths are 17 / 12, 1 / 2 and 13 / 2, which rounds to the even number.
        (*of_window("the dog is on the boat", ""), [f"Each window has k = 2 gaps, so 3 characters; {HALF}"]),
        (*of_window("a b c d e f g h i j k l", ""), [f"Each window has k = 2 gaps, so 3 characters; {HALF}"]),
        (*of_window("abcdefghijklm", "utterance"), [f"Each window has k = 6 gaps, so 7 characters; {HALF}"]),
        (*of_window("the dog is on the boat", "1"), ["Each window has k = 1 gap, so 2 characters."]),
        (*of_window("ð ə WORD_BOUNDARY d ɔ g", "3"), ["Each window has k = 3 gaps, so 4 units."]),
    ],
)  # fmt: skip
def test_a_tab_tells_the_numbers_of_its_texts(tab: str, values: dict[str, str], told: list[str]) -> None:
    text = shown(tab, values)
    assert [each for each in told if each not in text] == []


@pytest.mark.parametrize(
    ("reference", "prediction", "without"),
    [
        # Without the second line, the prediction has no inner boundary: only precision is 0/0.
        ("the dog\na cat", "thedog\na cat", "Boundary precision (without edges)"),
        # Each line is the same, and these scores have no greatest value, which would be a bound.
        ("a b c\na b c", "a bc\na bc", "Word error rate, Word deletions, Word substitutions"),
        ("the dog\na cat", "the dog\nac at", ""),
    ],
)
def test_scores_without_an_interval_are_named_with_the_reason(reference: str, prediction: str, without: str) -> None:
    values = {
        "reference": reference,
        "prediction": prediction,
        "scores": "boundary_noedge,word_error",
        "confidence": "0.9",
    }
    named = re.findall(
        r"No interval for (.*?): the score is undefined without one of the lines, or no line", shown("score", values)
    )
    assert named == [without] * bool(without)


def test_baselines_are_computed_while_their_section_is_open() -> None:
    values = {**SCORE, "scores": "token"}
    assert "Every gap cut" not in shown("score", values)
    letters = [[(unit,) for unit in line if unit != " "] for line in SCORE["reference"].split("\n")]
    expected = naive_scores(words(SCORE["reference"]), letters)["token_precision"]
    text = shown("score", {**values, "sections": "errors,baselines"})
    assert "score prediction every gap no gap random" in text
    assert f"{8 / 11:.4f} {expected:.4f} 0.0000" in text
    aligned = shown("score", {**values, "sections": "baselines", "on_mismatch": "align"})
    assert 'leave on_mismatch="align" out' in aligned
    long = {"reference": "a b\n" * 150_001, "prediction": "a b\n" * 150_001, "sections": "baselines"}
    told = shown("score", long)
    assert "300,002 words are too many for random segmentations here" in told
    assert "segscores score reference.txt prediction.txt --baselines" in told


@pytest.mark.parametrize(
    ("tab", "values"),
    [("score", SCORE), ("difficulty", DIFFICULTY), ("alignment", ALIGNMENT | SENTENCES),
     *(("threshold", {**THRESHOLD, "ratio": share}) for share in ("0.05", "0.25", "1"))],
)  # fmt: skip
def test_every_score_is_shown(tab: str, values: dict[str, str]) -> None:
    exported = json.loads(export(tab, "json", values))
    scores = exported["at"] if tab == "threshold" else exported["predictions"][0]["scores"]
    hidden = ("recovered", "boundary_all", "ratio", "threshold") if tab == "threshold" else "recovered"
    expected = {key: f"{value:.4f}" for key, value in scores.items() if not key.startswith(hidden)}
    assert board(tab, values) == expected


@pytest.mark.parametrize(
    ("names", "columns"),
    [(("gold", "sys"), ("gold", "sys")), (("text", "other"), ("text", "other")), (("reference", "prediction"),) * 2],
)
def test_a_table_that_is_opened_in_both_boxes_has_two_columns(names: tuple[str, str], columns: tuple[str, str]) -> None:
    table = "\t".join(["id", *names]) + "\n1\tthe dog\tthedog\n2\ta cat\ta cat"
    values = {"reference": table, "prediction": table, "reference.file": "a.tsv", "prediction.file": "a.tsv"}
    found = answer("score", values)
    assert [found.notes[box].partition(":")[0] for box in ("reference", "prediction")] == [
        f"table, {name}" for name in columns
    ]
    assert found.columns.keys() == {"reference", "prediction"}
    assert all({*offered} == {"id", *names} for offered in found.columns.values())
    assert shown("score", values).startswith("2 of 4 words found")


def rows(values: dict[str, str]) -> list[list[str]]:
    """The cells of the table of systems, each with the texts in it."""
    found = answer("compare", values).html or ""
    table = re.search(r'<table class="sortable systems.*?</table>', found, re.S)
    assert table
    cells = [re.split(r"<t[hd]\b[^>]*>", row)[1:] for row in table[0].split("<tr>")[1:]]
    return [[" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in cells]


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestCompare:
    def test_the_example_has_a_difference_that_is_real_and_one_that_is_not(self) -> None:
        example = EXAMPLES["desk"]["Three segmenters"]
        scores = {
            example[f"{box}.name"]: naive_scores(words(example["reference"]), words(example[box]))["token_fscore"]
            for box in ("prediction", "prediction_b", "prediction_c")
        }
        told = (
            "Word F-score: syllables {syllables:.4f} · not distinguishable: bigram {bigram:.4f} · "
            "significantly worse: unigram {unigram:.4f} "
        )
        assert told.format(**scores) in shown("compare", example)

    def test_systems_are_rows_sorted_by_the_chosen_score(self) -> None:
        header, *systems = rows(compare_values())
        assert header[:4] == ["System", "Word F-score", "Ranks", "Against old"]
        assert [row[0] for row in systems] == ["new", "<i>other</i>", "old"]
        # 10 words; of the third's 11 words 9 are right, of the first's 6 words 3.
        assert [row[1].split()[0] for row in systems] == ["1.0000", f"{18 / 21:.4f}", f"{6 / 16:.4f}"]
        header, *systems = rows(compare_values(primary="token_precision", baseline="new", margin="0.9"))
        assert [header[column] for column in (1, 3)] == ["Word precision", "Against new"]
        assert [row[1].split()[0] for row in systems] == ["1.0000", f"{9 / 11:.4f}", f"{3 / 6:.4f}"]
        assert systems[0][3] == "baseline"
        assert "(margin 0.9)" in systems[1][3]
        # Of a score that is better lower, the best is first too.
        assert rows(compare_values(scores="windows", primary="pk"))[1][0] == "new"

    def test_the_utterances_that_differ_most_come_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Each utterance is a piece of its own.
        monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 1)
        text = shown("compare", compare_values())
        assert "3 of 3 utterances have different values of Word F-score" in text
        # By word F the second is 0 and 1, the first 2/5 and 1, the third 4/7 and 1.
        assert re.findall(r"(\d) old : Word F-score (\S+)", text) == [("2", "0.0000"), ("1", "0.4000"), ("3", "0.5714")]
        # All systems are cut where one of them has a boundary.
        assert "约翰 + 喜欢 | 玛 丽" in text
        same = shown("compare", compare_values(systems={"x": COMPARED, "y": COMPARED}))
        assert "All systems have the same Word F-score in each utterance." in same

    def test_a_system_without_a_name_has_that_of_its_file_or_its_letter(self) -> None:
        values = {"prediction_d": COMPARED, "prediction_d.file": "out/bies.txt"}
        found = rows(compare_values(systems={"": SYSTEMS["old"]}) | values)
        assert [row[0] for row in found[1:]] == ["bies.txt", "A"]

    def test_an_ordinary_set_is_compared_in_full(self) -> None:
        draw = random.Random(1)
        lines = [" ".join(draw.choices(["the", "dog", "is", "here"], k=6)) for _ in range(9_790)]
        systems = {name: "\n".join(draw.choice([line, line.replace(" ", "", 1)]) for line in lines) for name in "ab"}
        found = answer("compare", compare_values("\n".join(lines), systems))
        assert found.problem == ""
        assert "trials:10000-0" in (found.html or "")
        assert "take too long here" not in (found.html or "")

    def test_trials_that_take_too_long_are_fewer_and_the_page_says_so(self) -> None:
        lines = ["a b"] * 98
        systems = {"x": "\n".join([*lines, "ab"]), "y": "\n".join([*lines, "a b"])}
        found = answer("compare", compare_values("a b\n" * 99, systems, n_trials="1000000"))
        told = html.unescape(re.findall('class="legend fewer">(.*?)</p>', found.html or "")[0])
        assert "of 1,000 trials, because 1,000,000 take too long here" in told
        # The whole command stands beside it, and the command to copy computes what is shown.
        assert "--trials 1000000" in told
        assert copied(found)[0].endswith("--trials 1000")
        assert "trials:1000-0" in (found.html or "")

    def test_the_picture_has_a_dot_for_each_score_and_names_stay_text(self) -> None:
        assert '<p class="headline">Word precision: ' in export(
            "compare", "html", compare_values(primary="token_precision")
        )
        picture = ElementTree.fromstring(export("compare", "svg", compare_values()))
        assert len(picture.findall(".//{*}circle")) == 13 * len(SYSTEMS)
        assert {text.text for text in picture.findall(".//{*}text")} > {*SYSTEMS, "Word F-score"}
        assert "<i>other" not in (answer("compare", compare_values()).html or "")


def test_the_threshold_and_the_best_points_are_those_of_the_curve() -> None:
    values = {**THRESHOLD, "ratio": "0.5"}
    record, found = json.loads(export("threshold", "json", values)), answer("threshold", values).html or ""
    # The tenth of the twenty scores.
    assert "λ = 0.5: a gap is a boundary from a score of 0.39 " in shown("threshold", values)
    for name, key in {"word precision": "token_precision", "word F-score": "token_fscore"}.items():
        best = record["best"][key]
        assert f'data-set="ratio={best["ratio"]}">{name}: {best["score"]:.4f} at' in found


@pytest.mark.parametrize(
    "committee", [DIFFICULTY["committee"], "\n" + DIFFICULTY["committee"].replace("---", "---  \n") + "\n\n"]
)
def test_words_are_rated_by_a_committee(committee: str) -> None:
    reference, prediction = (words(DIFFICULTY[side]) for side in ("reference", "prediction"))
    others = [[spans(line) for line in words(member)] for member in COMMITTEE]
    rated = [
        [sum(span not in other[at] for other in others) / len(COMMITTEE) for span in sorted(spans(line))]
        for at, line in enumerate(reference)
    ]
    values = {**DIFFICULTY, "committee": committee}
    text = shown("difficulty", values)
    assert "Difficulties from a committee of 4." in text
    assert "2 of 4 words recovered; missed: the , dog" in text
    found = [
        span in spans(other) for line, other in zip(reference, prediction, strict=True) for span in sorted(spans(line))
    ]
    expected = [f"{rate:.2f} {'✓' if is_found else '✗'}" for rate, is_found in zip(chain(*rated), found, strict=True)]
    assert re.findall("<rt>(.*?)</rt>", answer("difficulty", values).html or "") == expected


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("a b " * 10_000, "and 18,000 more words"),
        ("a b " * 1000 + "\n" + ("a b " * 10 + "\n") * 1000, "The first 100 of 1,001 utterances are drawn"),
        (("a b " * 1000 + "\n") * 20, "The first 5 of 20 utterances are drawn"),
    ],
    ids=["line", "lines", "long-lines"],
)
def test_difficulty_draws_the_first_words_of_a_long_text(text: str, drawn: str) -> None:
    found = answer("difficulty", {"reference": text, "prediction": text, "committee": text})
    assert drawn in (found.html or found.problem)
    assert len(found.html or "") < 1_000_000


def test_links_are_drawn() -> None:
    """Three of five pairs of the reference are predicted, and one that it has not."""
    found = answer("alignment", ALIGNMENT | SENTENCES)
    assert [*found.notes.values()] == ["3 bisegments", "4 bisegments", "4 segments", "4 segments"]
    for kind, count in (("both", 3), ("missed", 2), ("wrong", 1)):
        assert (found.html or "").count(f'<path class="{kind}"') == count


def test_bisegments_alone_have_the_scores_of_bisegments_and_segments() -> None:
    scores = board("alignment", ALIGNMENT)
    assert scores["sentence_recall"] == "0.6000"
    assert "word_recall" not in scores
    ElementTree.fromstring(
        export("alignment", "svg", {"reference": "\n".join(MANY), "prediction": "\n".join(MANY[:40])})
    )
