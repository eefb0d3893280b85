"""Folders of recordings as people have them: names, kinds of files, speakers, and files of the programs beside TextGrids."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

import segscores
from tests.command_runs import Run
from tests.recordings import textgrid, write_texts

Rows = list[tuple[float, float, str]]

#: Two words; the second prediction has one boundary elsewhere, so that none of its two words is right.
WORDS: Rows = [(0.4, 0.7, "dog"), (0.7, 1.2, "barks")]
OTHER: Rows = [(0.4, 0.9, "dog"), (0.9, 1.2, "barks")]
GRID = textgrid({"words": WORDS}, 1.2)
OTHER_GRID = textgrid({"words": OTHER}, 1.2)
TRANSCRIPT = "dog barks\n"
LAB = "0.4 0.7 dog\n0.7 1.2 barks\n"
OPTIONS: dict[str, Any] = {"text_format": "times", "scores": "token_recall"}


def recall(gold: Path, prediction: Path, **options: Any) -> float:
    return segscores.score(gold, prediction, **{**OPTIONS, **options})["token_recall"]


def recordings(gold: Path, prediction: Path, **options: Any) -> int:
    """The number of recordings that are compared."""
    signature = segscores.tally(gold, prediction, **OPTIONS, **options).signature()
    return int(re.search(r"\|n:(\d+)\|", signature)[1])  # type: ignore[index]


#: The files of the reference and of the prediction, with the token recall. Each side has two recordings of two words.
PAIRED: dict[str, tuple[dict[str, str], dict[str, str], float]] = {
    "one name in several folders": ({"ann/a.TextGrid": GRID, "bob/a.TextGrid": OTHER_GRID},
                                    {"ann/a.TextGrid": GRID, "bob/a.TextGrid": GRID}, 0.5),
    "a folder that the other side lacks": ({"ann/a.TextGrid": GRID, "bob/b.TextGrid": GRID},
                                           {"a.TextGrid": GRID, "b.TextGrid": OTHER_GRID}, 0.5),
    "names with dots": ({"2021.05.01_x.TextGrid": GRID, "2021.05.02_y.TextGrid": GRID},
                        {"2021.05.01_x.TextGrid": OTHER_GRID, "2021.05.02_y.TextGrid": GRID}, 0.5),
    "one name in folders, and further endings": ({"ann/a.gold.TextGrid": GRID, "bob/a.gold.TextGrid": GRID},
                                                 {"ann/a.lab": LAB, "bob/a.lab": LAB}, 1.0),
    "hidden files": ({"a.TextGrid": GRID, "b.TextGrid": GRID, "._a.TextGrid": "\0\5", ".DS_Store": "\0"},
                     {"a.TextGrid": GRID, "b.TextGrid": GRID, ".ipynb_checkpoints/a.TextGrid": "no",
                      "__MACOSX/._a.TextGrid": "\0\5"}, 1.0),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction", "expected"), PAIRED.values(), ids=PAIRED)
def test_files_pair_as_a_person_would(
    gold: dict[str, str], prediction: dict[str, str], expected: float, tmp_path: Path
) -> None:
    assert recall(write_texts(tmp_path / "gold", gold), write_texts(tmp_path / "p", prediction)) == expected


JSON = '{"words": [{"start": 0.4, "end": 0.7, "word": "dog"}, {"start": 0.7, "end": 1.2, "word": "barks"}]}'
SEGMENTS = "start\tend\ttext\n400\t1200\tdog barks\n"
SRT = "1\n00:00:00,400 --> 00:00:01,200\ndog barks\n"

#: The files of the reference and of the prediction, with names of files that are left out.
KINDS: dict[str, tuple[dict[str, str], dict[str, str], list[str]]] = {
    "transcripts of MFA beside TextGrids": ({"a.TextGrid": GRID, "a.lab": TRANSCRIPT}, {"a.TextGrid": GRID}, ["gold: .* a.lab"]),
    "transcripts beside lines": ({"a.lab": LAB, "a.txt": TRANSCRIPT}, {"a.lab": LAB}, ["gold: .* a.txt"]),
    "transcripts in lab beside JSON": ({"a.lab": TRANSCRIPT, "a.json": JSON}, {"a.TextGrid": GRID}, ["gold: .* a.lab"]),
    "all outputs of a program": ({"a.TextGrid": GRID},
                                 {"a.json": JSON, "a.srt": SRT, "a.vtt": SRT, "a.tsv": SEGMENTS, "a.txt": TRANSCRIPT},
                                 ["p: .* a.srt, a.tsv, a.txt and 1 more"]),
    "a kind that both have": ({"a.TextGrid": OTHER_GRID, "a.csv": "start,end,label\n0.4,0.7,dog\n0.7,1.2,barks\n"},
                              {"a.csv": "start,end,label\n0.4,0.7,dog\n0.7,1.2,barks\n", "a.json": JSON},
                              ["gold: .* a.TextGrid", "p: .* a.json"]),
    "TIMIT": ({"a.phn": "0 6400 h#\n6400 19200 d\n", "a.wrd": "6400 11200 dog\n11200 19200 barks\n", "a.txt": "0 19200 Dog."},
              {"a.TextGrid": GRID}, ["gold: .* a.phn, a.txt"]),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction", "left_out"), KINDS.values(), ids=KINDS)
def test_the_most_specific_kind_of_files_is_read_and_the_others_are_named(
    gold: dict[str, str],
    prediction: dict[str, str],
    left_out: list[str],
    tmp_path: Path,
    recwarn: pytest.WarningsRecorder,
) -> None:
    sides = write_texts(tmp_path / "gold", gold), write_texts(tmp_path / "p", prediction)
    assert recall(*sides) == 1
    assert len(recwarn) == len(left_out)
    for name, warning in zip(left_out, recwarn, strict=True):
        assert re.search(name, str(warning.message))


def test_files_of_one_kind_are_read_without_a_word(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    folder = write_texts(tmp_path / "gold", {"a.TextGrid": GRID, "notes.md": "x", "a.wav": "x"})
    assert recall(folder, folder) == 1
    assert not recwarn.list


S1 = {"S1 - words": [(0, 1, "a")], "S1 - phones": [(0, 0.5, "x"), (0.5, 1, "y")]}
S2 = {"S2 - words": [(1, 2, "b"), (2, 3, "c")], "S2 - phones": [(1, 3, "z")]}
#: The second speaker's words are both wrong.
WRONG = {"S2 - words": [(1, 2.5, "b"), (2.5, 3, "c")], "S2 - phones": [(1, 3, "z")]}


@pytest.mark.parametrize("tier", [None, "words", "WORDS"])
def test_each_speaker_of_a_file_is_a_recording(tier: str | None, tmp_path: Path) -> None:
    files = {"g.TextGrid": textgrid({**S1, **S2}, 3), "p.TextGrid": textgrid({**WRONG, **S1}, 3)}
    folder = write_texts(tmp_path, files)
    sides = folder / "g.TextGrid", folder / "p.TextGrid"
    assert recordings(*sides, tier=tier) == 2
    # One of three words is right.
    assert recall(*sides, tier=tier) == 1 / 3
    assert recall(*sides, tier="S1 - words") == 1
    assert recall(*sides, tier="phones") == 1


def test_speakers_pair_within_the_files_of_a_folder(tmp_path: Path) -> None:
    gold = write_texts(tmp_path / "gold", {"a.TextGrid": textgrid({**S1, **S2}, 3), "b.TextGrid": textgrid(S1, 3)})
    # Of the second file one side names the speaker.
    prediction = write_texts(
        tmp_path / "p",
        {"a.TextGrid": textgrid({**S1, **WRONG}, 3), "b.TextGrid": textgrid({"words": S1["S1 - words"]}, 3)},
    )
    assert recordings(gold, prediction) == 3
    assert recall(gold, prediction) == 2 / 4
    lacking = write_texts(tmp_path / "lacking", {"a.TextGrid": textgrid(S1, 3), "b.TextGrid": textgrid(S1, 3)})
    with pytest.raises(ValueError, match="lacking lacks the recording a S2"):
        recall(gold, lacking)


#: A table of MFA of two speakers, and one of an annotator whose speakers overlap.
MFA = """Begin,End,Label,Type,Speaker
0,1,a,words,S1
0,0.5,x,phones,S1
1,2,b,words,S2
2,3,c,words,S2
"""
OVERLAPPING = "start,end,label,speaker\n0,1,a,S1\n0.5,2,b,S2\n2,3,c,S2\n"
APART = "start,end,label,speaker\n0,1,a,S1\n1,2,b,S2\n2,3,c,S1\n"


def test_the_speakers_of_a_table_are_recordings_if_they_overlap_or_are_of_a_tier(tmp_path: Path) -> None:
    folder = write_texts(tmp_path, {"g.TextGrid": textgrid({**S1, **S2}, 3), "mfa.csv": MFA, "overlapping.csv": OVERLAPPING,
                                "apart.csv": APART, "apart.lab": "0 1.0 a\n1.0 2 b\n2 3 c\n"})  # fmt: skip
    assert recall(folder / "g.TextGrid", folder / "mfa.csv") == 1
    assert recall(folder / "g.TextGrid", folder / "overlapping.csv") == 2 / 3
    assert recall(folder / "apart.lab", folder / "apart.csv") == 1


def test_a_tier_is_chosen_wherever_there_are_tiers_and_else_an_error(tmp_path: Path) -> None:
    texts = {
        "g.TextGrid": GRID,
        "p.ctm": "p 1 0.4 0.3 dog\np 1 0.7 0.5 barks\n",
        "two.csv": "start,end,human,machine\n0.4,0.7,dog,dock\n0.7,1.2,barks,barks\n",
        "tiers.tsv": "tmin\ttier\ttext\ttmax\n0.4\tORT\tdog\t0.7\n0.4\tKAN\tdO\t0.5\n0.7\tORT\tbarks\t1.2\n",
    }
    folder = write_texts(tmp_path, texts)
    gold, ctm, columns, tiers = (folder / name for name in texts)
    right = {"text_format": "times", "scores": "labelled_token_recall"}
    assert segscores.score(gold, ctm, **right, tier="words") == {"labelled_token_recall": 1.0}
    assert segscores.score(gold, columns, **right, tier=("words", "human")) == {"labelled_token_recall": 1.0}
    assert segscores.score(gold, columns, **right, tier=("words", "machine")) == {"labelled_token_recall": 0.5}
    assert segscores.score(gold, tiers, **right, tier=("words", "ort")) == {"labelled_token_recall": 1.0}
    with pytest.raises(ValueError, match=r"tier=.*there are no tiers in .*p\.ctm;"):
        recall(gold, ctm, tier=("words", "words"))
    with pytest.raises(ValueError, match=r'tier=\["words"\].*no tiers in .*p\.ctm;'):
        recall(ctm, ctm, tier="words")
    with pytest.raises(ValueError, match=r"tier=.*no tiers in .*two\.csv;"):
        recall(gold, columns, tier=("words", "wrods"))
    # A list of intervals has none.
    words = [[(0.4, 0.7, "dog"), (0.7, 1.2, "barks")]]
    assert segscores.score(gold, words, **right, tier="words") == {"labelled_token_recall": 1.0}
    assert segscores.score(gold, words, **right, tier=("words", None)) == {"labelled_token_recall": 1.0}
    with pytest.raises(ValueError, match=r'tier=\["words"\]: there are no tiers in references;'):
        recall(words, words, tier="words")
    with pytest.raises(ValueError, match=r"tier=.*no tiers in predictions;"):
        recall(gold, {"p": words[0]}, tier=("words", "words"))


POINTS = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1.2
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "TextTier"
        name = "edges"
        xmin = 0
        xmax = 1.2
        points: size = 2
        points [1]:
            number = 0.4
            mark = "|"
        points [2]:
            number = 0.7
            mark = ""
"""


