"""A run that has too little memory says so in one line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems do not limit a process's memory like this"
)

#: A first run imports what is needed. Then the memory may grow by 32 MB, and one core means that no thread takes from it.
PROGRAM = """
import os, resource, sys
from pathlib import Path
from segscores.apps.command.main import main

assert main(["score", "small", "small"]) == 0
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20),) * 2)
print("limited", flush=True)
sys.exit(main(["score", *sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with references, `r0` and `r1`, and predictions of one line of 36 MB each, and with a small file."""
    folder = tmp_path_factory.mktemp("lines")
    (folder / "small").write_text("a b\n")
    line = b"ab cd efg h " * 3_000_000 + b"\n"
    for name in ("r0", "p0", "r1", "p1"):
        (folder / name).write_bytes(line)
    return folder


@pytest.mark.parametrize(
    "line",
    [
        "r0 p0",
        "r? p? --on-error skip",
        *(pytest.param(line, marks=pytest.mark.slow) for line in ("r? p?", "r0 p0 --on-error skip")),
    ],
)
def test_running_out_of_memory_is_reported_in_one_line(folder: Path, line: str) -> None:
    command = [sys.executable, "-c", PROGRAM, *line.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    printed = done.stdout.split("limited\n")[-1]
    message = done.stderr.splitlines(keepends=True)[-1]
    assert (done.returncode, printed) == (2, "")
    assert re.fullmatch("segscores: error: out of memory[^\n]+\n", message)
