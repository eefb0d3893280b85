"""`segscores alignment`: the form of the lines, and the scores of the function."""

import json
import re
from pathlib import Path

import pytest

from segscores.analysis.bitext.alignment import compare_alignments, score_alignment
from segscores.scoring.measures.bisegments import LEVELS

from ...command_runs import write_files

FILES = {"r": "[0]:[0]\n[1]:[1, 2]\n", "sources": ["un", "ceci est deux"], "targets": ["one", "this is two", "it is"]}
LINE = "alignment r {} --sources sources --targets targets"


def test_blank_and_last_lines_of_the_texts_are_segments(found, message):
    write_files({"sources": "a b\r\n\r\nc", "targets": "d\u2028e\x85\n", "r": "[0]:[0]\n[1]:[0]\n[2]:[0]\n"})
    (result,) = found(LINE.format("r") + " --counts")["predictions"]
    # Other line separators are whitespace within a segment: the target has two words and four characters.
    expected = {"sentence_matched": 3, "word_matched": (2 + 0 + 1) * 2, "character_matched": (3 + 0 + 1) * 4}
    assert expected.items() <= result["counts"].items()
    write_files({"p": "[3]:[0]\n"})
    assert "error: p, line 1: the source segment 3 is out of range" in message(LINE.format("p"))


def test_the_files_score_what_the_function_scores(found):
    """A line may end with a cost, which is no part of the bisegment."""
    write_files({"p": "[]:[]:0.156006\n[1,0]:[2,0]\n[0]:[]\n[1,0]:[2,0]\n"})
    predictions = [[([], []), ([1, 0], [2, 0]), ([0], []), ([1, 0], [2, 0])]]
    references, texts = [[([0], [0]), ([1], [1, 2])]], {name: Path(name) for name in ("sources", "targets")}
    expected = score_alignment(references, predictions, **{name: [FILES[name]] for name in texts})
    (result,) = found(LINE.format("p"))["predictions"]
    assert result["path"] == "p"
    assert result["scores"] == expected == score_alignment(Path("r"), Path("p"), **texts)
    assert list(result["scores"]) == [key for level in LEVELS.values() for key in level.keys]
    assert found("alignment r p")["predictions"][0]["scores"] == score_alignment(references, predictions)


def write_bitexts() -> None:
    """Write twelve bitexts: the system b misses the second bisegment of every third of them."""
    files = {}
    for number in range(12):
        files |= {f"{side}/doc{number}.txt": FILES["r"] for side in ("gold", "a", "b")}
        files[f"source/doc{number}.de"] = FILES["sources"]
        files[f"target/doc{number}.en"] = FILES["targets"]
        if number % 3 == 0:
            files[f"b/doc{number}.txt"] = "[0]:[0]\n[1]:[1]\n"
    for folder in ("gold", "a", "b", "source", "target"):
        Path(folder).mkdir()
    write_files(files)


PATTERNS = "alignment 'gold/*.txt' a='a/*.txt' b='b/*.txt' --sources 'source/*' --targets 'target/*'"


def test_patterns_are_bitexts_with_intervals_and_comparisons(found):
    write_bitexts()
    paths = {name: sorted(Path(name).iterdir()) for name in ("gold", "a", "b", "source", "target")}
    texts = {"sources": paths["source"], "targets": paths["target"]}
    scored = found(f"{PATTERNS} --confidence 0.9")
    assert scored["predictions"][1]["scores"] == score_alignment(paths["gold"], paths["b"], **texts, confidence=0.9)
    assert "|ci:90-jackknife|clusters:12|n:24|" in scored["signature"]
    systems = {"a": paths["a"], "b": paths["b"]}
    compared = compare_alignments(paths["gold"], systems, **texts, baseline="b", n_trials=99, seed=3)
    shown = found(f"{PATTERNS} --baseline 'b/*.txt' --trials 99 --seed 3")
    assert shown["signature"] == compared.signature
    assert shown["systems"]["a"]["differences"] == json.loads(compared.to_json())["systems"]["a"]["differences"]


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        ("rename", PATTERNS, "received 'doc0' of gold/*.txt beside 'doc1' of b/*.txt: .* pair by name"),
        ("remove", PATTERNS, "12 files of gold/*.txt and 11 of b/*.txt"),
        ("damage", PATTERNS, "b/doc0.txt, line 1: the source segment 7 is out of range"),
        ("", "alignment gold/doc0.txt a/doc0.txt --confidence 0.9", "at least two bitexts, received 1"),
        ("", "alignment 'gold/*' 'a/*' 'b/*' --baseline c", "unknown baseline 'c'"),
        ("", "alignment 'gold/*' 'a/*' --baseline a", "--baseline: expected at least two predictions"),
        ("", "alignment 'gold/*' 'a/*' --primary strict_recall", "--primary: .*add --baseline NAME"),
    ],
)
def test_bitexts_that_do_not_pair_are_named(message, change, line, problem):
    write_bitexts()
    first = Path("b/doc0.txt")
    if change == "rename":
        first.rename("b/other.txt")
    elif change == "remove":
        first.unlink()
    elif change == "damage":
        first.write_text("[7]:[0]\n", encoding="utf-8")
    assert re.search(problem.replace("*.txt", r"\*\.txt"), message(line))