def test_points_are_boundaries(tmp_path: Path) -> None:
    texts = {"p.TextGrid": POINTS, "q.json": '{"xmin": 0, "xmax": 1.2, "tiers": [{"class": "TextTier", "name": "edges", '
             '"entries": [[0.4, "|"], [0.7, ""]]}]}'}  # fmt: skip
    folder = write_texts(tmp_path, texts)
    # Three segments, of which the last two are words of the reference; and a silent one before them.
    gold = [[(0.4, 0.7), (0.7, 1.2)]]
    for name in texts:
        counts = segscores.tally(gold, folder / name, text_format="times", scores=["boundary_noedge", "token"]).counts()
        assert (counts["boundary_noedge_matched"], counts["boundary_noedge_predicted"]) == (2, 2)
        assert (counts["token_matched"], counts["token_predicted"]) == (2, 3)
        assert recall(folder / name, folder / name, tier="edges") == 1


#: Lines and tables of the two words with decimal commas, and of Raven with each selection in two views.
NUMBERS = {
    "lines": ("p.txt", "0,4\t0,7\tdog\n0,7\t1,2\tbarks\n"),
    "a table": ("p.csv", "start;end;label\n0,4;0,7;dog\n0,7;1,2;barks\n"),
    "a table without a header": ("p.csv", "0,4;0,7;dog\n0,7;1,2;barks\n"),
    "a table with quotes": ("p.csv", 'start,end,label\n"0,4","0,7",dog\n"0,7","1,2",barks\n'),
    "ZeroSpeech": ("p.txt", "p 0,4 0,7 dog\np 0,7 1,2 barks\n"),
    "Raven": ("p.Table.1.selections.txt", "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tAnnotation\n"
              "1\tWaveform 1\t1\t0.4\t0.7\t0\tdog\n1\tSpectrogram 1\t1\t0.4\t0.7\t90\tdog\n"
              "2\tWaveform 1\t1\t0.7\t1.2\t0\tbarks\n2\tSpectrogram 1\t1\t0.7\t1.2\t90\tbarks\n"),
    "SubRip": ("p.srt", "1\n00:00:00,400 --> 00:00:00,700\n<i>dog</i>\n\n2\n00:00:00,700 --> 00:00:01,200\nbarks\n"),
    "SubRip without blank lines": ("p.srt", "1\n00:00:00,400 --> 00:00:00,700\ndog\n2\n00:00:00,700 --> 00:00:01,200\nbarks\n"),
    "SubRip by its lines": ("p.txt", "1\n00:00:00,400 --> 00:00:00,700\ndog\n\n2\n00:00:00,700 --> 00:00:01,200\nbarks\n"),
    "WebVTT": ("p.vtt", "WEBVTT\n\nNOTE a note\n\n00:00.400 --> 00:00.700 align:start\ndog\n\n"
               "intro\n00:00:00.700 --> 00:00:01.200\n<v Ann>barks</v>\n"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "text"), NUMBERS.values(), ids=NUMBERS)
