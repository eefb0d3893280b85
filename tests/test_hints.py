"""Every hint that advises options is followed: the advised call runs, where the first one was an error or a doubt."""

import ast
import math
import re
import shlex
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import segscores
from segscores.apps.command.main import main

#: An option with a value, as Python and as a command line shows it.
_SETTING = re.compile(r"""\b([a-z_]+)=(\[[^\]]*\]|"[^"]*"|'[^']*'|-?\d+)""")
_FLAG = re.compile(r"--[a-z-]+[ =](?:'[^']*'|[^\s?]+?(?=[?.]*(?:\s|$)))")


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
    "hyphens between words, which would begin a flag": Advised("d uː -- j uː", "d -- uː j uː", WORDS,
        UNITS | {"word_boundary": "--"}, "--text-format units --word-boundary=--"),
    "# on one side": Advised("d uː # j uː", "duː juː", WORDS, {"reference_format": "units", "word_boundary": "#"},
        "--text-format 'units,' --word-boundary '#'"),
    "a tag of HTML between words": Advised("d uː </w> j uː </w>", "d </w> uː j uː </w>", WORDS,
        UNITS | {"word_boundary": "</w>"}, "--text-format units --word-boundary '</w>'"),
    "the tokens of wordseg": Advised("dh ax ;esyll ;eword d ao", "dh ax d ao", UNITS,
        {"word_boundary": ";eword", "ignored_tokens": [";esyll"]}),
    "WORD_BOUNDARY in words text": Advised("t h WORD_BOUNDARY d", "th d", WORDS, {"reference_format": "units"}),
    "words read as units": Advised("the dog", "thedog", {}, WORDS),
    "bars on one side": Advised("ผม|ไม่", "ผม ไม่", WORDS, {"reference_format": "separated", "separator": "|"}),
    "bars on one side of units text": Advised("ผม|ไม่", "ผมไม่", {}, WORDS | {"reference_format": "separated", "separator": "|"}),
    "hashes on one side": Advised("ผม#ไม่", "ผม ไม่", WORDS, {"reference_format": "separated", "separator": "#"},
        "--text-format 'separated,' --separator '#'"),
    "tags after a slash on one side": Advised("迈向/v 充满/v 希望/n", "迈向 充满 希望", WORDS, {"reference_format": "tagged"}),
    "tags after a bar": Advised("迈向#v 充满#v", "迈向 充满", WORDS, {"reference_format": "tagged", "separator": "#"},
        "--text-format 'tagged,' --separator '#'"),
    "syllables": Advised("đất_nước là", "đất nước là", WORDS, {"joiner": "_"}, "--joiner _"),
    "subword marks": Advised("the dog", "the do ##g", WORDS, {"subword_marks": "strip"}),
    "compatible forms": Advised("café x", "cafe\u0301 x", WORDS, {"normalize": "NFC"}, "--normalize NFC"),
    "tags of markup": Advised("<NE>ผม</NE>|ไม่", "ผม|ไม่", {"text_format": "separated"},
                              {"reference_format": "separated", "markup": "drop"}),
    "tags of markup with spaces": Advised("<NE> ผม </NE>|ไม่", "ผม|ไม่", {"text_format": "separated"},
                                          {"reference_format": "separated", "markup": "drop", "spaces": "drop"}),
    "tildes on both sides": Advised("ผม~ไม่~ชอบ", "ผม~ไม่ชอบ", WORDS, {"text_format": "separated", "separator": "~"},
        "--text-format separated --separator '~'"),
    "names in brackets": Advised("ผม<sep>ไม่<sep>ชอบ", "ผม<sep>ไม่ชอบ", WORDS, {"text_format": "separated", "separator": "<sep>"},
        "--text-format separated --separator '<sep>'"),
    "words with the letters of a name": Advised("pes<sep>see", "pes see", WORDS,
        {"reference_format": "separated", "separator": "<sep>"}),
    "signs with spaces": Advised("ผม → ไม่ → ชอบ", "ผม → ไม่ชอบ", WORDS,
        {"text_format": "separated", "separator": "→", "spaces": "drop"},
        "--text-format separated --separator '→' --spaces drop"),
    "underscores between all words": Advised("ผม_ไม่_ชอบ", "ผม_ไม่ชอบ", WORDS, {"text_format": "separated", "separator": "_"},
        "--text-format separated --separator _"),
    "bars of which one side has none": Advised("t h | d", "t h d", WORDS, UNITS | {"word_boundary": "|"},
        "--text-format units --word-boundary '|'"),
    "a mark of subwords alone": Advised("t h ▁ d", "t ▁ h d", WORDS, UNITS | {"word_boundary": "▁"}),
    "hashes of both sides": Advised("d uː # j uː", "d uː # j uː", {}, {"word_boundary": "#"}),
    "two spaces of both sides": Advised("d uː  j uː", "d uː  j uː", {}, {"word_boundary": "  "}),
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


