"""Random attacks on the scores and the command, for a given time.

    python benchmarks/fuzz.py --seconds 60 --seed 1

Kinds of cases: valid input in every form, with random options, against the naive scorers of `tests/` (`scores`; `files` through
the command; `inputs` of each kind on each side). Files that are cut, flipped, joined or in another encoding, and forged Arrow
and Parquet files in a child process (`damage`, `tables`): a run fails in one line, or scores what other programs read. Nonsense
for every option of every subcommand (`options`), or two values (`twice`). Lines a thousand times longer on one side, in bounded
memory (`lengths`). Files that change while they are read (`changes`). Runs that are interrupted leave no traceback, process,
temporary file or half of an output (`signals`). One question in several ways: several predictions at once, in the command and
in Python, with every reading option (`systems`), tagged text with groups (`groups`), counts beside scores in every format
(`counts`). What takes long if it is not answered well: words of many combining marks (`marks`), lines to align (`long`), and
requests to the page that stop half-way (`page`). One text in columns of CSV, TSV and JSON lines and in other encodings (`forms`),
and recordings in every format without durations (`recordings`): the counts of lists.

But for the moments of `signals`, the seed, the kind and the number determine a case: `--kinds options --case 17`
repeats one. The program prints a line for each finding and the counts at the end, and exits with status 1 after a finding.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import gzip
import json
import math
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The naive scorers are among the tests.
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from fuzz_checks import (  # noqa: E402
    MOST_MEGABYTES,
    TIME_LIMIT,
    Finding,
    check,
    check_failed,
    column_of,
    draw_any_pair,
    draw_pair,
    encode,
    in_child,
    in_two,
    lines,
    recut,
    run,
    same,
    written,
)
from fuzz_command import attack_options, attack_signals, attack_twice  # noqa: E402
from fuzz_files import attack_changes, attack_damage, attack_files, attack_tables  # noqa: E402
from fuzz_forms import attack_forms, attack_recordings  # noqa: E402
from fuzz_surfaces import attack_counts, attack_groups, attack_long, attack_marks, attack_page, attack_systems  # noqa: E402

import segscores  # noqa: E402
from segscores import open_source, score  # noqa: E402
from segscores.scoring.measures.registry import GROUPS  # noqa: E402
from tests import corpora, naive, naive_groups  # noqa: E402


def attack_scores(source: random.Random) -> None:
    """Score any form by any group but those of documents, tags and recordings: the scores are those of the naive scorer."""
    references, predictions = draw_any_pair(source)
    name, form = source.choice(list(corpora.FORMS.items()))
    fits = []
    for group_name, each in GROUPS.items():
        lacks_words = "words" in each.needs and not form.has_words
        if each.needs.isdisjoint({"documents", "times", "tags"}) and not lacks_words:
            fits.append(group_name)
    group = source.choice(fits)
    if group in ("dictionary", "oov", "subword", "token_use", "morpheme", "bpr") and not form.has_words:
        return
    options: dict[str, Any] = {"zero_division": source.choice([0.0, 0.0, 1.0, 0.5, math.nan])}
    if group in ("windows", "tolerance"):
        options["window_size" if group == "windows" else "tolerance"] = source.choice([1, 2, 3, 7, 1000])
    chosen = {key: value for key, value in naive_groups.GROUP_OPTIONS.get(group, {}).items() if key not in options}
    if not form.any_units and group != "windows":
        chosen = {key: [line.replace(" ", "") for line in value] for key, value in chosen.items()}
    expected = naive_groups.naive_group_scores(group, references, predictions, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = score(
            form.write(references), form.write(predictions), scores=group, **form.options, **chosen, **options
        )
    same(scores, expected, f"{name} {group} {options}")


def attack_lengths(source: random.Random) -> None:
    """Make lines a thousand times longer on one side, by units that differ, by spaces or by boundaries: memory stays bounded.

    Units that differ are an error, or are left out. More spaces or boundaries change no score.
    """
    corpus_pair = draw_pair(source, [3, 50, 300], "abåé狗", 40)
    way, ending = source.choice(["units", "units", "spaces", "boundaries"]), source.choice([".txt", ".jsonl", ".gz"])
    share, at, times = source.choice([0.01, 0.3, 1.0]), source.randrange(2), source.choice([100, 1000, 4000])
    write, separator = (corpora.units_text, " WORD_BOUNDARY ") if way == "boundaries" else (corpora.words_text, " ")
    sides, bad = [write(each) for each in corpus_pair], set()
    for row, text in enumerate(sides[at]):
        if text and source.random() < share:
            longer = text.replace(separator, separator * times, 1) + " " * times
            sides[at][row] = text * times if way == "units" else longer
            bad |= {row} if way == "units" else set()
    names = [f"{name}{ending}" for name in "rp"]
    for name, texts in zip(names, sides, strict=True):
        written(name, encode(source, ending, texts))
    options = source.choice([[], [], ["--on-error", "skip"], ["--on-mismatch", "skip"]])
    form = ["--text-format", "units" if way == "boundaries" else "words", "--format", "json"]
    good = [[words for row, words in enumerate(each) if row not in bad] for each in corpus_pair]
    what = f"{way} of {len(bad)} {ending} {options}, {times} times, side {at}"

    def attempt(_: Callable[[], None]) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        status, output, message = run(["score", *names, *form, *options])
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        check(peak < MOST_MEGABYTES, f"{what}: {peak:.0f} MB")
        if bad and (not options or not good[0]):
            check_failed(status, output, message)
            names_place = options or re.search(rf"line {min(bad) + 1}\b", message)
            check(names_place, f"{what}: expected line {min(bad) + 1}: {message}")
            return
        check(status == 0, f"{what}: {message[-300:]}")
        same(json.loads(output)["predictions"][0]["scores"], naive.naive_scores(*good), what)

    in_child(attempt)


#: Kinds of input in Python, made of a name and texts, and how an error says the place of an utterance.
INPUTS: dict[str, tuple[Callable[[str, list[str]], Any], str]] = {
    "list": (lambda _, texts: texts, "utterance {0}"),
    "tuple": (lambda _, texts: tuple(texts), "utterance {0}"),
    "iterator": (lambda _, texts: iter(texts), "utterance {0}"),
    "arrow": (lambda _, texts: pa.array(texts, pa.string()), "utterance {0}"),
    "views": (lambda _, texts: pa.array(texts, pa.string_view()), "utterance {0}"),
    "dictionary": (lambda _, texts: pa.array(texts, pa.string()).dictionary_encode(), "utterance {0}"),
    "chunks": (lambda _, texts: pa.chunked_array([texts[:2], [], texts[2:]], pa.large_string()), "utterance {0}"),
    "objects": (lambda _, texts: np.array([*texts, None], object)[:-1], "utterance {0}"),
    "path": (lambda name, texts: written(name, lines(texts)), "line {1}"),
    "packed": (lambda name, texts: written(name, gzip.compress(lines(texts))), "line {1}"),
    "pattern": (lambda name, texts: open_source(in_two(name, texts, "part")), "part, line {2}"),
    "jsonl": (lambda name, texts: column_of(f"{name}.jsonl", texts), "line {1}"),
    "parquet": (lambda name, texts: column_of(f"{name}.parquet", texts), "row {0}"),
}
TASKS: dict[str, Callable[..., Any]] = {
    "score": lambda left, right, _, **options: score(left, right, **options),
    "windows": lambda left, right, _, **options: score(left, right, scores=("token", "windows"), **options),
    "intervals": lambda left, right, _, **options: score(left, right, confidence=0.9, **options),
    "tally": lambda left, right, _, **options: segscores.tally(left, right, **options).scores(),
    "per_utterance": lambda left, right, _, **options: segscores.per_utterance(left, right, **options),
    "compare": lambda left, right, other, **options: segscores.compare(
        left, {"a": right, "b": other}, n_trials=20, **options
    ),
    "errors": lambda left, right, _, **options: segscores.analyse_errors(left, right, **options).to_dict(),
}


def attack_inputs(source: random.Random) -> None:
    """Pass each side as another kind of input: the result is that of lists, or their error, at the same place."""
    references, predictions = draw_pair(source, [3, 8, 60], "abåé狗🐕")
    texts = [corpora.words_text(each) for each in (references, predictions, recut(source, references))]
    task, kinds = source.choice(list(TASKS)), [source.choice(list(INPUTS)) for _ in texts]
    bad = sorted(source.sample(range(len(references)), k=source.choice([0, 0, 1, 2])))
    for row in bad:
        texts[1][row] = source.choice(["x", texts[1][row] + " x"])
    if source.random() < 0.1:
        texts[1].pop()
    options: dict[str, Any] = {"text_format": "words"}
    if source.random() < 0.3 and task != "errors":
        options["on_error"] = "skip"

    def outcome(kinds: Sequence[str]) -> tuple[str, str]:
        made = [INPUTS[kind][0](name, list(side)) for name, kind, side in zip("rpq", kinds, texts, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return repr(TASKS[task](*made, **options)), ""
            except ValueError as error:
                return "", str(error)

    expected, received = outcome(["list"] * 3), outcome(kinds)
    what = f"{task} of {kinds} with {len(texts[1])} texts, bad {bad}, {options}"
    check(received[0] == expected[0], f"{what}: {received}, lists have {expected}")
    check(bool(received[1]) == bool(expected[1]), f"{what}: {received}, lists have {expected}")
    if expected[1] and len(texts[1]) == len(texts[0]) and not options.get("on_error"):
        row = bad[0]
        # A collection's utterance has one number on both sides.
        for kind in kinds[:2] if INPUTS[kinds[1]][1] != INPUTS["list"][1] else ["list"]:
            place = INPUTS[kind][1].format(row, row + 1, row + 1 if row < 2 else row - 1)
            check(re.search(rf"\b{place}\b", received[1]), f"{what}: {received[1]}, expected {place}")
        problem = re.split(r"utterance \d+: ", expected[1])[1].partition("expected")[0]
        check(problem in received[1], f"{what}: {received[1]}, lists have {expected[1]}")


#: Each kind, and its share of the time.
ATTACKS: dict[str, tuple[Callable[[random.Random], None], int]] = {
    "scores": (attack_scores, 3),
    "files": (attack_files, 2),
    "damage": (attack_damage, 3),
    "tables": (attack_tables, 4),
    "options": (attack_options, 4),
    "signals": (attack_signals, 3),
    "lengths": (attack_lengths, 3),
    "changes": (attack_changes, 4),
    "inputs": (attack_inputs, 3),
    "systems": (attack_systems, 4),
    "twice": (attack_twice, 1),
    "groups": (attack_groups, 1),
    "counts": (attack_counts, 2),
    "marks": (attack_marks, 2),
    "long": (attack_long, 3),
    "forms": (attack_forms, 3),
    "recordings": (attack_recordings, 3),
    # The page is of the extra `demo`, and Linux says how much memory it has.
    **({"page": (attack_page, 3)} if find_spec("gradio") and Path("/proc/self/status").exists() else {}),
}


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Raise a finding in what takes too long."""

    def end(*_: object) -> None:
        raise Finding(f"it takes more than {TIME_LIMIT} s")

    signal.signal(signal.SIGALRM, end)
    # Again and again: Python drops an error that comes within a destructor.
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT, 5)
    # Code that hangs outside of Python ends the program, with a trace.
    faulthandler.dump_traceback_later(3 * TIME_LIMIT, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def attack(kind: str, seed: int, case: int, folder: Path) -> str:
    """Try one case, in an empty folder; return what was found, empty for nothing."""
    source = random.Random(f"{seed} {kind} {case}")
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir=folder) as own:
        os.chdir(own)
        try:
            with time_limit():
                ATTACKS[kind][0](source)
        except Finding as finding:
            return str(finding)
        except Exception:
            return traceback.format_exc()
        finally:
            os.chdir(before)
    return ""


