"""Output files are written completely or not at all."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from segscores.results.outputs import open_whole

pytestmark = pytest.mark.usefixtures("in_folder")


def test_a_file_exists_only_once_it_is_complete() -> None:
    with open_whole("new.txt") as file:
        file.write(b"some")
        assert not Path("new.txt").exists()
        file.write(b"thing")
    assert Path("new.txt").read_bytes() == b"something"
    assert os.listdir() == ["new.txt"]


@pytest.mark.parametrize("error", [ValueError("no more"), KeyboardInterrupt("no more"), SystemExit("no more")])
def test_an_existing_file_stays_if_writing_fails(error: BaseException) -> None:
    Path("old.txt").write_bytes(b"old")

    def write() -> None:
        with open_whole("old.txt") as file:
            file.write(b"new")
            raise error

    with pytest.raises(type(error), match=r"^no more$"):
        write()
    assert Path("old.txt").read_bytes() == b"old"
    assert os.listdir() == ["old.txt"]


@pytest.mark.skipif(os.name != "posix", reason="the test needs POSIX permissions and links")
def test_writing_through_a_link_keeps_the_link_and_the_permissions_of_its_target() -> None:
    Path("old.txt").write_bytes(b"old")
    Path("old.txt").chmod(0o640)
    Path("link.txt").symlink_to("old.txt")
    with open_whole("link.txt") as file:
        file.write(b"new")
    assert Path("link.txt").is_symlink()
    assert Path("old.txt").read_bytes() == b"new"
    assert stat.S_IMODE(Path("old.txt").stat().st_mode) == 0o640


KILLED = """
import os, signal
from segscores.results.outputs import open_whole
with open_whole("new.txt") as file:
    file.write(b"some")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="the test needs signals")
def test_a_run_removes_the_remains_of_a_killed_run() -> None:
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == -signal.SIGKILL
    (left,) = os.listdir()
    assert Path(left).read_bytes() == b"some"
    with open_whole("other.txt") as file:
        file.write(b"other")
    assert sorted(os.listdir()) == [left, "other.txt"], "it is not known to be left"
    with open_whole("new.txt") as file:
        file.write(b"thing")
    assert sorted(os.listdir()) == ["new.txt", "other.txt"]
    assert Path("new.txt").read_bytes() == b"thing"


def test_two_runs_may_write_one_file() -> None:
    """The file that the other run writes is not taken for one that a killed run left; the last is there."""
    with open_whole("new.txt") as first:
        first.write(b"first")
        with open_whole("new.txt") as second, open_whole("new.txt") as third:
            second.write(b"second")
            third.write(b"third")
        assert Path("new.txt").read_bytes() == b"second"
    assert Path("new.txt").read_bytes() == b"first"
    assert os.listdir() == ["new.txt"]


@pytest.mark.skipif(os.name != "posix", reason="the test needs named pipes")
def test_a_pipe_of_the_name_of_what_is_left_stops_no_run() -> None:
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == -signal.SIGKILL
    (left,) = os.listdir()
    Path(left).unlink()
    os.mkfifo(left)
    with open_whole("new.txt") as file:
        file.write(b"new")
    assert sorted(os.listdir()) == [left, "new.txt"]


@pytest.mark.skipif(os.name != "posix", reason="the test needs a device")
def test_a_device_is_written_as_it_comes() -> None:
    with open_whole(os.devnull) as file:
        file.write(b"anything")
    assert Path(os.devnull).is_char_device()


@pytest.mark.skipif(os.name != "posix", reason="the test needs a pipe with a path")
def test_a_pipe_without_a_name_is_written_as_it_comes() -> None:
    readable, writable = os.pipe()
    with open(readable, "rb") as reader:
        with open(writable, "wb"), open_whole(f"/dev/fd/{writable}") as file:
            file.write(b"anything")
        assert reader.read() == b"anything"


@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_is_no_file(exists: bool) -> None:
    if exists:
        Path("folder").mkdir()
    with pytest.raises(OSError, match="'folder/'"), open_whole("folder/") as file:
        file.write(b"new")
    assert os.listdir() == ["folder"] * exists


@pytest.mark.parametrize("fails", ["missing/new.txt", *filter(os.path.exists, ["/dev/full"])])
def test_an_error_names_the_file_that_has_it(fails: str) -> None:
    with pytest.raises(OSError, match=f"'{fails}'"), open_whole("good.txt"), open_whole(fails) as file:
        file.write(b"new" * 1_000_000)
    assert os.listdir() == []


def test_a_loop_of_links_is_rejected() -> None:
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links: 'a'"), open_whole("a") as file:
        file.write(b"new")
    assert sorted(os.listdir()) == ["a", "b"]
