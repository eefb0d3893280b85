"""A committee of segmenters: character CRFs, each trained on its own sample.

Conventions
-----------
- An utterance is a list of words, and a word a sequence of units: a string of characters, or a tuple of tokens.
- A segmenter tags every unit with its place in a word: B begins a word, M is inside, E ends a word, S is a word of one unit.
- A member (a template, a share of the training set, a sample) depends only on the seed and its number. So a larger committee
  begins with the members of a smaller one, and neither the order of training nor the number of processes matters.

Source
------
Qian, Qiu & Huang (2016), section 4.1 and Table 1. The paper leaves open, and this module chooses: positions beyond the utterance
have an empty unit; training is L-BFGS with crfsuite's default L2 penalty, for at most MAX_ITERATIONS iterations.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import sys
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from multiprocessing import resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread, current_thread, main_thread
from typing import NamedTuple, TypeAlias

from ..options.messages import Hint, OptionError
from ..options.optional import require
from ..options.table import OPTIONS

Word: TypeAlias = Sequence[str]
Utterance: TypeAlias = Sequence[Word]
Window: TypeAlias = tuple[int, int]

_NEIGHBOURS: tuple[Window, ...] = ((-2, -2), (-1, -1), (0, 0), (1, 1), (2, 2))
_PAIRS: tuple[Window, ...] = ((-2, -1), (-1, 0), (0, 1), (1, 2))
_TRIPLES: tuple[Window, ...] = ((-2, 0), (-1, 1), (0, 2))

#: The feature templates of Table 1, as windows from the first to the last unit, counted from the unit to be tagged. The
#: feature of the tag before, which all three have, is the CRF's own.
TEMPLATES: dict[str, tuple[Window, ...]] = {
    "F1": (*_NEIGHBOURS[1:4], *_PAIRS[1:3]),
    "F2": (*_NEIGHBOURS, *_PAIRS),
    "F3": (*_NEIGHBOURS, *_PAIRS, *_TRIPLES),
}

#: The shares of the training set on which members are trained.
RATIOS = (0.1, 0.2, 0.3)

MAX_ITERATIONS = 100

#: The signals that end a run. Windows has no SIGHUP.
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

#: The time that a run whose processes died waits for a signal that was sent to all, in seconds.
_WAIT_FOR_SIGNAL = 1.0

#: The task of a process that trains members.
_task: _Task


@dataclass(frozen=True)
class Member:
    """The random choices that define one segmenter."""

    template: str  #: a key of TEMPLATES
    ratio: float  #: one of RATIOS
    sample: tuple[int, ...]  #: the indices of the training utterances


def draw_member(number: int, seed: int, training_size: int) -> Member:
    """Draw member `number`, from 0, of the committee with this seed.

    >>> draw_member(3, seed=0, training_size=20) == draw_member(3, seed=0, training_size=20)
    True
    """
    source = random.Random(f"{seed} {number}")
    template = source.choice(tuple(TEMPLATES))
    ratio = source.choice(RATIOS)
    sample_size = max(1, round(ratio * training_size))
    return Member(template, ratio, tuple(source.sample(range(training_size), sample_size)))


def units_of(words: Utterance) -> list[str]:
    """Return the units of an utterance."""
    return list(chain.from_iterable(words))


def unit_tags(words: Utterance) -> list[str]:
    """Tag every unit of an utterance.

    >>> "".join(unit_tags(["白藜芦醇", "是", "物质"]))
    'BMMESBE'
    """
    tags: list[str] = []
    for word in words:
        if len(word) == 1:
            tags.append("S")
        else:
            tags += ["B", *["M"] * (len(word) - 2), "E"]
    return tags


def word_ends(tags: Sequence[str]) -> bytes:
    """Return a byte for every unit of an utterance: 1 where a word ends, else 0, under the rule of `readers.from_labels`.

    A CRF may predict inconsistent sequences: a word ends at E or S, before B or S, and at the end of the utterance.

    >>> list(word_ends("BMMBSM"))
    [0, 0, 1, 1, 1, 1]
    """
    # The end of the utterance is like the beginning of another word. Not strict: a blank utterance has no tag before the "B".
    next_tags = [*tags[1:], "B"]
    return bytes(tag in "ES" or next_tag in "BS" for tag, next_tag in zip(tags, next_tags, strict=False))


def unit_features(units: Sequence[str], template: str) -> list[list[str]]:
    """Return the features of every unit of an utterance.

    >>> unit_features("物质", "F1")[0]
    ['-1:-1=', '0:0=物', '1:1=质', '-1:0= 物', '0:1=物 质']
    """
    # Windows reach two units to each side: those of the first unit, at position 2, begin at position 0.
    padded = ["", "", *units, "", ""]
    features = []
    for position in range(2, 2 + len(units)):
        features_of_unit = []
        for first, last in TEMPLATES[template]:
            window = padded[position + first : position + last + 1]
            features_of_unit.append(f"{first}:{last}={' '.join(window)}")
        features.append(features_of_unit)
    return features


def check_installed() -> None:
    """Check that the CRF library is installed."""
    hint = Hint(" with ", OPTIONS["committee"])
    require("pycrfsuite", "training a committee", ", or pass the outputs of your own segmenters", hint, ".")


class _Task(NamedTuple):
    """The data that every member is trained on, and the units that it segments; each process reads it once."""

    training: Sequence[Utterance]
    unsegmented: Sequence[Sequence[str]]  #: the units of each utterance
    seed: int
    folder: Path  #: of the models while they are trained


def segment(
    references: Sequence[Utterance], training: Sequence[Utterance], *, members: int, seed: int, processes: int
) -> Generator[bytes, None, None]:
    """Train a committee, and yield for each member, in order, a byte per unit of the references: 1 where a word ends, else 0.

    Close the generator, or read it to its end: that ends the processes and removes their files.
    """
    unsegmented = list(map(units_of, references))
    with TemporaryDirectory(prefix="segmentation-scores-committee-", ignore_cleanup_errors=True) as folder:
        task = _Task(training, unsegmented, seed, Path(folder))
        # More processes than members would have nothing to do.
        if min(processes, members) == 1:
            yield from (_train_and_segment(task, number) for number in range(members))
        else:
            yield from _segment_in_processes(task, members, min(processes, members))


def _segment_in_processes(task: _Task, members: int, processes: int) -> Generator[bytes, None, None]:
    """Yield what `segment` yields, from several processes."""
    # Spawn processes, because a fork of a process with threads may hang.
    context = multiprocessing.get_context("spawn")
    # A pipe is too small for a corpus: where a process dies before it has read its task, writing would wait for ever.
    path = task.folder / "task"
    path.write_bytes(pickle.dumps(task))
    _start_tracker()
    executor = ProcessPoolExecutor(processes, context, _begin_process, (path,))
    try:
        with _deferred_signals(), _blocked_signals("SIGINT", "SIGHUP"):
            outputs = deque(executor.submit(_segment_in_process, number) for number in range(members))
        # An output that was yielded is not kept. `executor.map` would on an error cancel the other outputs, while the executor,
        # whose process died, gives each of them the same error.
        while outputs:
            yield outputs.popleft().result()
    except BrokenProcessPool:
        # SIGTERM to the whole group may reach this process last: its handler then ends the run, and there is no error to report.
        time.sleep(_WAIT_FOR_SIGNAL)
        died = "a training process died, perhaps because memory ran out: try fewer at a time with "
        script = '. (A script that trains a committee needs if __name__ == "__main__".)'
        raise OptionError(died, OPTIONS["processes"], script) from None
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _deferred_signals() -> Iterator[None]:
    """Handle Ctrl-C, SIGTERM and SIGHUP after the block: an exception within a queue of the executor would leave it locked."""
    # Python runs handlers in the main thread, and lets no other thread set one.
    if current_thread() is not main_thread():
        yield
        return
    received: list[int] = []
    # `signal` returns the handler that was there before; None for one that is not of Python.
    handlers = {number: signal.signal(number, lambda number, _frame: received.append(number)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if received:
            # The handler of the first signal ends the run: others need no answer.
            first_signal, *_ = received
            signal.raise_signal(first_signal)


@contextmanager
def _blocked_signals(*names: str) -> Iterator[None]:
    """Start processes without these signals, which a terminal sends to the whole group: the main process ends the others."""
    # Windows has no mask of signals.
    if sys.platform == "win32":
        yield
        return
    blocked = {getattr(signal, name) for name in names}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_tracker() -> None:
    """Start the process of `multiprocessing` that removes semaphores, before the first semaphore or process starts it.

    It ignores SIGINT itself, and unblocks SIGINT after its start: so it must not start where SIGINT is to stay blocked.
    """
    if sys.platform != "win32":
        with _blocked_signals("SIGHUP"):
            resource_tracker.ensure_running()


def _begin_process(path: Path) -> None:
    """Read the task of this process, and end it when the main process has ended."""
    global _task  # noqa: PLW0603 - the initialiser of a process
    _task = pickle.loads(path.read_bytes())
    Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()


def _end_with(process: multiprocessing.process.BaseProcess) -> None:
    """End this process when another one has ended."""
    process.join()
    os._exit(1)


def _segment_in_process(number: int) -> bytes:
    """Train a member by the task that this process has read, and segment."""
    return _train_and_segment(_task, number)


def _train_and_segment(task: _Task, number: int) -> bytes:
    """Train member `number`; return a byte for each unit of the task: 1 where a word ends, else 0."""
    import pycrfsuite

    member = draw_member(number, task.seed, len(task.training))
    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": MAX_ITERATIONS})
    for index in member.sample:
        words = task.training[index]
        trainer.append(unit_features(units_of(words), member.template), unit_tags(words))
    # The library writes a model to a file, and reads it from there.
    model = task.folder / str(number)
    trainer.train(str(model))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    model.unlink()
    ends = bytearray()
    for units in task.unsegmented:
        # The tagger takes no empty sequence.
        tags = tagger.tag(unit_features(units, member.template)) if units else []
        ends += word_ends(tags)
    tagger.close()
    return bytes(ends)
