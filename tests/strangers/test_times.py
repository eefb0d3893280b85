"""Files of times as programs write them: each is read as its program means it, or refused by its name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import segscores
from tests.recordings import textgrid, write_texts

#: Two words, in seconds.
WORDS = [(0.4, 0.7, "dog"), (0.7, 1.2, "barks")]


def words_of(start: str, end: str, label: str, scale: float = 1, kind: Any = float) -> list[dict[str, Any]]:
    """The words as objects with these keys, with times in another unit and of another type."""
    return [{start: kind(round(s * scale, 6)), end: kind(round(e * scale, 6)), label: word} for s, e, word in WORDS]


def google(seconds: float) -> dict[str, Any]:
    """A time as Google's library writes it."""
    return {"seconds": str(int(seconds)), "nanos": round(seconds % 1 * 1e9)}


PLAIN = words_of("start", "end", "word")
SEGMENT = {"id": 0, "start": 0.4, "end": 1.2, "text": " dog barks"}
LISTS = [[0.4, 0.7, "dog"], [0.7, 1.2, "barks"]]
PHONES = [[0.4, 0.5, "d"], [0.5, 1.2, "ogbarks"]]

#: JSON as a program writes it for the two words.
JSON: dict[str, Any] = {
    "Whisper": {"text": " dog barks", "segments": [{**SEGMENT, "tokens": [50364, 3000], "words": PLAIN}], "language": "en"},
    "WhisperX": {"segments": [{**SEGMENT, "words": PLAIN, "chars": words_of("start", "end", "char")}], "word_segments": PLAIN},
    "OpenAI": {"task": "transcribe", "duration": 1.2, "words": PLAIN, "segments": [SEGMENT]},
    "a server that writes words twice": {"words": PLAIN, "segments": [{**SEGMENT, "words": PLAIN}]},
    "whisper-timestamped": {"text": "", "segments": [{**SEGMENT, "words": words_of("start", "end", "text")}]},
    "whisper.cpp": {"transcription": [{"timestamps": {"from": "00:00:00,400", "to": "00:00:00,700"}, "text": f" {word}",
                                       "offsets": {"from": int(start * 1000), "to": int(end * 1000)},
                                       "tokens": [{"text": " x", "offsets": {"from": 400, "to": 500}}]}
                                      for start, end, word in WORDS]},
    "pipelines of transformers": {"text": " dog barks", "chunks": [{"text": f" {w}", "timestamp": [s, e]} for s, e, w in WORDS]},
    "NeMo": {"timestamp": {"char": [{"char": ["d"], "start": 0.4, "end": 0.44, "start_offset": 5, "end_offset": 6}],
                           "word": [{**word, "start_offset": 10, "end_offset": 12} for word in PLAIN],
                           "segment": [{"segment": "dog barks", "start": 0.4, "end": 1.2}]}},
    "aeneas": {"fragments": [{"begin": f"{start:.3f}", "end": f"{end:.3f}", "children": [], "id": "f1", "language": "eng",
                              "lines": [word]} for start, end, word in WORDS]},
    "aeneas by levels": {"fragments": [{"begin": "0.400", "end": "1.200", "lines": ["dog barks"], "children": [
        {"begin": f"{start:.3f}", "end": f"{end:.3f}", "children": [], "lines": [word]} for start, end, word in WORDS]}]},
    "Google": {"results": [{"alternatives": [
        {"transcript": "dog barks", "words": words_of("startTime", "endTime", "word", kind=lambda time: f"{time:.3f}s")},
        {"transcript": "dock barks", "words": words_of("startTime", "endTime", "word", kind=lambda time: f"{time + 9}s")}]}]},
    "Google, version 2": {"results": [{"alternatives": [
        {"words": words_of("startOffset", "endOffset", "word", kind=lambda time: f"{time}s")}]}]},
    "Google's library": {"results": [{"alternatives": [{"words": words_of("start_time", "end_time", "word", kind=google)}]}]},
    "AWS Transcribe": {"jobName": "j", "results": {
        "transcripts": [{"transcript": "dog barks."}],
        "speaker_labels": {"segments": [{"start_time": "0.4", "end_time": "1.2", "speaker_label": "spk_0", "items": [
            {"start_time": "0.4", "end_time": "0.7", "speaker_label": "spk_0"}]}]},
        "items": [*({"start_time": str(s), "end_time": str(e), "type": "pronunciation",
                     "alternatives": [{"confidence": "0.9", "content": w}]} for s, e, w in WORDS),
                  {"type": "punctuation", "alternatives": [{"confidence": "0.0", "content": "."}]}]}},
    "Deepgram": {"metadata": {"duration": 1.2}, "results": {
        "channels": [{"alternatives": [{"transcript": "dog barks", "words": PLAIN}]}],
        "utterances": [{**SEGMENT, "transcript": "dog barks", "words": PLAIN}]}},
    "AssemblyAI": {"id": "x", "status": "completed", "audio_duration": 2,
                   "words": words_of("start", "end", "text", 1000, int),
                   "utterances": [{"start": 400, "end": 1200, "text": "dog barks",
                                   "words": words_of("start", "end", "text", 1000, int)}]},
    "Vosk": {"result": words_of("start", "end", "word"), "text": "dog barks"},
    "Vosk with alternatives": {"alternatives": [{"confidence": 9.0, "result": PLAIN, "text": "dog barks"},
                                                {"confidence": 1.0, "result": PLAIN[:1], "text": "dog"}]},
    "Gentle": {"transcript": "dog barks", "words": [
        *({"alignedWord": word["word"], "case": "success", "phones": [{"duration": 0.1, "phone": "d_B"}], **word}
          for word in PLAIN)]},
    "Speechmatics": {"results": [*({"start_time": s, "end_time": e, "type": "word", "alternatives": [{"content": w}]}
                                   for s, e, w in WORDS),
                                 {"start_time": 1.2, "end_time": 1.2, "type": "punctuation",
                                  "alternatives": [{"content": "."}]}]},
    "Azure": {"NBest": [{"Display": "Dog barks.", "Words": [
        {"Word": w, "Offset": round(s * 1e7), "Duration": round((e - s) * 1e7)} for s, e, w in WORDS]}]},
    "Rev": {"monologues": [{"elements": [*({"type": "text", "value": w, "ts": s, "end_ts": e} for s, e, w in WORDS),
                                         {"type": "punct", "value": "."}]}]},
    "MFA": {"start": 0, "end": 1.2, "tiers": {"words": {"type": "interval", "entries": LISTS},
                                              "phones": {"type": "interval", "entries": PHONES}}},
    "praatio, textgrid_json": {"start": 0, "end": 1.2, "tiers": {
        "words": {"type": "IntervalTier", "entries": LISTS}, "tones": {"type": "PointTier", "entries": [[0.5, "H*"]]}}},
    "praatio, json": {"xmin": 0, "xmax": 1.2, "tiers": [
        {"class": "IntervalTier", "name": "words", "xmin": 0, "xmax": 1.2, "entries": LISTS},
        {"class": "TextTier", "name": "tones", "xmin": 0, "xmax": 1.2, "entries": [[0.5, "H*"]]}]},
    "milliseconds in the names": words_of("startMs", "endMs", "word", 1000, int),
}  # fmt: skip

