"""`segscores difficulty`: committees, files of difficulties, scores, the page, and processes that end."""

import html
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

from segscores.analysis import committee
from segscores.analysis.difficulty import rate_difficulty
from segscores.reading.labels import from_labels

from ...command_runs import write_files
from ...processes import Run


def sentences(count: int, seed: int) -> list[str]:
    """Random rows of the words of a small language."""
    source = random.Random(seed)
    words = ("ab", "c", "dab", "e", "bcd", "ea", "cc")
    return [" ".join(source.choices(words, k=source.randrange(3, 9))) for _ in range(count)]


REFERENCE = [*sentences(8, seed=1), "", "ab c"]
MEMBERS = [
    REFERENCE,
    [line.replace("ab c", "abc").replace("e ", "e") for line in REFERENCE],
    [" ".join(line.replace(" ", "")) for line in REFERENCE],
]
FILES = {
    "reference.txt": REFERENCE, "train.txt": sentences(40, seed=2),
    **{f"member{number}.txt": lines for number, lines in enumerate(MEMBERS)},
}  # fmt: skip
TRAIN = "difficulty reference.txt --train train.txt"
COMMITTEE = "difficulty reference.txt --committee member0.txt member1.txt member2.txt"


@pytest.fixture
def rated(printed):
    """The difficulties that a command line prints."""
    return lambda line: [json.loads(row) for row in printed(line).splitlines()]


def windows(*spans: tuple[int, int]) -> list[tuple[int, int]]:
    """C_i:i+n for i from the first to the last, n = 0, 1, …."""
    return [(i, i + n) for n, (first, last) in enumerate(spans) for i in range(first, last + 1)]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        # Qian et al. (2016), Table 1: C_i, C_i:i+1 and C_i:i+2 for the i listed.
        ("F1", windows((-1, 1), (-1, 0))),
        ("F2", windows((-2, 2), (-2, 1))),
        ("F3", windows((-2, 2), (-2, 1), (-2, 0))),
    ],
)
def test_templates_equal_the_papers_table_1(template, expected):
    assert sorted(committee.TEMPLATES[template]) == sorted(expected)
    units = "白藜芦醇是"
    features = committee.unit_features(units, template)
    assert len(features) == len(units)
    shown = [f"{i}:{j}={' '.join(units[max(0, 2 + i) : 3 + j])}" for i, j in committee.TEMPLATES[template]]
    assert features[2] == shown


def test_members_are_random_combinations_of_templates_and_samples():
    members = [committee.draw_member(number, seed=0, training_size=200) for number in range(60)]
    combinations = {(template, ratio) for template in ("F1", "F2", "F3") for ratio in (0.1, 0.2, 0.3)}
    assert {(member.template, member.ratio) for member in members} == combinations
    for member in members:
        assert len(set(member.sample)) == len(member.sample) == round(member.ratio * 200)
    assert len({member.sample for member in members}) == 60
    assert committee.draw_member(0, seed=1, training_size=200) != members[0]
    # Of a tiny training set every member has an utterance.
    assert committee.draw_member(0, seed=0, training_size=1).sample == (0,)


def test_impossible_tags_are_read_as_label_schemes_read_them():
    source = random.Random(0)
    for _ in range(200):
        tags = source.choices("BMES", k=source.randrange(1, 8))
        expected = from_labels(pa.array([tags], pa.large_list(pa.large_string())), "BMES").word_ends.tolist()
        assert [end for end, is_end in enumerate(committee.word_ends(tags), 1) if is_end] == expected


def test_difficulties_of_ready_outputs_equal_the_function(rated, printed):
    assert printed(f"{COMMITTEE} -o saved.jsonl") == ""
    found = rated(COMMITTEE)
    assert list(map(json.loads, Path("saved.jsonl").read_text().splitlines())) == found
    assert found == [array.tolist() for array in rate_difficulty(REFERENCE, MEMBERS, text_format="words")]
    assert found[8] == []


@pytest.mark.parametrize("how", ["--committee train.txt", "--train train.txt --members 3 --processes 1"])
def test_other_forms_and_marks_of_the_same_text_have_the_same_difficulties(rated, how):
    lines = [line.replace("e", "é") for line in REFERENCE[:8]]
    found = []
    for number, form in enumerate(("NFC", "NFD", "NFD")):
        marked = [line.replace(" ", " ▁") if number == 2 else line for line in lines]
        write_files({"forms.txt": lines, "train.txt": [unicodedata.normalize(form, line) for line in marked]})
        found.append(rated(f"difficulty forms.txt {how} --normalize NFC --subword-marks ▁"))
    assert found[0] == found[1] == found[2]


