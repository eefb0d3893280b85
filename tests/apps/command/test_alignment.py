"""`segscores alignment`: the form of the lines, and the scores of the function."""

from pathlib import Path

from segscores.analysis.bitext.alignment import LEVELS, score_alignment

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
    assert result["scores"] == expected == score_alignment(Path("r"), Path("p"), **texts)
    assert list(result["scores"]) == [key for level in LEVELS.values() for key in level.keys]
    assert found("alignment r p")["predictions"][0]["scores"] == score_alignment(references, predictions)
