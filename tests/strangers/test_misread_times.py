"""Files of times that are easily misread: what is read, said or refused, as a person means the file."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import segscores
from segscores.apps.command.main import main
from tests.recordings import textgrid, write_texts

WORDS = [(0.4, 0.7, "dog"), (0.7, 1.2, "barks")]
SCORES = ("labelled_token_precision", "labelled_token_recall")


def score(folder: Path, file: str, text: str, reference: Any = None) -> dict[str, float]:
    path = write_texts(folder, {file: text}) / file
    return segscores.score(reference or [WORDS], path, text_format="times", scores=SCORES, zero_division=0)


#: Files that are read as the two words, without a word.
READ = {
    "a score before the label": ("p.csv", "0.4,0.7,0.93,dog\n0.7,1.2,0.9,barks\n"),
    "a score after the label": ("p.csv", "dog,0.4,0.7,0.93\nbarks,0.7,1.2,0.9\n"),
    "a speaker before the label": ("p.csv", "0.4,0.7,ann,dog\n0.7,1.2,ann,barks\n"),
    "ELAN, columns with a duration": ("p.tsv", "w\t\t0.400\t0.700\t0.300\tdog\nw\t\t0.700\t1.200\t0.500\tbarks\n"),
    "CTM in milliseconds": ("p.ctm", "p 1 400 300 dog\np 1 700 500 barks\n"),
    "rows with numbers": ("p.csv", "1,0.4,0.7,dog\n2,0.7,1.2,barks\n"),
    "rows with numbers from 0": ("p.csv", "0,0.4,0.7,dog\n1,0.7,1.2,barks\n"),
    "labels before the times": ("p.csv", "dog,0.4,0.7\nbarks,0.7,1.2\n"),
    "a phone of each word": ("p.csv", "start,end,word,phone\n0.4,0.7,dog,d\n0.7,1.2,barks,b\n"),
    "segments of a word each": ("p.json", json.dumps({"segments": [{"start": 0.4, "end": 0.7, "text": "dog"},
                                                                   {"start": 0.7, "end": 1.2, "text": "barks"}]})),
    "a line for Excel": ("p.csv", "sep=;\nstart;end;label\n0,4;0,7;dog\n0,7;1,2;barks\n"),
    "minutes and seconds": (
        "p.csv", "Name,Start,End,Length\ndog,0:00.400,0:00.700,0:00.300\nbarks,0:00.700,0:01.200,0:00.500\n"),
    "labels of numbers": ("p.csv", "0.4,0.7,1\n0.7,1.2,2\n"),
    "a blank interval without duration": ("p.csv", "start,end,label\n0.4,0.7,dog\n0.7,1.2,barks\n1.2,1.2,\n"),
    "a tier whose header counts more intervals": (
        "p.TextGrid", '"ooTextFile" "TextGrid" 0 1.2 <exists> 1 "IntervalTier" "words" 0 1.2 4 0 0.4 "" 0.4 0.7 "dog" '
        '0.7 1.2 "barks"'),
    "a tier that is longer than its intervals": (
        "p.TextGrid", '"ooTextFile" "TextGrid" 0 1.9 <exists> 1 "IntervalTier" "words" 0 1.9 3 0 0.4 "" 0.4 0.7 "dog" '
        '0.7 1.2 "barks"'),
    "a second label on each line": ("p.lab", "4000000 7000000 dog w\n7000000 12000000 barks w\n"),
    "a score on each line": ("p.lab", "4000000 7000000 dog -8.5\n7000000 12000000 barks -9\n"),
    "seconds with their unit in JSON": ("p.json", json.dumps([{"start": "0.4s", "end": "0.7s", "word": "dog"},
                                                                {"start": "0.7s", "end": "1.2s", "word": "barks"}])),
    "a column of transcripts": ("p.csv", "start,end,transcript\n0,0.4,\n0.4,0.7,dog\n0.7,1.2,barks\n"),
    "a label of one value beside words": ("p.csv", "start,end,label,word\n0.4,0.7,w,dog\n0.7,1.2,w,barks\n"),
    "a cue whose first line is a space": (
        "p.vtt", "WEBVTT\n\n00:00.400 --> 00:00.700\n \ndog\n\n00:00.700 --> 00:01.200\nbarks\n"),
    "applause": ("p.json", json.dumps({"words": [
        {"text": "dog", "start": 0.4, "end": 0.7, "type": "word"}, {"text": "barks", "start": 0.7, "end": 1.2, "type": "word"},
        {"text": "(applause)", "start": 1.2, "end": 2, "type": "audio_event"}]})),
    "JSON lines": ("p.jsonl", '{"word": "dog", "start": 0.4, "end": 0.7}\n{"word": "barks", "start": 0.7, "end": 1.2}\n'),
    "results of Vosk, one after the other": (
        "p.json",
        '{"result": [{"word": "dog", "start": 0.4, "end": 0.7}]}\n{"result": [{"word": "barks", "start": 0.7, "end": 1.2}]}'),
    "times of a clock in JSON": ("p.json", json.dumps([{"start": "00:00:00.400", "end": "00:00:00.700", "word": "dog"},
                                                       {"start": "0,7", "end": "1,2", "word": "barks"}])),
    "a batch of Azure": ("p.json", json.dumps({"recognizedPhrases": [{"nBest": [{"words": [
        {"word": "dog", "offset": "PT0.4S", "duration": "PT0.3S", "offsetInTicks": 4e6, "durationInTicks": 3e6},
        {"word": "barks", "offset": "PT0.7S", "duration": "PT0.5S", "offsetInTicks": 7e6, "durationInTicks": 5e6}]}]}]})),
}  # fmt: skip


#: Rows of the two words in files whose names tell nothing: their times show what they are.
ROWS = {
    "ZeroSpeech": "rec 0.4 0.7 dog\nrec 0.7 1.2 barks\n",
    "a time at the beginning that is whole": "rec 0 0.4\nrec 0.4 0.7 dog\nrec 0.7 1.2 barks\n",
    "CTM with a comment": ";; ann\nrec 1 0.4 0.3 dog\nrec 1 0.7 0.5 barks\n",
    "CTM with a number and a letter": "2347 A 0.4 0.3 dog\n2347 A 0.7 0.5 barks\n",
    "CTM with the same number twice": "1 1 0.4 0.3 dog\n1 1 0.7 0.5 barks\n",
    "CTM with two numbers": "2347 1 0.4 0.3 dog 0.9\n2347 1 0.7 0.5 barks 0.8\n",
    "Audacity": "0.400000\t0.700000\tdog\n0.700000\t1.200000\tbarks\n",
    "ZeroSpeech with tabs": "rec\t0.4\t0.7\tdog\nrec\t0.7\t1.2\tbarks\n",
    "commas": "0.4,0.7,dog\n0.7,1.2,barks\n",
    "labels before commas": "dog,0.4,0.7\nbarks,0.7,1.2\n",
    "times of a clock and commas": "00:00:00,00:00:01,dog\n00:00:01,00:00:02,barks\n",
    "times of a clock": "00:00:00.400 00:00:00.700 dog\n00:00:00.700 00:00:01.200 barks\n",
}


@pytest.mark.parametrize("text", ROWS.values(), ids=ROWS)
def test_rows_of_times_are_recognised_whatever_their_file_is_called(
    text: str, in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_texts(in_folder, {"gold": text, "pred": text.replace("barks", "bark")})
    main(["score", "gold", "pred", "--scores", ",".join(SCORES), "--format", "json"])
    found = capsys.readouterr()
    assert json.loads(found.out)["predictions"][0]["scores"] == dict.fromkeys(SCORES, 1 / 2)
    assert re.search("pred: read as intervals in recordings.*recognised by its times", found.err)


def test_a_line_that_cannot_be_read_is_named_and_not_what_the_lines_look_like(in_folder: Path) -> None:
    lines = "".join(f"s_1 {number}.5 {number}.9 a\n" for number in range(5))
    with pytest.raises(ValueError, match="line 6: expected a time, received 'x'"):
        score(in_folder, "p", f"{lines}s_1 x 6.9 a\n")


@pytest.mark.parametrize(("file", "text"), READ.values(), ids=READ)
def test_a_file_is_read_as_it_is_meant(file: str, text: str, tmp_path: Path) -> None:
    reference = [(start, end, str(number)) for number, (start, end, _) in enumerate(WORDS, 1)]
    is_numbered = "0.7,1\n" in text
    assert score(tmp_path, file, text, [reference if is_numbered else WORDS]) == dict.fromkeys(SCORES, 1.0)


def test_json_behind_a_value_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    word = '{"word": "dog", "start": 0.4, "end": 0.7}\n'
    with pytest.raises(ValueError, match="broken JSON"):
        score(tmp_path, "p.jsonl", word + "[" * 100_000)


#: Files of other intervals, which are read without a word.
OTHER: dict[str, tuple[str, str, Any]] = {
    "a single row with a number": ("p.csv", "0,0.4,0.7\n", [(0, 0.4, "0.7")]),
    "hours and minutes": ("p.csv", "label,start,end\ndog,1:00.4,1:01.5\nbarks,1:01:02.5,1:01:03.5\n",
                          [(60.4, 61.5, "dog"), (3662.5, 3663.5, "barks")]),
    "times alone": ("p.csv", "0.4,0.7\n0.7,1.2\n", [(0.4, 0.7), (0.7, 1.2)]),
    "a phone twice": ("p.csv", "start,end,phone\n0.4,0.7,d\n0.7,1.2,d\n", [(0.4, 0.7, "d"), (0.7, 1.2, "d")]),
    "segments of which half are phrases": (
        "p.json", json.dumps({"segments": [{"start": 0.4, "end": 0.7, "text": "the dog"},
                                           {"start": 0.7, "end": 1.2, "text": "barks"}]}),
        [(0.4, 0.7, "the dog"), (0.7, 1.2, "barks")]),
}  # fmt: skip


@pytest.mark.parametrize(("file", "text", "intervals"), OTHER.values(), ids=OTHER)
def test_other_intervals_are_read_as_they_are_meant(file: str, text: str, intervals: Any, tmp_path: Path) -> None:
    assert score(tmp_path, file, text, [intervals]) == dict.fromkeys(SCORES, 1.0)


def test_a_column_names_recordings_if_rows_overlap_that_do_not_within_its_values(tmp_path: Path) -> None:
    rows = "0.4,0.7,dog,m\n0.7,1.2,barks,m\n1.2,1.3,a,f\n1.3,1.4,b,f\n"
    one_recording = [[*WORDS, (1.2, 1.3, "a"), (1.3, 1.4, "b")]]
    scores = score(tmp_path, "p.csv", f"start,end,label,voice\n{rows}", one_recording)
    assert scores == dict.fromkeys(SCORES, 1.0)
    with pytest.raises(ValueError, match="overlap"):
        score(tmp_path, "q.csv", "start,end,label,voice\n0.4,0.7,dog,m\n0.5,1.2,barks,f\n")


GENTLE = [{"word": "dog", "start": 0.4, "end": 0.7, "startOffset": 0, "endOffset": 3},
          {"word": "barks", "start": 0.7, "end": 1.2, "startOffset": 4, "endOffset": 9},
          {"case": "not-found-in-audio", "word": "now", "startOffset": 10, "endOffset": 13}]  # fmt: skip

#: Files that are read as the two words, with what is said.
SAID = {
    "an unusual name of labels": ("p.csv", "start,end,Gloss\n0.4,0.7,dog\n0.7,1.2,barks\n",
                                "p.csv: the column Gloss is read as the labels"),
    "an unusual key of labels": ("p.json", '[{"start": 0.4, "end": 0.7, "w": "dog"}, {"start": 0.7, "end": 1.2, "w": "barks"}]',
                                 "the key w is read as the labels"),
    "two columns of text": ("p.csv", "0.4,0.7,dog,hund\n0.7,1.2,barks,bellt\n", "columns 3 and 4 may have the labels; 3 is read"),
    "characters in place of times": ("p.json", json.dumps({"words": GENTLE}), "1 of 3 words have no times"),
    "one key of several": ("p.json", json.dumps([{"start": 0.4, "end": 0.7, "w": "dog", "by": "ann"},
                                                 {"start": 0.7, "end": 1.2, "w": "barks", "by": "ann"}]), "the key w is read"),
    "a word without duration": ("p.csv", "start,end,label\n0.4,0.7,dog\n0.7,1.2,barks\n1.2,1.2,uh\n",
                                "1 of 3 intervals end where they begin"),
    "a tier that is cut": ("p.TextGrid", '"ooTextFile" "TextGrid" 0 1.9 <exists> 1 "IntervalTier" "words" 0 1.9 4 '
                           '0 0.4 "" 0.4 0.7 "dog" 0.7 1.2 "barks"',
                           "the tier 'words' has 3 of 4 intervals, which end at 1.2 of 1.9 s"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "text", "said"), SAID.values(), ids=SAID)
def test_a_guess_is_said(file: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=said):
        assert score(tmp_path, file, text) == dict.fromkeys(SCORES, 1.0)


#: Files that have other intervals or labels than the words, with what is said.
DOUBTED = {
    "columns of which none is known": ("p.csv", "start,end,human,machine\n0.4,0.7,dog,dock\n0.7,1.2,barks,bark\n",
                                       r"none: name one with tier\. They are human, machine\.$"),
    "one row below an unusual name": ("p.csv", "start,end,Gloss\n0.4,0.7,dog\n", "the column Gloss is read as the labels"),
    "phones with their words": ("p.csv", "start,end,word,phone\n0.4,0.5,dog,d\n0.5,0.7,dog,g\n0.7,1.2,barks,b\n",
                                r"word is read as the labels, which repeat.*phone\? Name it with tier\.$"),
    "phones and words of HTK": ("p.lab", "4000000 5000000 d -8.5 dog\n5000000 7000000 g -9.1\n7000000 12000000 b -2.5 barks\n",
                                "second label, such as 'dog'"),
    "phones and words of HTK without scores": ("p.lab", "4000000 5000000 d dog\n5000000 7000000 g\n",
                                               "second label, such as 'dog'"),
    "pieces of words": ("p.json", json.dumps({"tokens": [
        {"text": "do", "start_ms": 400, "end_ms": 500}, {"text": "g", "start_ms": 500, "end_ms": 700},
        {"text": " barks", "start_ms": 700, "end_ms": 1200}]}), "are the others further parts of words"),
    "frames with a point": ("p.lab", "40.0 70.0 dog\n70.0 120.0 barks\n", "end at very different times.*1.2 s and 120 s"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*these scores compare labels")
@pytest.mark.parametrize(("file", "text", "said"), DOUBTED.values(), ids=DOUBTED)
def test_what_is_likely_no_word_is_said(file: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=said):
        score(tmp_path, file, text)


#: The words and the last end of a reference and of a prediction in seconds, and whether their ends are doubted.
LAST_ENDS = {
    "ten times as late": ((2, 0.2), (2, 2), True),
    "less than ten times as late": ((2, 0.2), (2, 1.98), False),
    "twice the words": ((2, 0.2), (4, 2), True),
    "more than twice the words": ((2, 0.2), (5, 2), False),
    "one word of the reference": ((1, 0.2), (2, 2), False),
    "one word of the prediction": ((2, 0.2), (1, 2), False),
    "more than a second apart": ((2, 0.1), (2, 1.2), True),
    "a second apart": ((2, 0.1), (2, 1.1), False),
    "ten times as early": ((2, 2), (2, 0.2), True),
    "less than ten times as early": ((2, 1.98), (2, 0.2), False),
    "half of the words": ((4, 2), (2, 0.2), True),
    "fewer than half of the words": ((5, 2), (2, 0.2), False),
}


@pytest.mark.parametrize(("reference", "prediction", "is_said"), LAST_ENDS.values(), ids=LAST_ENDS)
def test_last_ends_of_two_units_are_said(
    reference: tuple[int, float], prediction: tuple[int, float], is_said: bool, recwarn: pytest.WarningsRecorder
) -> None:
    sides = []
    for words, end in (reference, prediction):
        sides.append([(end * word / words, end * (word + 1) / words, "x") for word in range(words)])
    first, second = sides
    segscores.score([first], [second], text_format="times", scores="token", zero_division=0)
    assert ["end at very different times" in str(warning.message) for warning in recwarn] == [True] * is_said


#: The starts of a reference in seconds, how those of a prediction are made of them, and the delays that are said of the first and
#: the last word, if any.
STARTS = [0.1, 0.4, 0.5, 1.2, 1.4, 1.8, 2.0, 2.9, 3.0, 3.3]
DELAYS: dict[str, tuple[list[float], Callable[[int, float], float], tuple[str, str] | None]] = {
    "an offset": (STARTS, lambda _, start: start + 0.5, ("0.5 s later", "0.5 s later")),
    "an offset of the reference": (
        [at + 5 for at in STARTS],
        lambda _, start: start - 5,
        ("5 s earlier", "5 s earlier"),
    ),
    "another speed": (STARTS, lambda _, start: start * 48 / 44.1, ("0.00884 s later", "0.292 s later")),
    "small differences": (STARTS, lambda index, at: at + 0.5 + index % 2 / 25, ("0.5 s later", "0.54 s later")),
    "jitter": (STARTS, lambda index, at: at + 0.5 + index % 2 / 12.5, ("0.5 s later", "0.58 s later")),
    "one word among ten": (STARTS, lambda index, at: at + 0.5 * (index != 5), ("0.5 s later", "0.5 s later")),
    "two words among ten": (STARTS, lambda index, at: at + 0.5 * (index % 5 != 1), None),
    "large differences": (STARTS, lambda index, at: at + 0.5 + index % 2 / 3, None),
    "a short offset": (STARTS, lambda _, start: start + 0.09, None),
    "nine words": (STARTS[:-1], lambda _, start: start + 0.5, None),
    "even words": ([index / 2 for index in range(20)], lambda index, _: index / 4, None),
}


@pytest.mark.parametrize(("starts", "moved", "delays"), DELAYS.values(), ids=DELAYS)
def test_words_that_all_begin_later_are_said(
    starts: list[float],
    moved: Callable[[int, float], float],
    delays: tuple[str, str] | None,
    recwarn: pytest.WarningsRecorder,
) -> None:
    predicted = [moved(index, start) for index, start in enumerate(starts)]
    sides = [[(start, start + 0.02, "x") for start in side] for side in (starts, predicted)]
    # The words of another recording are at the same times.
    segscores.score([WORDS, sides[0]], [WORDS, sides[1]], text_format="times", scores="token")
    said = [str(warning.message) for warning in recwarn]
    if delays is None:
        assert not said
    else:
        first, last = delays
        recording = f"first of 1 (predictions: {first} at the first word, {last} at the last)"
        (message,) = said
        assert "the words of 1 of 2 recordings begin later on one side, by one time or one that grows" in message
        assert recording in message


#: The unit of the starts and ends of 20 words of a prediction, and options.
ROUNDED: dict[str, tuple[float, dict[str, Any], bool]] = {
    "tenths": (0.1, {}, True),
    "seconds": (1, {}, True),
    "frames": (0.08, {}, False),
    "a tolerance of half a tenth": (0.1, {"tolerance": 0.05}, False),
    "a small tolerance": (0.1, {"tolerance": 0.04}, True),
}


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(("unit", "options", "is_said"), ROUNDED.values(), ids=ROUNDED)
def test_times_that_are_rounded_on_one_side_are_said(
    unit: float, options: dict[str, Any], is_said: bool, is_swapped: bool, recwarn: pytest.WarningsRecorder
) -> None:
    rounded = [(at * unit, (at + 1) * unit, "x") for at in range(20)]
    fine = [(start + 0.013, end + 0.013, "x") for start, end, _ in rounded]
    sides = [[fine], [rounded]] if is_swapped else [[rounded], [fine]]
    segscores.score(*sides, text_format="times", scores="token", **options)
    assert ["multiples of 0.1 s" in str(warning.message) for warning in recwarn] == [True] * is_said


def test_times_that_are_rounded_on_both_sides_or_few_need_no_word(recwarn: pytest.WarningsRecorder) -> None:
    rounded = [(at / 10, (at + 1) / 10, "x") for at in range(20)]
    fine = [(start + 0.013, end + 0.013, "x") for start, end, _ in rounded]
    for sides in ((rounded, rounded), (rounded[:19], fine), (rounded, fine[:19])):
        segscores.score(*([side] for side in sides), text_format="times", scores="token")
    assert not [str(warning.message) for warning in recwarn]


def test_a_recording_in_which_nothing_was_heard_has_no_last_end(recwarn: pytest.WarningsRecorder) -> None:
    segscores.score([WORDS, [(0, 2, "a"), (2, 3, "b")]], [WORDS, []], text_format="times", scores="token_recall")
    assert not [str(warning.message) for warning in recwarn]


#: Files that are refused, with words of the message.
REFUSED = {
    "two numbers with decimal commas": ("p.csv", "0,4,0,7,dog\n", "line 1: .*decimal commas"),
    "one time in two units": ("p.tsv", "w\t00:00:00.4\t0.4\t00:00:00.7\t0.7\tdog\nw\t00:00:00.7\t0.7\t00:00:01.2\t1.2\tbarks\n",
                              "every interval ends where it begins"),
    "a TextGrid with decimal commas": ("p.TextGrid", textgrid({"words": WORDS}, 1.2).replace(".", ","),
                                       "expected a time, received '.,.'"),
    "a TextGrid cut in a name": ("p.TextGrid", textgrid({"words": WORDS}, 1.2).partition('words"')[0],
                                 "nothing closes. Is the file cut"),
    "ELAN in frames": ("p.eaf", '<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="PAL-frames"/></ANNOTATION_DOCUMENT>', "in PAL-frames"),
    "channels": ("p.json", json.dumps({"channels": [{"words": [{"word": "dog", "start": 0.4, "end": 0.7}]},
                                                    {"words": [{"word": "barks", "start": 0.7, "end": 1.2}]}]}),
                 r"channels\.0\.words, channels\.1\.words"),
    "several files": ("p.json", json.dumps([{"file": name, "words": [{"word": name, "start": at, "end": at + 0.3}]}
                                            for name, at in (("dog", 0.4), ("barks", 0.7))]), r"0\.words, 1\.words"),
    "many files": ("p.json", json.dumps([{"file": f"f{at}", "words": [{"word": f"w{at}", "start": at, "end": at + 1}]}
                                          for at in range(100)]), r"18\.words, 19\.words and 80 more"),
    "many columns": ("p.csv", ",".join(f"c{place}" for place in range(100)) + "\n1\n", "c18, c19 and 80 more; expected start"),
    "an empty TextGrid": ("p.TextGrid", "\n", "the file is empty"),
    "durations in place of ends": ("p.lab", "0.4 0.3 dog\n0.7 0.5 barks\n", "As durations, .* expected ends, or a table"),
    "ends in place of durations": ("p.ctm", "p 1 0.4 0.7 dog\np 1 0.7 1.2 barks\np 1 1.2 1.9 a\np 1 1.9 2.5 b\n",
                                   "3 do not: .*durations"),
    "a key that occurs twice": ("p.json", '{"words": [{"word": "dog", "start": 0.4, "start": 0.1, "end": 0.7}]}',
                                "the key 'start' occurs twice"),
    "labels of frames": ("p.txt", "p 1 1 1 4 4 4\nq 2 2 3 3\n", "a label for each frame.*ali-to-phones"),
    "confidences before words": ("p.ctm", "p 1 0.4 0.3 0.98 dog\np 1 0.7 0.5 0.87 barks\n", "line 1: .*behind the word"),
    "speech marks of Polly": ("p.json", '{"time": 400, "type": "word", "start": 0, "end": 3, "value": "dog"}\n'
                              '{"time": 700, "type": "word", "start": 4, "end": 9, "value": "barks"}\n', "places in a text"),
    "JSON cut short": ("p.json", '{"words": [{"word": "dog", "start": 0.4, "end"', "broken JSON .*cut short"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "text", "words"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_one_meaning_is_refused(file: str, text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"{file}[:,] .*({words})"):
        score(tmp_path, file, text)


def both(folder: Path, gold: dict[str, str], prediction: dict[str, str], **options: Any) -> dict[str, float]:
    sides = write_texts(folder / "gold", gold), write_texts(folder / "p", prediction)
    return segscores.score(*sides, text_format="times", scores="token_recall", **options)


A = textgrid({"words": WORDS}, 1.2)
B = textgrid({"words": [(0.1, 0.5, "no"), (0.5, 1, "way")]}, 1)
LINES = "{0} 1 0.4 0.3 dog\n{0} 1 0.7 0.5 barks\n{1} 1 0.1 0.4 no\n{1} 1 0.5 0.5 way\n"


@pytest.mark.parametrize(
    "prediction",
    [
        {"p.ctm": LINES.format("a.wav", "b.wav")},
        {"p.ctm": LINES.format("/data/a.wav", "/data/b.FLAC")},
        {"p.csv": "audio_path,start,end,label\nx/a.wav,0.4,0.7,dog\n"
                  "x/a.wav,0.7,1.2,barks\nx/b.wav,0.1,0.5,no\nx/b.wav,0.5,1,way\n"},
    ],
)  # fmt: skip
def test_recordings_pair_by_the_names_of_their_audio(prediction: dict[str, str], tmp_path: Path) -> None:
    assert both(tmp_path, {"a.TextGrid": A, "b.TextGrid": B}, prediction) == {"token_recall": 1.0}


def test_recordings_pair_in_either_code_of_a_letter(tmp_path: Path) -> None:
    files = {"e\u0301.TextGrid": A, "n\u0303.TextGrid": B}
    assert both(tmp_path, {"é.TextGrid": A, "ñ.TextGrid": B}, files) == {"token_recall": 1.0}


@pytest.mark.parametrize("options", [{}, {"missing": "empty"}])
def test_sides_without_a_common_name_are_an_error_that_lists_them(options: dict[str, Any], tmp_path: Path) -> None:
    files = {"a.TextGrid": A, "b.TextGrid": B}
    with pytest.raises(
        ValueError,
        match=r"no recording in common: .*gold has a, b, and .*p has a_1, b_1; recordings pair by name. Rename",
    ):
        both(tmp_path, files, {"a_1.TextGrid": A, "b_1.TextGrid": B}, **options)
    with pytest.raises(ValueError, match=r"no recording in common: .*p begin with a label or an id"):
        both(tmp_path / "lines", files, {"p.txt": "dog 0.4 0.7\nbarks 0.7 1.2\n"}, **options)
    in_python = [{name: [(0, 1)] for name in names} for names in (("a", "b"), ("c", "d"))]
    with pytest.raises(ValueError, match=r"predictions has c, d; recordings pair by name\. Rename them\.$"):
        segscores.score(*in_python, text_format="times", **options)


@pytest.mark.parametrize(
    "text",
    [
        "Session,start,end,label\na,0.4,0.7,dog\na,0.7,1.2,barks\nb,0.1,0.5,no\nb,0.5,1,way\n",
        "start,duration,label,Session\n0.4,0.3,dog,a\n0.7,0.5,barks,a\n0.1,0.4,no,b\n0.5,0.5,way,b\n",
    ],
    ids=["ends", "durations"],
)
def test_a_column_by_which_nothing_overlaps_has_the_recordings(text: str, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="the column Session is read as the names of recordings"):
        assert both(tmp_path, {"a.TextGrid": A, "b.TextGrid": B}, {"p.csv": text}) == {"token_recall": 1.0}


@pytest.mark.filterwarnings("ignore:.*half of the segments")
def test_one_recording_in_another_unit_is_said(tmp_path: Path) -> None:
    tables = {
        "a.csv": "start,end,label\n0.4,0.7,dog\n0.7,1.2,barks\n",
        "b.csv": "start,end,label\n100.0,500.0,no\n500.0,1000.0,way\n",
    }
    with pytest.warns(
        UserWarning, match=r"1 of 2 recordings end at very different times, first of b \(1 s and 1000 s\)"
    ):
        both(tmp_path, {"a.TextGrid": A, "b.TextGrid": B}, tables)


def test_a_label_with_a_hyphen_is_named_as_the_command_line_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = [(0, 0.4, "-pau-"), (0.4, 0.55, "the"), (0.55, 0.95, "dog"), (0.95, 1.2, "-pau-"), (1.2, 1.75, "barks")]
    spoken = [interval for interval in silent if interval[2] != "-pau-"]
    write_texts(tmp_path, {"g.TextGrid": textgrid({"words": spoken}, 2), "p.TextGrid": textgrid({"words": silent}, 2)})
    command = ["score", str(tmp_path / "g.TextGrid"), str(tmp_path / "p.TextGrid"), "--scores", "token_fscore"]
    assert main(command) == 0
    assert "add --silence=-pau-." in capsys.readouterr().err
    assert main([*command, "--silence=-pau-"]) == 0
    printed = capsys.readouterr()
    assert "1.0000" in printed.out
    assert not printed.err
