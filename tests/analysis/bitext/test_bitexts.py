"""Bisegments as text: what vecalign writes is read, and anything else is refused, with its place and at once."""

import ast
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscores import compare_alignments, score_alignment
from segscores.analysis.bitext.bitexts import BisegmentError, parse_bisegments

numbers = st.lists(st.integers(0, 1 << 40), max_size=4)
bisegments = st.lists(st.tuples(numbers, numbers), max_size=6)


def vecalign_reader(line: str) -> tuple[list[int], list[int]]:
    """As vecalign reads its own files: two Python lists and, behind a second colon, a cost."""
    source, target = line.split(":")[:2]
    return ast.literal_eval(source.strip()), ast.literal_eval(target.strip())


@given(bisegments, st.sampled_from(["", ":0.156006", ":", ":nan", ": :x"]))
@example([([], [])], "")
def test_a_written_segmentation_is_read(pairs, cost):
    lines = [f"{source}:{target}{cost}" for source, target in pairs]
    assert parse_bisegments(lines, "references") == pairs == [vecalign_reader(line) for line in lines]


SPACED = [
    "[0]:[0,1]", " [ 0 ] : [ 0 , 1 ] ", "[0]:[0, 1]\r", "[0]:[0,1]:0.3\r", "[0,]:[0,1,]", "[0]\t:\t[0,\t1]", "[00]:[0,1]",
]  # fmt: skip


@pytest.mark.parametrize("line", SPACED)
def test_spaces_do_not_matter(line):
    assert parse_bisegments([line], "references") == [([0], [0, 1])]


@given(st.text("[]:,0 1-\n", max_size=14))
def test_bisegments_are_read_as_by_vecalign(line):
    try:
        read = parse_bisegments([line], "references")
    except BisegmentError:
        return
    plain = re.sub(r"\b0+(?=[0-9])|\[\s*,\s*\]", lambda found: "[]" if found[0].startswith("[") else "", line)
    assert read == [vecalign_reader(plain)]


def test_a_long_line_is_cut_in_the_message():
    with pytest.raises(BisegmentError, match=re.escape(f"received '{'x' * 59}…'; expected")):
        parse_bisegments(["x" * 10_000], "references")


# So long that a pattern that tries every division of the spaces takes seconds, and not yet minutes.
@pytest.mark.parametrize(
    "line",
    [
        "[" + " " * 200_000, "[]:[" + " " * 200_000, "[0" + " " * 200_000, "[0]" + " " * 200_000, "[" + "0," * 20_000,
        "[" + "0 , " * 20_000 + "]",
    ],
    ids=["bracket", "second", "number", "list", "numbers", "spaced"],
)  # fmt: skip
def test_a_hostile_line_is_refused_at_once(line):
    began = time.process_time()
    with pytest.raises(BisegmentError, match="expected source and target segments"):
        parse_bisegments([line], "references")
    assert time.process_time() - began < 0.5, "the time grows faster than the line"


def test_a_number_of_many_digits_is_refused_with_its_place():
    with pytest.raises(BisegmentError, match="references, bitext 0, bisegment 1: "):
        parse_bisegments(["[0]:[0]", f"[{'1' * 5000}]:[0]"], "references")


def test_a_path_goes_with_lists_of_one_bitext(tmp_path):
    path, texts = tmp_path / "bisegments", {"sources": ["a"], "targets": ["b", "c"]}
    path.write_text("[0]:[0]\n[]:[1]\n")
    expected = score_alignment([[([0], [0]), ([], [1])]], [[([0], [0, 1])]])
    assert score_alignment(path, [([0], [0, 1])]) == score_alignment(path, [[([0], [0, 1])]]) == expected
    assert score_alignment(path, [])["alignment_recall"] == 0
    with pytest.raises(ValueError, match=rf"{path}, line 1: the target segment 0 is out of range"):
        score_alignment(path, path, sources=["a"], targets=[])
    (tmp_path / "targets").write_text("b\nc\n")
    assert score_alignment(path, path, **texts)["word_fscore"] == 1.0
    assert score_alignment(path, path, sources=["a"], targets=tmp_path / "targets")["word_fscore"] == 1.0
    (tmp_path / "targets").write_text("@UTF8\n@Begin\n*MOT:\tlook .\n")
    with pytest.raises(ValueError, match="targets: this is CHAT"):
        score_alignment(path, path, sources=["a"], targets=tmp_path / "targets")
    (tmp_path / "targets").write_text("1. b\n2. c\n")
    with pytest.warns(UserWarning, match="targets: this looks like lines that begin with a number or an id"):
        score_alignment(path, path, sources=["a"], targets=tmp_path / "targets")


def test_errors_of_one_of_several_files_name_it(tmp_path):
    good = tmp_path / "good"
    bad = tmp_path / "bad"
    good.write_text("[0]:[0]\n")
    bad.write_text("[0]:[0]\n[-1]:[1]\n")
    problem = rf"{bad}, line 2: the source has the segment number -1"
    with pytest.raises(ValueError, match=problem):
        score_alignment([good, bad], [good, good])
    with pytest.raises(ValueError, match=problem):
        score_alignment(iter([good, good]), iter([[([0], [0])], bad]))
    with pytest.raises(ValueError, match=rf"{good}, line 1: the target segment 0 is out of range"):
        score_alignment([good, good], [good, good], sources=[["a"], ["a"]], targets=[["a"], []])
    with pytest.raises(ValueError, match=f"system 'b': {problem}"):
        compare_alignments([good, good], {"a": [good, good], "b": [good, bad]})
    with pytest.raises(ValueError, match=f"system 'a': {problem}"):
        compare_alignments([good, bad], {"a": [good, good], "b": [good, good]})