#: Files by their names as programs write them, with what they are for the two words.
FILES: dict[str, tuple[str, str]] = {
    "RTTM": ("p.rttm", "SPEAKER p 1 0.40 0.30 <NA> <NA> dog <NA> <NA>\nSPEAKER p 1 0.70 0.50 <NA> <NA> barks <NA> <NA>\n"),
    "RTTM by its lines": ("p.txt", ";; turns\nSPKR-INFO p 1 <NA> <NA> <NA> unknown dog <NA> <NA>\n"
                          "SPEAKER p 1 0.40 0.30 <NA> <NA> dog <NA> <NA>\nSPEAKER p 1 0.70 0.50 <NA> <NA> barks <NA> <NA>\n"),
    "words of RTTM": ("p.rttm", "LEXEME p 1 0.40 0.30 dog lex s1 0.9 <NA>\nLEXEME p 1 0.70 0.50 barks lex s1 0.9 <NA>\n"),
    "mir_eval": ("p.lab", "# a comment\n0.400 0.700 dog\n# another\n0.700 1.200 barks\n"),
    "HTK": ("p.lab", "4000000 7000000 dog\n7000000 12000000 barks\n"),
    "HTK with scores": ("p.rec", "4000000 7000000 dog -812.5\n7000000 12000000 barks -1034.25\n"),
    "HTK with scores and words": ("p.lab", "4000000 7000000 dog -812.5 Dog\n7000000 12000000 barks -1034.25 Barks\n"),
    "a master label file": ("p.mlf", '#!MLF!#\n"*/speech/p.lab"\n4000000 7000000 dog -812.5\n7000000 12000000 barks\n.\n'),
    "a master label file by its first line": ("p.txt", '#!MLF!#\np.rec\n4000000 7000000 dog\n///\n7000000 12000000 barks\n.\n'),
    "whisper-timestamped, CSV": ("p.csv", 'dog,0.4,0.7\n"barks",0.7,1.2\n'),
    "aeneas, CSV": ("p.csv", 'f000001,0.400,0.700,"dog"\nf000002,0.700,1.200,"barks"\n'),
    "aeneas, CSV of a clock": ("p.csvh", "f1,00:00:00.400,00:00:00.700,dog\nf2,00:00:00.700,00:00:01.200,barks\n"),
    "aeneas, rbse": ("p.rbse", json.dumps({"smil_data": [{"id": w, "begin": s, "end": e, "label": w} for s, e, w in WORDS]})),
    "times of a clock": ("p.tsv", "00:00:00.400\t00:00:00.700\tdog\n00:00:00.700\t00:00:01.200\tbarks\n"),
    "SBV": ("p.sbv", "0:00:00.400,0:00:00.700\ndog\n\n0:00:00.700,0:00:01.200\nbarks\n"),
    "aeneas, SBV": ("p.sub", "[SUBTITLE]\n\n00:00:00.400,00:00:00.700\ndog\n\n00:00:00.700,00:00:01.200\nbarks\n"),
    "HTK with states": ("p.lab", "4000000 7000000 dog dog_1\n7000000 12000000 barks barks_1\n"),
    "ESPS": ("p.lab", "signal p\nnfields 1\n#\n    0.400000  121 \n    0.700000  121 dog\n    1.200000  121 barks\n"),
    "Festival": ("p.lab", "#\n0.4 100 pau\n0.7 100 dog\n1.2 100 barks\n"),
    "Buckeye": ("p.words", "separator ;\n#\n  0.4  122 <SIL>; S; S; null\n  0.7 122 dog; d ao g; d ao g; NN\n"
                "  1.2 122 barks; b aa r k s; b aa r k s; VBZ\n"),
    "Audacity with frequencies": ("p.txt", "0.4\t0.7\tdog\n\\\t100.0\t2000.0\n0.7\t1.2\tbarks\n\\\t-1.0\t-1.0\n"),
    "TIMIT": ("p.wrd", "6400 11200 dog\n11200 19200 barks\n"),
    "MFA, CSV": ("p.csv", "Begin,End,Label,Type,Speaker\n0.4,0.7,dog,words,s\n0.7,1.2,barks,words,s\n0.4,0.5,d,phones,s\n"),
    "Praat, Down to Table": ("p.tsv",
                             "tmin\ttier\ttext\ttmax\n0\twords\t?\t0.4\n0.4\twords\tdog\t0.7\n0.4\tphones\td\t0.5\n0.7\twords\tbarks\t1.2\n"),
    "crowsetta": ("p.csv",
                  "label,onset_s,offset_s,onset_sample,offset_sample\ndog,0.4,0.7,12800,22400\nbarks,0.7,1.2,22400,38400\n"),
    "Raven": ("p.txt.tsv", "Selection\tView\tBegin Time (s)\tEnd Time (s)\tAnnotation\n"
              "1\tSpectrogram 1\t0.4\t0.7\tdog\n2\tSpectrogram 1\t0.7\t1.2\tbarks\n"),
    "milliseconds of a column": ("p.csv", "word,start_ms,end_ms\ndog,400,700\nbarks,700,1200\n"),
    "milliseconds": ("p.csv", "start,end,label\n400,700,dog\n700,1200,barks\n"),
    "samples": ("p.csv", "start,end,label\n6400,11200,dog\n11200,19200,barks\n"),
    "an id for each row": ("p.csv", "id,start,end,label\n1,0.4,0.7,dog\n2,0.7,1.2,barks\n"),
    "semicolons": ("p.csv", "start;end;label\n0.4;0.7;dog\n0.7;1.2;barks\n"),
    "frames": ("p.txt", "20 35 dog\n35 60 barks\n"),
    **{name: ("p.json", json.dumps(value)) for name, value in JSON.items()},
}  # fmt: skip
#: Options that a file needs.
OPTIONS: dict[str, dict[str, Any]] = {"frames": {"time_unit": (None, "samples"), "sample_rate": 50.0}}
SCORES = ("labelled_token_precision", "labelled_token_recall", "timing_words")


