"""Estimated costs of a corpus of 10^12 words, from the measured cost per megabyte and the growth of lexicons of real text.

Conventions
-----------
Words are those of the reference. A megabyte is 10^6 bytes, of the reference and the prediction together. V is a number of
types (distinct words). Fits are of Herdan's and Heaps' law, V = K n^β, by least squares of log V on log n, at numbers of words
that are spaced evenly in log n, each at the end of a line. The residual is the root of the mean square of the differences in
log V: 0.10 corresponds to about ten per cent.

Corpora: the People's Daily of January 1998 with jieba's segmentation (see `corpus.py`), and, if the folder of `--data` is
there, the test set of UD Chinese GSD with jieba's segmentation and Brent's child-directed speech in phonemes.

What is computed
----------------
- Fits over a whole text, from 100 words on, and over its last tenfold increase: for the text in its order, for several
  shuffled orders of lines, and for its halves, because a text that changes its subject has more new words.
- A check of extrapolation by a factor of ten: the prediction of fits to the first tenth of the text for the whole, as a
  ratio to the actual number. On a log-log scale the curve bends, so a fit over everything overshoots.
- The extrapolation starts at the last measured number, V(n) = V(N) (n / N)^β, with three values of β: the least over the
  last doubling of the text in any order, the value over the last tenfold increase of the text in its order, and the
  greatest of all fits. It is checked by a factor of ten too. These values are not bounds: β falls as text grows, and has
  fallen within the text.
- The bytes of the lexicon: the bytes of the types of both sides, and an offset of 8 bytes for each type. Rare types are
  longer, so the mean number of bytes of a type grows slowly; the estimate uses the measured mean.
- Core-hours, from the core-seconds per megabyte that `large.py` and, for Spark, `spark.py` print. The time on several cores
  is this divided by their number, assuming that no core waits for another or for input; the required rate of input is
  printed too. Starting time is not included.
- The types that Spark moves: each partition sends each of its types once, so there are partitions × types of a partition,
  in rows of `--type-row` bytes (17.3 were measured, compressed, in Spark's event log of local runs). Two text files are
  first joined by line number, which moves all the text once; a table with both columns needs no join.

Everything beyond the measured text of 1.1 million words is extrapolated. The kind of text matters more than the fit:
newspapers of one month are not representative of the Web.

Sources
-------
Herdan (1960), Type-token Mathematics, Mouton. Heaps (1978), Information Retrieval: Computational and Theoretical Aspects,
Academic Press, section 7.5. Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, section 5.1.1, call
β ≈ 0.5 and K from 30 to 100 typical:
https://nlp.stanford.edu/IR-book/html/htmledition/heaps-law-estimating-the-number-of-terms-1.html
Gerlach & Altmann (2013), Stochastic Model for the Vocabulary Growth in Natural Languages, Physical Review X 3:021006, find two
regimes in Google's n-grams, and no sign of an end of growth: https://arxiv.org/abs/1212.1362
For comparison: Google's Web 1T 5-gram corpus has 1,024,908,267,229 English words and 13,588,391 types that occur at least 200
times; the number of all types is not given: https://catalog.ldc.upenn.edu/LDC2006T13

Use: python benchmarks/cost.py --seconds-per-mb 0.02 --spark-seconds-per-mb 0.2.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpus import MEGABYTE, SEED, Pair, add_folder_option, base_pair
from speed import significant

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"

Integers = npt.NDArray[np.int64]
Words = list[str]

#: The number of words at which a fit begins.
LEAST_WORDS = 100
FIT_POINTS = 50
TENFOLD = 10
DOUBLING = 2
SIZES = (10**6, 10**9, 10**12)
CORES = (1, 64, 1000)
#: Bytes of a type's offset in a lexicon.
OFFSET_BYTES = 8
#: Bytes that a type of a partition took where Spark moved it, compressed.
TYPE_ROW_BYTES = 17.3


@dataclass(frozen=True)
class Fit:
    """V = K n^β.

    Attributes:
        k, beta: of the law.
        residual: root of the mean square in log V.
    """

    k: float
    beta: float
    residual: float

    def at(self, words: float) -> float:
        """The number of types by the law."""
        return self.k * words**self.beta


@dataclass(frozen=True)
class Curve:
    """The growth of the types of a text, line by line.

    Attributes:
        words: int64 (lines,), words up to each line's end.
        types: int64 (lines,), types up to there.
    """

    words: Integers
    types: Integers

    @property
    def end(self) -> tuple[int, int]:
        """All words, and all types."""
        return int(self.words[-1]), int(self.types[-1])

    def fit(self, least: float, most: float) -> Fit:
        """The law from `least` to `most` words."""
        wanted = np.geomspace(least, most, FIT_POINTS)
        points = np.unique(np.searchsorted(self.words, wanted).clip(max=len(self.words) - 1))
        n, v = np.log(self.words[points]), np.log(self.types[points])
        beta, log_k = np.polyfit(n, v, 1)
        residual = np.sqrt(np.mean((v - beta * n - log_k) ** 2))
        return Fit(math.exp(log_k), float(beta), float(residual))

    @cached_property
    def whole(self) -> Fit:
        """The law over all of it."""
        return self.fit(LEAST_WORDS, self.end[0])

    @cached_property
    def last(self) -> Fit:
        """The law over the last tenfold."""
        return self.fit(self.end[0] / TENFOLD, self.end[0])

    @cached_property
    def latest(self) -> Fit:
        """The law over the last doubling."""
        return self.fit(self.end[0] / DOUBLING, self.end[0])

    def first_tenth(self) -> Curve:
        """The part up to a tenth of the words."""
        count = int(np.searchsorted(self.words, self.end[0] / TENFOLD)) + 1
        return Curve(self.words[:count], self.types[:count])

    def at(self, words: float, beta: float) -> float:
        """The number of types of the given words: from the curve up to its end, extrapolated with β beyond."""
        all_words, all_types = self.end
        if words <= all_words:
            return float(np.interp(words, self.words, self.types))
        return all_types * (words / all_words) ** beta


class Growth:
    """The lines of a text, whose order can be changed.

    Args:
        lines: words of each line, whose types are counted.
        lengths: int64 (lines,), words of each line as n counts them.
    """

    def __init__(self, lines: list[Words], lengths: Integers) -> None:
        self.lengths = lengths
        numbers: dict[str, int] = {}
        types = np.array([numbers.setdefault(word, len(numbers)) for line in lines for word in line])
        # Each type with the lines that it is in.
        line_of_word = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
        pairs = np.unique(types * len(lines) + line_of_word)
        self._lines = pairs % len(lines)
        self._starts = np.searchsorted(pairs, np.arange(len(numbers)) * len(lines))
        self.type_bytes = sum(len(word.encode()) for word in numbers) / len(numbers)

    def curve(self, order: Integers | None = None) -> Curve:
        """The growth of types over the lines of `order`, given by number; None for all lines in their order."""
        order = np.arange(len(self.lengths)) if order is None else order
        place = np.full(len(self.lengths), len(order))
        place[order] = np.arange(len(order))
        first = np.minimum.reduceat(place[self._lines], self._starts)
        new = np.bincount(first, minlength=len(order) + 1)[: len(order)]
        return Curve(np.cumsum(self.lengths[order]), np.cumsum(new))


@dataclass(frozen=True)
class Side:
    """The growth of the types of a side of a text, in several orders.

    Attributes:
        type_bytes: of a type on average.
        as_is: in its own order.
        shuffled: in random orders of lines.
        halves: each half in its own order.
    """

    type_bytes: float
    as_is: Curve
    shuffled: list[Curve]
    halves: list[Curve]

    @classmethod
    def of(cls, growth: Growth, shuffles: int) -> Side:
        """The curves of a side."""
        source = np.random.default_rng(SEED)
        count = len(growth.lengths)
        middle = int(np.searchsorted(np.cumsum(growth.lengths), growth.lengths.sum() / 2))
        return cls(
            growth.type_bytes,
            growth.curve(),
            [growth.curve(source.permutation(count)) for _ in range(shuffles)],
            [growth.curve(half) for half in np.split(np.arange(count), [middle])],
        )

    @property
    def orders(self) -> dict[str, list[Curve]]:
        """The curves by what the order is."""
        return {
            "as it stands": [self.as_is],
            f"shuffled, {len(self.shuffled)} times": self.shuffled,
            "its halves": self.halves,
        }

    @cached_property
    def betas(self) -> tuple[float, float, float]:
        """β of the low, the middle and the high extrapolation."""
        return _betas(self.as_is, [*self.shuffled, *self.halves])

    @property
    def checked(self) -> tuple[float, float, float]:
        """The prediction of the first tenth for the whole by the same rule, as a ratio to the actual number."""
        words, types = self.as_is.end
        tenth = self.as_is.first_tenth()
        betas = _betas(tenth, [curve.first_tenth() for curve in (*self.shuffled, *self.halves)])
        low, middle, high = (tenth.at(words, beta) / types for beta in betas)
        return low, middle, high

    def at(self, words: float) -> tuple[float, float, float]:
        """The number of types of the given words: low, middle, high; three equal values if it was measured."""
        low, middle, high = (self.as_is.at(words, beta) for beta in self.betas)
        return low, middle, high


def _betas(as_is: Curve, others: list[Curve]) -> tuple[float, float, float]:
    curves = [as_is, *others]
    high = max(fit.beta for curve in curves for fit in (curve.whole, curve.last))
    return min(curve.latest.beta for curve in curves), as_is.last.beta, high


@dataclass(frozen=True)
class Text:
    """A corpus.

    Attributes:
        title: for the tables.
        pair: the files.
    """

    title: str
    pair: Pair

    def lines(self) -> tuple[list[Words], list[Words]]:
        """The words of each line of both sides, without lines that are empty."""
        reference, prediction = ([line.split() for line in text.splitlines()] for text in self.pair.read())
        pairs = [(left, right) for left, right in zip(reference, prediction, strict=True) if left]
        return [left for left, _ in pairs], [right for _, right in pairs]


def small_texts(data: Path) -> Iterator[Text]:
    """The corpora of a folder; reports those that are missing."""
    found = [
        Text(title, Pair(data / reference, data / prediction))
        for title, reference, prediction in (
            ("UD Chinese GSD", "ud/zh_gsd_test_reference.txt", "ud/zh_gsd_test_jieba.txt"),
            ("Brent, phonemes", "brent/reference.txt", "brent/predicted_tp.txt"),
        )
    ]
    for text in found:
        if text.pair.reference.exists() and text.pair.prediction.exists():
            yield text
        else:
            print(f"{text.pair.reference} is not there: {text.title} is left out.", file=sys.stderr)


@dataclass(frozen=True)
class Sample:
    """The measurements on a corpus.

    Attributes:
        bytes_a_word: of both sides, for each word of the reference.
        reference, prediction: how the types of each side grow.
        either: how the types of both together grow.
    """

    bytes_a_word: float
    reference: Side
    prediction: Side
    either: Side

    def lexicon_bytes(self, words: float) -> list[float]:
        """The lexicons of both sides: low, middle, high."""
        sides = [
            [types * (side.type_bytes + OFFSET_BYTES) for types in side.at(words)]
            for side in (self.reference, self.prediction)
        ]
        return [left + right for left, right in zip(*sides, strict=True)]


def measure(text: Text, shuffles: int) -> Sample:
    """How the types of a corpus grow with the words of its reference."""
    reference, prediction = text.lines()
    lengths = np.array([len(line) for line in reference])
    both = [left + right for left, right in zip(reference, prediction, strict=True)]
    sides = [Side.of(Growth(lines, lengths), shuffles) for lines in (reference, prediction, both)]
    return Sample(text.pair.size / int(lengths.sum()), *sides)


FIT_COLUMNS = [
    "text",
    "order",
    "words",
    "types",
    "K",
    "β",
    "residual",
    "K, last tenfold",
    "β, last tenfold",
    "residual",
]
FIT_COLUMNS += ["fit to the first tenth / whole", "fit to its last tenfold / whole"]
LEXICON_COLUMNS = [
    "words",
    "types, reference",
    "types, prediction",
    "lexicons",
    "partitions",
    "types moved",
    "bytes moved",
]


def fit_rows(text: Text, sample: Sample) -> Iterator[list[str]]:
    """The cells of the fits of a text, a row for each side and order."""
    for name, side in (("reference", sample.reference), ("prediction", sample.prediction)):
        for order, curves in side.orders.items():
            pairs = [(curve, curve.first_tenth()) for curve in curves]
            yield [
                f"{text.title}, {name}",
                order,
                _spread([curve.end[0] for curve in curves], 0),
                _spread([curve.end[1] for curve in curves], 0),
                _spread([curve.whole.k for curve in curves], 1),
                _spread([curve.whole.beta for curve in curves], 3),
                _spread([curve.whole.residual for curve in curves], 3),
                _spread([curve.last.k for curve in curves], 1),
                _spread([curve.last.beta for curve in curves], 3),
                _spread([curve.last.residual for curve in curves], 3),
                _spread([tenth.whole.at(curve.end[0]) / curve.end[1] for curve, tenth in pairs], 2),
                _spread([tenth.at(curve.end[0], tenth.last.beta) / curve.end[1] for curve, tenth in pairs], 2),
            ]


def _spread(values: list[float], decimals: int) -> str:
    """The mean, with the least and the greatest.

    >>> _spread([0.5], 2), _spread([0.5, 0.6], 2)
    ('0.50', '0.55 (0.50–0.60)')
    """
    mean, least, greatest = (
        f"{value:,.{decimals}f}" for value in (sum(values) / len(values), min(values), max(values))
    )
    return mean if least == greatest else f"{mean} ({least}–{greatest})"


def time_rows(sample: Sample, rates: dict[str, float], price: float | None) -> Iterator[list[str]]:
    """The cells of the table of times.

    Args:
        sample: the corpus.
        rates: core-seconds per megabyte, by who takes them.
        price: of a core-hour; None for no price.
    """
    for who, rate in rates.items():
        for words in SIZES:
            size = words * sample.bytes_a_word
            seconds = size / MEGABYTE * rate
            cells = [who, _power(words), _bytes(size), _number(seconds / 3600)]
            cells += [_duration(seconds / cores) for cores in CORES]
            cells.append(f"{_bytes(CORES[-1] * MEGABYTE / rate)}/s")
            yield cells if price is None else [*cells, _number(seconds / 3600 * price)]


def lexicon_rows(sample: Sample, partition_bytes: float, row_bytes: float) -> Iterator[list[str]]:
    """The cells of the table of lexicons, and of what Spark moves."""
    for words in SIZES:
        size = words * sample.bytes_a_word
        partitions = math.ceil(size / partition_bytes)
        moved = [partitions * types for types in sample.either.at(words / partitions)]
        yield [
            _power(words),
            _range(sample.reference.at(words), _number),
            _range(sample.prediction.at(words), _number),
            _range(sample.lexicon_bytes(words), _bytes),
            f"{partitions:,}",
            _range(moved, _number),
            _range([rows * row_bytes for rows in moved], _bytes),
        ]


def _range(values: Iterable[float], write: Callable[[float], str]) -> str:
    """The middle one of three, with the low and the high one, if they differ."""
    low, middle, high = map(write, values)
    return middle if low == high else f"{middle} ({low}–{high})"


def _power(number: int) -> str:
    """A power of ten.

    >>> _power(1000)
    '10^3'
    """
    return f"10^{round(math.log10(number))}"


def _number(value: float) -> str:
    """A number with two significant digits.

    >>> _number(0.000041), _number(55310), _number(132.4e6)
    ('0.000041', '55,000', '130 million')
    """
    rounded = float(f"{value:.2g}")
    for name, unit in (("billion", 1e9), ("million", 1e6)):
        if rounded >= unit:
            return f"{rounded / unit:.{0 if rounded >= 10 * unit else 1}f} {name}"
    return f"{rounded:,.0f}" if rounded >= 10 else significant(rounded, 2)


def _bytes(value: float) -> str:
    """Bytes in a suitable unit.

    >>> _bytes(11.8e12), _bytes(2_400_000)
    ('12 TB', '2.4 MB')
    """
    rounded = float(f"{value:.2g}")
    for name, unit in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if rounded >= unit:
            return f"{rounded / unit:,.{0 if rounded >= 10 * unit else 1}f} {name}"
    return f"{rounded:g} B"


def _duration(seconds: float) -> str:
    """A time in a suitable unit.

    >>> _duration(0.5), _duration(100), _duration(3 * 86400)
    ('0.5 s', '1.7 min', '3 d')
    """
    for name, unit in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= unit:
            return f"{float(f'{seconds / unit:.2g}'):,g} {name}"
    return f"{float(f'{seconds:.2g}'):g} s"


def _table(columns: list[str], rows: Iterable[list[str]], words: int = 0) -> str:
    """Markdown; the first `words` columns are words, and the rest numbers."""
    rules = ["---"] * words + ["--:"] * (len(columns) - words)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [columns, rules, *rows])


def main() -> int:
    """Fit the law, and print the tables."""
    arguments = _parse_arguments()
    daily = Text("People's Daily", base_pair("daily", arguments.folder))
    sample = measure(daily, arguments.shuffles)
    rows = [row for text in small_texts(arguments.data) for row in fit_rows(text, measure(text, arguments.shuffles))]
    print(_table(FIT_COLUMNS, [*rows, *fit_rows(daily, sample)], words=2))
    print(f"\n{_extrapolations(sample)}\n")
    rates = {"`score`": arguments.seconds_per_mb, "`spark`": arguments.spark_seconds_per_mb}
    price = arguments.price_per_core_hour
    times = time_rows(sample, {who: rate for who, rate in rates.items() if rate is not None}, price)
    columns = ["", "words", "both sides", "core-hours", *map(_on_cores, CORES), f"read by {_on_cores(CORES[-1])[3:]}"]
    if price is not None:
        columns.append("price")
    if any(rate is not None for rate in rates.values()):
        print(f"{_table(columns, times, words=1)}\n")
    print(_table(LEXICON_COLUMNS, lexicon_rows(sample, arguments.partition * MEGABYTE, arguments.type_row)))
    return 0


def _extrapolations(sample: Sample) -> str:
    """The parameters of the extrapolations, and their accuracy over the last tenfold increase of the text."""
    said = [
        f"People's Daily: {sample.bytes_a_word:.1f} bytes a word, both sides. Bytes of a type, and β of the low, the middle "
        f"and the high extrapolation:"
    ]
    for name, side in (("reference", sample.reference), ("prediction", sample.prediction)):
        betas = ", ".join(f"{beta:.3f}" for beta in side.betas)
        tenth = [f"{types:.2f}" for types in side.checked]
        said.append(
            f"{name} {side.type_bytes:.1f}; {betas}. By the same rule the first tenth says {', '.join(tenth)} times the types "
            f"that the whole has."
        )
    return "\n".join(said)


def _on_cores(cores: int) -> str:
    return f"on {cores:,} core{'s' if cores > 1 else ''}"


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FOLDER", type=Path, default=DATA, help="with the smaller corpora")
    parser.add_argument("--shuffles", metavar="NUMBER", type=int, default=10, help="(default: %(default)s)")
    parser.add_argument("--seconds-per-mb", metavar="SECONDS", type=_positive, help="core-seconds that `score` takes")
    parser.add_argument(
        "--spark-seconds-per-mb", metavar="SECONDS", type=_positive, help="core-seconds that `spark` takes"
    )
    parser.add_argument(
        "--price-per-core-hour", metavar="PRICE", type=_positive, help="in any currency; none by default"
    )
    parser.add_argument(
        "--partition",
        metavar="MB",
        type=_positive,
        default=128,
        help="of Spark, both sides (default: %(default)s, Spark's)",
    )
    parser.add_argument(
        "--type-row",
        metavar="BYTES",
        type=_positive,
        default=TYPE_ROW_BYTES,
        help="that Spark moves for a type of a partition (default: %(default)s)",
    )
    add_folder_option(parser)
    arguments = parser.parse_args()
    if arguments.shuffles < 1:
        parser.error(f"--shuffles: expected at least 1, received {arguments.shuffles}.")
    return arguments


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected more than 0, received {text}")
    return number


if __name__ == "__main__":
    sys.exit(main())
