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
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from segscores.analysis import committee
from segscores.analysis.difficulty import rate_difficulty, score_difficulty
from segscores.command.main import main
from segscores.reading.labels import from_labels

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
@pytest.mark.parametrize("victim", ["the first process", "a training process"])
def test_the_death_of_a_process_ends_the_others(corpus: Path, tmp_path: Path, victim: str) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    process = start_training(corpus, folder)
    training = training_processes(process)
    (process if victim == "the first process" else training[1]).kill()
    _, message = process.communicate(timeout=60)
    if victim == "a training process":
        assert (process.returncode, message.count(b"\n")) == (2, 1)
        assert b"error: a training process died, perhaps for want of memory: try fewer" in message
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
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", 100)
    monkeypatch.chdir(tmp_path)
    printed = run("r.txt", "--difficulties", "d.jsonl", "--score", "p.txt", "--format", "json")
    scores = json.loads(printed)["predictions"][0]["scores"]
    expected = score_difficulty(reference, prediction, difficulties, text_format="words")
    assert {key: scores[key] for key in expected} == expected


def test_plots_and_tables_have_the_recovered_words_of_each_tenth(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    monkeypatch.chdir(tmp_path)
    for name, text in {"r": "ab c dab\nc\n", "p": "ab cdab\nc\n", "d.jsonl": "[0.05, 0.35, 0.35]\n[0.31]\n"}.items():
        Path(name).write_text(text)
    output = run("r", "--difficulties", "d.jsonl", "--counts", "--score", "p", "--score", "r", "--plot", "p.svg")
    # Of three words in the fourth tenth the prediction has the one of the second line.
    lines = [dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in drawn[0].axes[0].lines]
    assert [{round(place): share for place, share in line.items()} for line in lines] == [
        {0: 1, 3: 1 / 3},
        {0: 1, 3: 1},
    ]
    assert [text.get_text() for text in drawn[0].axes[0].texts] == ["p", "r"]
    scores, shares, signature = output.split("\n\n")
    assert signature.startswith("signature: segscores|text:words|")
    assert scores.splitlines()[0].split() == ["score", "p", "r"]
    header, _, *rows = (re.split(r" {2,}", row.strip()) for row in shares.splitlines())
    assert header == ["recovered at", "words", "p", "recovered", "r", "recovered"]
    words = {0: ["1", "1.0000", "1", "1.0000", "1"], 3: ["3", "0.3333", "1", "1.0000", "3"]}
    assert rows == [
        [f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}", *words.get(tenth, ["0", "–", "0", "–", "0"])]
        for tenth in range(10)
    ]


def test_the_page_has_every_word_with_its_difficulty_and_nothing_else_to_load(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["<script>alert(1)</script>", '"&amp;"', "狗\u202e", "\x1b"]
    Path("a<b>.txt").write_text(" ".join(words) + "\n\n")
    Path("d.jsonl").write_text("[0.0, 0.5, 0.96, 1.0]\n[]\n")
    assert run("a<b>.txt", "--difficulties", "d.jsonl", "--html", "page.html") == ""
    page = Path("page.html").read_text()
    shown = re.findall(r"<ruby><b [^>]*>([^<]*)</b><rt>([^<]*)</rt></ruby>", page.partition("<li>")[2])
    drawn = zip([*words[:2], "狗[U+202E]", "\u241b"], ("0.00", "0.50", "0.96", "1.00"), strict=True)
    assert [(html.unescape(word), number) for word, number in shown] == list(drawn)
    assert not re.search(r"<(script|link|img|iframe)|url\(|@import|https?:", page)
    assert page.count("<li>") == 2
    assert html.escape("a<b>.txt") in page
    assert "0.0–0.1: 1</b>" in page
    assert "0.9–1.0: 2</b>" in page
    assert "prefers-color-scheme: dark" in page


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0.5 x", "line 2: received '0.5 x', which is not JSON .*expected a JSON list"),
        ("", "^reference.txt has 2 lines and bad.jsonl has 3 lines"),
        ("[0.5, 2]", r"line 2: word 1 has the difficulty 2\.0; expected a number in \[0, 1\]"),
        ("[0.5, NaN]", "line 2: word 1 has the difficulty nan; .*missing value"),
        ("[0.5, null]", r"line 2: received '\[0\.5, null\]'; expected a JSON list"),
        *((line, "line 2: received .*; expected a JSON list") for line in ('"0.5"', "[0.5, true]", "[[0.5, 0.5]]")),
        *((line, "line 2: received .*, which is not JSON") for line in ("[" * 100_000, f"[0.5, {'1' * 5000}]")),
        (f"[0.5, {10**400}]", "line 2: received an integer that is too large for a float"),
        ("[0.5]", "line 2: received 1 difficulties, expected 2"),
        ("[0.5, 0.5]\n[1]", "has 2 lines and bad.jsonl has 3 lines: expected a list of difficulties for each line"),
    ],
    ids=lambda value: value[:20],
)
def test_bad_files_of_difficulties_are_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reference.txt").write_text("a\nb c\n")
    # A line after it where it would be the last and blank: blank lines at the end of a file are none.
    Path("bad.jsonl").write_text(f"[0.5]\n{line}\n" + ("[1]\n" if not line else ""))
    where = "bad.jsonl, " if message.startswith("line") else ""
    with pytest.raises(ValueError, match=where + message):
        run("reference.txt", "--difficulties", "bad.jsonl", "--score", "reference.txt")


def test_without_the_crf_library_the_error_has_the_command(
    run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(ValueError, match=r'pip install "python-crfsuite>=0\.9\.9"'):
        run(corpus / "reference.txt", "--train", corpus / "train.txt")