def scores_of(path: Path, reference: Any = None, **options: Any) -> dict[str, float]:
    return segscores.score(
        reference or {"p": WORDS}, path, text_format="times", scores=SCORES, tolerance=0.001, **options
    )


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_a_program(name: str, tmp_path: Path) -> None:
    file, text = FILES[name]
    path = tmp_path / file
    path.write_text(text, "utf-8")
    assert scores_of(path, **OPTIONS.get(name, {})) == dict.fromkeys(SCORES, 1.0)


#: Files of recordings in which a program heard nothing.
EMPTY = {
    "WhisperX": ("p.json", '{"segments": [], "word_segments": []}'),
    "a pipeline": ("p.json", '{"text": "", "chunks": []}'),
    "Vosk": ("p.json", '{"text": ""}'),
    "a list": ("p.json", "[]"),
    "a header": ("p.csv", "start,end,label\n"),
    "lines": ("p.lab", "# nothing\n"),
    "a TextGrid": ("p.TextGrid", textgrid({"words": []}, 1.2)),
}


@pytest.mark.parametrize(("file", "text"), EMPTY.values(), ids=EMPTY)
def test_an_empty_recording_has_no_words(file: str, text: str, tmp_path: Path) -> None:
    counts = segscores.tally(
        {"p": WORDS}, write_texts(tmp_path / "p", {file: text}) / file, text_format="times", scores="token"
    ).counts()
    assert (counts["token_predicted"], counts["token_reference"]) == (0, 2)