def test_a_trained_committee_is_the_same_for_a_seed_and_for_any_number_of_processes(rated):
    alone, both, other = (
        rated(f"{TRAIN} --members 6 --seed {seed} --processes {processes}")
        for seed, processes in ((3, 1), (3, 2), (4, 1))
    )
    assert (both == alone, other == alone) == (True, False)
    assert list(map(len, alone)) == [len(line.split()) for line in REFERENCE]
    flat = [value for row in alone for value in row]
    assert all((value * 6) == pytest.approx(round(value * 6)) for value in flat)
    assert 0 < sum(flat) < len(flat)


@pytest.mark.parametrize(
    ("first", "second", "options"), [("ab", " c", ""), ("dh ax #", " d #", " --text-format units --word-boundary '#'")]
)
def test_a_trained_committee_recovers_certain_words(rated, printed, first, second, options):
    train = f"{first}{second}\n{first}{second} {first}\n{second[1:]} {first}\n" * 20
    write_files({"reference.txt": f"{first}{second}\n", "train.txt": train})
    line = f"{TRAIN} --members 4 --processes 1{options}"
    assert rated(line) == [[0.0, 0.0]]
    printed(f"{line} --html page.html")
    words = re.findall(r"<b [^>]*>([^<]*)</b><rt>0.00", Path("page.html").read_text(encoding="utf-8"))
    assert " ".join(words) == f"{first}{second}".replace(" #", "")


@pytest.mark.parametrize("how", ["--train train.{1} --members 2 --processes 1", "--committee member1.{0} member0.{1}"])
def test_each_text_of_a_rating_has_its_own_form(run, message, how):
    for name in ("reference", "train", "member1", "member0"):
        words = [line.split() for line in FILES[f"{name}.txt"]]
        write_files({f"{name}.units": [" ;eword ".join([*map(" ".join, each), ""]) for each in words]})
    outputs = set()
    for endings in ("txt", "units"), ("units", "txt"), ("txt", "txt"):
        line = f"difficulty reference.{{0}} {how} --score member1.{{0}} member0.{{1}}".format(*endings)
        status, output, messages = run(f"{line} --format csv")
        assert status == 0
        joined = [line.split(":")[1].strip() for line in messages.splitlines() if "joined into words" in line]
        assert joined == re.findall(r"\S+\.units", line)
        outputs.add(tuple(row.partition(",")[2] for row in output.splitlines()[1:] if "signature" not in row))
    assert len(outputs) == 1
    expected = "member1.txt, line 1: this is not a CoNLL-U line.*Then use --text-format ,words"
    assert re.search(expected, message("difficulty reference.txt --committee member1.txt --text-format ,conllu"))


def wait_until(holds: Callable[[], object]) -> None:
    """Wait for something, for a minute at most."""
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)


#: A training of many seconds in two processes.
LONG = f"{TRAIN} --processes 2 --members 3000 -o out.jsonl"


posix = pytest.mark.skipif(os.name != "posix", reason="the test needs POSIX signals")


@posix
@pytest.mark.parametrize("victim", [pytest.param("the first process", marks=pytest.mark.slow), "a training process"])
def test_the_death_of_a_process_ends_the_others(victim):
    training = Run(LONG)

    def trainers() -> list[psutil.Process]:
        children = psutil.Process(training.process.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]

    wait_until(lambda: [*Path("tmp").glob("*/[0-9]*")])
    (training.process if victim == "the first process" else trainers()[1]).kill()
    status, _, message, left = training.end()
    assert not Path("out.jsonl").exists()
    if victim == "a training process":
        assert (status, message.count("\n"), left) == (2, 1, [])
        assert "error: a training process died, perhaps because memory ran out: try fewer" in message


@pytest.mark.slow
@posix
def test_the_death_of_a_process_that_has_not_read_its_task_is_an_error(folder):
    """The task is larger than a pipe."""
    write_files({"large.txt": "the dog is on the boat\n" * 10_000})
    line = "difficulty large.txt --train large.txt --processes 2 -o out.jsonl"
    training = subprocess.Popen(
        [sys.executable, "-m", "segscores.apps.command.main", *line.split()], stderr=subprocess.PIPE
    )
    process = psutil.Process(training.pid)
    starting: list[psutil.Process] = []
    while not starting and training.poll() is None:
        starting = [child for child in process.children() if "spawn_main" in " ".join(child.cmdline())]
    # The system has begun to run it, and it imports for longer than this.
    time.sleep(0.05)
    starting[0].kill()
    try:
        assert b"error: a training process died" in training.communicate(timeout=30)[1]
    finally:
        training.kill()