def test_many_names_in_brackets_are_tried_in_little_time() -> None:
    text = " ".join(f"<a{number}> w" for number in range(2000))
    began = time.process_time()
    assert "the units differ" in problem_of(text, "w " * 2000, WORDS)
    assert time.process_time() - began < 5


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
    flags = " ".join(_FLAG.findall(problem))
    assert flags == advised.flags, problem
    assert main([*call, *shlex.split(flags)]) == 0


#: Utterances of both sides, of which the first that differs shows less than the others, and the options.
OF_SEVERAL = {
    "bars": (["ผม|ไม่|ชอบ", "เขา|ไป"], ["ผม|ไม่|ชอบ", "เขาไป"], WORDS, {"text_format": "separated", "separator": "|"}),
    "boundary tokens": (["t h - d", "a - b"], ["t h d", "a - b"], WORDS, UNITS | {"word_boundary": "-"}),
}


@pytest.mark.parametrize("name", OF_SEVERAL)
def test_a_hint_is_tried_with_other_utterances_too(name: str) -> None:
    *sides, options, hint = OF_SEVERAL[name]
    with pytest.raises(ValueError, match="units differ") as caught:
        segscores.score(*sides, scores="token", **options)
    assert {option: ast.literal_eval(value) for option, value in _SETTING.findall(str(caught.value))} == hint
    assert segscores.score(*sides, scores="token_recall", **options | hint)["token_recall"] < 1


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


FINITE = "expected a finite number."
GAPS = "expected 2, one for each inner gap of its 3 units."
PADDING = "Drop padding before scoring."
FORMS = "expected a string, a list of words, or a list of labels (integers or tags) for each utterance"
UNITS_DIFFER = "expected the same units on both sides."
INVISIBLE = (
    f"{UNITS_DIFFER} One side has invisible characters (category Cf, such as U+200B or U+FEFF): remove them from both."
)