def test_a_recording_that_a_ctm_does_not_name_is_empty_if_an_option_says_so(tmp_path: Path) -> None:
    ctm = write_texts(tmp_path / "p", {"p.ctm": "a 1 0.4 0.3 dog\n"}) / "p.ctm"
    sides: Any = {"a": WORDS[:1], "b": WORDS}, ctm
    options: Any = {"text_format": "times", "scores": "token"}
    with pytest.raises(ValueError, match=r'lacks the recording b .* add missing="empty"'):
        segscores.score(*sides, **options)
    assert segscores.score(*sides, **options, missing="empty")["token_recall"] == 1 / 3
    with pytest.warns(UserWarning, match=r'missing="empty"'):
        assert segscores.score(*sides, **options, on_error="skip")["token_recall"] == 1


@pytest.mark.parametrize("predicted", [{"c": WORDS, "d": WORDS}, {"c": WORDS}])
def test_sides_without_a_recording_in_common_are_no_empty_ones(predicted: Any) -> None:
    options: Any = {"text_format": "times", "scores": "token_recall", "missing": "empty"}
    references = {"a": WORDS, "b": WORDS}
    with pytest.raises(
        ValueError, match=r"references and predictions have no recording in common: references has a, b, and"
    ):
        segscores.score(references, predicted, **options)
    # A side of no recording has no words, and one recording in common shows that the names are alike.
    assert segscores.score(references, {}, **options) == {"token_recall": 0}
    assert segscores.score(references, {**predicted, "b": WORDS}, **options) == {"token_recall": 0.5}


#: Sources whose intervals have no labels, or blank ones, and the number of words.
BLANK = {
    "a table without labels": ({"p.csv": "start,end\n0.4,0.7\n0.7,1.2\n"}, 2),
    "a table of blank labels": ({"p.csv": "start,end,label\n0.4,0.7,\n0.7,1.2,\n"}, 2),
    "a table with a label": ({"p.csv": "start,end,label\n0.4,0.7,dog\n0.7,1.2,\n"}, 1),
    "named lines": ({"p.txt": "p 0.4 0.7\np 0.7 1.2\n"}, 2),
    "named lines with a label": ({"p.txt": "p 0.4 0.7 dog\np 0.7 1.2\n"}, 1),
    "a CTM": ({"p.ctm": "p 1 0.4 0.3\np 1 0.7 0.5\n"}, 2),
    "JSON": ({"p.json": '[{"start": 0.4, "end": 0.7}, {"start": 0.7, "end": 1.2}]'}, 2),
    "JSON with a label": ({"p.json": '[{"start": 0.4, "end": 0.7, "word": "dog"}, {"start": 0.7, "end": 1.2}]'}, 1),
    "a TextGrid": ({"p.TextGrid": textgrid({"words": [(0, 0.4, ""), (0.4, 0.7, ""), (0.7, 1.2, "")]}, 1.2)}, 3),
    "TIMIT": ({"p.phn": "6400 11200\n11200 19200\n"}, 2),
    "a TIMIT file of silence": ({"p.phn": "0 19200 h#\n"}, 0),
    "a file without labels beside one with": ({"p.lab": "0.4 0.7\n0.7 1.2\n", "q.lab": "0.4 0.7 dog\n"}, 1),
}


@pytest.mark.parametrize(("files", "words"), BLANK.values(), ids=BLANK)
def test_blank_labels_are_silence_unless_no_interval_has_a_label(
    files: dict[str, str], words: int, tmp_path: Path
) -> None:
    folder = write_texts(tmp_path / "p", files)
    counts = segscores.tally(folder, folder, text_format="times", scores="token").counts()
    assert counts["token_reference"] == words