@posix
@pytest.mark.parametrize(
    ("number", "models"), [(signal.SIGTERM, 0), pytest.param(signal.SIGINT, 1, marks=pytest.mark.slow)]
)
def test_an_interrupted_training_leaves_nothing_behind(number, models):
    training = Run(LONG)
    seen: set[str] = set()

    def trained() -> bool:
        seen.update(path.name for path in Path("tmp").glob("*/[0-9]*"))
        return len(seen) >= models

    wait_until(trained)
    if not models:
        # With no model yet the processes are starting. Python makes the folder some moments before anything removes it; a
        # first process begins after that.
        wait_until(psutil.Process(training.process.pid).children)
    # A terminal sends Ctrl-C to the whole group.
    (os.killpg if number == signal.SIGINT else os.kill)(training.process.pid, number)
    status, _, message, left = training.end()
    assert (status, left) == (128 + number, [])
    assert not re.search("Traceback|Exception ignored", message)


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)])
def test_a_signal_to_the_group_that_the_first_process_receives_last_ends_the_run(number):
    # All members are handed out before the first is trained.
    training = Run(f"{TRAIN} --processes 2 --members 5000 -o out.jsonl")
    wait_until(lambda: any(Path("tmp").glob("*/[0-9]*")))
    first = psutil.Process(training.process.pid)
    for process in first.children():
        process.send_signal(number)
    time.sleep(0.1)
    first.send_signal(number)
    assert training.end() == (128 + number, "", "", [])


def test_plots_and_tables_have_the_recovered_words_of_each_tenth(printed, monkeypatch):
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    write_files({"r": "ab c dab\nc\n", "p": "ab cdab\nc\n", "d.jsonl": "[0.05, 0.35, 0.35]\n[0.31]\n"})
    output = printed("difficulty r --difficulties d.jsonl --counts --score p --score r --plot p.svg")
    # Of three words in the fourth tenth the prediction has the one of the second line.
    axes = drawn[0].axes[0]
    lines = [zip(map(round, line.get_xdata()), line.get_ydata(), strict=True) for line in axes.lines]
    assert list(map(dict, lines)) == [{0: 1, 3: 1 / 3}, {0: 1, 3: 1}]
    assert [text.get_text() for text in axes.texts] == ["p", "r"]
    assert np.clip((0, 1), *axes.get_ylim()).tolist() == [0, 1]
    assert [axes.get_xlabel().partition(":")[0], axes.get_ylabel()] == ["difficulty", "share of words recovered"]
    scores, shares, signature = output.split("\n\n")
    assert signature.startswith("signature: segscores|text:words|")
    assert scores.splitlines()[0].split() == ["score", "p", "r"]
    header, _, *rows = (re.split(r" {2,}", row.strip()) for row in shares.splitlines())
    assert header == ["recovered at", "words", "p", "recovered by p", "r", "recovered by r"]
    words = {0: ["1", "1.0000", "1", "1.0000", "1"], 3: ["3", "0.3333", "1", "1.0000", "3"]}
    nothing = ["0", "–", "0", "–", "0"]
    expected = [[f"{at / 10:.1f}-{(at + 1) / 10:.1f}", *words.get(at, nothing)] for at in range(10)]
    assert rows == expected


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_and_the_pictures_of_files_whose_names_are_no_text(printed):
    name = os.fsdecode(b"r\xff")
    write_files({name: "a b\n", "d.jsonl": "[0.0, 0.5]\n"})
    printed(f"difficulty {name} --difficulties d.jsonl --html page.html")
    assert "<h1>Difficulty: r\ufffd</h1>" in Path("page.html").read_text(encoding="utf-8")
    other = os.fsdecode(b"p\xfe")
    write_files({other: "a b\n"})
    for line in (f"difficulty {name} --difficulties d.jsonl --score {other}", f"score {name} {other} --by length"):
        printed(f"{line} --plot shares.svg")
        assert "<!-- p? -->" in Path("shares.svg").read_text(encoding="utf-8")
    write_files({name: "a b\na b\n", other: "a b\nab\n", "q": "ab\nab\n"})
    printed(f"compare {name} {other} q --scores token --plot scores.svg")
    assert "<!-- p? -->" in Path("scores.svg").read_text(encoding="utf-8")


def test_the_page_has_every_word_with_its_difficulty_and_nothing_else_to_load(printed):
    words = ["<script>alert(1)</script>", '"&amp;"', "狗\u202e", "\x1b"]
    write_files({"a<b>.txt": " ".join(words) + "\n\n", "d.jsonl": "[0.0, 0.5, 0.96, 1.0]\n[]\n"})
    assert printed("difficulty 'a<b>.txt' --difficulties d.jsonl --html page.html") == ""
    page = Path("page.html").read_text()
    shown = re.findall(r"<ruby><b [^>]*>([^<]*)</b><rt>([^<]*)</rt></ruby>", page.partition("<li>")[2])
    drawn = zip([*words[:2], "狗[U+202E]", "\u241b"], ("0.00", "0.50", "0.96", "1.00"), strict=True)
    assert [(html.unescape(word), number) for word, number in shown] == list(drawn)
    assert not re.search(r"<(script|link|img|iframe)|url\(|@import|https?:", page)
    assert page.count("<li>") == 2
    for text in (html.escape("a<b>.txt"), "0.0–0.1: 1</b>", "0.9–1.0: 2</b>", "prefers-color-scheme: dark"):
        assert text in page
