"""Scores of subsets of the utterances, such as the utterances of a child, an age or a genre, beside the scores of all.

Conventions
-----------
- A subset is the utterances with one value. One of fewer than two utterances, or clusters, has no interval (nan).
- Values are strings or numbers. Numbers are sorted, and so are labels that each begin with a whole number, such as 9-14.
  Ordered categories of pandas keep their order, and other values the order of appearance.
- More than ten numbers with fractions, such as difficulties, are cut into tenths of about equally many utterances. Equal numbers
  stay together.
- Lengths are in units, in bands: 1, 2-3, 4-7, and so on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import Floats, Positions
from ..options.errors import UtteranceError, warn
from ..options.keywords import ComputeOptions, Unpack
from ..options.messages import Message, OptionError
from ..options.option import check_needs
from ..options.quoting import shortened
from ..options.table import OPTIONS, options_in
from ..reading.world import length_unit
from ..results.json_text import as_json
from ..results.pictures import draw_lines
from ..results.rendering import Tabular
from ..results.result import Result, Values
from ..results.scored import Scored, result_of
from ..scoring.functions import with_options
from ..scoring.measures.registry import check_scored, heading_of, main_score
from ..scoring.observations import Observations
from ..scoring.parts import LABEL, Parts, dividing_world, tally_with_parts
from ..scoring.passes import ids_of, open_systems
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally
from .bands import check_edges, divide_by_edges, numbers_of
from .clusters import MIN_CLUSTERS, read_clusters, with_clusters
from .confusion import Confusion, confusion_of, confusion_tables
from .resampling import Resampling, split_options
from .signing import sign_sides
from .utterance_scores import intervals_of, score_utterances

#: The value of `by` that stands for the lengths of the utterances.
LENGTH = "length"
#: The value of `by` that stands for the third column of sigmorphon text.
CATEGORY = "category"
#: The value of `by` that stands for the speakers that files name.
SPEAKER = "speaker"
#: The number of bands for numbers with fractions.
_BANDS = 10
#: The most subsets that a warning names.
_NAMED = 5
#: Whole numbers below this are exact in floating point.
_LARGEST = 2.0**53


@dataclass(frozen=True)
class Subsets:
    """The subsets into which utterances are divided by their values."""

    values: Sequence[str]  #: the common value of the utterances of each subset
    numbers: Sequence[float | None]  #: the mean of each subset, None if values are no numbers
    members: Positions  #: int64 (n_utterances,), the subset of each utterance

    def split(self) -> dict[str, Positions]:
        """Return the indexes of the utterances of each subset, by its value."""
        parts = _split(np.arange(len(self.members)), self.members, len(self.values))
        return dict(zip(self.values, parts, strict=True))


def subsets_of(
    by: Any, tallies: Sequence[UtteranceTally], *, length_unit: int = 1, bands: Sequence[float] = ()
) -> Subsets:
    """Divide utterances by their values, by bands of their numbers, or by LENGTH, of which one has `length_unit` units."""
    if isinstance(by, str) and by == LENGTH:
        # An utterance that is left out of a tally has no units there.
        lengths = np.maximum.reduce([tally.columns["units"] for tally in tallies]).astype(np.float64)
        lengths = np.ceil(lengths / length_unit)
        return _subsets_by_edges(lengths, bands) if bands else _subsets_by_length(lengths)
    utterances = len(tallies[0])
    if bands:
        return _subsets_by_edges(numbers_of(_read(by, utterances)), bands)
    # A Series of pandas has its categories in `cat`.
    column = getattr(by, "cat", by)
    if getattr(column, "ordered", False):
        categories = [str(category) for category in column.categories]
        # The code -1 stands for a missing value.
        values = _read([None if code < 0 else categories[code] for code in column.codes], utterances)
        return _subsets_in_order(values, categories)
    return _subsets_by_value(_read(by, utterances))


def _subsets_by_edges(numbers: Floats, bands: Sequence[float]) -> Subsets:
    names, members = divide_by_edges(numbers, bands)
    return Subsets(names, _means(numbers, members), members)


def _subsets_by_length(lengths: Floats) -> Subsets:
    # A length in [2^(b-1), 2^b) has the binary exponent b.
    exponents, members = np.unique(np.frexp(lengths)[1], return_inverse=True)
    return Subsets([_band_of(exponent) for exponent in exponents.tolist()], _means(lengths, members), members)


def _band_of(exponent: int) -> str:
    """Return the name of the band of integers with a binary exponent.

    >>> [_band_of(exponent) for exponent in range(4)]
    ['0', '1', '2-3', '4-7']
    """
    if exponent <= 1:
        return str(exponent)
    return f"{2 ** (exponent - 1)}-{2**exponent - 1}"


def _subsets_by_value(values: Sequence[str]) -> Subsets:
    texts = np.array(values, object)
    try:
        numbers = texts.astype(np.float64)
    except ValueError:
        numbers = np.full(len(texts), np.nan)
    # Python reads ids such as 1_12 as numbers, and large ids are not distinct in floating point.
    are_numbers = (np.abs(numbers) < _LARGEST).all() and not any("_" in text for text in texts)
    if not are_numbers:
        return _subsets_in_order(values, _in_order(values))
    _, firsts, members = np.unique(numbers, return_index=True, return_inverse=True)
    has_fractions = (numbers % 1).any()
    if len(firsts) > _BANDS and has_fractions:
        return _subsets_by_band(numbers)
    return Subsets(texts[firsts].tolist(), _means(numbers, members), members)


def _subsets_in_order(values: Sequence[str], order: Sequence[str]) -> Subsets:
    """Divide utterances by their values, in an order of all values; a value that does not occur has no subset."""
    occurring = set(values)
    names = [value for value in order if value in occurring]
    number_of = {name: number for number, name in enumerate(names)}
    return Subsets(names, [None] * len(names), np.array([number_of[value] for value in values]))


def _in_order(values: Iterable[str]) -> list[str]:
    """Return the distinct values: in the order of their whole numbers if each begins with one, otherwise as they appear.

    >>> _in_order(["15-20", "9-14", "15-20"]), _in_order(["p2", "p10", "p2"])
    (['9-14', '15-20'], ['p2', 'p10'])
    """
    distinct = list(dict.fromkeys(values))
    if all(value[:1].isdecimal() for value in distinct):
        return sorted(distinct, key=_whole_numbers)
    return distinct


def _whole_numbers(value: str) -> list[tuple[int, str]]:
    """Return each whole number of a text, with the text that follows it.

    >>> _whole_numbers("9-14 months")
    [(9, '-'), (14, ' months')]
    """
    return [(int(number), text) for number, text in re.findall(r"(\d+)(\D*)", value)]


def _subsets_by_band(numbers: Floats) -> Subsets:
    """Cut numbers into bands of about equally many."""
    # The numbers 0.2 0.5 0.2 0.9 have the ranks 0 2 0 3: equal numbers stay together.
    ranks = np.searchsorted(np.sort(numbers), numbers)
    _, members = np.unique(_BANDS * ranks // len(numbers), return_inverse=True)
    names = [f"{band.min():.3g}-{band.max():.3g}" for band in _split(numbers, members)]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return Subsets(names, _means(numbers, members), members)


def _means(numbers: Floats, members: Positions) -> list[float | None]:
    return [float(subset.mean()) for subset in _split(numbers, members)]


def name_of_values(by: Any) -> str:
    """Return the noun of the values of `by`; a Series of pandas has a name."""
    if isinstance(by, str):
        return by
    return str(getattr(by, "name", None) or "value")


def categories_of(lines: pa.Array) -> list[str]:
    """Return the third column of lines of sigmorphon text.

    >>> categories_of(pa.array(["played\\tplay @@ed\\t100"]))
    ['100']
    """
    categories = []
    for index, line in enumerate(lines.to_pylist()):
        columns = line.rstrip("\r").split("\t") if isinstance(line, str) else []
        if len(columns) < 3 or not columns[2]:
            problem = "there is no category; expected a word, a tab, its morphs, a tab and its category."
            raise UtteranceError(index, problem, side="by")
        categories.append(columns[2])
    return categories


def _read(by: Any, utterances: int) -> list[str]:
    expected = f'expected a string or a number for each utterance, "{LENGTH}" or "{CATEGORY}"'
    column = by
    if hasattr(column, "dtype"):
        # Missing values of numpy and pandas become None.
        column = pa.array(column, from_pandas=True)
    if hasattr(column, "to_pylist"):
        column = column.to_pylist()
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise TypeError(f"by: {expected}, received {shortened(by)}.")
    values = list(column)
    if len(values) != utterances:
        raise ValueError(f"by: received {len(values)} values for {utterances} utterances: expected one for each.")
    for index, value in enumerate(values):
        if value is None or str(value) in {"", "nan"}:
            raise UtteranceError(index, f"there is no value; {expected}.", side="by")
        if not isinstance(value, (str, Real)):
            raise TypeError(f"by: {expected}, received {shortened(value)}.")
    # The number 3.0 is the value 3; a string stays as it is.
    return [value if isinstance(value, str) else str(value).removesuffix(".0") for value in values]


def _split(array: npt.NDArray[Any], members: Positions, count: int = 0) -> list[npt.NDArray[Any]]:
    """Split an array into the items of each subset, in order; there are `count` subsets, or as many as have members."""
    # The members 1 0 1 have sizes 1 2, and in order are the items 1 | 0 2.
    sizes = np.bincount(members, minlength=count)
    return np.split(array[np.argsort(members, kind="stable")], np.cumsum(sizes)[:-1])


def speakers_of(observed: Observations, reference: str) -> list[str]:
    """Return the speaker of each utterance, by what its file says; the place of the reference is for messages."""
    speakers = list(chain.from_iterable(source.speakers for source, _ in observed.extents))
    if len(speakers) < observed.utterances or "" in speakers:
        expected = "expected tiers such as 'Ann - words', or a value for each utterance."
        problem = f": {reference} does not name the speaker of each utterance; {expected}"
        raise OptionError(OPTIONS["by"].set(SPEAKER), problem)
    return speakers


@dataclass(frozen=True, eq=False, repr=False)
class SubsetScores(Tabular, Values):
    """The scores of subsets of the utterances beside the scores of all. Printed, it is the table of `score --by`.

    Attributes:
        by: the name of the values, such as `age`.
        systems: for each prediction the scores of all utterances, with the scores of the subsets.
        signature: how the scores were computed.
        confusion: by prediction, how long the two sides have each pair of labels, the longest first; empty without `by="label"`.
    """

    by: str
    systems: Sequence[Scored]
    signature: str = ""
    confusion: Mapping[str, Sequence[Confusion]] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, dict[str, float]]:
        """The scores of all utterances by prediction, as `score` returns them."""
        return {system.prediction: system.with_ends() for system in self.systems}

    @property
    def scores(self) -> dict[str, dict[str, dict[str, float]]]:
        """The scores of each subset by prediction and value, as `score` returns them."""
        scores = {}
        for system in self.systems:
            scores[system.prediction] = {subset.value: subset.with_ends() for subset in system.subsets}
        return scores

    def result(self, reference: str = "references") -> Result:
        """Return the tables: a column or a row for each subset for people, a row for each score of each subset for programs."""
        result = result_of(self.systems, reference, self.signature, systems=self.by)
        record = {**(result.record or {}), "by": self.by, "predictions": self._records()}
        tables = list(result.tables)
        for name, pairs in self.confusion.items():
            title = name if len(self.confusion) > 1 else ""
            tables += confusion_tables(pairs, title)
        return replace(result, tables=tables, record=record)

    def _records(self) -> list[dict[str, Any]]:
        """Return each prediction as plain values, with its confusion of labels if there is one."""
        records = []
        for system in self.systems:
            record = system.record()
            if system.prediction in self.confusion:
                record["confusion"] = [asdict(pair) for pair in self.confusion[system.prediction]]
            records.append(record)
        return records

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values, for JSON: those of each prediction, with those of its subsets."""
        signed = {}
        if self.signature:
            signed["signature"] = self.signature
        return {**signed, "by": self.by, "predictions": self._records()}

    def to_json(self) -> str:
        """Return `to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict())

    def plot(self, key: str | None = None) -> Any:
        """Draw a figure of matplotlib (extra `plot`): a score of each subset, with its interval, and of all utterances.

        Args:
            key: the score; by default `token_fscore`, or the F-score of the first group, or the first score.
        """
        keys = tuple(self.systems[0].scores)
        if key is None:
            key = main_score(keys)
        check_scored(OPTIONS["scores"], key, keys)
        subsets = self.systems[0].subsets
        numbers = [subset.number for subset in subsets if subset.number is not None]
        lines: dict[str, list[float]] = {}
        intervals: dict[str, list[tuple[float, float]]] = {}
        for system in self.systems:
            lines[system.prediction] = [subset.score_of(key) for subset in system.subsets]
            intervals[system.prediction] = [subset.intervals[key] for subset in system.subsets if subset.intervals]
        return draw_lines(
            numbers or None,
            lines,
            self.by,
            heading_of(key),
            labels=[subset.value for subset in subsets],
            intervals=intervals,
            wholes={system.prediction: system.score_of(key) for system in self.systems},
            limits=None,
        )


@with_options
def score_by(
    references: Any,
    predictions: Any,
    by: Any,
    *,
    bands: Sequence[float] | None = None,
    **options: Unpack[ComputeOptions],
) -> SubsetScores:
    """Score subsets of the utterances, such as the utterances of each child, age or genre, beside all utterances.

    Args:
        references, predictions: utterances, in any form that `inputs` lists, or files; of several systems, a dict from names to
            their predictions.
        by: a value for each utterance, a string or a number; `"length"`, bands of the length in units; or
            `"category"`, the third column of text in the format sigmorphon. Of recordings also `"speaker"`, the speakers that
            files name, or `"label"`: the words with each label, for which all else is silence.
        bands: for numbers and `"length"` the edges of bands, such as `[12, 18, 24]`: below 12, from 12 on, from 18 on, from 24
            on; None for the values themselves.
        **options: those of `score`.

    Returns:
        The scores of each subset, which equal `score` of its utterances alone with the same `window_size`. Where none is given,
        the k of the windows is the default of the whole reference, as in the signature. Printed, it is a table.

    Raises:
        TypeError, ValueError: as `score`; or an utterance has no value.

    Warns:
        UserWarning: as `score`; or subsets are too small for reliable intervals.

    >>> sides = ["the dog", "a cat", "the cat"], ["thedog", "a cat", "the cat"]
    >>> score_by(*sides, ["Adam", "Eve", "Eve"], text_format="words", scores="token_recall")
    score               prediction    Adam     Eve
    ----------------  ------------  ------  ------
    token_recall            0.6667  0.0000  1.0000
    count_utterances             3       1       2
    <BLANKLINE>
    signature: segscores|text:words|avg:micro|zero:0|ref:0a60ac42|n:3|v:0.3.0
    """
    plan, resampling, _ = split_options(options)
    check_needs(options, options, options_in(ComputeOptions))
    edges = () if bands is None else check_edges(bands)
    rule = by if isinstance(by, str) else ""
    if rule == LABEL:
        dividing_world(plan)
    systems = predictions if isinstance(predictions, Mapping) else {"prediction": predictions}
    labels = [f"system {name!r}" if len(systems) > 1 else "" for name in systems]
    sides, plan = open_systems(plan, references, *systems.values(), names=labels)
    # The categories are in the lines of the references.
    ids = [sides[0]] if rule == CATEGORY else []
    tallies, parts, observed = tally_with_parts(sides, plan, divides=rule == LABEL, signs=True, ids=ids)
    values = by
    if rule == CATEGORY:
        values = categories_of(ids_of(observed, name="by"))
    elif rule == SPEAKER:
        values = speakers_of(observed, sides[0].sources[0].name)
    scored = []
    clustered = [with_clusters(tally, resampling.clusters) for tally in tallies]
    scored_subsets = score_by_values(values, clustered, parts, [*systems], SubsetScoring(plan, resampling, bands=edges))
    for name, tally, subsets in zip(systems, tallies, scored_subsets, strict=True):
        scores = score_utterances(tally, plan, resampling, prediction=name)
        totals = tally.totals()
        counts = {"utterances": totals["utterances"]}
        whole = Scored.of(name, scores, plan.keys, totals, average=resampling.average, counts=counts)
        scored.append(replace(whole, subsets=subsets))
    clusters = None
    if resampling.clusters is not None:
        clusters = int(read_clusters(resampling.clusters, observed.utterances).max(initial=-1)) + 1
    signature = sign_sides(sides, plan, observed, resampling=resampling, clusters=clusters)
    return SubsetScores(name_of_values(by), scored, signature, confusion_of(parts, [*systems], plan))


def score_by_values(
    by: Any, tallies: Sequence[UtteranceTally], parts: Sequence[Parts], names: Sequence[str], scoring: SubsetScoring
) -> list[list[Scored]]:
    """Score the subsets of each prediction: by the values of utterances, or by the parts into which these are divided."""
    if parts:
        return [scoring.score_parts(*of_system) for of_system in zip(parts, tallies, names, strict=True)]
    subsets = subsets_of(by, tallies, length_unit=length_unit(scoring.plan.reading), bands=scoring.bands)
    members_of = _split(np.arange(len(tallies[0])), subsets.members, len(subsets.values))
    scored = []
    for tally, name in zip(tallies, names, strict=True):
        values = zip(subsets.values, subsets.numbers, map(tally.take, members_of), strict=True)
        scored.append(scoring.score([_Subset(*value) for value in values], name))
    return scored


@dataclass(frozen=True)
class _Subset:
    """The tally of the utterances with a value."""

    value: str
    number: float | None  #: the value as a number
    tally: UtteranceTally


@dataclass(frozen=True)
class SubsetScoring:
    """Settings with which the subsets are scored."""

    plan: Plan
    resampling: Resampling
    with_counts: bool = False
    bands: Sequence[float] = ()  #: the edges of bands of numbers

    def score_parts(self, parts: Parts, whole: UtteranceTally, prediction: str) -> list[Scored]:
        """Score the parts into which the utterances of a prediction are divided."""
        divided = parts.joined().items()
        return self.score([_Subset(name, None, part.with_clusters(whole)) for name, part in divided], prediction)

    def score(self, subsets: Sequence[_Subset], prediction: str) -> list[Scored]:
        """Score the subsets of a prediction."""
        scored = []
        without_interval: list[str] = []
        unreliable: list[str] = []
        for subset in subsets:
            scored_subset = self._scored(subset, prediction)
            if self.resampling.confidence is not None:
                count = subset.tally.scored_clusters()
                if count < 2:
                    intervals = dict.fromkeys(self.plan.keys, (math.nan, math.nan))
                    without_interval.append(subset.value)
                else:
                    intervals, _ = intervals_of(subset.tally, self.plan, self.resampling)
                    if count < MIN_CLUSTERS:
                        unreliable.append(subset.value)
                scored_subset = replace(scored_subset, intervals=intervals)
            scored.append(scored_subset)
        unit = subsets[0].tally.sampled_unit if subsets else "utterance"
        remedy = (
            Message(": leave ", OPTIONS["clusters"], " out, or pass smaller clusters.") if unit == "cluster" else "."
        )
        warn_of_small(without_interval, 2, unit, Message(f"They have no interval, which needs two {unit}s", remedy))
        level = "Their intervals contain the true score less often than their level says."
        warn_of_small(unreliable, MIN_CLUSTERS, unit, level)
        return scored

    def _scored(self, subset: _Subset, prediction: str) -> Scored:
        """Score a subset, without intervals."""
        scores = subset.tally.scores(self.plan, self.resampling.average)
        totals = subset.tally.totals()
        counts = {"utterances": totals["utterances"]}
        if self.with_counts:
            counts = self.plan.shown_counts(totals)
        named: Any = {"counts": counts, "value": subset.value, "number": subset.number}
        return Scored.of(prediction, scores, self.plan.keys, totals, average=self.resampling.average, **named)


def warn_of_small(subsets: Sequence[str], least: int, unit: str, consequence: str) -> None:
    """Warn of subsets of fewer than `least` units, if there are any."""
    if not subsets:
        return
    named = ", ".join(subsets[:_NAMED])
    if len(subsets) > _NAMED:
        named += f" and {len(subsets) - _NAMED} more"
    warn(Message(f"subsets of fewer than {least} {unit}s: {named}. ", consequence))
