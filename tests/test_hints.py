"""Every hint that advises options is followed: the advised call runs, where the first one was an error or a doubt."""

import ast
import re
import shlex
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import segscores
from segscores.apps.command.main import main

#: An option with a value, as Python and as a command line shows it.
_SETTING = re.compile(r"""\b([a-z_]+)=(\[[^\]]*\]|"[^"]*"|'[^']*'|-?\d+)""")
_FLAG = re.compile(r"(--[a-z-]+) ('[^']*'|[^\s?]+?(?=[?.]*(?:\s|$)))")


class Advised(NamedTuple):
    """Sides that cannot be scored as they are read, or that are likely misread, and the options of a hint that mends it."""

    reference: Any
    prediction: Any
    options: dict[str, Any]
    hint: dict[str, Any]
    flags: str | None = None  #: of the hint on the command line; None if the command reads the files without a hint


WORDS = {"text_format": "words"}
UNITS = {"text_format": "units"}
HINTS = {
    "# between words": Advised("d uː # j uː", "d # uː j uː", WORDS, UNITS | {"word_boundary": "#"},
        "--text-format units --word-boundary '#'"),
    "# between words of units text": Advised("d uː # j uː", "d # uː j uː", {}, {"word_boundary": "#"},
        "--text-format units --word-boundary '#'"),
    "# on one side": Advised("d uː # j uː", "duː juː", WORDS, {"reference_format": "units", "word_boundary": "#"},
        "--text-format units, --word-boundary '#'"),
    "a tag of HTML between words": Advised("d uː </w> j uː </w>", "d </w> uː j uː </w>", WORDS,
        UNITS | {"word_boundary": "</w>"}, "--text-format units --word-boundary '</w>'"),
    "the tokens of wordseg": Advised("dh ax ;esyll ;eword d ao", "dh ax d ao", UNITS,
        {"word_boundary": ";eword", "ignored_tokens": [";esyll"]}),
    "WORD_BOUNDARY in words text": Advised("t h WORD_BOUNDARY d", "th d", WORDS, {"reference_format": "units"}),
    "words read as units": Advised("the dog", "thedog", {}, WORDS),
    "bars on one side": Advised("ผม|ไม่", "ผม ไม่", WORDS, {"reference_format": "separated", "separator": "|"}),
    "bars on one side of units text": Advised("ผม|ไม่", "ผมไม่", {}, WORDS | {"reference_format": "separated", "separator": "|"}),
    "hashes on one side": Advised("ผม#ไม่", "ผม ไม่", WORDS, {"reference_format": "separated", "separator": "#"},
        "--text-format separated, --separator '#'"),
    "tags after a slash on one side": Advised("迈向/v 充满/v 希望/n", "迈向 充满 希望", WORDS, {"reference_format": "tagged"}),
    "tags after a bar": Advised("迈向#v 充满#v", "迈向 充满", WORDS, {"reference_format": "tagged", "separator": "#"},
        "--text-format tagged, --separator '#'"),
    "syllables": Advised("đất_nước là", "đất nước là", WORDS, {"joiner": "_"}, "--joiner _"),
    "subword marks": Advised("the dog", "the do ##g", WORDS, {"subword_marks": "strip"}),
    "compatible forms": Advised("café x", "cafe\u0301 x", WORDS, {"normalize": "NFC"}, "--normalize NFC"),
    "tags of markup": Advised("<NE>ผม</NE>|ไม่", "ผม|ไม่", {"text_format": "separated"},
                              {"reference_format": "separated", "markup": "drop"}),
    "spaces in words of lists": Advised(["New York"], ["New", "York"], {}, {"spaces": "drop"}),
}  # fmt: skip


def problem_of(reference: Any, prediction: Any, options: dict[str, Any]) -> str:
    """The error, or the warnings, of a score; empty if there are none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            segscores.score([reference], [prediction], scores="token", **options)
        except (ValueError, TypeError) as error:
            return str(error)
    return " ".join(str(warning.message) for warning in caught)


@pytest.mark.parametrize("name", HINTS)
def test_the_hint_makes_both_sides_agree(name: str) -> None:
    advised = HINTS[name]
    problem = problem_of(advised.reference, advised.prediction, advised.options)
    hint = {option: ast.literal_eval(value) for option, value in _SETTING.findall(problem)}
    assert hint == advised.hint, problem
    assert problem_of(advised.reference, advised.prediction, advised.options | hint) == ""


@pytest.mark.parametrize("name", [name for name, advised in HINTS.items() if advised.flags])
def test_the_flags_of_the_hint_make_both_files_agree(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    advised = HINTS[name]
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text(f"{advised.reference}\n", encoding="utf-8")
    Path("p.txt").write_text(f"{advised.prediction}\n", encoding="utf-8")
    call = ["score", "r.txt", "p.txt", "--scores", "token"]
    assert main(call) == 2
    problem = capsys.readouterr().err
    flags = " ".join(f"{flag} {value}" for flag, value in _FLAG.findall(problem))
    assert flags == advised.flags, problem
    assert main([*call, *shlex.split(flags)]) == 0


NO_OPTION_MENDS = {
    "words in another order": ("the dog", "dog the", "another order"),
    "units in another order": ("the dog barks", "barks the dog", "another order"),
    "punctuation on one side": ("the dog barks.", "the dog barks", "punctuation"),
    "punctuation of its own": ("the dog .", "the dog", "punctuation"),
    "capital letters": ("The dog", "the dog", "capital"),
    "another word beside #": ("d uː # j uː", "d uː # n uː", ""),
}


@pytest.mark.parametrize("options", [WORDS, UNITS])
@pytest.mark.parametrize("name", NO_OPTION_MENDS)
def test_no_option_is_advised_that_mends_nothing(name: str, options: dict[str, Any]) -> None:
    reference, prediction, advice = NO_OPTION_MENDS[name]
    problem = problem_of(reference, prediction, options)
    assert "expected the same units" in problem
    assert advice in problem
    assert not _SETTING.search(problem), problem


def test_formats_of_both_sides_are_one_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("ผม/ไม่\n", encoding="utf-8")
    Path("p.txt").write_text("ผมไม่\n", encoding="utf-8")
    call = "score r.txt p.txt --scores token"
    assert main([*call.split(), "--text-format", "units"]) == 2
    flags = "--text-format separated,words and --separator /?"
    assert flags in capsys.readouterr().err
    assert main([*call.split(), *shlex.split(flags.replace(" and ", " ").rstrip("?"))]) == 0
