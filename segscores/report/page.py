"""Page: the report as one HTML document.

Conventions
-----------
- The page is self-contained: its policy forbids every request, and allows only the script whose digest it names.
- The template escapes every text and file name. The data for the script has `<`, `>` and `&` as JSON escapes, so that no text
  can close the element around it.
- Scores, tables and the first utterances are visible without the script. The script sorts, searches and shows the others.
- Utterances have the numbers of their lines, sentences or rows. Utterances of several files are numbered from 1 as one text,
  with the place in the file beside the number.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from ..analysis.differences import Difference
from ..analysis.drawing import SEGMENTS_DRAWN, STYLE, WORDS_NAMED, describe_counts, drawing_environment
from ..analysis.error_analysis import ErrorAnalysis
from ..analysis.error_results import ClassCounts
from ..analysis.error_tables import CLASSES
from ..analysis.rendering import visible
from ..kernel.formulas import divide
from ..measures.group import ScoreGroup
from ..measures.registry import group_of, groups_of
from ..statistics.comparison_results import VERDICTS, SystemComparison

#: The number of utterances that are visible without the script, and that the script shows at a time.
_PAGE = 25

#: The names of the classes of words.
_CLASS_NAMES = {"correct": "correct", "over": "over-segmented", "under": "under-segmented", "mis": "mis-segmented"}

#: The styles of the lines of intervals, as in drawings.
_LINES = ("one", "two", "three", "four")


@dataclass(frozen=True, order=True)
class ShownUtterance:
    """An utterance with its differences; the worst is the least.

    Attributes:
        rank: the score, turned so that less is worse; inf if it is undefined.
        score: nan if it is undefined.
    """

    rank: float
    minus_units: int
    utterance: int
    score: float = field(compare=False)
    difference: Difference = field(compare=False)


@dataclass(frozen=True)
class Prediction:
    """The contents of the page for one prediction.

    Attributes:
        scores: by key, with `<key>_low` and `<key>_high` if there are intervals.
        places: int64, the indices of the scored utterances.
        undefined: the keys whose denominator is 0.
    """

    name: str
    path: str
    scores: dict[str, float]
    counts: dict[str, int]
    errors: ErrorAnalysis
    places: npt.NDArray[np.int64]
    shown: Sequence[ShownUtterance]
    undefined: Sequence[str] = ()

    @property
    def joint(self) -> str:
        """The separator of two words. Words of units text contain spaces."""
        return " | " if self.errors.unit == "token" else " "

    @cached_property
    def shown_utterances(self) -> set[int]:
        """The indices of the utterances to show."""
        return {shown.utterance for shown in self.shown}

    @property
    def class_shares(self) -> list[float]:
        """The share of the reference words in each class."""
        words = self.errors.words
        shares: list[float] = np.atleast_1d(divide(words, int(words.sum()), self.errors.zero_division)).tolist()
        return shares

    def counted(self, group: ScoreGroup) -> str:
        """The counts of a group."""
        return describe_counts(group.name, group.columns, self.counts)

    def value(self, key: str) -> float:
        """A score; nan if it is undefined."""
        return math.nan if key in self.undefined else self.scores[key]

    def interval(self, key: str) -> tuple[float, float] | None:
        """The ends of a score's interval; None if it has no interval."""
        if key in self.undefined or f"{key}_low" not in self.scores:
            return None
        return self.scores[f"{key}_low"], self.scores[f"{key}_high"]

    def wrong_words(self, top: int) -> list[ClassCounts]:
        """The wrong words, most frequent first."""
        return [row for row in self.errors.word_types(top) if row.correct < row.words]