#: Whole numbers of both sides, with what is said, and the token F-score within 20 ms; "" if nothing is said.
UNITS: dict[str, tuple[str, str, str, float]] = {
    "both in milliseconds": ("400 700 dog\n700 1200 barks\n", "400 705 dog\n705 1200 barks\n", "milliseconds", 1),
    "both in milliseconds, far": ("400 700 dog\n700 1200 barks\n", "400 725 dog\n725 1200 barks\n", "milliseconds", 0),
    "both in samples": (
        "6400 11200 dog\n11200 19200 barks\n",
        "6400 11300 dog\n11300 19200 barks\n",
        "samples, 16000",
        1,
    ),
    "both in 100 ns": ("4000000 7000000 a\n7000000 12000000 b\n", "4000000 7100000 a\n7100000 12000000 b\n", "", 1),
    "both in seconds": ("4 7 a\n7 12 b\n", "4 7 a\n7 11 b\n", "", 0.5),
    "ten seconds each": ("0 10 a\n10 20 b\n", "0 10 a\n10 20 b\n", "", 1),
    "more than ten seconds each": ("0 11 a\n11 22 b\n", "0 11 a\n11 22 b\n", "seconds", 1),
    "milliseconds and seconds": ("400 700 dog\n700 1200 barks\n", "0.4 0.7 dog\n0.7 1.2 barks\n", "", 1),
    "samples and seconds": ("6400 11200 dog\n11200 19200 barks\n", "0.4 0.7 dog\n0.7 1.2 barks\n", "", 1),
    "long segments in milliseconds": ("0 9000 a\n9000 20000 b\n", "0 9 a\n9.0 20.0 b\n", "", 1),
    "microseconds and seconds": ("400000 700000 a\n700000 1200000 b\n", "0.4 0.7 a\n0.7 1.2 b\n", "", 1),
    "milliseconds with a point": ("400.5 700.5 a\n700.5 1200.5 b\n", "0.4 0.7 a\n0.7 1.2 b\n", "in milliseconds", 0),
}


@pytest.mark.filterwarnings("ignore:.*half of the segments last over 40 seconds")
@pytest.mark.parametrize(("reference", "prediction", "said", "fscore"), UNITS.values(), ids=UNITS)
def test_the_unit_of_whole_numbers_is_decided_by_evidence(
    reference: str, prediction: str, said: str, fscore: float, tmp_path: Path
) -> None:
    folder = write_texts(tmp_path / "both", {"r.lab": reference, "p.lab": prediction})
    sides = folder / "r.lab", folder / "p.lab"
    options: Any = {"text_format": "times", "scores": "token_fscore"}
    if not said:
        assert segscores.score(*sides, **options) == {"token_fscore": fscore}
        return
    with pytest.warns(UserWarning, match=rf"{said}.*time_unit"):
        assert segscores.score(*sides, **options) == {"token_fscore": fscore}


def test_a_named_unit_or_rate_is_never_ignored(tmp_path: Path) -> None:
    folder = write_texts(
        tmp_path / "both", {"r.lab": "3200 5600 a\n5600 9600 b\n", "p.ctm": "p 1 0.4 0.3 a\np 1 0.7 0.5 b\n"}
    )
    lab, ctm = (folder / name for name in ("r.lab", "p.ctm"))
    options: Any = {"text_format": "times", "scores": "token_fscore"}
    right = {"token_fscore": 1.0}
    assert segscores.score(lab, ctm, **options, sample_rate=8000) == right
    assert segscores.score(lab, ctm, **options, sample_rate=8000, time_unit=("samples", None)) == right
    with pytest.raises(ValueError, match=r"time_unit=.*one unit"):
        segscores.score(lab, ctm, **options, time_unit="ms")
    # The default too, if it is named.
    for rate in (8000, 16000):
        with pytest.raises(ValueError, match=rf"sample_rate={rate}.*no side has samples"):
            segscores.score(ctm, ctm, **options, sample_rate=rate)
    with pytest.warns(UserWarning, match=r"sample_rate=8000"):
        assert segscores.score(lab, ctm, **options, sample_rate=16000) == {"token_fscore": 0.0}


#: The rates of telephones, of CDs and their halves, and of video.
@pytest.mark.parametrize("rate", [8000, 11025, 22050, 24000, 32000, 44100, 48000, 96000])
def test_the_usual_rate_of_samples_is_proposed(rate: int, tmp_path: Path) -> None:
    samples = rate * 2 // 5
    texts = {"r.wrd": f"0 {samples} a\n{samples} {2 * samples} b\n", "p.ctm": "p 1 0 0.4 a\np 1 0.4 0.4 b\n"}
    folder = write_texts(tmp_path / "both", texts)
    options: Any = {"text_format": "times", "scores": "token_fscore"}
    with pytest.warns(UserWarning, match=rf"sample_rate={rate}\?"):
        segscores.score(folder / "r.wrd", folder / "p.ctm", **options)
    assert segscores.score(folder / "r.wrd", folder / "p.ctm", **options, sample_rate=rate) == {"token_fscore": 1.0}


