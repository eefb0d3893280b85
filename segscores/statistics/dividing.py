"""Division of utterances into subsets, by their values, numbers or lengths; the conventions are those of `subsets`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import Floats, Positions
from ..kernel.record import record
from ..options.errors import UtteranceError, warn
from ..options.messages import OptionError
from ..options.quoting import shortened
from ..options.table import OPTIONS
from ..scoring.observations import Observations
from ..scoring.utterance_tally import UtteranceTally
from .bands import divide_by_edges, numbers_of

#: The value of `by` that stands for the lengths of the utterances.
LENGTH = "length"
#: The value of `by` that stands for the third column of sigmorphon text.
CATEGORY = "category"
#: The value of `by` that stands for the speakers that files name.
SPEAKER = "speaker"
#: The number of bands for numbers with fractions.
_BANDS = 10
#: Whole numbers below this are exact in floating point.
_LARGEST = 2.0**53


@record
class Subsets:
    """The subsets into which utterances are divided by their values."""

    values: Sequence[str]  #: the common value of the utterances of each subset
    numbers: Sequence[float | None]  #: the mean of each subset, None if values are no numbers
    members: Positions  #: int64 (n_utterances,), the index of the subset of each utterance

    def indexes(self) -> list[Positions]:
        """Return the indexes of the utterances of each subset."""
        return _split(np.arange(len(self.members)), self.members, len(self.values))

    def split(self) -> dict[str, Positions]:
        """Return the indexes of the utterances of each subset, by its value."""
        return dict(zip(self.values, self.indexes(), strict=True))


def subsets_of(by: Any, tallies: Sequence[UtteranceTally], *, length_unit: int, bands: Sequence[float] = ()) -> Subsets:
    """Divide utterances by their values, by bands of their numbers, or by LENGTH.

    A length is counted in steps of `length_unit` units: of times, whose units are small, a step is a second.
    """
    if isinstance(by, str) and by == LENGTH:
        # An utterance that is left out of a tally has no units there.
        units = np.maximum.reduce([tally.columns["units"] for tally in tallies]).astype(np.float64)
        lengths = np.ceil(units / length_unit)
        return _subsets_by_edges(lengths, bands) if bands else _subsets_by_length(lengths)
    first_tally, *_ = tallies  # all are of the same utterances
    utterances = len(first_tally)
    if bands:
        return _subsets_by_edges(numbers_of(_read(by, utterances)), bands)
    # A Series of pandas has its categories in `cat`.
    column = getattr(by, "cat", by)
    has_ordered_categories = getattr(column, "ordered", False)
    if not has_ordered_categories:
        return _subsets_by_value(_read(by, utterances))
    categories = [str(category) for category in column.categories]
    # The code -1 stands for a missing value.
    values = [None if code < 0 else categories[code] for code in column.codes]
    return _subsets_in_order(_read(values, utterances), categories)


def _subsets_by_edges(numbers: Floats, edges: Sequence[float]) -> Subsets:
    """Divide utterances by the bands of their numbers between the edges."""
    names, members = divide_by_edges(numbers, edges)
    # The one edge of two bands may be above all numbers of a small corpus.
    are_several = len(edges) > 1 and len(set(numbers.tolist())) > 1
    is_outside = len(names) == 1 and not edges[0] <= numbers[0] < edges[-1]
    if are_several and is_outside:
        side = "below the first" if numbers[0] < edges[0] else "beyond the last"
        warn(
            f"bands: all numbers, such as {numbers[0]:g}, are {side} edge: have they another unit, as years and months?"
        )
    return Subsets(values=names, numbers=_means(numbers, members), members=members)


def _subsets_by_length(lengths: Floats) -> Subsets:
    """Divide utterances by their lengths in the bands 1, 2-3, 4-7, and so on."""
    # A length in [2^(b-1), 2^b) has the binary exponent b.
    _, exponents_of_lengths = np.frexp(lengths)
    # Lengths 5 1 6 have the exponents 3 1 3: the subsets 0 (1) and 1 (4-7), with the members 1 0 1.
    exponents, members = np.unique(exponents_of_lengths, return_inverse=True)
    names = [_band_of(exponent) for exponent in exponents.tolist()]
    return Subsets(values=names, numbers=_means(lengths, members), members=members)


def _band_of(exponent: int) -> str:
    """Return the name of the band of integers with a binary exponent.

    >>> [_band_of(exponent) for exponent in range(4)]
    ['0', '1', '2-3', '4-7']
    """
    if exponent <= 1:
        return str(exponent)
    return f"{2 ** (exponent - 1)}-{2**exponent - 1}"


def _subsets_by_value(values: Sequence[str]) -> Subsets:
    """Divide utterances by their values: numbers in rising order, or in bands if they are many with fractions; other texts."""
    texts = np.array(values, object)
    try:
        numbers = texts.astype(np.float64)
    except ValueError:
        numbers = np.full(len(texts), np.nan)
    # Python reads ids such as 1_12 as numbers, and large ids are not distinct in floating point. nan is not below _LARGEST.
    are_numbers = (np.abs(numbers) < _LARGEST).all() and not any("_" in text for text in texts)
    if not are_numbers:
        _warn_of_case(values)
        return _subsets_in_order(values, _in_order(values))
    # Texts such as 3 and 3.0 are one number, whose name is the first of them.
    _, first_places, members = np.unique(numbers, return_index=True, return_inverse=True)
    has_fractions = (numbers % 1).any()
    if len(first_places) > _BANDS and has_fractions:
        return _subsets_by_band(numbers)
    return Subsets(values=texts[first_places].tolist(), numbers=numbers[first_places].tolist(), members=members)


def _subsets_in_order(values: Sequence[str], order: Sequence[str]) -> Subsets:
    """Divide utterances by their values, in an order of all values; a value that does not occur has no subset."""
    occurring = set(values)
    names = [value for value in order if value in occurring]
    index_of = {name: index for index, name in enumerate(names)}
    members = np.array([index_of[value] for value in values])
    return Subsets(values=names, numbers=[None] * len(names), members=members)


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
    # The numbers 0.2 0.5 0.2 0.9 have the ranks 0 2 0 3: equal numbers stay together. Two bands of them are 0 1 0 1.
    ranks = np.searchsorted(np.sort(numbers), numbers)
    _, members = np.unique(_BANDS * ranks // len(numbers), return_inverse=True)
    names = [f"{band.min():.3g}-{band.max():.3g}" for band in _split(numbers, members)]
    if len(set(names)) < len(names):
        # Numbers that differ in the fourth digit alone have equal names.
        names = [f"{name} ({number})" for number, name in enumerate(names, start=1)]
    return Subsets(values=names, numbers=_means(numbers, members), members=members)


def _means(numbers: Floats, members: Positions) -> list[float | None]:
    """Return the mean of the numbers of each subset, of which each has a member."""
    return [float(subset.mean()) for subset in _split(numbers, members)]


def _split(array: npt.NDArray[Any], members: Positions, subset_count: int = 0) -> list[npt.NDArray[Any]]:
    """Split an array into the items of each subset, in order; there are as many subsets as have members, or `subset_count`."""
    # The members 1 0 1 have sizes 1 2, and in order are the items 1 | 0 2, which are split at 1: where all but the last end.
    sizes = np.bincount(members, minlength=subset_count)
    in_order = array[np.argsort(members, kind="stable")]
    return np.split(in_order, np.cumsum(sizes)[:-1])


def name_of_values(by: Any) -> str:
    """Return the noun of the values of `by`; a Series of pandas has a name."""
    if isinstance(by, str):
        return by
    return str(getattr(by, "name", None) or "value")


def _warn_of_case(values: Sequence[str]) -> None:
    """Warn of values that differ in case, spaces or forms of Unicode alone, such as `Ann` and `ann`, which are two subsets."""
    first_of: dict[str, str] = {}
    for value in dict.fromkeys(values):
        in_one_form = "".join(unicodedata.normalize("NFKC", value).lower().split())
        first = first_of.setdefault(in_one_form, value)
        if first != value:
            both = f"by: the values {shortened(first)} and {shortened(value)}"
            warn(
                f"{both} differ in case, spaces or forms of Unicode alone, and are two subsets: write them alike if they are one."
            )
            return


def _read(by: Any, utterances: int) -> list[str]:
    """Return the value of each utterance as a string; raise an error if one has none, or one that is no string or number."""
    expected = f'expected a string or a number for each utterance, "{LENGTH}" or "{CATEGORY}"'
    column = by
    if hasattr(column, "dtype"):
        # Missing values of numpy and pandas become None.
        try:
            column = pa.array(column, from_pandas=True)
        except pa.ArrowException as error:
            # Arrow says what is wrong, such as an array of two dimensions.
            raise TypeError(f"by: {expected} ({error}).") from None
    if hasattr(column, "to_pylist"):
        column = column.to_pylist()
    # The values of a set or a mapping are in no order of utterances.
    is_no_list = isinstance(column, (str, bytes, Mapping, Set)) or not isinstance(column, Iterable)
    if is_no_list:
        raise TypeError(f"by: {expected}, received {shortened(by)}.")
    values = list(column)
    if len(values) != utterances:
        raise ValueError(f"by: received {len(values)} values for {utterances} utterances: expected one for each.")
    for index, value in enumerate(values):
        if value is None or str(value) in {"", "nan"}:
            raise UtteranceError(index, f"there is no value; {expected}.", side="by")
        if not isinstance(value, (str, Real, Decimal)):
            raise TypeError(f"by: {expected}, received {shortened(value)}.")
    # The number 3.0 is the value 3; a string stays as it is.
    return [value if isinstance(value, str) else str(value).removesuffix(".0") for value in values]


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


def speakers_of(observed: Observations, reference: str) -> list[str]:
    """Return the speaker of each utterance, by what its file says; the place of the reference is for messages."""
    speakers = list(chain.from_iterable(extent.source.speakers for extent in observed.extents))
    # A source of text has no speakers; "" stands for the speaker of a recording that its file does not name.
    if len(speakers) < observed.utterances or "" in speakers:
        expected = "expected tiers such as 'Ann - words', or a value for each utterance."
        problem = f": {reference} does not name the speaker of each utterance; {expected}"
        raise OptionError(OPTIONS["by"].set(SPEAKER), problem)
    return speakers
