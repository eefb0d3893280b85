"""Files of times: every format in every encoding, what a TextGrid may have, names of recordings, and files that can't be read."""

import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segscores
from segscores.worlds.times.formats import decode
from segscores.worlds.times.textgrid import parse_textgrid
from tests.recordings import Rows, textgrid, write_folder

ROWS: Rows = [(0.0, 0.3, "the"), (0.3, 0.7, "dög")]
MOVED: Rows = [(0.0, 0.36, "the"), (0.36, 0.7, "dög")]


def lines(row: str) -> Callable[[Rows], str]:
    """A writer of a line for each interval."""
    return lambda rows: "".join(row.format(start=s, end=e, duration=e - s, label=w) + "\n" for s, e, w in rows)


def integers(rate: int) -> Callable[[Rows], str]:
    return lambda rows: "".join(f"{round(start * rate)} {round(end * rate)} {label}\n" for start, end, label in rows)


def json_of(row: str, around: str) -> Callable[[Rows], str]:
    return lambda rows: around % ", ".join(row % row_of for row_of in rows)


WORD = '{"start": %s, "end": %s, "word": " %s"}'
#: The ending of a name, and a writer.
FORMATS: dict[str, tuple[str, Callable[[Rows], str]]] = {
    "TextGrid, long": ("TextGrid", lambda rows: textgrid({"words": rows, "phones": rows}, 0.7)),
    "TextGrid, short": ("TextGrid", lambda rows: textgrid({"words": rows}, 0.7, is_long=False)),
    "TextGrid by its beginning": ("txt", lambda rows: textgrid({"x": rows}, 0.7)),
    "CTM": ("ctm", lambda rows: ";; a comment\n" + lines("f 1 {start} {duration:.3f} {label} 0.9")(rows)),
    "CTM by its lines": ("txt", lines("f A {start} {duration:.3f} {label}")),
    "TIMIT": ("wrd", integers(16000)),
    "ZeroSpeech": ("wrd", lines("f {start} {end} {label}")),
    "Audacity": ("txt", lines("{start}\t{end}\t{label}")),
    "HTK": ("lab", integers(10_000_000)),
    "table": ("csv", lambda rows: "word,onset,duration\n" + lines("{label},{start},{duration:.3f}")(rows)),
    "table without header": ("tsv", lines("{start}\t{end}\t{label}")),
    "WhisperX": ("json", json_of(WORD, '{"segments": [{"start": 0, "end": 1, "words": [%s]}]}')),
    "table that names TextGrids": (
        "csv",
        lambda rows: "file,start,end,label\n" + lines("a.TextGrid,{start},{end},{label}")(rows),
    ),
    "MFA": (
        "json",
        json_of('[%s, %s, "%s"]', '{"end": 0.7, "tiers": {"words": {"entries": [%s]}, "x": {"entries": []}}}'),
    ),
}


@pytest.mark.parametrize(("ending", "write"), FORMATS.values(), ids=FORMATS)
def test_a_format_is_read_in_every_encoding(ending: str, write: Callable[[Rows], str], tmp_path: Path) -> None:
    reference = tmp_path / f"a.{ending}"
    # Newlines of one byte, and of two in either order.
    all_ends = product(("utf-8", "utf-16-le", "utf-16-be"), ("\n", "\r\n", "\r"))
    for encoding, line_end in (*all_ends, *((encoding, "\r\n") for encoding in ("utf-8-sig", "utf-16", "cp1252"))):
        reference.write_bytes(write(ROWS).replace("\n", line_end).encode(encoding))
        scores = segscores.score(reference, [ROWS], text_format="times", scores="labelled_token", tolerance=0)
        assert set(scores.values()) == {1.0}, (encoding, line_end)


QUOTE = '""'


def grid(body: str) -> str:
    """A short TextGrid of one tier of 2 seconds."""
    return f'"ooTextFile"\n"TextGrid"\n0 2 <exists> 1\n"IntervalTier" "words" 0 2 {body}'


