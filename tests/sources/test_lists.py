"""Lists of numbers in files: JSON, or numbers with spaces or commas between them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import segscores
from segscores.sources.lists import read_lists

WRITE: dict[str, Callable[[list[float]], str]] = {
    "JSON": json.dumps,
    "tabs": lambda numbers: "\t".join(map(repr, numbers)) + " ",
    "commas": lambda numbers: ", ".join(map(repr, numbers)),
}
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(float)


@pytest.mark.parametrize("write", WRITE.values(), ids=WRITE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows=st.lists(st.lists(NUMBERS, max_size=5), max_size=5))
def test_numbers_are_read_as_written(
    tmp_path: Path, write: Callable[[list[float]], str], rows: list[list[float]]
) -> None:
    path, rows = tmp_path / "scores.txt", [*rows, [0.5]]
    for end in ("\n", "\r\n"):
        path.write_bytes(b"\xef\xbb\xbf" + "".join(write(row) + end for row in rows).encode())
        assert read_lists(str(path)) == rows


def test_functions_take_the_paths_of_numbers_and_of_bisegments(tmp_path: Path) -> None:
    scores, reference, prediction, sources, targets = (tmp_path / name for name in "abcde")
    scores.write_text("0.1 0.8\n")
    curve = segscores.sweep(["ab c"], scores, text_format="words")
    assert (curve["threshold"] == np.array([np.inf, 0.8, 0.1])).all()
    assert segscores.segment_at(["ab c"], scores, ratio=0.5, text_format="words") == ["ab c"]
    # One of two bisegments is right; of three pairs of words two are predicted, both right.
    texts = {reference: "[0]:[0]\n[1]:[1,2]", prediction: "[0]:[0]\n[1]:[2]", sources: "a\nb", targets: "c\nd\ne"}
    for path, text in texts.items():
        path.write_text(text)
    found = segscores.score_alignment(reference, prediction, sources=sources, targets=targets)
    assert (found["alignment_fscore"], found["word_recall"]) == (0.5, pytest.approx(2 / 3))
    with pytest.raises(ValueError, match=re.escape(f"{sources}, line 1: received 'a'; expected source and target")):
        segscores.score_alignment(sources, prediction)
