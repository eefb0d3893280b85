"""Bundle: an archive with the texts of a tab, the command that scores them, the scores, and what a paper needs."""

from __future__ import annotations

import io
import zipfile

from ... import __version__
from ...options.tasks import CODE
from ...scoring.measures.bibliography import CITATION
from .tab import Tab

#: The folder of all files but the texts, so that none has the name of a text.
_FOLDER = "segscores"
#: The time of every file: equal texts give equal archives.
_TIME = (1980, 1, 1, 0, 0, 0)


def bundle_of(tab: Tab) -> bytes:
    """Return a zip archive. Its commands run in the folder where it is unpacked."""
    files = {held.name: held.contents for held in tab.inputs.held.values()}
    # The files that are no texts of the visitor.
    own = {"README.txt": _readme(tab), "scores.json": tab.export("json"), "citation.bib": CITATION}
    if tab.paper is not None and tab.paper.groups:
        own |= {"table.tex": tab.paper.latex, "methods.tex": tab.paper.sentence}
    files |= {f"{_FOLDER}/{name}": f"{text.rstrip()}\n".encode() for name, text in own.items()}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, contents in files.items():
            opened.writestr(zipfile.ZipInfo(name, _TIME), contents, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def _readme(tab: Tab) -> str:
    """Return a text that says how to compute the scores again: install the package, then run a command or code."""
    lines = [f"Scores of segscores {__version__}, {CODE}", f"Signature: {tab.signature}", ""]
    lines += ["Run in the folder with the texts, after", "", f"pip install git+{CODE}", ""]
    for title, text in tab.lines.items():
        lines += [f"# {title}", "", text, ""]
    return "\n".join(lines)