@pytest.mark.parametrize(
    ("body", "labels", "ends"),
    [
        ('2 0 1 "the" 1 2 "dog"', ["the", "dog"], [1, 2]),
        ('7 0 1 "a wrong size" 1 2 ""', ["a wrong size", ""], [1, 2]),
        ('2 0 1 "a ""quote""" 1 2 """"', ['a "quote"', '"'], [1, 2]),
        ('2 0 1 "two\nlines" 1 2 "tab\tand ! sign"', ["two\nlines", "tab\tand ! sign"], [1, 2]),
        ('2 ! "a comment" 7\n0 1 "the" ! more 8\n1 2 "dog"', ["the", "dog"], [1, 2]),
        ('2 0s 1.5s "units" 1.5s 2 "after numbers"', ["units", "after numbers"], [1.5, 2]),
        ('2 from 0 to 1/2 "fractions" 50% 2 "and percents"', ["fractions", "and percents"], [0.5, 2]),
        ('2 0 -3/-2 "signs" -3/-2 4e0/2e0 "and exponents"', ["signs", "and exponents"], [1.5, 2]),
        ("0", [], []),
    ],
)
def test_the_grammar_of_praat(body: str, labels: list[str], ends: list[float]) -> None:
    intervals = parse_textgrid(decode(grid(body).encode("utf-16"))).recordings[""]
    assert (list(intervals.labels), list(intervals.ends), intervals.duration) == (labels, ends, 2)


@pytest.mark.parametrize(
    ("size", "write"),
    [
        (50_000, lambda size: grid(f'1 0 2 "{size * QUOTE}"')),
        (2_000, lambda size: grid("0") + size * '\n"IntervalTier" "x" 0 2 0'),
    ],
    ids=["doubled quotes", "tiers"],
)
def test_the_time_of_reading_is_linear(size: int, write: Callable[[int], str]) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        parse_textgrid(text)
        return time.process_time() - start

    short, long = (min(seconds(write(count)) for _ in range(2)) for count in (size, 8 * size))
    # Quadratic reading takes 64 times as long.
    assert long < 24 * short