@dataclass(frozen=True)
class Report:
    """The contents of the page.

    Attributes:
        noun: the name of an utterance in the file, such as `"line"`; `"utterance"` if there are several files.
        where: maps the index of an utterance to its place, if the reference has several files; None for one file.
        comparison: of several predictions; None for one prediction.
        top: the number of rows in the tables of errors and words.
    """

    reference: str
    reference_path: str
    noun: str
    first_number: int
    where: Callable[[int], str] | None
    utterances: int
    keys: Sequence[str]
    signature: str
    confidence: float | None
    predictions: Sequence[Prediction]
    comparison: SystemComparison | None
    worst: str
    top: int
    on_mismatch: str
    is_clustered: bool = False

    @property
    def nouns(self) -> str:
        """The heading of the utterances."""
        return f"{self.noun.capitalize()}s"

    @property
    def percent(self) -> str:
        """The confidence of the intervals."""
        return f"{100 * (self.confidence or 0):.12g} %"

    @property
    def level(self) -> str:
        """The level of significance."""
        return f"{1 - (self.confidence or 0.95):.3g}"

    @property
    def groups(self) -> list[ScoreGroup]:
        """The groups of the scores."""
        return groups_of(self.keys)

    def note(self, shown: ShownUtterance) -> str:
        """The score of an utterance, and its place if there are several files."""
        place = f"{self.where(shown.utterance)}; " if self.where else ""
        return f"{place}{self.worst} {_score(shown.score)}"

    def verdict_counts(self) -> Iterator[tuple[str, list[str], int]]:
        """For each system, the number of scores with each verdict, and the number of all scores."""
        assert self.comparison
        for name, found in self.comparison.differences.items():
            verdicts = [self.verdict(key, name) for key in found]
            yield name, [f"{kind} in {verdicts.count(kind)}" for kind in VERDICTS if kind in verdicts], len(verdicts)

    def verdict(self, key: str, name: str) -> str:
        """Whether a system differs from the baseline in a score; `"undefined"` if one of the two scores is."""
        assert self.comparison
        if self.comparison.is_undefined(key, name, self.comparison.baseline):
            return "undefined"
        return str(self.comparison.standing(key, name).verdict)

    def compared_keys(self) -> Iterator[tuple[ScoreGroup, str, float, Sequence[str]]]:
        """For each score of the comparison its group, its key, its best value and the systems not worse than that."""
        comparison = self.comparison
        assert comparison
        for key in comparison.scores[comparison.baseline]:
            best = comparison.best(key)
            value = comparison.scores[best][key] if best else math.nan
            yield group_of(key), key, value, comparison.not_worse(key)

    def data_of(self, prediction: Prediction) -> Markup:
        """The utterances of a prediction, as the script reads them."""
        data = {
            "noun": self.noun,
            "first": self.first_number,
            "total": self.utterances,
            "score": self.worst,
            "separator": prediction.shown[0].difference.separator,
            "page": _PAGE,
            "segmentsDrawn": SEGMENTS_DRAWN,
            "wordsNamed": WORDS_NAMED,
            "rows": [
                [
                    shown.utterance + self.first_number,
                    _score(shown.score),
                    list(map(visible, shown.difference.segments)),
                    "".join(shown.difference.marks),
                    *([visible(self.where(shown.utterance))] if self.where else []),
                ]
                for shown in prediction.shown
            ],
        }
        return _json(data)


def build_page(report: Report) -> str:
    """The page, a whole HTML document."""
    templates = drawing_environment("segscores.report")
    templates.filters |= {
        "interval": _interval,
        "is_share": _is_share,
        "number": _number,
        "p_value": _p_value,
        "percent": lambda share: f"{100 * share:.2f}%",
        "share": _share,
        "zip": lambda *columns: zip(*columns, strict=True),
    }
    folder = files("segscores.report") / "templates"
    script = (folder / "report.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return templates.get_template("report.html").render(
        report=report,
        classes=CLASSES,
        class_names=_CLASS_NAMES,
        line_kinds=_LINES,
        page=_PAGE,
        # The style and the script come from this package and are not escaped.
        style=Markup(STYLE + (folder / "report.css").read_text("utf-8")),
        script=Markup(script),
        digest=f"sha256-{digest}",
    )


def _is_share(group: ScoreGroup, key: str) -> bool:
    return group.range_of(key) == (0.0, 1.0)


def _number(value: float, sign: bool = False) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    # Counts need no decimals, but their intervals have one.
    return f"{value:{'+' if sign else ''}{',.1f' if abs(value) >= 100 else '.4f'}}".replace("-", "−")


def _interval(ends: tuple[float, float] | None, sign: bool = False) -> str:
    if ends is None or math.isnan(ends[0]):
        return "–"
    return f"{_number(ends[0], sign)} to {_number(ends[1], sign)}"


def _share(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.1f} %"


def _score(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _p_value(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}" if value >= 0.001 else f"{value:.2g}"


def _json(data: Any) -> Markup:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
