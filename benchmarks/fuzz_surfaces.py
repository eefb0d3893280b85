"""Kinds of cases of `fuzz.py` in which one question is asked in several ways, or takes long if it is not answered well."""

from __future__ import annotations

import atexit
import contextlib
import csv
import io
import json
import math
import os
import random
import re
import resource
import shlex
import socket
import subprocess
import sys
import time
import unicodedata
import urllib.request
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from fuzz_checks import ROOT, Finding, about, check, check_failed, draw_pair, in_child, lines, recut, run, same, written

import segscores
from segscores.options.table import OPTIONS
from segscores.options.tasks import COMMANDS, Request, command_line
from segscores.scoring.measures.registry import GROUPS
from tests import corpora, naive

#: The megabytes by which the memory of the page may grow while requests wait.
PAGE_MEGABYTES = 400
#: The seconds that the page may take for a short answer meanwhile.
PAGE_SECONDS = 10

#: Formats of text: how a file writes an utterance of words, units that mean something in it, and values of its options.
FORMATS: dict[str, tuple[Callable[[Sequence[str]], str], str, dict[str, tuple[Any, ...]]]] = {
    "words": (" ".join, "ab", {"joiner": (None, "=", "+-")}),
    "units": (lambda words: " WORD_BOUNDARY ".join(map(" ".join, words)), "ab", {"ignored_tokens": ((), ("a", "|"))}),
    "separated": ("|".join, " ", {"spaces": ("units", "drop"), "markup": ("units", "drop"), "separator": (None, "|")}),
    "syllables": (lambda words: " ".join(map("_".join, words)), "狗", {"joiner": (None, "_")}),
    "tagged": (lambda words: " ".join(f"{word}/n" for word in words), "/", {"separator": (None, "/")}),
    "kytea": (lambda words: " ".join(f"{word}/名詞" for word in words), "東", {}),
}
#: Characters that compose, that move past another mark, and that are compatible with others.
LIVELY = ("e\u0301", "a\u0323\u0302", "é", "ﬁ", "½", "각", "\u1100\u1161", "ｶﾞ", "\u0345")
READING: dict[str, tuple[Any, ...]] = {
    "normalize": (None, "NFC", "NFD", "NFKC", "NFKD"),
    "subword_marks": (None, None, "strip", "##", "▁", "@@"),
    "documents": (False, False, True),
    "zero_division": (0.0, 1.0, math.nan),
    "on_mismatch": ("error", "align"),
    "average": ("micro", "macro"),
}


def groups_of(documents: bool) -> list[str]:
    """Return the groups of scores that need no further input, such as a vocabulary; of documents also their groups."""
    own = set(chain.from_iterable(option.groups for option in OPTIONS.values() if option.adds))
    fits = {
        name
        for name, group in GROUPS.items()
        if ("documents" in group.needs) <= documents and group.needs.isdisjoint({"times", "tags"})
    }
    return sorted(fits - own)