@pytest.mark.parametrize(
    "text",
    [20 * "0.1 0.2 0.3 0.4\n" + "end\n", 18 * "<!-- a -->\n" + "x </", "0.4," + 20_000 * "1" + ",dog\n"],
    ids=["lines that may begin with a name", "comments of XML without a root", "a time of many digits"],
)
def test_a_file_is_refused_in_little_time(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(ValueError, match=r"a\.txt"):
        segscores.score([ROWS], path, text_format="times")
    # With two ways to match each line, the time doubles with each, and is above five seconds, as for each way to divide digits.
    assert time.process_time() - start < 2


SEVERAL = textgrid({"Ann - words": ROWS, "Ann - phones": ROWS, "Bob": MOVED}, 0.7)
POINTS = SEVERAL.replace("size = 3", "size = 4") + (
    'item [4]: class = "TextTier" name = "tones" xmin = 0 xmax = 0.7 points: size = 1 points [1]: number = 0.3 mark = "H*" '
)


@pytest.mark.parametrize("tier", ["Ann - words", "ann - WORDS", "words", "1"])
def test_a_tier_is_named_with_or_without_its_speaker_or_by_its_number(tier: str, tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(POINTS, encoding="utf-8")
    scores = segscores.score(path, path, text_format="times", tier=(tier, "Bob"), scores="token")
    assert scores == segscores.score([ROWS], [MOVED], text_format="times", scores="token")


#: Saved by Praat 6.1.38 ("Save as binary file"): the words dog and bárk😀狗, and a tone at 0.5 s.
BINARY = bytes.fromhex(
    "6f6f42696e61727946696c6508546578744772696400000000000000003ff333333333333301000000020c496e74657276616c546965720005776f726473"
    "00000000000000003ff33333333333330000000300000000000000003fd999999999999a00003fd999999999999a3fe66666666666660003646f673fe666"
    "66666666663ff3333333333333ffff0006006200e10072006bd83dde0072d70854657874546965720005746f6e657300000000000000003ff33333333333"
    "33000000013fe00000000000000002482a"
)


@pytest.mark.parametrize("name", ["a.TextGrid", "a.txt"])
def test_a_binary_textgrid_has_what_praat_saved(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(BINARY)
    words = segscores.Intervals([0.4, 0.7], [0.7, 1.2], ["dog", "bárk😀狗"], duration=1.2)
    assert segscores.score(path, [words], text_format="times", scores="labelled_token_fscore", tolerance=0) == {
        "labelled_token_fscore": 1.0
    }
    tones = segscores.tally(path, [[(0.0, 0.5), (0.5, 1.2)]], text_format="times", scores="token", tier="tones")
    assert tones.counts()["token_matched"] == 2
    for size in range(22, len(BINARY), 7):
        path.write_bytes(BINARY[:size])
        with pytest.raises(ValueError, match=rf"{name}: a binary TextGrid .*cut short"):
            segscores.score(path, [words], text_format="times")
    path.write_bytes(BINARY.replace(b"TextTier", b"LinkTier"))
    with pytest.raises(
        ValueError, match=rf"{name}: a binary TextGrid with a tier of the class 'LinkTier'; expected Interval"
    ):
        segscores.score(path, [words], text_format="times")


#: The name of a file, its text, options, and words of the message.
BAD: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "no such tier": ("a.TextGrid", SEVERAL, {"tier": "word"},
                    ("a.TextGrid", "'word'", "'Ann - words', 'Ann - phones', 'Bob'")),
    "tiers of one name": ("a.TextGrid", textgrid({"x": ROWS, "X": ROWS}, 1).replace("X", "x"), {"tier": "x"},
                          ("several", "number")),
    "several tiers": ("a.TextGrid", textgrid({"x": ROWS, "y": ROWS}, 1), {}, ("a.TextGrid", "tier", "'x', 'y'")),
    "no TextGrid": ("a.TextGrid", "the dog\n", {}, ("a.TextGrid", "TextGrid")),
    "a TextGrid cut short": ("a.TextGrid", textgrid({"x": ROWS}, 1).partition("0.7")[0], {}, ("'x'", "cut short")),
    "a hexadecimal time": ("a.TextGrid", grid('1 0 0x3 "a"'), {}, ("a.TextGrid", "0x3")),
    "no time": ("a.txt", "0.0 0.3 a\n\n0.3 x b\n", {}, ("a.txt", "line 3", "'x'")),
    "nan": ("a.txt", "0.0 nan a\n", {}, ("a.txt", "no number")),
    "one field": ("a.lab", "0.0 0.3 a\n0.4\n", {}, ("a.lab", "line 2", "'0.4'")),
    "a CTM without word": ("a.ctm", "f 1 0.0 0.3 a\nf 1 0.2\n", {}, ("a.ctm", "line 2")),
    "RTTM without turns and words": ("a.rttm", "SPKR-INFO f 1 <NA> <NA> <NA> unknown ann <NA> <NA>\n", {},
                                     ("a.rttm", "SPEAKER or LEXEME")),
    "no such type of RTTM": ("a.rttm", "SPEAKER f 1 0 1 <NA> <NA> ann <NA> <NA>\n", {"tier": "LEXEME"},
                             ("a.rttm", "'LEXEME'", "'SPEAKER'")),
    "a row cut short": ("a.csv", "word,start,end\na,0,1\nb,2\n", {}, ("a.csv", "line 3", "2 columns", "a start and an end")),
    "a quotation mark that is a word": ("a.csv", 'start,end,word\n0,1,"\n1,2,dog\n2,3,"\n3,4,x\n', {},
                                        ("a.csv", "line 2", "quotation mark", "1,2,dog")),
    "a label with a quotation mark": ("a.tsv", 'a\t0\t1\n"oh\t1\t2\nb\t2\t3\n', {}, ("a.tsv", "line 2", "quotation mark", "oh")),
    "no time after a cell of two lines": ("a.csv", 'start,end,word\n0,1,"a\nb"\n1,x,c\n', {}, ("a.csv", "line 4", "'x'")),
    "no such list of JSON": ("a.json", '{"words": [{"start": 0, "end": 1, "word": "a"}]}', {"tier": "turns"},
                             ("a.json", "'turns'", "words")),
    "ELAN without an annotation": (
        "a.eaf", '''<?xml version="1.0"?><ANNOTATION_DOCUMENT><TIME_ORDER/><TIER TIER_ID="gloss"><ANNOTATION><REF_ANNOTATION
        ANNOTATION_ID="a2" ANNOTATION_REF="a9"><ANNOTATION_VALUE>x</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
        </ANNOTATION_DOCUMENT>''', {"tier": "gloss"}, ("a.eaf", "refers to a9")),
    "a table without times": ("a.csv", "word,length\na,1\n", {}, ("a.csv", "word, length", "start")),
    "JSON without times": ("a.json", '{"words": [{"word": "a"}]}', {}, ("a.json", "start and an end")),
    "no JSON": ("a.json", "{", {}, ("a.json",)),
    "JSON of many levels": ("a.json", "[" * 100_000, {}, ("a.json", "nested too deeply")),
    "JSON of more levels than calls": ("a.json", "[" * 900 + "]" * 900, {}, ("a.json", "nested too deeply")),
    "a tier of JSON that is no object": ("a.json", '{"tiers": ["words"]}', {}, ("a.json", "structure")),
    "points of JSON without an end": ("a.json", '{"tiers": {"words": {"type": "point", "entries": [[0.5, "a"]]}}}', {},
                                      ("a.json", "points without an end", "xmax")),
    "a label of JSON that is no text": ("a.json", '[{"start": 0, "end": 1, "word": "a\\ud800"}]', {},
                                        ("a.json, recording a", "the label 'a\\ud800'", "lone surrogate")),
    "a time divided by 0": ("a.TextGrid", grid('1 0 1/0 "a"'), {}, ("a.TextGrid", "structure", "zero")),
    "a time slot of ELAN that is no number": (
        "a.eaf", '''<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t" TIME_VALUE="x"/></TIME_ORDER>
        <TIER TIER_ID="w"><REF_ANNOTATION/></TIER></ANNOTATION_DOCUMENT>''', {}, ("a.eaf", "time slot 'x'", "milliseconds")),
    "two recordings of one name": ("a.mlf", '#!MLF!#\n"*/ann/a.lab"\n0 9 a\n.\n"*/bob/a.lab"\n9 12 b\n.\n', {},
                                   ("a.mlf", "line 5", "called a")),
    "a label without a recording": ("a.mlf", '#!MLF!#\n"a.lab"\n0 9 a\n.\n9 12 b\n.\n', {},
                                    ("a.mlf", "line 5", "'9 12 b'", "name")),
    "a recording without a name": ("a.mlf", '#!MLF!#\n"*/"\n0 9 a\n.\n', {}, ("a.mlf", "line 2", "name")),
    "JSON of another structure": ("a.json", '{"tiers": {"words": [1]}}', {}, ("a.json", "structure")),
    "an end before a start": ("a.txt", "0.5 0.3 a\n", {}, ("a.txt", "recording a", "0.5–0.3 s", "'a'", "before it begins")),
    "an end before a start at 0": ("a.txt", "0.0 -0.3 a\n", {}, ("a.txt", "before it begins")),
    "a start before 0": ("a.txt", "-0.5 0.3 a\n", {}, ("a.txt", "recording a", "begins before 0")),
    "a start before 0 beside a cut": ("a.txt", "0.5 1 b\n-1 -0.5 a\n", {"overlap": "cut"}, ("a.txt", "begins before 0")),
    "an interval within another": ("a.txt", "0.0 1.0005 a\n1.0 1.0004 b\n1.0004 2 c\n", {},
                                  ("a.txt", "1–1.0004 s", "'b'", "ends at 1.0005 s", "follow each other")),
    "an interval twice": ("a.txt", "0.0 0.001 a\n0.0 0.001 a\n", {}, ("a.txt", "0–0.001 s", "follow each other")),
    "a time since 1970": ("a.txt", "1.7e9 1.7e9 a\n", {}, ("a.txt", "recording a", "1.7e+09 s", "10,000,000 s", "1970")),
    "an infinite time": ("a.txt", "0.0 1e400 a\n", {}, ("a.txt", "recording a", "no number")),
    "a word in place of a time in JSON": ("a.json", '[{"start": 0, "end": "x"}]', {}, ("a.json", "expected a time", '"x"')),
    "a huge integer in JSON": ("a.json", '[{"start": 0, "end": %s}]' % ("9" * 400), {}, ("a.json", "expected a time", "999")),
    "a field of 200 kB": ("a.csv", f"start,end,word\n0,1,{'x' * 200_000}\n", {}, ("a.csv", "line 2", "131,072 characters")),
    "hours of many digits": ("a.csv", "start,end,word\n0," + "1" * 5000 + ":00:01,a\n", {}, ("line 2", "expected a time")),
    "two numbers in a cell": ("a.csv", 'start,end,word\n0,"1 2,5",a\n', {}, ("a.csv", "line 2", "expected a time", "1 2,5")),
    "a quotation mark before many rows": ("a.csv", 'start,end,word\n0,1,"a\n' + "7,8,b\n" * 30_000, {},
                                          ("a.csv", "line 2", "quotation mark", "nothing closes")),
    "lists of times in JSON": ("a.json", '[{"start": [0, 1, 2], "end": 1}, {"start": [1, 2, 3], "end": 2}]', {},
                               ("a.json", "expected a time", "[0, 1, 2]")),
    "a number of many digits after JSON": ("a.json", '{"start": 0, "end": 1}\n' + "1" * 5000, {},
                                           ("a.json", "broken JSON", "line 2")),
    "an overlap": ("a.txt", "0.0 0.5 a\n0.4 1.0 b\n", {}, ("a.txt", "0.4–1 s", "before 0.5 s", 'overlap="cut"')),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "options", "words"), BAD.values(), ids=BAD)
def test_a_bad_file_is_an_error_with_its_place(
    name: str, text: str, options: dict[str, Any], words: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=name) as caught:
        segscores.score([ROWS], path, text_format="times", **options)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize(
    ("recording", "words"),
    [
        ("a.TextGrid", ("'a.TextGrid'", "(start, end, label)")),
        ([(0, 1, 2)], ("utterance 0", "(start, end, label)")),
        ([(0, 1), (1, 2, "a")], ("utterance 0",)),
        ([(0, 10**400)], ("utterance 0", "(start, end, label)")),
        (segscores.Intervals(["x"], ["y"]), ("utterance 0", "no number")),
        (segscores.Intervals([[0]], [[1]]), ("utterance 0", "sequences of numbers")),
        (segscores.Intervals([0], [1e300]), ("utterance 0", "1e+300 s", "10,000,000 s")),
        (segscores.Intervals([0], [1], duration=float("nan")), ("utterance 0", "no number")),
        (segscores.Intervals([0], [1], duration=-1), ("utterance 0", "duration of -1 s")),
        (segscores.Intervals([0], [1], per_second=0), ("utterance 0", "0 samples per second")),
        (segscores.Intervals([0], [1], begin="0"), ("utterance 0", "no number")),
        (segscores.Intervals([0], [1], per_second="100"), ("utterance 0", "no number")),
        (segscores.Intervals([0], [1], ["a\ud800"]), ("utterance 0", "'a\\ud800'", "lone surrogate")),
        ([(0, 1, "\ud800")], ("utterance 0", "lone surrogate")),
        (segscores.Intervals([0], [1, 2]), ("utterance 0", "1 starts, 2 ends")),
        (segscores.Intervals(0.5, [1]), ("utterance 0", "sequences")),
        (segscores.Intervals([0], [1], [7]), ("utterance 0", "label 7 (int)", "a string")),
        (segscores.Intervals([0, 1], [1, 2], ["a", None]), ("utterance 0", "label None", "blank for silence")),
        ((0.0, 0.3, "a"), ("utterance 0", "list of recordings")),
    ],
)
def test_intervals_in_python_are_checked(recording: Any, words: tuple[str, ...]) -> None:
    sides = recording if isinstance(recording, str) else [recording]
    with pytest.raises((TypeError, ValueError)) as caught:
        segscores.score(sides, [ROWS], text_format="times")
    assert all(word in str(caught.value) for word in words), caught.value


def test_recordings_pair_by_name_and_one_with_another(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "gold", {"b": ROWS, "a": MOVED})
    (tmp_path / "gold" / "notes.md").write_text("no times", encoding="utf-8")
    ctm = tmp_path / "x.ctm"
    ctm.write_text("a 1 0 0.36 the\na 1 0.36 0.34 dog\nb 1 0 0.3 the\nb 1 0.3 0.4 dog\n", encoding="utf-8")
    options: Any = {"text_format": "times", "scores": "token"}
    assert segscores.score(folder, ctm, **options)["token_fscore"] == 1
    assert segscores.score({"b": ROWS, "a": MOVED}, folder, **options)["token_fscore"] == 1
    assert segscores.score(folder / "b.TextGrid", {"other": ROWS}, **options)["token_fscore"] == 1
    with pytest.raises(ValueError, match=r"gold lacks the recordings c, d of predictions; recordings pair by name"):
        segscores.score(folder, {"a": ROWS, "b": ROWS, "c": ROWS, "d": ROWS}, **options)
    with pytest.raises(ValueError, match=r"predictions lacks the recordings 1, 2 of references"):
        segscores.score([ROWS] * 3, [ROWS], **options)
    write_folder(tmp_path / "gold" / "more", {"a": ROWS})
    with pytest.raises(ValueError, match=r"x\.ctm lacks the recording more/a of .*gold"):
        segscores.score(folder, ctm, **options)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty: this folder has no files of times"):
        segscores.score(tmp_path / "empty", ctm, **options)


def test_times_of_json_and_labels_of_numpy_may_be_strings(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"start": "0", "end": "0.7", "tiers": {"words": {"entries": [["0", "0.7", "a"]]}}}', encoding="utf-8"
    )
    labelled = [(0.0, 0.7, *np.array(["a"]))]
    assert segscores.score(path, [labelled], text_format="times", scores="labelled_token_fscore") == {
        "labelled_token_fscore": 1.0
    }


