"""Tests of what scoring imports: not pandas, though it is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

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
    """Importing it takes longer than all the rest."""
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
