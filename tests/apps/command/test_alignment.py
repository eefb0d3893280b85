"""`segscores alignment`: ARCADE's example in files, and the form of the lines."""

from pathlib import Path

from segscores.analysis.bitext.alignment import LEVELS, score_alignment

from ...command_runs import write_files

FILES = {
    "r": "[0]:[0]\n[1]:[1, 2]\n",
    "p": "[0]:[0]:0.156006\n[]:[1]:0.000000\n[1]:[2]:0.217155\n",
    "sources": "Ceci est la phrase numéro un.\nCeci est la phrase numéro deux, qui ressemble à la première.\n",
    "targets": "This is the first sentence.\nThis is the second sentence.\nIt looks like the first.\n",
}
LINE = "alignment r {} --sources sources --targets targets"


def test_arcade_example_in_files(found):
    (result,) = found(LINE.format("p") + " --counts")["predictions"]
    expected = {
        "alignment_precision": 0.33, "alignment_recall": 0.5, "alignment_fscore": 0.4,
        "character_precision": 1.0, "character_recall": 0.57, "character_fscore": 0.73,
    }  # fmt: skip
    assert {key: round(result["scores"][key], 2) for key in expected} == expected
    assert (result["counts"]["character_matched"], result["counts"]["character_reference"]) == (2223, 3903)
    assert list(result["scores"]) == [key for level in LEVELS.values() for key in level.keys]
    texts = {"sources": Path("sources"), "targets": Path("targets")}
    assert score_alignment(Path("r"), Path("p"), **texts, scores=[*LEVELS]) == result["scores"]


def test_blank_and_last_lines_of_the_texts_are_segments(found, message):
    write_files({"sources": "a b\r\n\r\nc", "targets": "d\u2028e\x85\n", "r": "[0]:[0]\n[1]:[0]\n[2]:[0]\n"})
    (result,) = found(LINE.format("r") + " --counts")["predictions"]
    # Other line separators are whitespace within a segment: the target has two words and four characters.
    expected = {"sentence_matched": 3, "word_matched": (2 + 0 + 1) * 2, "character_matched": (3 + 0 + 1) * 4}
    assert expected.items() <= result["counts"].items()
    write_files({"p": "[3]:[0]\n"})
    assert "error: p, line 1: the source segment 3 is out of range" in message(LINE.format("p"))


def test_the_file_scores_what_the_function_scores(found):
    write_files({"p": "[]:[]\n[1,0]:[2,0]\n[0]:[]\n[1,0]:[2,0]\n"})
    predictions = [[([], []), ([1, 0], [2, 0]), ([0], []), ([1, 0], [2, 0])]]
    expected = score_alignment([[([0], [0]), ([1], [1, 2])]], predictions)
    assert found("alignment r p")["predictions"][0]["scores"] == expected == score_alignment(Path("r"), Path("p"))
