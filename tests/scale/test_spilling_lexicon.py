"""A lexicon on disk has the types of one in memory, and leaves no files behind."""

from __future__ import annotations

import errno
import gc
import pickle
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.lexicon import Lexicon
from segscores.scale import spilling_lexicon as spilling
from segscores.scale.spilling_lexicon import SpillingLexicon, parse_memory
from segscores.scoring.tally import Tally

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, forks and limits are those of POSIX")

#: Some spill at every update, some now and then, some never.
memories = st.sampled_from([1, 500, 3000, 1 << 30])
short_words = st.text(st.sampled_from("ab狗 \0"), max_size=3).map(str.encode)
long_words = st.integers(254, 258).map(lambda length: b"x" * length) | st.just("狗".encode() * 30_000)
parts = st.lists(st.lists(short_words | long_words, max_size=12), max_size=6)


def lexicon_of(words: list[bytes]) -> Lexicon:
    return Lexicon(pa.array(words, pa.large_binary()))


def gather(parts: list[list[bytes]], memory: int, folder: Path | None = None) -> SpillingLexicon:
    lexicon = SpillingLexicon(memory=memory, folder=folder)
    for part in parts:
        lexicon.update(lexicon_of(part))
    return lexicon


def types_of(parts: list[list[bytes]]) -> set[bytes]:
    return {word for part in parts for word in part}