def gaps(*scores: float, **options: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """A sweep of scores of the two gaps, or three units, of a reference."""
    return "sweep", (["ab c"], [[*scores]]), WORDS | options


def scored(reference: Any, prediction: Any, **options: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """A score of an utterance."""
    return "score", ([reference], [prediction]), options


#: Calls that are refused, and the end of the message: a hint only where it fits.
ENDS = {
    "other tokens of the same text": (scored("th e WORD_BOUNDARY d", "t h e WORD_BOUNDARY d", **UNITS),
        f"{UNITS_DIFFER} Both sides are the same text, cut into different tokens: cut it in the same way on both sides."),
    "the logarithm of 0": (gaps(0.1, -math.inf), f"{FINITE} Is it the logarithm of 0? Clip it, or pass probabilities."),
    "the logarithm of 0 at a unit": (gaps(math.nan, 0.1, math.inf, label_scheme="start"),
        f"the score of unit 2 is inf; {FINITE} Is it the logarithm of 0? Clip it, or pass probabilities."),
    "nan at a gap": (gaps(0.1, math.nan), f"the score of gap 1 is nan; {FINITE}"),
    "a score for each unit": (gaps(0.1, 0.1, 0.1), f'{GAPS} Is there one per unit? Then pass label_scheme="start" or "end".'),
    "scores of the ends": (gaps(*[0.1] * 4), f"{GAPS} Do the scores include the two ends of the utterance? Drop those."),
    "scores of padding": (gaps(*[0.1] * 5), f"{GAPS} {PADDING}"),
    "too few scores": (gaps(0.1), GAPS),
    "a score for each gap": (gaps(0.1, 0.1, label_scheme="end"),
        "expected 3, one for each unit. Is there one per inner gap? Then leave label_scheme out."),
    "scores of padding after units": (gaps(*[0.1] * 4, label_scheme="start"), f"expected 3, one for each unit. {PADDING}"),
    "too few scores of units": (gaps(0.1, label_scheme="start"), "expected 3, one for each unit."),
    "a difficulty in percent": (("score_difficulty", (["a"], ["a"], [[50.0]]), WORDS),
        "[0, 1]. A difficulty is the share of a committee that misses the word, not a percentage or a count."),
    "no difficulty": (("score_difficulty", (["a"], ["a"], [[math.nan]]), WORDS),
        "expected a number in [0, 1]. Is it a missing value?"),
    "a difficulty below 0": (("score_difficulty", (["a"], ["a"], [[-0.5]]), WORDS), "expected a number in [0, 1]."),
    "segments counted from 1": (("score_alignment", ([[([0], [1])]], [[([0], [0])]]), {"sources": [["a"]], "targets": [["b"]]}),
        "expected numbers from 0 to 0. Are they counted from 1?"),
    "a segment out of range": (("score_alignment", ([[([0], [2])]], [[([0], [0])]]), {"sources": [["a"]], "targets": [["b"]]}),
        "expected numbers from 0 to 0."),
    "a text without segments": (("score_alignment", ([[([0], [0])]], [[([0], [0])]]), {"sources": [[]], "targets": [["b"]]}),
        "the source segment 0 is out of range: the source has no segments."),
    "a tag that is None": (scored([0], [0], id2label={0: None}), "received None. The class id 0 has no tag."),
    "two tags of a class id": (scored([0], [0], id2label={0: "B", "0": "I"}), "It has the class id 0 twice."),
    "labels without a meaning": (scored([0, 1], [0, 1]),
        'or label_scheme="start" if 1 starts a word and 0 does not, or label_scheme="end" if 1 ends one.'),
    "bytes": (scored(b"a", "a", **WORDS), f"received b'a' (bytes); {FORMS}. Decode it first: bytes.decode()."),
    "bytes of a side": (("score", (b"a", ["a"]), WORDS), f"{FORMS}: did you mean ['a']? Decode bytes first: bytes.decode()."),
    "None": (scored(None, "a", **WORDS), f"received None; {FORMS}."),
    "probabilities": (("score", (np.ones((1, 2)), np.ones((1, 2))), {"label_scheme": "start"}),
        "by argmax(-1), or turn probabilities into labels, and convert with astype(int)."),
    "NUL": (scored("a\0b", "a b", **WORDS), "which no text has. Is the input binary, or UTF-16? Expected UTF-8 text."),
    "more labels": (scored([1, 0], [1, 0, 0], label_scheme="start"),
        "expected one label per unit on both sides. Drop padding and masked positions before scoring."),
    "an option of text with labels": (scored([1], [1], label_scheme="start", normalize="NFC"),
        "it needs text, which labels do not contain: leave it out."),
    "spaces of labels": (scored([1], [1], label_scheme="start", spaces="drop"), "received lists of labels: leave it out."),
    "a character that is not seen": (scored("a\u200bb", "ab", **WORDS), INVISIBLE),
    "items of lists that are utterances": (scored(["the dog"], ["thedog"]),
        f"{UNITS_DIFFER} Spaces within the words of a list are units too. If each item is an utterance, pass a list of strings, "
        "which are read as text."),
    "lists as strings": (scored("['the', 'dog']", "['thedog']", **WORDS), " < OLD > NEW."),
    "ids of one side": (("score", (["1 the dog", "2 a cat", "3 it is"], ["the dog", "a cat", "it is"]), WORDS), " < OLD > NEW."),
    "tags in lists": (scored(["我/PN", "爱/VV", "北京/NR"], ["我爱/VV", "北京/NR"]), "pass lists of the words alone."),
    "a line end in a word of a list": (scored(["a", "\nb"], ["a", "b"]), UNITS_DIFFER),
    "a tab in a word that begins with #": (scored(["#\tx", "a"], ["#\tx", "b"]), UNITS_DIFFER),
    "a byte-order mark": (scored("the\ufeff dog", "the do g", **WORDS), INVISIBLE),
    "levels that are swapped": (("score_constituents", (["a b c"], ["ab c"], ["a bc"]), WORDS),
        "expected words made of whole morphemes. Are the two levels swapped?"),
    "no Unicode in a vocabulary": (scored("a", "a", scores="oov", vocabulary=["\ud800"], **WORDS), "; expected Unicode text."),
    "no Unicode in a dictionary": (scored("a", "a", scores="dictionary", dictionary=["\ud800"], **WORDS),
        "dictionary, segment 0: '\\ud800' has a lone surrogate (U+D800), which is not text; expected Unicode text."),
    "an unknown score": (scored("a", "a", scores="fooxyz", **WORDS), "The command segscores groups lists all names."),
    "seconds of units": (scored("a", "a", scores="tolerance", tolerance=0.02, **WORDS),
        'expected a whole number of units, received 0.02; seconds are for text_format="times".'),
    "labels of words of text": (("score_by", (["a"], ["a"]), WORDS | {"by": "label"}),
        'only recordings have labels for their words: add text_format="times".'),
    "two systems": (("correlate", ({"f": [1, 2]}, [1, 2]), {}),
        "2 systems: expected at least 3, because any two have a correlation of 1 or -1."),
    "words without morphs": (scored("a @@b", "a @@b", text_format="sigmorphon", scores="token"),
        "expected a word, a tab and its morphs, such as play @@ed."),
    "a time in milliseconds": (scored([(0, 1e12, "a")], [(0, 1, "a")], text_format="times"),
        "from the beginning of the recording. Are the times samples or milliseconds, or counted from 1970?"),
    "forms of annotators": (("score_agreement", ([["a b"], [["a", "b"]]],), WORDS),
        "annotators, 1 has lists of strings and another side strings; expected the same form."),
    **{f"baselines with {name}": (("baselines", (["a b"], ["ab"]), WORDS | {name: value}), end)
       for name, value, end in (
           ("on_error", "skip", 'baselines: each prediction would leave out others: leave on_error="skip" out.'),
           ("on_mismatch", "align", 'the units of both sides must be equal: leave on_mismatch="align" out.'),
           ("documents", True, "baselines: sentences have no baseline: leave documents out."))},
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_message_ends_with_a_hint_where_it_fits(name: str) -> None:
    (function, positional, options), end = ENDS[name]
    with pytest.raises((ValueError, TypeError), match=re.escape(end)) as caught:
        getattr(segscores, function)(*positional, **options)
    assert str(caught.value).removesuffix(" (Utterances count from 0.)").endswith(end)


@pytest.mark.parametrize(
    ("reference", "prediction", "problem"),
    [(["a  b c"], ["a b  c"], "the references and the predictions differ in the width of whitespace, which words text ignores."),
     (["a b  c"] * 4, ["a b  c"] * 4, "the references: in most lines there are single spaces and two spaces, and each ends a "
      "word."),
     (["a b c"], ["a  bc"], ""), (["a  b  c"] * 4, ["a  b  c"] * 4, "")],
    ids=["widths that differ", "two widths", "a wide space", "wide spaces"],
)  # fmt: skip
def test_whitespace_of_two_widths_is_a_doubt(
    reference: list[str], prediction: list[str], problem: str, recwarn: pytest.WarningsRecorder
) -> None:
    segscores.score(reference, prediction, scores="token", **WORDS)
    end = 'If words end at two spaces, and units at a single space, add text_format="units" and word_boundary="  ".'
    assert " ".join(str(warning.message) for warning in recwarn) == (problem and f"{problem} {end}")


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
