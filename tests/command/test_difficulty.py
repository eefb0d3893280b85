"""`segmentation-scores difficulty`: committees, files of difficulties, scores, the page, and what is refused."""

from __future__ import annotations

import html
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from segscores.analysis import committee
from segscores.analysis.difficulty import rate_difficulty, score_difficulty
from segscores.command.main import main
from segscores.reading.readers import from_labels

from ..naive_difficulty import spans
from ..processes import processes_of_session
from .running import run_command

# Words that a language of our own has; a sentence is a random row of them.
WORDS = ("ab", "c", "dab", "e", "bcd", "ea", "cc")

Run = Callable[..., str]


def sentences(count: int, seed: int) -> list[str]:
    source = random.Random(seed)
    return [" ".join(source.choices(WORDS, k=source.randrange(3, 9))) for _ in range(count)]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The subcommand: what it prints to standard output; errors are raised."""

    def run_difficulty(*arguments: object) -> str:
        run_command("difficulty", *arguments)
        return capsys.readouterr().out

    return run_difficulty


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with a reference, a training set, three segmenters' outputs and difficulties."""
    reference = [*sentences(8, seed=1), "", "ab c"]
    members = [
        reference,
        [line.replace("ab c", "abc").replace("e ", "e") for line in reference],
        [" ".join(line.replace(" ", "")) for line in reference],
    ]
    files = {
        "reference.txt": reference,
        "train.txt": sentences(40, seed=2),
        "difficulties.jsonl": [json.dumps([0.25] * len(line.split())) for line in reference],
    } | {f"member{number}.txt": lines for number, lines in enumerate(members)}
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def read_jsonl(text: str) -> list[list[float]]:
    return [json.loads(line) for line in text.splitlines()]


def read_lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.mark.parametrize(
    ("template", "windows"),
    [
        # Qian et al. (2016), Table 1: C_i, C_i:i+1 and C_i:i+2 for the i listed.
        ("F1", [(-1, -1), (0, 0), (1, 1), (-1, 0), (0, 1)]),
        ("F2", [*((i, i) for i in (-2, -1, 0, 1, 2)), *((i, i + 1) for i in (-2, -1, 0, 1))]),
        (
            "F3",
            [
                *((i, i) for i in (-2, -1, 0, 1, 2)),
                *((i, i + 1) for i in (-2, -1, 0, 1)),
                *((i, i + 2) for i in (-2, -1, 0)),
            ],
        ),
    ],
)
def test_the_templates_are_those_of_the_papers_table_1(template: str, windows: list[tuple[int, int]]) -> None:
    assert sorted(committee.TEMPLATES[template]) == sorted(windows)
    units = "白藜芦醇是"
    features = committee.unit_features(units, template)
    assert len(features) == len(units)
    assert features[2] == [
        f"{i}:{j}={' '.join(units[max(0, 2 + i) : 3 + j])}" for i, j in committee.TEMPLATES[template]
    ]


def test_members_are_random_combinations_of_templates_and_samples() -> None:
    members = [committee.draw_member(number, seed=0, training_size=200) for number in range(60)]
    assert {(member.template, member.ratio) for member in members} == {
        (template, ratio) for template in ("F1", "F2", "F3") for ratio in (0.1, 0.2, 0.3)
    }
    for member in members:
        assert len(set(member.sample)) == len(member.sample) == round(member.ratio * 200)
    assert len({member.sample for member in members}) == 60
    assert committee.draw_member(0, seed=1, training_size=200) != members[0]
    # Of a tiny training set every member has an utterance.
    assert committee.draw_member(0, seed=0, training_size=1).sample == (0,)


def test_impossible_tags_are_read_as_label_schemes_read_them() -> None:
    source = random.Random(0)
    for _ in range(200):
        tags = source.choices("BMES", k=source.randrange(1, 8))
        expected = from_labels(pa.array([tags], pa.large_list(pa.large_string())), "BMES").word_ends.tolist()
        assert [end for end, is_end in enumerate(committee.word_ends(tags), 1) if is_end] == expected


def test_difficulties_of_ready_outputs_are_those_of_the_function(run: Run, corpus: Path) -> None:
    paths = [corpus / f"member{number}.txt" for number in range(3)]
    saved = corpus / "saved.jsonl"
    assert run(corpus / "reference.txt", "--committee", *paths, "-o", saved) == ""
    rated = read_jsonl(run(corpus / "reference.txt", "--committee", *paths))
    assert read_jsonl(saved.read_text()) == rated
    expected = rate_difficulty(read_lines(corpus / "reference.txt"), list(map(read_lines, paths)), text_format="words")
    assert rated == [array.tolist() for array in expected]
    assert rated[8] == []