def numbered(start: int, end: int) -> list[bytes]:
    return [b"w%d" % number for number in range(start, end)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "spilled"
    path.mkdir()
    return path


@pytest.fixture
def spilled(folder: Path) -> Iterator[SpillingLexicon]:
    with gather([numbered(0, 100), numbered(50, 150)], 1, folder) as lexicon:
        yield lexicon


@given(parts, parts, memories, memories)
def test_it_counts_as_sets_do(
    reference: list[list[bytes]], prediction: list[list[bytes]], memory: int, other_memory: int
) -> None:
    with gather(reference, memory) as left, gather(prediction, other_memory) as right:
        shared = types_of(reference) & types_of(prediction)
        assert left.count_shared(right) == len(shared)
        assert (len(left), len(right)) == (len(types_of(reference)), len(types_of(prediction)))
        assert left.count_shared(lexicon_of([word for part in prediction for word in part])) == len(shared)


@given(parts, memories, st.randoms(use_true_random=False))
def test_the_order_of_updates_is_of_no_matter(parts: list[list[bytes]], memory: int, shuffler: random.Random) -> None:
    shuffled = shuffler.sample(parts, len(parts))
    with gather(shuffled, memory) as lexicon:
        assert len(lexicon) == len(types_of(parts))


@given(parts, parts, parts, memories, memories)
def test_lexicons_of_either_kind_merge(
    ours: list[list[bytes]], theirs: list[list[bytes]], later: list[list[bytes]], memory: int, other_memory: int
) -> None:
    with gather(ours, memory) as lexicon, gather(theirs, other_memory) as other, lexicon.copy() as copy:
        copy.update(other)
        for part in later:
            copy.update(lexicon_of(part))
        assert len(copy) == len(types_of(ours + theirs + later))
        assert (len(lexicon), len(other)) == (len(types_of(ours)), len(types_of(theirs)))
        assert lexicon.count_shared(copy) == len(lexicon)


@pytest.mark.parametrize("first", ["count", "length"])
def test_counts_are_those_after_the_last_update(folder: Path, first: str) -> None:
    with gather([numbered(0, 60)], 1, folder) as left, gather([numbered(40, 100)], 1, folder) as right:
        assert (left.count_shared(right) if first == "count" else len(left)) == (20 if first == "count" else 60)
        right.update(lexicon_of(numbered(30, 45)))
        assert left.count_shared(right) == 30
        left.update(lexicon_of(numbered(60, 70)))
        assert (left.count_shared(right), len(left), len(right)) == (40, 70, 70)
        plain = lexicon_of([b"w1", b"none"])
        assert left.count_shared(plain) == 1
        plain.update(lexicon_of([b"w2"]))
        assert left.count_shared(plain) == 2


def test_a_tally_is_counted_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    count = spilling._count_types
    monkeypatch.setattr(
        spilling, "_count_types", lambda *lexicons: (counted.append(len(lexicons)), count(*lexicons))[1]
    )
    with SpillingLexicon(memory=1, folder=folder) as left, SpillingLexicon(memory=1, folder=folder) as right:
        tally = Tally({}, left, right)
        tally.update(Tally({}, lexicon_of([b"a", b"b"]), lexicon_of([b"b"])))
        tally.update(Tally({}, lexicon_of([b"c"]), lexicon_of([b"c", b"d", b"e"])))
        expected = {"type_matched": 2, "type_predicted": 4, "type_reference": 3}
        assert tally.totals() == tally.totals() == expected
        assert counted == [2]
        copy = tally.copy()
        copy.update(Tally({}, lexicon_of([b"d"]), lexicon_of([])))
        assert (copy.totals()["type_matched"], tally.totals()) == (3, expected)
        del copy
        gc.collect()
        assert len(list(folder.iterdir())) == 2


def test_with_itself_all_is_shared(spilled: SpillingLexicon) -> None:
    assert spilled.count_shared(spilled) == len(spilled) == 150
    spilled.update(spilled)
    assert len(spilled) == 150


def test_with_nothing_nothing_is_shared(spilled: SpillingLexicon) -> None:
    with SpillingLexicon(memory=1) as empty:
        assert spilled.count_shared(empty) == spilled.count_shared(Lexicon()) == empty.count_shared(spilled) == 0
        assert (len(empty), len(spilled)) == (0, 150)


def test_words_of_any_length_are_distinguished(folder: Path) -> None:
    size = 100 << 20
    words = [b"x" * size, b"x" * (size - 1) + b"y", b"x" * (1 << 17)]
    with gather([[word] for word in words], 1, folder) as lexicon:
        assert (len(lexicon), lexicon.count_shared(lexicon_of([*words[1:], b"x" * 70_000]))) == (3, 2)
        assert sum(path.stat().st_size for path in folder.rglob("*")) < 1 << 20


def test_a_slice_of_an_array_counts_as_itself(folder: Path) -> None:
    words = pa.array([b"no", b"a" * 300, b"", b"b", b"a" * 300, b"no"], pa.large_binary())
    with SpillingLexicon(memory=1, folder=folder) as lexicon:
        lexicon.update(Lexicon(words.slice(1, 4)))
        lexicon._spill()
        assert (len(lexicon), lexicon.count_shared(lexicon_of([b"no", b"a" * 300, b""]))) == (3, 2)


def test_a_range_that_does_not_fit_is_halved(spilled: SpillingLexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    execute = spilling._execute
    tried = []
    most = 64

    def fail_beyond(connection: object, query: str, parameters: dict[str, list[str]]) -> tuple[int, ...]:
        first, end = map(int, re.search(r"part >= (\d+) AND part < (\d+)", query).groups())
        tried.append(end - first)
        if end - first > most:
            raise duckdb.OutOfMemoryException("no memory")
        return execute(connection, query, parameters)

    monkeypatch.setattr(spilling, "_execute", fail_beyond)
    assert len(spilled) == 150
    assert sorted(tried) == [64] * 4 + [128] * 2 + [256]
    most = 0
    spilled.update(lexicon_of([b"new"]))
    with pytest.raises(ValueError, match=r"^the types cannot be counted in \d+ bytes: raise memory=1\.$"):
        len(spilled)


def test_ranges_of_hashes_fit_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilling, "_BYTES_PER_GROUP", 1 << 20)
    with gather([numbered(0, 3000), numbered(2000, 5000)], 1, folder) as lexicon:
        ranges = list(spilling._ranges(lexicon._sizes, 256 << 20))
        assert [first for first, _ in ranges] == [0, *(end for _, end in ranges[:-1])]
        assert ranges[-1][1] == spilling._PARTS
        assert len(ranges) > 20
        assert max(lexicon._sizes[0, first:end].sum() for first, end in ranges) <= 256
        assert len(lexicon) == 5000
        assert list(spilling._ranges(lexicon._sizes, 1)) == [(part, part + 1) for part in range(spilling._PARTS)]


def test_a_lexicon_that_has_not_spilled_behaves_as_a_lexicon(folder: Path) -> None:
    with gather([[b"the", b"dog"], [b"dog", b"on"]], 1 << 20, folder) as lexicon:
        assert sorted(lexicon.types.to_pylist()) == [b"dog", b"on", b"the"]
        assert Lexicon(lexicon.types).count_shared(lexicon) == 3
        copy = pickle.loads(pickle.dumps(lexicon))
        copy.update(lexicon_of([b"new"]))
        assert (type(copy), len(copy), len(lexicon)) == (SpillingLexicon, 4, 3)
        plain = lexicon_of([b"a"])
        plain.update(lexicon)
        assert len(plain) == 4


def test_types_that_outgrew_memory_are_not_to_be_had(spilled: SpillingLexicon) -> None:
    message = r"^the types outgrew memory=1 and are on disk"
    with pytest.raises(ValueError, match=message):
        _ = spilled.types
    with pytest.raises(ValueError, match=message):
        Lexicon().update(spilled)
    with pytest.raises(TypeError, match=message + r": they cannot be pickled\.$"):
        pickle.dumps(spilled)


def test_closing_leaves_nothing_behind(folder: Path) -> None:
    with gather([numbered(0, 100), numbered(50, 150)], 1, folder) as lexicon:
        assert len(list(folder.rglob("*.parquet"))) == 2
        assert lexicon.count_shared(lexicon_of([b"w1"])) == 1
        assert len(list(folder.iterdir())) == 1
    assert not list(folder.iterdir())
    lexicon.close()
    other = SpillingLexicon(memory=1)
    for use in (
        lambda: len(lexicon),
        lambda: lexicon.types,
        lambda: lexicon.count_shared(Lexicon()),
        lambda: lexicon.update(Lexicon()),
        lambda: other.update(lexicon),
        lexicon.copy,
        lambda: pickle.dumps(lexicon),
    ):
        with pytest.raises(ValueError, match=r"^the lexicon is closed\.$"):
            use()


def test_an_unused_lexicon_leaves_no_files_behind(folder: Path) -> None:
    lexicon = gather([numbered(0, 100)], 1, folder)
    copy = lexicon.copy()
    del lexicon
    gc.collect()
    assert len(copy) == 100
    assert len(list(folder.iterdir())) == 1
    del copy
    gc.collect()
    assert not list(folder.iterdir())


def test_a_copy_shares_what_is_on_disk(spilled: SpillingLexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    with spilled.copy() as copy:
        assert [run.samefile(ours) for run, ours in zip(copy._runs, spilled._runs, strict=True)] == [True, True]
    monkeypatch.setattr("os.link", refuse)
    with spilled.copy() as copy:
        assert [run.samefile(ours) for run, ours in zip(copy._runs, spilled._runs, strict=True)] == [False, False]
        spilled.close()
        assert len(copy) == 150


def refuse(*arguments: object, **options: object) -> None:
    raise OSError(errno.ENOSPC, "no links here")


def test_a_copy_that_fails_leaves_the_lexicon_as_it_was(
    spilled: SpillingLexicon, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = gather([[b"a"], [b"b"]], 1, folder)
    monkeypatch.setattr("os.link", refuse)
    monkeypatch.setattr("shutil.copyfile", refuse)
    with pytest.raises(OSError, match=r"^.*spilled.*: types that outgrow memory cannot be written there: "):
        other.update(spilled)
    assert len(list(other._folder.iterdir())) == len(other) == 2


def test_no_folder_no_lexicon(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, reason in (("file", "Not a directory"), ("none", "No such file or directory")):
        message = rf"{name}: types that outgrow memory cannot be written there: {reason}\.$"
        with pytest.raises(OSError, match=message):
            SpillingLexicon(memory=1, folder=tmp_path / name)


def test_a_lost_run_is_an_error_that_names_the_folder(spilled: SpillingLexicon) -> None:
    spilled._runs[0].unlink()
    with pytest.raises(OSError, match=r"spilled.*: types that outgrew memory cannot be counted: .*0\.parquet"):
        len(spilled)


@pytest.mark.parametrize("memory", [0, -1])
def test_memory_is_some(memory: int) -> None:
    with pytest.raises(ValueError, match=rf"^memory={memory}: expected bytes, 1 or more\.$"):
        SpillingLexicon(memory=memory)


def test_without_duckdb_there_is_an_error_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ValueError, match=r'duckdb, which is not installed: pip install "duckdb>=1\.1"$'):
        SpillingLexicon(memory=1 << 30, folder=folder)
    assert not list(folder.iterdir())


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT + code, str(folder)], capture_output=True, text=True, timeout=300, check=False
    )


#: A lexicon in the folder that is the argument; `word_batch` has words of 12 random letters.
SCRIPT = """
import os, sys
import numpy as np, pyarrow as pa
from segscores.scale import spilling_lexicon as spilling
from segscores.kernel.lexicon import Lexicon

folder = sys.argv[1]
random = np.random.Generator(np.random.PCG64(1))

def word_batch(count):
    ends, letters = np.arange(count + 1) * 12, random.integers(97, 123, 12 * count, np.uint8)
    return Lexicon(pa.LargeBinaryArray.from_buffers(pa.large_binary(), count, [None, *map(pa.py_buffer, (ends, letters))]))
"""


def test_a_lexicon_that_has_not_spilled_does_not_import_duckdb(folder: Path) -> None:
    code = """
lexicon = spilling.SpillingLexicon(memory=10_000_000, folder=folder)
lexicon.update(word_batch(1000))
print(len(lexicon), lexicon.count_shared(lexicon), {"duckdb", "pyarrow.parquet"} & set(sys.modules))
"""
    ran = run_python(code, folder)
    assert (ran.stdout, ran.stderr) == ("1000 1000 set()\n", "")
    assert not list(folder.iterdir())


@pytest.mark.xdist_group("serial")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read as Linux tells it")
def test_memory_does_not_grow_with_the_types(folder: Path) -> None:
    code = """
def peak():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024

# The first of each brings what is imported, which counts for nothing here.
with spilling.SpillingLexicon(memory=1, folder=folder) as lexicon:
    lexicon.update(word_batch(100))
    len(lexicon)
start = peak()
lexicon = spilling.SpillingLexicon(memory=32 << 20, folder=folder)
for _ in range(80):
    lexicon.update(word_batch(50_000))
print(peak() - start)
print(len(lexicon))
print(peak() - start)
"""
    ran = run_python(code, folder)
    assert ran.returncode == 0, ran.stderr
    gathering, count, counting = map(int, ran.stdout.split())
    assert count == 4_000_000  # 26¹² are so many that none came twice
    # Measured: 60 and 180; 440 and 510 in memory.
    assert gathering < 150
    assert counting < 350


@posix
def test_a_full_disk_is_an_error_that_names_the_folder(folder: Path) -> None:
    code = """
import resource
lexicon = spilling.SpillingLexicon(memory=1, folder=folder)
lexicon.update(word_batch(100))
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    lexicon.update(word_batch(100_000))
except OSError as error:
    print(error)
print(sum(len(files) for _, _, files in os.walk(folder)))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(len(lexicon))
"""
    ran = run_python(code, folder)
    message, *counts = ran.stdout.splitlines()
    assert message == f"{folder}: types that outgrow memory cannot be written there: File too large."
    assert counts == ["1", "100100"]
    assert not list(folder.iterdir())


INTERRUPTED = """
import signal
# Tests that run in a shell's background ignore the signal, and so would what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
lexicon = spilling.SpillingLexicon(memory=1, folder=folder)
lexicon.update(word_batch(1000))
"""
ENDLESS = {
    # Hours of counting, in a query.
    "count": """
spilling._query = lambda *_: ("SELECT count(*), 0, 0 FROM range(10000000000000) t (i) WHERE hash(i) = 1", {})
print("ready", flush=True)
len(lexicon)
""",
    "update": """
print("ready", flush=True)
while True:
    lexicon.update(word_batch(100_000))
""",
}


@pytest.mark.xdist_group("serial")
@posix
@pytest.mark.parametrize("what", ENDLESS)
def test_an_interrupt_ends_it_at_once_and_leaves_nothing_behind(folder: Path, what: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT + INTERRUPTED + ENDLESS[what], str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    assert list(folder.iterdir())
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=300)
    assert process.returncode == -signal.SIGINT
    assert message.splitlines()[-1] == "KeyboardInterrupt"
    assert not list(folder.iterdir())


@posix
def test_a_fork_that_ends_leaves_the_files_to_its_parent(folder: Path) -> None:
    code = """
lexicon = spilling.SpillingLexicon(memory=1, folder=folder)
lexicon.update(word_batch(1000))
if child := os.fork():
    os.waitpid(child, 0)
    print(len(lexicon))
"""
    ran = run_python(code, folder)
    assert ran.stdout == "1000\n", ran.stderr
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2GB", 2 * 10**9),
        ("500MB", 5 * 10**8),
        ("1.5 GiB", 3 * 2**29),
        ("1000000", 10**6),
        ("1b", 1),
        (" 64 kib ", 2**16),
        ("3kB", 3000),
        ("0.5mib", 2**19),
        ("1tb", 10**12),
        ("2TiB", 2**41),
        ("1.0000000000000001PB", 10**15),
        ("0.1GB", 10**8),
    ],
)
def test_memory_is_read(text: str, expected: int) -> None:
    assert parse_memory(text) == expected


@pytest.mark.parametrize(
    "text", ["", "GB", "0", "0MB", "0.0001B", "-1GB", "2G", "1e9", "1,5GB", "2 GBs", "nan", "1.GB", "٣GB", "1  GB\n2"]
)
def test_no_memory_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"^unknown amount of memory '.*': expected bytes, as 500000000, 500MB or 1\.5GiB\.$"
    ):
        parse_memory(text)