def test_a_file_of_a_program_beside_textgrids(file: str, text: str, tmp_path: Path) -> None:
    path = write_texts(tmp_path, {file: text}) / file
    scores = segscores.score(
        {"p": WORDS}, path, text_format="times", scores=["labelled_token_fscore", "token_precision"], tolerance=0.001
    )
    assert set(scores.values()) == {1.0}


def test_cues_of_several_words_are_intervals_which_is_said(tmp_path: Path) -> None:
    folder = write_texts(tmp_path, {"p.srt": SRT, "karaoke.vtt": "WEBVTT\n\n00:00.400 --> 00:01.200\ndog<00:00:00.700> barks\n",
                                "bad.srt": "1\n0.4 --> 0.7\ndog\n", "no.srt": "dog barks\n",
                                "empty.vtt": "WEBVTT\n"})  # fmt: skip
    with pytest.warns(UserWarning, match=r"p\.srt: .*1 of 1 cues have several words"):
        assert recall(folder / "p.srt", folder / "p.srt") == 1
    for name, words in {"karaoke.vtt": "times of words", "bad.srt": "line 2", "no.srt": "no cues"}.items():
        with pytest.raises(ValueError, match=rf"{name}: .*{words}"):
            recall(folder / name, folder / name)
    assert segscores.tally([WORDS], folder / "empty.vtt", **OPTIONS).counts()["token_reference"] == 2