@pytest.mark.filterwarnings("ignore:.*times as late", "ignore:.*half of the segments last over 40 seconds")
def test_the_unit_of_long_words_is_named_by_the_option_of_the_warning(tmp_path: Path) -> None:
    lines = "400.5 700.5 a\n700.5 1200.5 b\n"
    folder = write_texts(tmp_path / "long", {"r.txt": lines, "p.txt": lines, "p.ctm": "p 1 0.4 0.3 a\np 1 0.7 0.5 b\n"})
    options: Any = {"text_format": "times", "scores": "timing_words"}
    for sides, unit in (
        (("r.txt", "p.txt"), r'time_unit=\["ms"\]'),
        (("r.txt", "p.ctm"), r'time_unit=\["ms", None\]'),
        (("p.ctm", "r.txt"), r'time_unit=\[None, "ms"\]'),
    ):
        paths = [folder / name for name in sides]
        with pytest.warns(UserWarning, match=rf"half of the segments.*Name the unit, as with {unit}"):
            segscores.score(*paths, **options)
    assert segscores.score(folder / "r.txt", folder / "p.ctm", **options, time_unit=("ms", None)) == {
        "timing_words": 1.0
    }


#: The units of a reference and two predictions, and the advice: an option has one unit for all predictions.
UNITS_OF_SYSTEMS = [
    (("ms", "s", "s"), r'time_unit=\["ms", "s"\]'),
    (("s", "ms", "ms"), r'time_unit=\["s", "ms"\]'),
    (("ms", "ms", "ms"), r'time_unit=\["ms"\]'),
    (("ms", "s", "named"), r'time_unit=\["ms", None\]'),
    (("s", "s", "ms"), "divide them by 1000"),
    (("s", "ms", "s"), "divide them by 1000"),
    (("ms", "ms", "s"), "divide them by 1000"),
    (("ms", "s", "ms"), "divide them by 1000"),
    (("s", "ms", "named"), "divide them by 1000"),
]


@pytest.mark.filterwarnings(
    "ignore:.*times as late", "ignore:.*end at very different times", "ignore:.*the same counts"
)
@pytest.mark.parametrize(("units", "remedy"), UNITS_OF_SYSTEMS)
def test_the_advice_on_long_words_fits_all_predictions(
    units: tuple[str, str, str], remedy: str, tmp_path: Path
) -> None:
    rows = {"s": "0.4005 0.7005 a\n0.7005 1.2005 b\n", "ms": "400.5 700.5 a\n700.5 1200.5 b\n",
            "named": "u 1 0.4005 0.3 a\nu 1 0.7005 0.5 b\n"}  # fmt: skip
    endings = {"s": "txt", "ms": "txt", "named": "ctm"}  # CTM is in seconds
    texts = {}
    for side, unit in zip("rxy", units, strict=True):
        for recording in ("one", "two"):
            texts[f"{side}/{recording}.{endings[unit]}"] = rows[unit].replace("u ", f"{recording} ")
    folder = write_texts(tmp_path, texts)
    systems = {"x": folder / "x", "y": folder / "y"}
    with pytest.warns(UserWarning, match="half of the segments last over 40 seconds") as caught:
        segscores.compare(folder / "r", systems, text_format="times", scores="token_fscore")
    doubts = [str(warning.message) for warning in caught if "half of the segments" in str(warning.message)]
    assert len(doubts) == units.count("ms")
    assert all(re.search(remedy, doubt) for doubt in doubts)


@pytest.mark.parametrize("keys", [("start_frame", "end_frame"), ("start_offset", "end_offset")])
def test_frames_need_their_number_per_second(keys: tuple[str, str], tmp_path: Path) -> None:
    # As word_offsets of transformers has them.
    folder = write_texts(tmp_path / "p", {"p.json": json.dumps({"word_offsets": words_of(*keys, "word", 50, int)})})
    with pytest.raises(ValueError, match=r"p.json: its times are frames: .* sample_rate"):
        scores_of(folder / "p.json")
    assert scores_of(folder / "p.json", sample_rate=50) == dict.fromkeys(SCORES, 1.0)


def test_names_with_dots_pair_whole_or_up_to_the_first_dot(tmp_path: Path) -> None:
    grid = textgrid({"words": WORDS}, 1.2)
    dated = write_texts(tmp_path / "dated", {"2021.05.01_x.TextGrid": grid, "2021.05.02_y.TextGrid": grid})
    named = write_texts(tmp_path / "named", {"a.words.TextGrid": grid, "b.words.TextGrid": grid})
    other = write_texts(tmp_path / "other", {"a.lab": "0.4 0.7 dog\n0.7 1.2 barks\n", "b.lab": "0.4 1.2 dog\n"})
    options: Any = {"text_format": "times", "scores": "token_recall"}
    assert segscores.score(dated, dated, **options) == {"token_recall": 1.0}
    assert segscores.score(named, other, **options) == {"token_recall": 0.5}


