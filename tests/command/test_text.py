"""The options that the subcommands share: their meaning, and the checks before any work is done."""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import pytest

from segscores.command.text import (
    announce_resampling,
    check_output,
    sign_files,
)
from segscores.reading.readers import Reading
from segscores.scoring.pipeline import Plan
from segscores.scoring.skipping import LeftOut
from segscores.sources.files import file_source
from segscores.sources.names import Files
from segscores.sources.source import Facts, Side, conclude


@pytest.mark.parametrize(
    ("left_out", "files", "expected"),
    [
        ([0, 0], 0, ""),
        ([2], 0, "left_out:2"),
        ([0, 3], 0, "left_out:0+3"),
        ([0], 2, "left_out_files:2"),
        ([1, 1], 1, "left_out:1+1|left_out_files:1"),
    ],
)
def test_the_signature_counts_left_out_utterances(left_out: list[int], files: int, expected: str) -> None:
    facts = Facts(9, left_out={at: LeftOut(count, 9) for at, count in enumerate(left_out, 1)}, failures=["x"] * files)
    signed = sign_files([Files.of("r.txt")], Plan.of(), facts, argparse.Namespace(text_format="words"))
    assert "|".join(field for field in signed.split("|") if field.startswith("left_out")) == expected


@pytest.mark.parametrize("count", [0, 1, 10, 11, 25])
def test_ten_failures_are_named_and_the_rest_counted(count: int) -> None:
    side = Side("references", (file_source("r.txt"),), Reading.of())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        conclude([side], Facts(1, failures=[f"{number}.txt: damaged" for number in range(count)]))
    expected = [f"left out: {number}.txt: damaged" for number in range(min(count, 10))]
    if count > 10:
        expected.append(f"{count - 10} more such files were left out.")
    assert [str(warning.message) for warning in caught] == expected


@pytest.mark.skipif(os.name != "posix", reason="the test needs POSIX permissions and links")
def test_a_folder_that_cannot_be_written_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A superuser may write anywhere: what the system would say to another user.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(ValueError, match=r"new\.csv: no file can be written into its folder"):
        check_output(str(tmp_path / "new.csv"), [])


def test_a_long_resampling_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    announce_resampling(1_000_000, 100_000)
    announce_resampling(1000, 100_000)
    assert "1,000,000 resamples of 100,000 utterances take about 117 minutes." in capsys.readouterr().err