#: As ELAN writes it, with a tier of each kind.
EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
    <TIME_ORDER>
        <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="400"/>
        <TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="700"/>
        <TIME_SLOT TIME_SLOT_ID="ts3"/>
        <TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="1200"/>
    </TIME_ORDER>
    <TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID="Utterance">
        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts4">
            <ANNOTATION_VALUE>dog barks</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
    </TIER>
    <TIER LINGUISTIC_TYPE_REF="w" PARENT_REF="Utterance" TIER_ID="words">
        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
            <ANNOTATION_VALUE>dog</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a3" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts4">
            <ANNOTATION_VALUE>barks</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
    </TIER>
    <TIER LINGUISTIC_TYPE_REF="t" PARENT_REF="words" TIER_ID="gloss">
        <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a4" ANNOTATION_REF="a2"><ANNOTATION_VALUE>Hund</ANNOTATION_VALUE>
        </REF_ANNOTATION></ANNOTATION>
        <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a5" ANNOTATION_REF="a3"><ANNOTATION_VALUE>bellt</ANNOTATION_VALUE>
        </REF_ANNOTATION></ANNOTATION>
    </TIER>
    <TIER LINGUISTIC_TYPE_REF="m" PARENT_REF="words" TIER_ID="morphs">
        <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a7" ANNOTATION_REF="a3" PREVIOUS_ANNOTATION="a6">
            <ANNOTATION_VALUE>s</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
        <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a6" ANNOTATION_REF="a3"><ANNOTATION_VALUE>bark</ANNOTATION_VALUE>
        </REF_ANNOTATION></ANNOTATION>
    </TIER>
    <TIER LINGUISTIC_TYPE_REF="p" PARENT_REF="Utterance" TIER_ID="parts">
        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a8" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts3">
            <ANNOTATION_VALUE>x</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a9" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
            <ANNOTATION_VALUE>y</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
    </TIER>