def attack_systems(source: random.Random) -> None:
    """Score several predictions, some with bad lines, with any reading option: each has its scores, or its error, as alone."""
    name = source.choice(list(FORMATS))
    write, own, of_format = FORMATS[name]
    of_reference = source.choice([name, "words"]) if name in ("tagged", "kytea") else name
    drawn = {option: source.choice(values) for option, values in (READING | of_format).items()}
    drawn["subword_marks"] = None if name in ("units", "syllables") else drawn["subword_marks"]
    options = {option: value for option, value in drawn.items() if value not in (None, False, ())}
    groups = groups_of(drawn["documents"])
    options |= {
        "prediction_format": name,
        "reference_format": of_reference,
        "scores": tuple({source.choice(groups): None for _ in range(3)}),
    }
    skip, marks = {"on_error": "skip"} if source.random() < 0.3 else {}, drawn["subword_marks"]
    corpus, _ = draw_pair(source, [1, 4, 30], [*"ab狗", *own, *LIVELY, *(["<NE>"] if name == "separated" else [])], 12)
    share = source.choice([0.0, 0.0, 0.1, 0.5])

    def text(words: Sequence[Sequence[str]], write: Any = write) -> str:
        joint, form = drawn.get("joiner") or "", source.choice(["NFC", "NFD"])
        mark = {"strip": source.choice(["##", "▁", ""])}.get(marks, marks) if name == "words" else ""
        spelled = [(joint if name == "words" and source.random() < 0.3 else "").join(word) for word in words]
        spelled = [f"{word}@@" if mark == "@@" else f"{mark or ''}{word}" for word in spelled]
        line = write(spelled if name != "syllables" else words)  # type: ignore[arg-type]
        return unicodedata.normalize(form, line) if drawn["normalize"] else line

    paths = [written("r.txt", lines(text(words, FORMATS[of_reference][0]) for words in corpus))]
    for system in "pqs"[: source.choice([2, 2, 3])]:
        data = [text(words).encode() for words in recut(source, corpus)]
        bad = [b"x y", b"", *([b"\xff", b"\0"] if skip else [])]
        paths.append(
            written(f"{system}.txt", b"".join((source.choice(bad) if source.random() < share else line) + b"\n" for line in data))
        )  # fmt: skip

    def in_command(*names: Path) -> Any:
        files = {"reference": str(paths[0]), "predictions": [*map(str, names)]}
        values = {key: value for key, value in (options | skip).items() if not key.endswith("_format")}
        values["text_format"] = (of_reference, name)
        arguments = shlex.split(command_line(Request(COMMANDS["score"], files, values)))[1:]
        status, output, message = run([*arguments, "--format=json"])
        if status:
            check_failed(status, output, message)
            return message
        return [system["scores"] for system in json.loads(output)["predictions"]]

    def in_python(*names: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if len(names) == 1:
                    return [segscores.score(paths[0], names[0], **options)]
                compared = segscores.compare(paths[0], {str(path): path for path in names}, n_trials=20, **options)
                # It has the number of skipped utterances elsewhere.
                return [{"skipped_utterances": 0.0} | scores for scores in compared.scores.values()]
            except ValueError as error:
                return str(error)

    with about(f"{options | skip} of {len(corpus)} utterances, bad share {share}"):
        alone = [in_command(path) for path in paths[1:]]
        agree(in_command(*paths[1:]), alone, "together in the command")
        if skip:
            return
        for path, own in zip(paths[1:], alone, strict=True):
            agree(in_python(path), [own], f"Python for {path}")
        # Systems are compared over the utterances that none of them skips.
        if not any(isinstance(own, list) and own[0].get("skipped_utterances") for own in alone):
            compared = in_python(*paths[1:])
            if "at least two" not in compared:
                agree(compared, alone, "`compare`")


def agree(together: Any, alone: list[Any], what: str) -> None:
    """Check that there are the scores that each system has alone, or an error if one of them has an error."""
    message = f"{what}: {together}, alone in the command {alone}"
    check(isinstance(together, str) == any(isinstance(system, str) for system in alone), message)
    for scores, (own,) in zip(together, alone, strict=True) if not isinstance(together, str) else ():
        same(scores, {key: math.nan if value is None else value for key, value in own.items()}, what)


def attack_groups(source: random.Random) -> None:
    """Write groups in tagged text, within each other: the scores are those without groups; a bracket too many is an error."""
    references, _ = draw_pair(source, [1, 4, 30], ["纽", "约", "a", "1", "-", "/", "("], 8)
    sides = [references, recut(source, references)]
    bad = source.choice([None, None, *(row for row, words in enumerate(references) if words)])

    def text(words: Sequence[Sequence[str]], has_bad: bool) -> str:
        tokens = [f"{''.join(word)}/{source.choice(['n', 'nr', 'v2'])}" for word in words]
        groups, at = [""] * len(tokens), len(tokens)
        while at and source.random() < 0.7:
            start = source.randrange(at)
            end = source.randrange(start, at)
            # Within each other, or one before the other.
            for _ in range(source.choice([1, 1, 2])):
                tokens[start] = "[" + tokens[start]
                groups[end] += source.choice(["]nt", "]/nz", "]"])
            at = start
        if has_bad:
            place = source.randrange(len(tokens))
            if source.random() < 0.5:
                tokens[place] = "[" + tokens[place]
            else:
                groups[place] += "]nt"
        return " ".join(map("".join, zip(tokens, groups, strict=True)))

    at = source.randrange(2)
    for name, side in zip("rp", sides, strict=True):
        written(f"{name}.txt", lines(text(words, (row, "rp"[at]) == (bad, name)) for row, words in enumerate(side)))
    arguments = ["score", "r.txt", "p.txt", "--text-format=tagged", "--format=json"]
    status, output, message = run(arguments)
    with about(repr([Path(f"{name}.txt").read_text() for name in "rp"])[:500]):
        if bad is not None:
            check_failed(status, output, message)
            check(f"{'rp'[at]}.txt, line {bad + 1}:" in message, f"expected line {bad + 1}: {message}")
            return
        check(status == 0, message)
        same(json.loads(output)["predictions"][0]["scores"], naive.naive_scores(*sides), "without groups")


#: The functions that find the cells of a table in each format.
CELLS: dict[str, Callable[[str], list[list[str]]]] = {
    "csv": lambda text: [row[:-1] for row in csv.reader(io.StringIO(text))],
    "table": lambda text: [re.split(" {2,}", line.strip()) for line in text.partition("\n\n")[0].splitlines()],
    "markdown": lambda text: [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")],
    "latex": lambda text: [line.rstrip("\\").split("&") for line in text.splitlines() if "&" in line],
    "html": lambda text: [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", text)],
}


def attack_counts(source: random.Random) -> None:
    """Print counts beside scores, in every format: no name is there twice, and the values are those of JSON."""
    references, _ = draw_pair(source, [2, 5, 30], "abåé狗", 12)
    for name, side in zip("rpq", [references, recut(source, references), recut(source, references)], strict=True):
        written(f"{name}.txt", lines(corpora.words_text(side)))
    groups = groups_of(documents=False)
    scores = ",".join({source.choice(groups): None for _ in range(source.choice([1, 2, 4]))})
    command = source.choice(["score", "curve"])
    arguments = [command, "r.txt", "1=p.txt", "2=q.txt", "--counts", "--text-format=words", f"--scores={scores}"]
    if source.random() < 0.3:
        arguments.append("--average=macro")
    style = source.choice(list(CELLS))
    layout = [flag for flag in ("--percent", "--systems=rows") if style != "csv" and source.random() < 0.5]
    with about(" ".join([*arguments, *layout, style])):
        outputs = [run([*arguments, *more]) for more in (["--format=json"], [f"--format={style}", *layout])]
        for status, _, message in outputs:
            check(status == 0, message)
        systems = json.loads(outputs[0][1])["predictions"]
        rows = [[cell.strip() for cell in row] for row in CELLS[style](outputs[1][1])]
        rows = [row for row in rows if any(re.search("[^-:]", cell) for cell in row)]
        by_system = rows if "--systems=rows" in layout else [*map(list, zip(*rows, strict=True))]
        check(len({*by_system[0]}) == len(by_system[0]), f"a name twice: {by_system[0]}")
        check(len(by_system) == 1 + len(systems), f"{len(by_system)} columns: {rows[0]}")
        for system, (_, *cells) in zip(systems, by_system[1:], strict=True):
            # Distances and numbers of edits are no shares, and not in percent.
            scales = (1, 100) if "--percent" in layout else (1,)
            values = [(number, scales, key in system["undefined"]) for key, number in system["scores"].items()]
            # JSON has the number of skipped utterances by an old name too.
            values += [(number, (1,), False) for name, number in system["counts"].items() if name != "left_out"]
            check(len(cells) == len(values), f"{len(cells)} cells, JSON has {len(values)} values: {by_system[0]}")
            for label, cell, (number, scales, is_undefined) in zip(by_system[0][1:], cells, values, strict=True):
                if cell != "–" or not is_undefined:
                    got = float(cell.replace("$-$", "-"))
                    is_same = any(abs(got - number * scale) <= 5.1e-5 * scale for scale in scales)
                    check(is_same, f"{label}: {cell}, JSON has {number}")


def attack_marks(source: random.Random) -> None:
    """Normalise words of many combining marks: the scores are those of a naive normalisation, in linear time."""
    marks = "\u0301\u0323\u031b\u0345\u0344\u0f71\u0f73\u3099\uff9e\u0334"
    form, units = source.choice(["NFC", "NFD", "NFKC", "NFKD"]), marks * 4 + "eaかé"
    references, _ = draw_pair(source, [1, 3, 20], units, source.choice([5, 60, 300]))
    texts = [corpora.word_lists(side) for side in (references, recut(source, references))]
    expected = naive.naive_scores(*[[normalized(words, form) for words in side] for side in texts])
    long = "".join(source.choices(source.choice([marks, units, "\u0301", "\u0301\u0323"]), k=8 * 20_000))

    def attempt(_: Callable[[], None]) -> None:
        same(segscores.score(*texts, normalize=form), expected, form)
        seconds = []
        for size in (20_000, 160_000):
            line = ["".join(each) for each in corpora.cut(long[:size], [source.random() < 0.4 for _ in long[:size]])]
            began = time.process_time()
            segscores.score([line], [line], normalize=form)
            seconds.append(time.process_time() - began)
        check(seconds[1] < 20 * max(seconds[0], 0.02), f"{form}: {seconds} s for 20,000 and 160,000 of {set(long)}")

    in_child(attempt)


def normalized(words: Sequence[str], form: str) -> list[str]:
    """Return the words of a normalised utterance, from the definition.

    A boundary stays where the text before it, normalised alone, begins the whole normalised text.
    """
    whole = unicodedata.normalize(form, "".join(words))
    befores = [unicodedata.normalize(form, "".join(words[:count])) for count in range(len(words) + 1)]
    ends = [len(before) for before in befores if whole.startswith(before)]
    return [whole[start:end] for start, end in pairwise(ends)]


def attack_long(source: random.Random) -> None:
    """Align a line of 100,000 characters, of which some or all are changed: no more edits are found than were made."""
    alphabet = source.choice(["ab", "abcdefgh ", "abåé狗 ", "a"])
    characters, edits = source.choices(alphabet, k=100_000), source.choice([0, 1, 100, 10_000, 100_000])
    changed = [*characters]
    for _ in range(edits):
        place, new = source.randrange(len(changed)), source.choice(["", "b", "x", "aa"])
        changed[place : place + 1] = new
    for name, text in (("r", characters), ("p", changed)):
        written(f"{name}.txt", lines(["the dog", "".join(text)]))
    units = len("thedog") + sum(character != " " for character in characters)

    def attempt(_: Callable[[], None]) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        arguments = ["--text-format=words", "--on-mismatch=align", "--scores=token,unit_error", "--format=json"]
        status, output, message = run(["score", "r.txt", "p.txt", *arguments])
        check(status == 0, message)
        rate = json.loads(output)["predictions"][0]["scores"]["unit_error_rate"]
        check(rate * units <= 2 * edits + 1e-6, f"{rate * units} errors of units after {edits} edits")
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        check(peak < 300, f"{peak:.0f} MB")

    with about(f"{edits} edits of {alphabet!r}"):
        in_child(attempt)


@lru_cache(maxsize=1)
def page() -> tuple[subprocess.Popen[bytes], int, float]:
    """Start the page once; return its process, its port and its megabytes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, ROOT / "app.py"],
        cwd="/",
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(process.wait)
    atexit.register(process.terminate)
    while process.poll() is None:
        with contextlib.suppress(OSError):
            answer_of_page(port)
            break
        time.sleep(0.5)
    if process.poll() is not None:
        # Such as a port that another program has taken since it was found to be free.
        raise RuntimeError(f"the page did not start: {process.args} exited with {process.returncode}")
    return process, port, megabytes_of(process)


def answer_of_page(port: int) -> Any:
    """Return the page's answer to a short question."""
    data = json.dumps({"reference": "the dog", "prediction": "thedog"}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/answer/score", data, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=PAGE_SECONDS) as response:
        return json.load(response)


def megabytes_of(process: subprocess.Popen[bytes]) -> float:
    """Return the memory that a process has now, as Linux says: `VmRSS:  123456 kB`."""
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    return int(kilobytes) / 1024


def attack_page(source: random.Random) -> None:
    """Send requests that stop half-way, or whose answers nobody reads: the page answers others, in bounded memory."""
    process, port, at_first = page()
    how, count = source.choice(["head", "half", "half", "chunks", "unread"]), source.choice([3, 10, 40])
    # Whole texts are scored, which takes memory of its own.
    size = source.choice([100, 1_000_000, 20_000_000 if how != "unread" else 100_000])
    path = source.choice(["/answer/score", "/export/score/csv", "/gradio_api/call/score", "/nothing"])
    body = b'{"reference": "' + b"a b\\n" * (size // 5)
    length = {"chunks": "Transfer-Encoding: chunked", "unread": f"Content-Length: {len(body) + 2}"}
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{length.get(how, f'Content-Length: {2 * len(body)}')}\r\n"
    content = {"head": b"", "chunks": b"\r\n%x\r\n%b" % (2 * len(body), body), "unread": b"\r\n" + body + b'"}'}
    with about(f"{count} requests to {path}, {how}, {len(body):,} bytes"), contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
            # Who refuses a request may close the connection, or read no more of it.
            with contextlib.suppress(OSError):
                connection.sendall(head.encode() + content.get(how, b"\r\n" + body))
        began = time.monotonic()
        try:
            answer = answer_of_page(port)
        except OSError as error:
            check(False, f"no answer to a short question: {error!r} after {time.monotonic() - began:.1f} s")
        check(answer["problem"] == "", f"{answer['problem']}")
        now = megabytes_of(process)
        if now - at_first >= PAGE_MEGABYTES:
            process.terminate()
            page.cache_clear()
            raise Finding(f"{now:.0f} MB, {at_first:.0f} MB at first")
    check(process.poll() is None, "the page ended")