def test_a_part_of_a_recording_begins_where_its_tier_does(tmp_path: Path) -> None:
    grid = '"ooTextFile"\n"TextGrid"\n5 7 <exists> 1\n"IntervalTier" "words" 5 7 2 5 {0} "a" {0} 7 "b"'
    folder = write_texts(tmp_path / "both", {"r.TextGrid": grid.format(6), "p.TextGrid": grid.format(6.5),
                                         "p.ctm": "r 1 5 1 a\nr 1 6 1 b\n", "from0.ctm": "r 1 0 1 a\nr 1 1 1 b\n"})  # fmt: skip
    options: Any = {"text_format": "times", "scores": ("boundary_noedge", "token")}
    reference = folder / "r.TextGrid"
    assert set(segscores.score(reference, folder / "p.TextGrid", **options).values()) == {0.0}
    assert set(segscores.score(reference, folder / "p.ctm", **options).values()) == {1.0}
    assert segscores.score(reference, folder / "from0.ctm", **options)["token_fscore"] == 0
    plain: Any = [segscores.Intervals([0, end], [end, 2], ["a", "b"], 2) for end in (1, 1.5)]
    assert segscores.tally(reference, folder / "p.TextGrid", **options) == segscores.tally(
        *[[side] for side in plain], **options
    )


def test_rows_with_ids_that_repeat_or_begin_anew_are_recordings(tmp_path: Path) -> None:
    texts = {
        "repeat.csv": "id,start,end\na,0,0.5\na,0.5,1\nb,0,0.5\nb,0.5,1\n",
        "anew.csv": "id,start,end\na,0,1\nb,0,1\n",
        "rows.csv": "id,start,end\n1,0,0.5\n2,0.5,1\n",
    }
    folder = write_texts(tmp_path / "tables", texts)
    options: Any = {"text_format": "times", "scores": "boundary_noedge"}
    repeat, anew, rows = (folder / name for name in texts)
    assert segscores.score(repeat, anew, **options)["boundary_noedge_recall"] == 0
    assert segscores.tally(repeat, repeat, **options).counts()["boundary_noedge_reference"] == 2
    assert segscores.tally(rows, rows, **options).counts()["boundary_noedge_reference"] == 1


CAPITALS = [(0.4, 0.7, "DOG"), (0.7, 1.2, "BARKS")]


def test_labels_that_differ_in_case_are_said_and_a_map_mends_it(tmp_path: Path) -> None:
    options: Any = {"text_format": "times", "scores": ("timing_words", "labelled_token_fscore")}
    with pytest.warns(UserWarning, match=r'case.*label_map="lower"'):
        assert segscores.score([CAPITALS], [WORDS], **options, zero_division=0)["timing_words"] == 0
    # Scores of times alone read no labels.
    assert segscores.score([CAPITALS], [WORDS], text_format="times", scores="token_fscore") == {"token_fscore": 1.0}
    right = {"timing_words": 1.0, "labelled_token_fscore": 1.0}
    assert segscores.score([CAPITALS], [WORDS], **options, label_map="lower") == right
    maps = {
        "map.tsv": "DOG\tdog\nBARKS\tbarks\nnoise\t\n",
        "map.txt": "DOG dog\nBARKS barks\nnoise\n",
        "map.json": '{"DOG": "dog", "BARKS": "barks", "noise": ""}',
    }
    folder = write_texts(tmp_path / "maps", maps)
    (folder / "latin.txt").write_bytes((maps["map.txt"] + "été summer\n").encode("latin-1"))
    for name in (*maps, "latin.txt"):
        noisy = [*CAPITALS, (1.2, 1.4, "noise")]
        assert segscores.score([noisy], [WORDS], **options, label_map=str(folder / name)) == right
    # Silence is named by a label as it is written, or by its class.
    for silence in ("NOISE", "noise"):
        noisy = [*CAPITALS, (1.2, 1.4, "NOISE")]
        assert segscores.score([noisy], [WORDS], **options, label_map="lower", silence=silence) == right
    bad = write_texts(
        tmp_path / "bad",
        {
            "two": "DOG dog\nDOG cat\n",
            "three": "DOG dog x\n",
            "other": "x y\n",
            "list": '{"DOG": 1}',
            "text": '{"DOG": "\\ud800"}',
        },
    )
    for name, words in {
        "two": "line 2.*two classes",
        "three": "line 1",
        "other": "no label.*'BARKS'",
        "list": "JSON object",
        "text": "lone surrogate",
    }.items():
        with pytest.raises(ValueError, match=rf"label_map.*{words}"):
            segscores.score([CAPITALS], [WORDS], **options, label_map=str(bad / name))