def test_a_trained_committee_is_the_same_for_a_seed_and_for_any_number_of_processes(run: Run, corpus: Path) -> None:
    def rate(*options: object) -> list[list[float]]:
        return read_jsonl(run(corpus / "reference.txt", "--train", corpus / "train.txt", "--members", 6, *options))

    alone = rate("--seed", 3, "--processes", 1)
    assert rate("--seed", 3, "--processes", 2) == alone
    assert rate("--seed", 4, "--processes", 1) != alone
    words = [len(line.split()) for line in read_lines(corpus / "reference.txt")]
    assert list(map(len, alone)) == words
    flat = [value for rated in alone for value in rated]
    assert all((value * 6) == pytest.approx(round(value * 6)) for value in flat)
    assert 0 < sum(flat) < len(flat)


def test_a_trained_committee_recovers_certain_words(run: Run, tmp_path: Path) -> None:
    (tmp_path / "reference.txt").write_text("ab c\n")
    (tmp_path / "train.txt").write_text("ab c\nab c ab\nc ab\n" * 20)
    output = run(tmp_path / "reference.txt", "--train", tmp_path / "train.txt", "--members", 4, "--processes", 1)
    assert read_jsonl(output) == [[0.0, 0.0]]


def test_each_text_of_a_rating_has_its_own_form(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(corpus)
    names = ("reference", "train", "member1", "member0")
    for name in names:
        words = [line.split() for line in read_lines(Path(f"{name}.txt"))]
        units = [" ;eword ".join([*map(" ".join, each), ""]) for each in words]
        Path(f"{name}.units").write_text("".join(f"{line}\n" for line in units))
    outputs = set()
    for endings in ("txt", "units"), ("units", "txt"), ("txt", "txt"):
        reference, train, *members = (f"{name}.{endings[at % 2]}" for at, name in enumerate(names))
        for source in (["--train", train, "--members", "2"], ["--committee", *members]):
            assert main(["difficulty", reference, *source, "--score", *members, "--format", "csv"]) == 0
            printed = capsys.readouterr()
            named = [reference, *source[1:], *members]
            joined = [line.split(":")[1].strip() for line in printed.err.splitlines() if "joined into words" in line]
            assert joined == [name for name in named if name.endswith("units")]
            rows = (line.partition(",")[2] for line in printed.out.splitlines()[1:] if "signature" not in line)
            outputs.add((source[0], *rows))
    assert len(outputs) == 2
    expected = "member1.txt, line 1: this is not a CoNLL-U line.*Then use --text-format ,words"
    assert main(["difficulty", "reference.txt", "--committee", "member1.txt", "--text-format", ",conllu"]) == 2
    assert re.search(expected, capsys.readouterr().err)


def start_training(corpus: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Start a long training in two processes, with a folder for temporary files."""
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "segscores.command.main", "difficulty", corpus / "reference.txt"),
            *("--train", corpus / "train.txt", "--processes", "2", "--members", "100000", "-o", corpus / "out.jsonl"),
        ],
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
        start_new_session=True,
        # Tests that run in a shell's background ignore the signal, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread is running
    )


def check_that_none_is_left(process: subprocess.Popen[bytes]) -> None:
    """Check that all processes of a session end; Python's own resource tracker does when it sees that nobody is left."""
    deadline = time.monotonic() + 60
    while processes_of_session(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of_session(process.pid) == []


def training_processes(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The two processes that train, once they have begun."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = [
            child for child in psutil.Process(process.pid).children() if "spawn_main" in " ".join(child.cmdline())
        ]
        if len(children) == 2:
            return children
        time.sleep(0.01)
    raise AssertionError("the training has not begun")


posix = pytest.mark.skipif(os.name != "posix", reason="the test needs POSIX signals")


@posix
def test_the_processes_of_a_training_end_with_the_one_that_started_them(corpus: Path, tmp_path: Path) -> None:
    process = start_training(corpus, tmp_path)
    training_processes(process)
    process.kill()
    process.communicate(timeout=60)
    check_that_none_is_left(process)


@posix
def test_the_death_of_a_training_process_is_an_error_that_says_what_to_try(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    process = start_training(corpus, folder)
    training_processes(process)[1].kill()
    _, message = process.communicate(timeout=60)
    assert process.returncode == 2
    assert message.startswith(
        b"segmentation-scores: error: a training process died, perhaps for want of memory: try fewer"
    )
    assert message.count(b"\n") == 1
    assert os.listdir(folder) == []
    assert not (corpus / "out.jsonl").exists()
    check_that_none_is_left(process)


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("models", [0, 1, 6])
def test_an_interrupted_training_leaves_nothing_behind(corpus: Path, number: signal.Signals, models: int) -> None:
    folder = corpus / "temporary"
    folder.mkdir()
    process = start_training(corpus, folder)
    # With no model yet the processes are starting.
    seen: set[str] = set()
    deadline = time.monotonic() + 60
    while len(seen) < models and time.monotonic() < deadline:
        seen |= {path.name for path in folder.glob("*/*")}
        time.sleep(0.002)
    if not models:
        # Python makes the folder some moments before anything removes it; a first process begins after that.
        while not psutil.Process(process.pid).children() and time.monotonic() < deadline:
            time.sleep(0.002)
    os.killpg(process.pid, number)
    _, message = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert b"Traceback" not in message
    assert b"Exception ignored" not in message
    assert os.listdir(folder) == []
    assert not (corpus / "out.jsonl").exists()
    check_that_none_is_left(process)


def test_scores_are_those_of_python_to_the_last_digit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(5)
    reference = sentences(400, seed=4)
    prediction = ["".join(letter for letter in line if letter != " " or source.random() < 0.7) for line in reference]
    difficulties = [[source.randrange(8) / 7 for _ in line.split()] for line in reference]
    for name, lines in {"r.txt": reference, "p.txt": prediction, "d.jsonl": map(json.dumps, difficulties)}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    # Sums of sevenths are rounded, and the text is read in many parts.
    monkeypatch.setattr("segscores.sources.fold.PART_BYTES", 100)
    monkeypatch.chdir(tmp_path)
    printed = run("r.txt", "--difficulties", "d.jsonl", "--score", "p.txt", "--format", "json")
    scores = json.loads(printed)["predictions"][0]["scores"]
    expected = score_difficulty(reference, prediction, difficulties, text_format="words")
    assert {key: scores[key] for key in expected} == expected


def naive_deciles(reference: list[str], prediction: list[str], rated: list[list[float]]) -> list[tuple[int, int]]:
    """How many words each tenth has and how many are recovered, by sets of spans."""
    counts = [[0, 0] for _ in range(10)]
    for line, other, difficulties in zip(reference, prediction, rated, strict=True):
        found = set(spans(other.split()))
        for span, value in zip(spans(line.split()), difficulties, strict=True):
            tenth = next(number for number in range(10) if value <= (number + 1) / 10)
            counts[tenth][0] += 1
            counts[tenth][1] += span in found
    return [(words, recovered) for words, recovered in counts]


@pytest.fixture
def rated(corpus: Path) -> Path:
    """The corpus with a file of random difficulties, none of them above 0.8."""
    source = random.Random(5)
    lines = read_lines(corpus / "reference.txt")
    values = [[source.randrange(9) / 10 for _ in line.split()] for line in lines]
    (corpus / "random.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in values))
    return corpus


def test_plots_and_tables_have_the_counts_of_the_naive_implementation(
    run: Run, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    monkeypatch.setattr("segscores.sources.fold.PART_BYTES", 40)
    members = [rated / f"member{number}.txt" for number in range(3)]
    output = run(
        *(rated / "reference.txt", "--difficulties", rated / "random.jsonl", "--counts"),
        *("--score", members[0], "--score", members[1], members[2], "--plot", rated / "p.svg"),
    )
    expected = [
        naive_deciles(
            read_lines(rated / "reference.txt"), read_lines(member), read_jsonl((rated / "random.jsonl").read_text())
        )
        for member in members
    ]
    assert expected[0][9] == (0, 0)
    lines = drawn[0].axes[0].lines
    for line, counts in zip(lines, expected, strict=True):
        points = zip(line.get_xdata(), line.get_ydata(), strict=True)
        assert {round(place): share for place, share in points} == {
            tenth: recovered / words for tenth, (words, recovered) in enumerate(counts) if words
        }
    assert [text.get_text() for text in drawn[0].axes[0].texts] == [member.name for member in members]
    scores, shares, signature = output.split("\n\n")
    assert signature.startswith("signature: segscores|text:words|")
    assert scores.splitlines()[0].split() == ["score", *(member.name for member in members)]
    header, _, *rows = shares.splitlines()
    named = [name for member in members for name in (member.name, "recovered")]
    assert re.split(r" {2,}", header.strip()) == ["recovered at", "words", *named]
    for tenth, row in enumerate(rows):
        words = expected[0][tenth][0]
        cells = [
            cell
            for counts in expected
            for cell in (f"{counts[tenth][1] / words:.4f}" if words else "–", str(counts[tenth][1]))
        ]
        interval = f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}"
        assert re.split(r" {2,}", row.strip()) == [interval, str(words), *cells]


class Words(HTMLParser):
    """The text of every word of a page's list, with its number, and whatever a page may not load."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self._in_list = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in_list |= tag == "li"
        self._open.append(tag)
        if tag == "ruby" and self._in_list:
            self.words.append(("", ""))

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._in_list and self._open[-2:-1] == ["ruby"]:
            text, number = self.words[-1]
            self.words[-1] = (text + data, number) if self._open[-1] == "b" else (text, number + data)


def test_the_page_has_every_word_with_its_difficulty_and_nothing_else_to_load(run: Run, tmp_path: Path) -> None:
    words = ["<script>alert(1)</script>", '"&amp;"', "狗\u202e", "\x1b"]
    reference = tmp_path / "a<b>.txt"
    reference.write_text(" ".join(words) + "\n\n")
    rated = [0.0, 0.5, 0.96, 1.0]
    (tmp_path / "difficulties.jsonl").write_text(f"{json.dumps(rated)}\n[]\n")
    page_path = tmp_path / "page.html"
    assert run(reference, "--difficulties", tmp_path / "difficulties.jsonl", "--html", page_path) == ""
    page = page_path.read_text()
    parser = Words()
    parser.feed(page)
    shown = [*words[:2], "狗[U+202E]", "\u241b"]
    assert parser.words == [(word, f"{value:.2f}") for word, value in zip(shown, rated, strict=True)]
    assert not {"script", "link", "img", "iframe"} & set(parser.tags)
    assert not re.search(r"url\(|@import|https?:", page)
    assert page.count("<li>") == 2
    assert html.escape("a<b>.txt") in page
    assert "0.0–0.1: 1</b>" in page
    assert "0.9–1.0: 2</b>" in page
    assert "prefers-color-scheme: dark" in page


BAD_LINES: dict[str, tuple[str, str]] = {
    "no JSON": ("0.5 x", r"bad.jsonl, line 2: received '0.5 x', which is not JSON .*expected a JSON list"),
    "blank": ("", "reference.txt has 2 lines and bad.jsonl has 3 lines"),
    "no list": ('"0.5"', "bad.jsonl, line 2: received .*; expected a JSON list"),
    "above 1": ("[0.5, 2]", r"bad.jsonl, line 2: word 1 has the difficulty 2\.0; expected a number in \[0, 1\]"),
    "NaN": ("[0.5, NaN]", "bad.jsonl, line 2: word 1 has the difficulty nan; .*missing value"),
    "null": ("[0.5, null]", r"bad.jsonl, line 2: received '\[0\.5, null\]'; expected a JSON list"),
    "true": ("[0.5, true]", "bad.jsonl, line 2: received .*; expected a JSON list"),
    "nested": ("[[0.5, 0.5]]", "bad.jsonl, line 2: received .*; expected a JSON list"),
    "too deep": ("[" * 100_000, "bad.jsonl, line 2: received .*, which is not JSON"),
    "a large integer": (f"[0.5, {10**400}]", "bad.jsonl, line 2: received an integer that is too large for a float"),
    "a larger integer": (f"[0.5, {'1' * 5000}]", "bad.jsonl, line 2: received .*, which is not JSON"),
    "too few": ("[0.5]", "bad.jsonl, line 2: received 1 difficulties, expected 2"),
    "a line more": (
        "[0.5, 0.5]\n[1]",
        "has 2 lines and bad.jsonl has 3 lines: expected a list of difficulties for each line",
    ),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_bad_files_of_difficulties_are_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.chdir(tmp_path)
    line, message = BAD_LINES[case]
    Path("reference.txt").write_text("a\nb c\n")
    # A line after it where it would be the last and blank: blank lines at the end of a file are none.
    Path("bad.jsonl").write_text(f"[0.5]\n{line}\n" + ("[1]\n" if not line else ""))
    with pytest.raises(ValueError, match=message):
        run("reference.txt", "--difficulties", "bad.jsonl", "--score", "reference.txt")


def test_without_the_crf_library_the_error_has_the_command(
    run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(ValueError, match=r'pip install "python-crfsuite>=0\.9\.9"'):
        run(corpus / "reference.txt", "--train", corpus / "train.txt")
