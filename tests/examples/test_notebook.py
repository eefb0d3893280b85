"""The notebook runs from its first cell to its last, and shows what it holds."""

from pathlib import Path
from typing import Any

import pytest

from ..optional import optional

pytestmark = pytest.mark.frameworks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def shown(notebook: Any) -> list[Any]:
    """Return what each cell shows, except the lines of pictures, which differ between versions of matplotlib."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            found.append((output.get("text"), data.get("text/plain"), data.get("text/html"), "image/svg+xml" in data))
    return found


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_shows_what_it_holds() -> None:
    nbformat, nbclient = optional("nbformat"), optional("nbclient")
    notebook = nbformat.read(EXAMPLES / "tutorial.ipynb", 4)
    expected = shown(notebook)
    assert [has_picture for *_, has_picture in expected].count(True) == 1
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    assert shown(notebook) == expected