def test_a_folder_may_have_a_table_that_is_none(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "gold", {"a": ROWS})
    (folder / "notes.csv").write_text("x" * 200_000, encoding="utf-8")
    with pytest.warns(UserWarning, match=r"left out: notes\.csv"):
        assert segscores.score(folder, {"a": ROWS}, text_format="times", scores="token_fscore") == {"token_fscore": 1.0}


def test_times_are_never_read_as_text(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "gold", {"a": ROWS})
    for path in (folder, folder / "a.TextGrid"):
        with pytest.raises(ValueError, match=r'gold.*times of recordings.*text_format="times"'):
            segscores.score(path, ["the dog"], text_format="words")


@pytest.mark.filterwarnings("ignore:predictions. half of the segments", "ignore:.*end at very different times")
def test_times_in_other_units_and_other_durations_are_doubted() -> None:
    sides: Any = [[(0, 70_000), (70_000, 140_000)]], [[(0, 50), (50, 100)]]
    with pytest.warns(UserWarning, match=r"references: half of the segments last over 40 seconds.*milliseconds"):
        segscores.score(*sides, text_format="times", scores="token")
    lists = [[segscores.Intervals([0], [1], duration=duration)] for duration in (2, 2.2)]
    with pytest.warns(UserWarning, match=r"first of 0 \(2 s and 2.2 s\)"):
        segscores.score(*lists, text_format="times", scores="token")
    durations = [{"a": segscores.Intervals([0], [1], duration=duration)} for duration in (2, 2.2)]
    with pytest.warns(UserWarning, match=r"durations of 1 of 1 recordings differ.*a \(2 s and 2.2 s\)"):
        segscores.score(*durations, text_format="times", scores="token")


EARLY, LATE = [(0, 0.5), (0.5, 1)], [(0, 10), (10, 20)]


@pytest.mark.parametrize(
    ("left", "right", "is_said"),
    [
        pytest.param(EARLY, LATE, True, id="frames"),
        pytest.param(EARLY, [(4 * at, 4 * at + 4) for at in range(5)], False, id="more words later"),
        pytest.param(EARLY[:1], LATE[:1], False, id="one word"),
        pytest.param(
            [(start, end, "a") for start, end in EARLY],
            [*((start, end, "a") for start, end in EARLY), (1, 60, "sil")],
            False,
            id="silence at the end",
        ),
    ],
)
def test_ends_of_equally_many_words_at_very_different_times_are_said(
    left: Any, right: Any, is_said: bool, recwarn: pytest.WarningsRecorder
) -> None:
    for sides in ((left, right), (right, left)):
        segscores.score(*([side] for side in sides), text_format="times", scores="token")
    said = [warning for warning in recwarn if "end at very different times" in str(warning.message)]
    assert len(said) == 2 * is_said
