"""Kinds of cases of `fuzz.py` about the command: options with any value, or given twice, and runs that are interrupted."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from fuzz_checks import ROOT, TIME_LIMIT, Finding, about, check, check_failed, draw_pair, lines, run, written

from segscores.apps.command.cli import subcommand_parsers
from segscores.options.kinds import Switch
from segscores.options.tasks import COMMANDS, flag_of
from tests import corpora
from tests.processes import processes_of_session

#: Values that no option can do anything sensible with, or that are at the ends of what it can.
NONSENSE = (
    "--", "-", "", " ", "\t", "0", "-0", "1", "-1", "2", "00", "+1", "1.5", "1e3", "1e400", "nan", "-inf", "inf", "0x10",
    "1_0", "9" * 18, "9" * 19, "9" * 30, "-" + "9" * 30, str(1 << 31), str(1 << 53), "٣", "½", "True", "None", "null",
    "[]", "{}", "a", "=", "a=", "=a", "a=b", "a=b=c", "token_fscore", "token_fscore=", "token_fscore=x", ",", "a,b", ",,",
    "token,", "all", "token", "0:1:0", "1:0:1", "0:1:1e-9", "0,nan", "::", "utterance", "WORD_BOUNDARY", "\x1b[31m",
    "\x00", "\u202e", "\udcff", "🐕", "a b", "a\nb", "%s", "%(prog)s", "{}", "$HOME", "*", "[", "**/*", "x" * 5000, ".",
    "..", "/", "./", "missing/x", "r.txt", "p.txt", "loop", "/dev/null", "/dev/full", "/proc/self/mem", "x.csv", "x.html",
    "x.png", "x.jsonl", "r.txt/x.csv", "s.jsonl", "t.csv", "t.jsonl", "1kB", "-1GB", "1e99TB", "NFKC", "BMES", "skip",
    "align",
)  # fmt: skip

#: For each subcommand what it needs to run at all.
NEEDED: dict[str, list[str]] = {
    "score": ["r.txt", "p.txt"],
    "compare": ["r.txt", "p.txt", "q.txt"],
    "errors": ["r.txt", "p.txt"],
    "report": ["r.txt", "p.txt", "-o", "page.html"],
    "sweep": ["r.txt", "s.jsonl"],
    "curve": ["r.txt", "1=p.txt", "2=q.txt"],
    "difficulty": ["r.txt", "--committee", "p.txt", "q.txt"],
    "alignment": ["a.txt", "a.txt"],
    "correlate": ["t.csv", "--criterion", "quality"],
    "groups": [],
}

#: Pairs of a subcommand and one of its options or arguments that takes a value, as the parser lists them.
OPTIONS = [
    (command, action)
    for command, parser in subcommand_parsers().items()
    if command in NEEDED
    for action in parser._actions
    if action.nargs != 0
]

#: The repetitions of the three lines of the inputs: 36 utterances can be exchanged in more ways than any number of trials.
TIMES = 12

TEXT = "the dog\nis on\na boat\n" * TIMES


def attack_options(source: random.Random) -> None:
    """Give options nonsense as values: a run succeeds, or fails in one line and leaves nothing behind."""
    write_inputs()
    command = source.choice([command for command, _ in OPTIONS])
    actions = [action for name, action in OPTIONS if name == command]
    arguments = [command, *NEEDED[command]]
    for action in source.choices(actions, k=source.choice([1, 1, 1, 2, 3])):
        option = COMMANDS[command].options.get(action.dest)
        # Half of the values are choices of the option, if it has some.
        choices = option.kind.choices if option and source.random() < 0.5 else ()
        value = source.choice(choices or NONSENSE)
        if not action.option_strings:
            # An argument without a flag takes the place of one that is needed.
            if NEEDED[command]:
                arguments[source.randrange(1, 1 + len(NEEDED[command]))] = value
            else:
                arguments.append(value)
        elif source.random() < 0.5 and action.option_strings[-1].startswith("--"):
            arguments.append(f"{action.option_strings[-1]}={value}")
        else:
            arguments += [action.option_strings[-1], value]
    before = contents()
    status, output, message = run(arguments, TEXT.encode())
    shown = map(repr, arguments)
    what = " ".join(text if len(text) < 60 else text[:60] + "…" for text in shown)
    with about(what):
        if status == 2:
            check_failed(status, output, message)
        else:
            check(status in (0, 1), f"status {status}")
            check("Traceback" not in message, message[-300:])
    after = contents()
    # Other files may be written over, where an option says so.
    inputs = {name: data for name, data in before.items() if name in NEEDED[command]}
    check(inputs.items() <= after.items(), f"{what}: an input was changed")
    if status == 2:
        check(before == after, f"{what}: it failed and left {sorted(after.keys() - before.keys())}")
    check(not [name for name in after if name.endswith(".partial")], f"{what}: half of an output is left")


#: Pairs of a subcommand and one of its options that takes one value, and can be given once.
SINGLE = [
    (command, option)
    for command in NEEDED
    for option in COMMANDS[command].options.values()
    if not (isinstance(option.kind, Switch) or option.kind.is_repeatable or option.kind.takes_several)
    and option.name not in COMMANDS[command].one_of
]


def attack_twice(source: random.Random) -> None:
    """Give an option of one value two of them: an error shows both."""
    command, option = source.choice(SINGLE)
    values = source.sample([*option.kind.choices, "0.5", "first", "second", "7"], 2)
    flags = [source.choice([[flag_of(option), value], [f"{flag_of(option)}={value}"]]) for value in values]
    write_inputs()
    arguments = [command, *flags[0], *NEEDED[command], *flags[1]]
    with about(" ".join(arguments)):
        status, output, message = run(arguments)
        check_failed(status, output, message)
        check(flag_of(option) in message, f"expected an error that names {flag_of(option)}: {message}")
        check(all(value in message for value in values), f"expected an error that shows both values: {message}")


def write_inputs() -> None:
    """Write the files that the subcommands are called with."""
    texts = {
        "r.txt": TEXT,
        "p.txt": "thedog\nis on\naboat\n" * TIMES,
        "q.txt": "the dog\nison\na bo at\n" * TIMES,
        "a.txt": "0-0 1-1\n0-0\n0-1\n" * TIMES,
        "s.jsonl": "[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n[0.5, 0, 0, 0]\n" * TIMES,
        "t.csv": "system,quality,token_fscore\na,1,0.5\nb,2,0.75\nc,3,0.9\n",
        "t.jsonl": '{"reference": "a b", "prediction": "ab"}\n',
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    if not Path("loop").is_symlink():
        Path("loop").symlink_to("loop")


def contents() -> dict[str, bytes]:
    """Return the contents of the files of the folder, by their paths."""
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


#: From then on the command handles the signal itself, and the error is no `KeyboardInterrupt`.
DROPPED_BY_PYTHON = re.compile(
    r"Exception ignored in: <function _get_module_lock.*\nTraceback.*\n(  .*\n)+KeyboardInterrupt: ?\n"
)

#: Runs that take long enough to be interrupted.
INTERRUPTED = (
    "score r*.part p*.part --format json",
    "score r.txt p.txt --confidence 0.95 --per-utterance out.csv --interval-method percentile --resamples 20000",
    "difficulty r.txt --train r.txt --members 50 --processes 2 -o out.jsonl",
    "compare r.txt p.txt r.txt --interval-method percentile --resamples 20000",
    "report r*.part p*.part -o out.html",
)


def attack_signals(source: random.Random) -> None:
    """Send a signal at a random moment: the run ends, and leaves no traceback, process, temporary file or half of an output."""
    number = source.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    references, predictions = draw_pair(source, [300], "abcdå狗", 12)
    for name, side in (("r", references), ("p", predictions)):
        data = lines(corpora.words_text(side))
        written(f"{name}.txt", data)
        for index in range(4):
            written(f"{name}{index}.part", data * 20)
    arguments = source.choice(INTERRUPTED).split()
    folder = Path("temporary")
    folder.mkdir(exist_ok=True)
    before = contents()
    process = subprocess.Popen(
        [sys.executable, "-m", "segscores.apps.command.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder.resolve()), "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread is running
    )
    delay = source.choice([0.1, 1.0, 4.0]) * source.random()
    time.sleep(delay)
    for _ in range(source.choice([1, 1, 2])):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
    try:
        output, errors = process.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Finding(f"{signal.Signals(number).name} after {delay:.3f} s {arguments}: it goes on") from None
    what = f"{signal.Signals(number).name} after {delay:.3f} s {' '.join(arguments)}"
    message = errors.decode(errors="replace")
    # Until the command's first function is called a signal is Python's affair, which drops it within its own import lock.
    later = DROPPED_BY_PYTHON.sub("", message)
    own = re.search(r"segscores/.*, in (?!<module>)", later.replace(str(ROOT), "")) or "Exception ignored" in later
    check(not ("Traceback" in message and own), f"{what}: {message[-1500:]}")
    expected = (0, 128 + number, -number, *((1,) if "Traceback" in message else ()))
    check(process.returncode in expected, f"{what}: status {process.returncode}: {message[-300:]}")
    deadline = time.monotonic() + 10
    while (left := processes_of_session(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    check(not left, f"{what}: processes are left: {left}")
    check(not list(folder.iterdir()), f"{what}: in the temporary folder: {[path.name for path in folder.iterdir()]}")
    after = contents()
    check(before.items() <= after.items(), f"{what}: an input was changed")
    new = after.keys() - before.keys()
    check(not any(name.endswith(".partial") for name in new), f"{what}: half of an output is left: {new}")
    if process.returncode == 0 and "--format" in arguments:
        check(json.loads(output)["predictions"][0]["scores"], f"{what}: status 0 without scores")