#: Files that are refused, with words of the message.
REFUSED = {
    "ELAN": ("p.eaf", '<?xml version="1.0"?>\n<ANNOTATION_DOCUMENT><TIER TIER_ID="w"/></ANNOTATION_DOCUMENT>\n', "ELAN"),
    "a master label file without times": ("p.mlf", '#!MLF!#\n"*/a.lab"\ndog\n.\n', "line 3: .*labels alone"),
    "a binary TextGrid cut short": ("p.TextGrid", "ooBinaryFile\x08TextGrid\0\0", "cut short"),
    "STM": ("p.stm", "p 1 ann 0 1.2 <o> dog barks\n", "STM of NIST"),
    "alternatives of CTM": ("p.ctm", "p 1 0.4 0.3 dog\np 1 * * <ALT_BEGIN>\np 1 0.7 0.5 barks\n", "line 2: <ALT_BEGIN>"),
    "TTML": ("p.ttml", '<?xml version="1.0"?>\n<!-- a --><tt xmlns="x"><p begin="0.4s">dog</p></tt>\n', "XML, with the root tt"),
    "JSON with TextGrids in it": ("p.json", '{"a": "ooTextFile TextGrid"}', "no objects"),
    "another binary file of Praat": ("p.TextGrid", "ooBinaryFile\x09PitchTier\0\0", "binary object of Praat"),
    "a chronological TextGrid": ("p.TextGrid", '"Praat chronological TextGrid text file"\n0 1.2\n', "chronological"),
    "another text file of Praat": ("p.TextGrid", 'File type = "ooTextFile"\nObject class = "PitchTier"\n', "that is no TextGrid"),
    "two lists of other words": ("p.json", '{"a": {"words": [{"start": 0, "end": 1, "word": "x"}]}, '
                                 '"b": {"words": [{"start": 0, "end": 1, "word": "y"}]}}', r"a\.words, b\.words"),
    "an empty list of words": ("p.json", '{"segments": [{"start": 0, "end": 1, "text": "a", "words": []}]}',
                               "segments.words.*tier"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "text", "words"), REFUSED.values(), ids=REFUSED)
def test_a_form_without_one_meaning_is_refused(file: str, text: str, words: str, tmp_path: Path) -> None:
    path = write_texts(tmp_path / "p", {file: text}) / file
    with pytest.raises(ValueError, match=rf"{file}: .*({words})"):
        segscores.score([WORDS], path, text_format="times", scores="token")


def test_a_list_is_chosen_by_its_path(tmp_path: Path) -> None:
    folder = write_texts(tmp_path / "p", {"p.json": json.dumps(JSON["WhisperX"])})
    assert scores_of(folder / "p.json", [[(0.4, 1.2, "dog barks")]], tier=(None, "segments"))["timing_words"] == 1
    assert scores_of(folder / "p.json", tier=(None, "segments.words"))["timing_words"] == 1


def test_channels_of_ctm_are_recordings_and_a_type_of_rttm_is_chosen(tmp_path: Path) -> None:
    turn = "SPEAKER p 1 0.40 0.80 <NA> <NA> ann <NA> <NA>\n"
    words = "LEXEME p 1 0.40 0.30 dog lex ann 0.9 <NA>\nLEXEME p 1 0.70 0.50 barks lex ann 0.9 <NA>\n"
    channels = "p 1 0.4 0.3 dog\np 2 0.4 0.8 dog\np 1 0.7 0.5 barks\n"
    folder = write_texts(tmp_path / "p", {"p.rttm": turn + words, "p.ctm": channels})
    turns = {"p": [(0.4, 1.2, "ann")]}
    assert scores_of(folder / "p.rttm", turns, tier=(None, "SPEAKER")) == dict.fromkeys(SCORES, 1.0)
    assert scores_of(folder / "p.rttm", tier=(None, "LEXEME")) == dict.fromkeys(SCORES, 1.0)
    recordings = {"p 1": WORDS, "p 2": [(0.4, 1.2, "dog")]}
    assert scores_of(folder / "p.ctm", recordings) == dict.fromkeys(SCORES, 1.0)


@pytest.mark.filterwarnings("ignore:.*most labels have several words")
def test_words_without_times_and_segments_in_place_of_words_are_said(tmp_path: Path) -> None:
    untimed = {"words": [*PLAIN, {"word": "2"}]}
    folder = write_texts(
        tmp_path / "p", {"untimed.json": json.dumps(untimed), "segments.json": json.dumps({"segments": [SEGMENT]})}
    )
    with pytest.warns(UserWarning, match=r"untimed.json: 1 of 3 words have no times"):
        assert scores_of(folder / "untimed.json") == dict.fromkeys(SCORES, 1.0)
    with pytest.warns(UserWarning, match=r"segments.json: no list is called words, so the list segments is read"):
        scores_of(folder / "segments.json")
    # What is called words has words, if some have a space.
    folder = write_texts(
        tmp_path / "q", {"Words.json": json.dumps({"Words": [{"start": 0.4, "end": 1.2, "word": "dog barks"}]})}
    )
    assert scores_of(folder / "Words.json", [[(0.4, 1.2, "dog barks")]])["timing_words"] == 1