</ANNOTATION_DOCUMENT>
"""

#: The tiers of the file above with what they are, and whether times are shared.
ELAN_TIERS: dict[str | None, tuple[Rows, bool]] = {
    None: (WORDS, False),
    "Utterance": ([(0.4, 1.2, "dog barks")], False),
    "gloss": ([(0.4, 0.7, "Hund"), (0.7, 1.2, "bellt")], False),
    "morphs": ([(0.7, 0.95, "bark"), (0.95, 1.2, "s")], True),
    "parts": ([(0.4, 0.8, "x"), (0.8, 1.2, "y")], True),
}


@pytest.mark.parametrize(("tier", "rows", "is_shared"), [(tier, *value) for tier, value in ELAN_TIERS.items()])
def test_a_tier_of_elan(
    tier: str | None, rows: Rows, is_shared: bool, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    path = write_texts(tmp_path, {"p.eaf": EAF}) / "p.eaf"
    scores = segscores.score([rows], path, text_format="times", scores=["labelled_token"], tier=tier, tolerance=0.001)
    assert set(scores.values()) == {1.0}
    assert [str(warning.message).partition("ELAN: ")[2] for warning in recwarn.list] == [
        "2 annotations share the time of others equally: these times are not measured."
    ] * is_shared


def test_elan_with_speakers_or_without_times(tmp_path: Path) -> None:
    two = EAF.replace('TIER_ID="words"', 'TIER_ID="words@Ann"').replace('TIER_ID="gloss"', 'TIER_ID="words@Bob"')
    header = EAF[: EAF.index("    <TIER ")]
    texts = {
        "g.eaf": EAF,
        "two.eaf": two,
        "none.eaf": f'{header}<TIER TIER_ID="words"/></ANNOTATION_DOCUMENT>',
        "cut.eaf": EAF[:1800],
        "other.eaf": "<TEI/>",
        "unaligned.eaf": EAF.replace(' TIME_VALUE="1200"', ""),
    }
    folder = write_texts(tmp_path, texts)
    assert recordings(folder / "two.eaf", folder / "two.eaf") == 2
    for name, words in {
        "none.eaf": "ELAN without annotations",
        "cut.eaf": "ELAN with broken XML",
        "other.eaf": "root TEI",
        "unaligned.eaf": "a3 .'barks'. has no time",
    }.items():
        with pytest.raises(ValueError, match=rf"{name}: .*{words}"):
            recall(folder / "g.eaf", folder / name)
    with pytest.raises(ValueError, match=r"g\.eaf.*'word'.*'Utterance', 'words', 'gloss'"):
        recall(folder / "g.eaf", folder / "g.eaf", tier="word")


def test_scores_by_speaker(run: Run, in_folder: Path) -> None:
    write_texts(
        in_folder, {"g.TextGrid": textgrid({**S1, **S2}, 3), "p.TextGrid": textgrid({**S1, **WRONG}, 3), "g.lab": LAB}
    )
    status, out, _ = run("g.TextGrid", "p.TextGrid", "--scores", "token_recall", "--by", "speaker", "--format", "csv")
    assert status == 0
    assert {row["subset"]: float(row["value"]) for row in csv.DictReader(out.splitlines())} == {
        "": 1 / 3,
        "S1": 1,
        "S2": 0,
    }
    options: Any = {"text_format": "times", "scores": "token_recall"}
    found = segscores.score_by(Path("g.TextGrid"), Path("p.TextGrid"), "speaker", **options).scores["prediction"]
    assert {speaker: scores["token_recall"] for speaker, scores in found.items()} == {"S1": 1, "S2": 0}
    with pytest.raises(ValueError, match=r"by=.speaker.: .*does not name the speaker"):
        segscores.score_by(Path("g.lab"), Path("g.lab"), "speaker", **options)
    status, _, error = run("g.lab", "g.lab", "--text-format", "times", "--by", "speaker")
    assert status == 2
    assert "--by speaker: g.lab does not name the speaker" in error


#: Audacity labels of which the second overlaps the first by 10 ms, 11 ms, or lies within it.
BY_10 = "0\t1.00\ta\n0.99\t2\tb\n"
BY_11 = "0\t1.000\ta\n0.989\t2\tb\n"
WITHIN = "0\t1.5\ta\n0.5\t0.6\tb\n1.2\t2\tc\n"


def test_overlaps_of_rounded_times_are_cut_with_a_note_and_longer_ones_if_an_option_says_so(tmp_path: Path) -> None:
    folder = write_texts(
        tmp_path, {"a.txt": BY_10, "b.txt": BY_11, "c.txt": WITHIN, "d.csv": OVERLAPPING.replace("speaker", "tier")}
    )
    with pytest.warns(UserWarning, match=r"a\.txt: 1 interval overlaps the one before it .* 10 ms"):
        assert recall(folder / "a.txt", folder / "a.txt", tolerance=0) == 1
    for name in ("b.txt", "c.txt"):
        with pytest.raises(ValueError, match=rf'{name}, recording .: the interval .*Cut overlaps with overlap="cut"'):
            recall(folder / name, folder / name)
    expected = [[(0, 1.0, "a"), (1.0, 2, "b")]], [[(0, 1.5, "a"), (1.5, 2, "c")]]
    for name, gold, said in zip(
        ("b.txt", "c.txt"), expected, ("1 interval overlaps", "and 1 that lie within"), strict=True
    ):
        options: Any = {**OPTIONS, "scores": ["labelled_token_fscore", "boundary_noedge_fscore"], "tolerance": 0}
        with pytest.warns(UserWarning, match=rf"{name}: .*{said}"):
            scores = segscores.score(gold, folder / name, **options, overlap="cut")
        assert set(scores.values()) == {1.0}
    with pytest.raises(
        ValueError, match=r'd\.csv, .*Choose the tier of one speaker with tier, or cut overlaps with overlap="cut"'
    ):
        recall(folder / "d.csv", folder / "d.csv", tier="label")


def test_the_times_of_overlaps_that_are_cut_keep_their_unit_beginning_and_duration(tmp_path: Path) -> None:
    samples = segscores.Intervals([0, 7900], [8000, 16000], ["a", "b"], 24000, per_second=8000)
    with pytest.warns(UserWarning, match="1 interval overlaps"):
        cut = segscores.tally([samples], [samples], **OPTIONS, overlap="cut")
    plain = segscores.Intervals([0, 1], [1, 2], ["a", "b"], 3)
    assert cut == segscores.tally([plain], [plain], **OPTIONS, overlap="cut")
