"""Lists of numbers in files: JSON, or numbers with spaces or commas between them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import segscores
from segscores.reading.sources.lists import read_lists

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


def test_functions_take_the_path_of_numbers(tmp_path: Path) -> None:
    scores = tmp_path / "scores.txt"
    scores.write_text("0.1 0.8\n")
    curve = segscores.sweep(["ab c"], scores, text_format="words")
    assert (curve["threshold"] == np.array([np.inf, 0.8, 0.1])).all()
    assert segscores.segment_at(["ab c"], scores, ratio=0.5, text_format="words") == ["ab c"]
    with pytest.raises(ValueError, match=re.escape(f"{scores}, line 1: received 2 boundary scores; expected 3")):
        segscores.sweep(["ab cd"], scores, text_format="words")
