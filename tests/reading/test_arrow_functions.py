"""Arrow's functions against those of pyarrow.compute, and what scoring imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from segscores.reading import arrow_functions

STRINGS = pa.array(["a b", "狗", None, "", "a b"], pa.large_string())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("binary_join", (pa.array([["a", "b"], []], pa.list_(pa.large_string())), pa.scalar("-", pa.large_string()))),
        ("is_in", (STRINGS, pa.array(["狗", "x"], pa.large_string()))),
        ("is_in", (STRINGS, pa.array([None], pa.large_string()))),
        ("replace_substring", (STRINGS, "a", "bc")),
        ("take", (STRINGS, pa.array([1, 0, 1]))),
        ("unique", (STRINGS,)),
        ("utf8_length", (STRINGS,)),
        ("list_value_length", (pa.array([[1], None, []]),)),
    ],
)
def test_functions_equal_those_of_pyarrow_compute(name: str, arguments: tuple[object, ...]) -> None:
    assert getattr(arrow_functions, name)(*arguments).equals(getattr(pc, name)(*arguments))


def test_an_unknown_function_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="utf8_legnth"):
        _ = arrow_functions.utf8_legnth


def test_scoring_files_imports_neither_pyarrow_compute_nor_pandas(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from segscores.apps.command.main import main
folder = Path({str(tmp_path)!r})
long_words = " ".join(f"antidisestablishment{{n}}arianism 狗{{n}}" for n in range(300))
(folder / "r.txt").write_text(f"the dog\\u3000is\\n{{long_words}}\\n", "utf-8")
(folder / "p.txt").write_text(f"thedog is\\n{{long_words}}\\n", "utf-8")
try:
    main(["score", str(folder / "r.txt"), str(folder / "p.txt")])
except SystemExit as ended:
    assert not ended.code, ended.code
print(sorted({{"pyarrow.compute", "pandas", "evaluate", "datasets"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
    assert "type_fscore" in done.stdout