def main() -> int:
    """Attack, and print what was found; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the cases (default: %(default)s)")
    parser.add_argument("--kinds", nargs="+", choices=tuple(ATTACKS), default=list(ATTACKS), help="(default: all)")
    parser.add_argument("--case", type=int, help="run this case of each kind alone")
    arguments = parser.parse_args()
    # Python warns of a fork beside threads, which is what is tried here.
    warnings.filterwarnings("ignore", ".*use of fork")
    end = time.monotonic() + arguments.seconds
    spent = dict.fromkeys(arguments.kinds, 0.0)
    counts: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    seen: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        while time.monotonic() < end or len(counts) < len(arguments.kinds):
            # The kind that has had the least of its share of the time.
            kind = min(arguments.kinds, key=lambda kind: spent[kind] / ATTACKS[kind][1])
            began = time.monotonic()
            case = counts[kind] if arguments.case is None else arguments.case
            problem = attack(kind, arguments.seed, case, Path(folder))
            spent[kind] += time.monotonic() - began
            counts[kind] += 1
            if problem:
                findings[kind] += 1
                # The same problem is shown once.
                shape = re.sub(r"\d+|'[^']*'", "", problem)[-200:]
                if shape not in seen:
                    print(f"FINDING {kind} --seed {arguments.seed} --case {case}: {problem}", flush=True)
                seen.add(shape)
            if arguments.case is not None and len(counts) == len(arguments.kinds):
                break
    for kind in arguments.kinds:
        print(f"{kind}: {counts[kind]:,} cases in {spent[kind]:.0f} s, {findings[kind]} findings")
    print(f"in all: {sum(counts.values()):,} cases, {sum(findings.values())} findings")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
