"""The command, the report and the page on recordings: from folders to tables, pictures and gates."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import segscores
from segscores.apps.command.main import main
from segscores.apps.demo.answers import answer, export
from tests.recordings import Rows, textgrid, write_folder

#: Two reference words are joined in b; in c the end of the last word is 30 ms late, and one word is invented.
GOLD: dict[str, Rows] = {
    "a": [(0.0, 0.4, "the"), (0.4, 0.9, "dog"), (0.9, 1.2, "")],
    "b": [(0.0, 0.3, "is"), (0.3, 0.5, "on"), (0.5, 0.9, "the"), (0.9, 1.2, "boat")],
    "c": [(0.0, 0.2, ""), (0.2, 0.6, "dog"), (0.6, 1.0, "")],
}
SYSTEM: dict[str, Rows] = {
    "a": [(0.0, 0.41, "the"), (0.41, 0.9, "dog"), (0.9, 1.2, "")],
    "b": [(0.0, 0.3, "is"), (0.3, 0.9, "onthe"), (0.9, 1.2, "boat")],
    "c": [(0.0, 0.2, ""), (0.2, 0.63, "dog"), (0.63, 0.8, "uh"), (0.8, 1.0, "")],
}
FILES = {
    "w.ctm": "".join(f"{name} 1 {s} {e - s:.3f} {w}\n" for name, rows in SYSTEM.items() for s, e, w in rows if w),
    "s.txt": "c\tbob\na\tann\nb\tann\n",
}


@pytest.fixture(autouse=True)
def _folders(folder) -> None:
    write_folder(folder / "gold", GOLD)
    write_folder(folder / "mfa", SYSTEM, tier="Words")


def test_folders_and_files_are_scored_as_python_does(found) -> None:
    result = found("score gold/ mfa/ w.ctm --counts")
    options: Any = {"text_format": "times"}
    for prediction, path in zip(result["predictions"], ("mfa", "w.ctm"), strict=True):
        tally = segscores.tally(Path("gold"), Path(path), **options)
        assert prediction["scores"] == pytest.approx(tally.scores())
        assert tally.signature() == result["signature"]
    counts = result["predictions"][0]["counts"]
    # By hand: 4, 3 and 2 boundaries, of which 4 + 2 + 1 are matched; in c one more is predicted. Of 7 words 4 are matched.
    keys = [
        f"{group}_{kind}" for group in ("boundary_noedge", "token") for kind in ("matched", "predicted", "reference")
    ]
    assert [counts[key] for key in keys] == [5, 7, 7, 4, 7, 7]


def test_counts_of_timing_are_shown_without_bins(found, printed) -> None:
    names = [f"timing_{name}" for name in ("boundaries", "late", "early", "midpoints", "paired")]
    (result,) = found("score gold mfa --scores timing --counts")["predictions"]
    # By hand: of ann two paired words with 3 times, and one of 10 ms late; b has 2 paired words apart, c one that is 30 ms late.
    assert [result["counts"][name] for name in names] == [9, 40_000, 0, 5, 5]
    assert not any("bin" in name for name in result["counts"])
    assert "bin" not in printed("score gold mfa --scores timing --counts --by s.txt")
    stored = segscores.tally(Path("gold"), Path("mfa"), text_format="times", scores="timing").to_dict()
    assert stored["counts"]["timing_bin_30"] == 1


def test_equal_aligners_differ_by_nothing(found, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(Path("copy"), SYSTEM, tier="Words")
    result = found("compare gold A=mfa B=copy --scores timing_mean,timing_median,timing_bias")
    differences = result["systems"]["B"]["differences"].values()
    assert [[row[end] for end in ("difference", "low", "high")] for row in differences] == [[0.0, 0.0, 0.0]] * 3
    assert "no interval" not in capsys.readouterr().err
    (perfect,) = found("score gold gold --scores timing_mean,timing_bias --confidence 0.95")["predictions"]
    assert set(perfect["scores"].values()) == {0.0}


def test_recordings_that_one_system_lacks_are_left_out_of_comparison_and_report(found, message, printed) -> None:
    write_folder(Path("other"), SYSTEM, tier="Words")
    Path("other/c.TextGrid").write_text("broken", encoding="utf-8")
    assert "other/c.TextGrid" in message("compare gold A=mfa B=other")
    result = found("compare gold A=mfa B=other --scores token --on-error skip")
    # By hand: of the 6 words of a and b 4 are matched.
    assert [system["scores"]["token_recall"] for system in result["predictions"]] == pytest.approx([4 / 6, 4 / 6])
    assert "other/c.TextGrid" in message("report gold other -o r.html")
    assert "3 recordings" in printed("report gold other -o r.html --on-error skip")


def test_a_table_of_times_is_not_called_one_of_text(run, folder: Path) -> None:
    write_folder(folder / "one", {"a": GOLD["a"]})
    (folder / "p.csv").write_text("start_ms,end_ms,word\n0,400,the\n400,900,dog\n", encoding="utf-8")
    status, _, message = run("score one/a.TextGrid p.csv --scores token_fscore")
    assert (status, message) == (0, "")


def test_each_side_may_have_its_own_tier(found) -> None:
    grid = textgrid({"phones": GOLD["b"], "words": GOLD["b"][:1]}, 1.2)
    Path("gold.TextGrid").write_text(grid, encoding="utf-8")
    result = found("score gold.TextGrid mfa/b.TextGrid --tier phones,words --scores token_recall")
    assert result["predictions"][0]["scores"] == {"token_recall": 0.5}
    assert "|tier:phones%2Cwords|" in result["signature"]


def test_scores_of_recordings_have_their_names(printed) -> None:
    printed("score gold mfa --scores token --per-utterance u.csv --worst token_fscore")
    rows = [*csv.DictReader(Path("u.csv").read_text(encoding="utf-8").splitlines())]
    expected = [("c", 0.0), ("b", 0.5), ("a", 1.0)]
    assert [(row["recording"], float(row["token_recall"])) for row in rows] == expected
    printed("compare gold A=mfa B=gold --scores token --per-utterance u.jsonl")
    lines = [json.loads(line) for line in Path("u.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["recording"] for line in lines if line["system"] == "B"] == ["a", "b", "c"]
    options: Any = {"text_format": "times", "scores": "token", "worst": "token_fscore"}
    found = segscores.per_utterance(Path("gold"), Path("mfa"), **options)
    assert [(row["recording"], row["token_recall"]) for row in found] == expected
    assert [row["utterance"] for row in found] == [2, 1, 0]
    bare = segscores.per_utterance([GOLD["a"]], [SYSTEM["a"]], **options)
    assert "recording" not in bare[0]


def test_a_table_of_timing_by_speaker(printed, message) -> None:
    result = printed("score gold mfa --scores timing_mean,timing_words --by s.txt --format csv")
    values = {(row["subset"], row["score"]): float(row["value"]) for row in csv.DictReader(result.splitlines())}
    # Of ann 0, .4, .9 and 0, .3, .9, 1.2 are times of paired words, of which one is 10 ms late.
    assert values["ann", "timing_mean"] == pytest.approx(0.01 / 7)
    assert values["bob", "timing_mean"] == pytest.approx(0.03 / 2)
    assert values["ann", "timing_words"] == pytest.approx(4 / 6)
    result = printed("score gold mfa --scores token_recall --by length --format csv")
    # The recordings last 1.2, 1.2 and 1 s.
    sizes = {row["subset"]: row["utterances"] for row in csv.DictReader(result.splitlines())}
    assert sizes == {"": "3", "1": "1", "2-3": "2"}
    by_spaces = printed("score gold mfa --scores timing --by s.txt --format csv")
    rows = reversed(Path("s.txt").read_text(encoding="utf-8").split("\n"))
    Path("commas.txt").write_text("\n".join(row.replace("\t", ".TextGrid,") for row in rows if row), encoding="utf-8")
    by_commas = printed("score gold mfa --scores timing --by commas.txt --format csv")
    assert sorted(by_commas.splitlines()) == sorted(by_spaces.splitlines())
    Path("s.txt").write_text("a ann\nb ann\n", encoding="utf-8")
    assert "no line with an id for the recording c" in message("score gold mfa --by s.txt")


@pytest.mark.parametrize("separator", [" ", "\t", ", ", ".TextGrid;", "  "])
def test_names_with_spaces_and_ids_with_spaces(separator: str, printed) -> None:
    """One recording has the name of another one at its beginning."""
    names = {"child": "group 1", "child one": "group 1", "the child, two": "group 2"}
    write_folder(Path("spaced"), {name: [(0.0, 1.0, "a")] for name in names})
    Path("ids.txt").write_text("".join(f"{name}{separator}{id_}\n" for name, id_ in names.items()), encoding="utf-8")
    found = printed("score spaced spaced --scores token_recall --by ids.txt --format csv")
    subsets = {row["subset"]: row["utterances"] for row in csv.DictReader(found.splitlines())}
    assert subsets == {"": "3", "group 1": "2", "group 2": "1"}


@pytest.mark.parametrize(
    ("last", "problem"),
    [
        ("c ann\na.TextGrid bob", ", line 4: two ids for the recording a, ann and bob; expected one. (Lines count from 1.)"),
        ("d bob", ": there is no line with an id for the recording c; expected NAME and ID on each line."),
    ],
)  # fmt: skip
def test_a_recording_has_one_id(message, last, problem) -> None:
    Path("s.txt").write_text(f"a ann\nb ann\n{last}\n", encoding="utf-8")
    assert f"s.txt{problem}" in message("score gold mfa --by s.txt")


def test_a_tolerance_of_milliseconds_is_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "gold", "mfa", "--tolerance", "20"]) == 0
    assert "is it in milliseconds? Then pass 0.02" in capsys.readouterr().err


def test_systems_are_compared_and_gated(found, run) -> None:
    line = "compare gold A=gold B=mfa --scores timing --primary timing_mean"
    result = found(line)
    assert result["predictions"][0]["scores"]["timing_mean"] == 0.0
    (result,) = found("score gold mfa --scores token --confidence 0.9")["predictions"]
    scores = result["scores"]
    assert scores["token_fscore_low"] < scores["token_fscore"] < scores["token_fscore_high"]
    assert run("score gold mfa --scores lenient --min lenient_recall=0.9")[0] == 1


def test_errors_count_words_and_not_silence(found, printed) -> None:
    result = found("errors gold mfa")
    assert result["words"] == {"correct": 4, "over": 1, "under": 2, "mis": 0}
    patterns = {(tuple(e["reference"]), tuple(e["prediction"]), e["kind"]) for e in result["errors"]}
    assert patterns == {(("on", "the"), ("onthe",), "under"), (("dog",), ("dog", "uh"), "over")}
    places = [example["place"] for error in result["errors"] for example in error["examples"]]
    assert places == ["recording c", "recording b"]
    assert "length" not in printed("errors gold mfa")
    differences = found("errors gold mfa gold")
    assert differences["outcomes"] == {"both": 4, "only_first": 0, "only_second": 3, "neither": 0}


def test_the_report_draws_the_worst_recording_first(printed) -> None:
    assert "3 recordings" in printed("report gold mfa -o report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    drawings = re.findall(r'<svg class="recording".*?</svg><small>(.*?)</small>', page, re.DOTALL)
    assert [drawing.split(";")[0] for drawing in drawings] == ["recording c", "recording b", "recording a"]
    assert "1 missed and 2 wrong boundaries" in drawings[0]
    # Without labels there are no words to show.
    bare = {name: "".join(f"{start} {end}\n" for start, end, _ in rows) for name, rows in GOLD.items()}
    for folder in ("one", "two"):
        Path(folder).mkdir()
        for name, text in bare.items():
            Path(folder, f"{name}.lab").write_text(text, encoding="utf-8")
    printed("report one two -o report.html")


def test_recordings_that_cannot_be_scored_are_left_out_and_counted(found, message) -> None:
    Path("mfa/a.TextGrid").unlink()
    Path("mfa/b.TextGrid").write_text("broken", encoding="utf-8")
    assert "mfa/b.TextGrid" in message("score gold mfa")
    (result,) = found("score gold mfa --scores token --on-error skip")["predictions"]
    assert result["counts"]["skipped_utterances"] == 2
    assert result["scores"]["token_recall"] == 0.0


def test_recordings_of_which_none_pairs_are_an_error_with_the_first(message) -> None:
    Path("g.ctm").write_text("x 1 0 1 the\n", encoding="utf-8")
    Path("p.ctm").write_text("y 1 0 1 the\nz 1 0 1 the\n", encoding="utf-8")
    text = message("score g.ctm p.ctm --scores all --on-error skip")
    assert all(
        words in text
        for words in ("no recording in common: g.ctm has x, and p.ctm has y, z", "recordings pair by name")
    ), text


def test_odd_times_are_left_out(found, message) -> None:
    # Times since 1970, of which many recordings would exceed 64 bits.
    lines = "".join(f"r{number} 1 1.7e9 1 the\n" for number in range(60)) + "s 1 0 nan the\nt 1 0 1 the\n"
    for name in ("g.ctm", "p.ctm"):
        Path(name).write_text(lines, encoding="utf-8")
    assert "g.ctm, recording r0: a time is 1.7e+09 s" in message("score g.ctm p.ctm --scores all")
    (result,) = found("score g.ctm p.ctm --scores all --on-error skip")["predictions"]
    assert (result["counts"]["skipped_utterances"], result["scores"]["labelled_token_fscore"]) == (61, 1.0)


def test_a_silent_recording_in_a_file_of_its_own_has_no_words(found) -> None:
    for folder, silent in (("one", "0 1 \n1 2 \n"), ("two", "0 2 sil\n")):
        Path(folder).mkdir()
        Path(folder, "a.lab").write_text("0 1 the\n1 2 dog\n", encoding="utf-8")
        Path(folder, "b.lab").write_text(silent, encoding="utf-8")
    for line in ("score one two", "score two one"):
        (result,) = found(f"{line} --scores token")["predictions"]
        assert result["scores"]["token_fscore"] == 1.0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("score gold mfa --scores windows", ("--scores windows", "counts units", "boundary_noedge", "lenient")),
        ("score gold mfa --scores type", ("--scores type", "needs words in text", "timing")),
        ("score gold mfa --scores nltk", ("--scores nltk", "counts units")),
        ("score s.txt s.txt --text-format words --scores lenient", ("lenient", "--text-format times")),
        ("score gold mfa --normalize NFC", ("--normalize NFC", "times do not contain")),
        ("score gold mfa --documents", ("--documents", "times do not contain")),
        ("score gold mfa --vocabulary s.txt", ("--vocabulary", "times do not contain")),
        ("score gold mfa --on-mismatch align", ("--on-mismatch align", "recordings")),
        ("score gold mfa --word-boundary x", ("--word-boundary x", "--text-format units")),
        ("score s.txt s.txt --text-format words --tier x", ("--tier x", "--text-format times")),
        ("score s.txt s.txt --text-format words --scores tolerance --tolerance 0.5", ("--tolerance", "whole")),
        ("score gold s.txt --text-format times,words", ("--text-format times", "both sides")),
        ("difficulty gold --committee mfa", ("--text-format times",)),
        (
            "score gold mfa --tier wrds",
            (
                "gold/a.TextGrid",
                "--tier",
                "'wrds'",
                "Did you mean 'words'?",
                "name both in --tier, that of the reference",
            ),
        ),
    ],
)
def test_an_option_that_recordings_lack_is_refused_by_name(line: str, words: tuple[str, ...], message) -> None:
    text = message(line)
    assert all(word in text for word in words), text


@pytest.mark.parametrize("row", ["TextGrid", "{s} {e} {w}\n", "f 1 {s} {d:.2f} {w}\n"])
def test_the_boxes_of_the_page_take_times(row: str) -> None:
    texts = ["".join(row.format(s=s, e=e, d=e - s, w=w) for s, e, w in side["b"]) for side in (GOLD, SYSTEM)]
    texts = [textgrid({"w": side["b"]}, 1.2) for side in (GOLD, SYSTEM)] if row == "TextGrid" else texts
    values = dict(zip(("reference", "prediction"), texts, strict=True))
    page = answer("score", values)
    assert page.html is not None, page.problem
    assert page.html.count('<svg class="recording"') == 1
    (result,) = json.loads(export("score", "json", values))["predictions"]
    assert result["scores"]["token_recall"] == 0.5


@pytest.mark.parametrize(("bound", "said"), [("1", "milliseconds? Then pass 0.001."), ("0.9", "")])
def test_a_bound_in_milliseconds_is_doubted(run, bound, said):
    Path("g.csv").write_text("0,1,the\n1,2,dog\n", encoding="utf-8")
    status, _, messages = run(f"score g.csv g.csv --text-format times --scores timing --max timing_mean={bound}")
    assert status == 0
    assert said in messages
    assert ("warning" in messages) == bool(said)
