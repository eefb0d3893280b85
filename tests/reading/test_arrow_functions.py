"""Arrow's functions against those of pyarrow.compute, and what scoring imports."""

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
def test_functions_equal_pyarrow_compute(name: str, arguments: tuple[object, ...]) -> None:
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


CALLS = {
    "strings": "(['the dog', 'is'], ['thedog', 'is'], text_format='words')",
    "other strings": "(['狗 叫', 'é'], ['狗叫', 'é'], text_format='words')",
    "a tuple": "(('the dog', 'is'), ('thedog', 'is'), text_format='words')",
    "lists of words": "([['the', 'dog'], []], [['thedog'], []])",
    "blank lists": "([[]], [[]])",
    "labels": "([[1, 0], [1]], [[1, 1], [1]], label_scheme='start')",
    "ignored labels": "([[1, 0, -100]], [[1, 1, 0]], label_scheme='start', ignore_index=-100)",
    "an array": "(np.ones((2, 2), int), np.ones((2, 2), int), label_scheme='start')",
    "tags": "([['B-X', 'I'], ['B']], [['b', 'B'], ['B']], label_scheme='BI')",
    "paths": "(Path('r.txt'), Path('p.txt'), text_format='words')",
    "lists of options": "(['a b'], ['ab'], text_format='words', vocabulary=['a'], dictionary=['b'], acceptable=['b'])",
    "intervals": "(['a b', 'c'] * 9, ['ab', 'c'] * 9, text_format='words', confidence=0.9)",
}


@pytest.mark.usefixtures("in_folder")
def test_scoring_what_is_in_memory_does_not_import_pandas() -> None:
    """It is installed, and importing it takes longer than all the rest."""
    for name in ("r.txt", "p.txt"):
        Path(name).write_text("the dog\n", "utf-8")
    program = ["import importlib.util, sys", "from pathlib import Path", "import numpy as np", "import segscores"]
    program += ["assert importlib.util.find_spec('pandas')", "print('pandas' in sys.modules or 'segscores')"]
    for name, arguments in CALLS.items():
        program += [f"segscores.score{arguments}", f"print('pandas' in sys.modules or {name!r})"]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "\n".join(program)], capture_output=True, text=True, check=False
    )
    assert (done.stdout.splitlines(), done.stderr) == (["segscores", *CALLS], "")
