"""Forms that are known and not read: each is refused by its name, and its remedy leads to a file that is read."""

import json
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

import segscores
from segscores.reading.formats import known
from segscores.reading.formats.binary import BINARIES
from segscores.reading.formats.registry import recognise
from segscores.reading.formats.signs import Signs

from ..command_runs import Run

pytestmark = pytest.mark.usefixtures("in_folder")

ROWS = {row.name: row for row in (*known.EARLY, *known.LATE)}
WEAK = (
    "comments", "rules", "lines_of_marks", "marks", "scores", "named_column", "texts_beside_words", "subwords",
    "speakers", "numbered", "words_beside_tags", "zero_width", "piped_ids", "integers", "boundary_labels",
    "boundary_tokens", "classes_at_ends", "other_encoding", "scored_pairs", "per_utterance", "boxes", "code",
    "code_line", "opennmt", "glosses", "lines_between", "notes", "header", "answer", "messages", "line_ends",
    "end_marks", "frame", "classes", "numbered_names", "two_numbers", "pages", "count", "file_name", "plus_boxes",
    "line_separators", "signs_between", "pluses", "joiners", "bullets", "controls", "introduction", "about_text",
    "odd_line", "half_numbered", "all_but_one",
)  # fmt: skip

#: What the command of the remedy makes of the example of a form, by hand. Spaces between words may be several.
CONVERTED = {
    "chat": "look at the dog .",
    "srt": "the dog\nbarks",
    "ass": "the dog",
    "microdvd": "the dog\na cat",
    "mpl2": "the dog\na cat",
    "tmplayer": "the dog\na cat",
    "atf": "ma-ru-ti sza\na-na pa-ni",
    "bracketed_times": "the dog\na cat",
    "stm": "the dog\na cat",
    "tei": "the dog",
    "vertical": "the dog\nbarks",
    "conll2012": "The dog",
    "conllx_spaces": "1 the _ DET DT _ 2 det _ _\n2 dog _ NOUN NN _ 0 root _ _\n\n",
    "negra": "the dog",
    "cohorts": "the dog",
    "apertium": "the dog",
    "giza": "the dog",
    "po": "the dog",
    "markdown": "reference prediction\nthe dog thedog",
    "brat": "the dog",
    "arpa": "the\ndog",
    "fairseq": "it is\na dog",
    "orchid": "การ ประชุม",
    "morphemes": "나/NP 는/JX 학교/NNG 에/JKB\n가/VV",
    "joined_morphemes": "나/NP 는/JX 학교/NNG 에/JKB 가/VV 다/EF",
    "labelled_units": "北 B\n京 E\n很 S\n大 S\n\n我 S\n爱 S\n你 S\n\n",
    "tagged_lines": "我/r 爱/v 北京/ns 天安门/ns",
    "sgml": "the dog",
    "trees": "The dog barks",
    "vectors": "the\ndog",
    "yaml": '{"reference": "the dog", "prediction": "thedog"}',
    "mfa_dictionary": "the\ndog",
    "pronunciations": "DOG\nDOGS\nREAD",
    "hunspell": "dog\nthe\nbark",
    "json_list": '{"reference": "the dog", "prediction": "thedog"}',
    "dicts": '{"reference": "the dog", "prediction": "thedog"}',
    "pairs": "the dog\na cat",
    "lists": "the dog\na cat",
    "labels": '{"reference": [1, 0, 0, 1], "prediction": [1, 0, 0, 1]}\n{"reference": [1, 1], "prediction": [1, 1]}',
    "topics": "s s WORD_BOUNDARY s",
    "nbest": "the dog\na cat",
    "bitext": "the dog\na cat",
    "useg": "dog s",
    "morfessor": "dog s\nthe",
    "entities": "EU rejects calls\nPeter",
    "word_lines": "The dog .\nA cat .",
    "mecab_lines": "東京 名詞,固有名詞,地域,一般,*,*,東京,トウキョウ,トーキョー\nEOS\n"
    "住む 動詞,自立,*,*,五段・マ行,基本形,住む,スム,スム\nEOS",
    "parenthesised": "我 愛 台北\n他 去 學校",
    "listed_tags": "我/PN 爱/VV 北京/NR\n他/PN 去/VV",
    "trn": "the dog\na cat",
    "words_beside_tags": "the dog sees\n" * 7,
    "factors": "the dog barks .",
    "slashes": "我们 在 上海 学习",
    "speakers": "look at the dog\ndog",
    "zero_width": "ខ្ញុំ ទៅ ផ្ទះ\nគាត់ ញ៉ាំ",
    "piped_ids": "the dog\na cat",
    "boundary_labels": '{"reference": [1, 0, 0, 1], "prediction": [1, 0, 0, 1]}\n'
    '{"reference": [1, 1, 0], "prediction": [1, 1, 0]}',
    "numbered": "the dog\na cat\nit is",
    "label_lines": '{"reference": ["B", "E", "S", "B", "M", "E"], "prediction": ["B", "E", "S", "B", "M", "E"]}\n'
    '{"reference": ["S", "B", "E"], "prediction": ["S", "B", "E"]}',
    "ends_of_sentences": "東京 に 住む\n私 は 学生",
    "pairs_of_lines": "the dog\na cat",
    "pairs_in_lines": "dog s\ncat\nplay ed",
    "special_tokens": "the dog\na cat",
    "mojibake": "café a\nthé b",
    "json_strings": "café a\nthé b",
    "classes_at_ends": "我们 去\n他们 在\n我 爱\n你 好",
    "comments": "the dog\na cat",
    "rules": "the dog\na cat",
    "marks": "the dog\na cat\nit is",
    "introduction": "the dog\na cat\nit is",
    "about_text": "the dog\na cat\nit is",
    "odd_line": "the dog\na cat\nit is",
    "half_numbered": "the dog\na cat\nit is\nso\nso it is",
    "bullets": "the dog .\na cat .",
    "controls": "1 the dog\n2 a cat",
    "scores": "the dog\na cat\nit is",
    "named_column": "the dog\na cat",
    "terminal": "the dog\na cat",
    "toolbox": "the dog\na cat",
    "list_of_lists": "the dog\na cat",
    "list_of_utterances": "the dog\na cat",
    "arrays": "the dog\na cat sleeps",
    "markup": "the dog\na cat",
    "escapes": "東京 に\n犬 だ",
    "references": "東京 に\n犬 だ",
    "scored_pairs": "thedog\na cat",
    "per_utterance": "thedog",
    "code": "the dog\na cat",
    "code_line": "the dog\na cat",
    "boxes": "gold crf\nthe dog thedog",
    "opennmt": "the dog\na cat",
    "glosses": "der Hund\nes ist",
    "lines_between": "the dog\na cat\nit is",
    "notes": "the dog\na cat",
    "header": "the dog\na cat",
    "answer": "the dog\na cat",
    "line_ends": "the dog\na cat\nit is",
    "end_marks": "the dog\na cat\nit is",
    "classes": "the dog\na cat\nit is",
    "joiners": "the dog s bark .\na cat , so",
    "pluses": "the dog bark s\nplay er s sing",
    "numbered_names": "the dog\na cat",
    "two_numbers": "the dog\na cat\nit is",
    "pages": "the dog\na cat\nit is\nso",
    "count": "the dog\na cat\nit is",
    "file_name": "the dog\na cat",
    "plus_boxes": "gold crf\nthe dog thedog",
    "line_separators": "the dog\na cat\nit is",
    "salt": "the dog\na cat",
    "interlinear": "the dog\na cat",
    "token_lists": "東京 に\n犬",
    "ris": "the dog\na cat",
}  # fmt: skip
#: Options of a remedy, and a prediction whose token precision is then the value.
WITH_OPTIONS = {
    "token_lines": ("--text-format conllu", "1\tthe\tDET\n2\tdo\tX\n3\tg\tX\n\n1\tit\tPRON\n\n", 2 / 4),
    "underscored": ("--text-format tagged --separator _", "上海_NR 浦东开发_NN 与_CC 法制_NN 建设_NN\n", 4 / 5),
    "hashed": ("--text-format tagged --separator '#'", "上海#NR 浦东开发#NN 与#CC 法制#NN 建设#NN\n", 4 / 5),
    "iso2022_kr": ("--encoding iso2022_kr", "\x1b$)C\x0e3*GP13\x0f \x0e?!\x0f\n", 1 / 2),
    "iso2022": ("--encoding iso2022_jp", "\x1b$B$3$l$O\x1b(B \x1b$B8$\x1b(B\n", 1 / 2),
    "hz": ("--encoding hz", "~{NRCG~} ~{TZIO:#~}\n", 1 / 2),
    "piped": ("--text-format tagged --separator |", ROWS["piped"].example.replace("a|dt cat|nn", "acat|nn"), 10 / 11),
    "lower_underscored": (
        *(
            "--text-format tagged --separator _",
            ROWS["lower_underscored"].example.replace("a_dt cat_nn", "acat_nn"),
            10 / 11,
        ),
    ),
    "rttm": (
        "--text-format times",
        "SPEAKER rec 1 0.40 0.20 <NA> <NA> s1 <NA> <NA>\nSPEAKER rec 1 0.6 0.1 <NA> <NA> s1 <NA> <NA>\n",
        0,
    ),
    "esps": ("--text-format times", "#\n 0.4 121 the\n 0.6 121 dog\n 0.7 121 dog\n", 1 / 3),
    "subwords": ("--subword-marks strip", "▁the ▁dog ▁bark s\n▁a ▁c at\n", 6 / 7),
}
#: Files that a person makes by the remedy, with the further arguments, and what the file has.
BY_HAND = {
    "mostly_tagged": (
        "r.txt",
        ROWS["mostly_tagged"].example.replace(" .", " ./punc"),
        ["r.txt", "--text-format", "tagged"],
    ),
    "json_lines": ("text.jsonl", ROWS["json_lines"].example, []),
    "json_object": ("text.jsonl", '{"reference": "the dog", "prediction": "thedog"}\n', []),
    "masses": (
        "labels.jsonl",
        '{"reference": [1, 0, 1, 0, 0], "prediction": [1, 0, 0, 1, 0]}\n',
        ["--label-scheme", "start"],
    ),
    "texts_beside_words": ("text", "I love it\nbest day\nfun\n", ["text"]),
    "signs_between": (
        "text",
        ROWS["signs_between"].example,
        ["text", "--text-format", "separated", "--separator", "+", "--spaces", "drop"],
    ),
    "boundary_tokens": (
        "text",
        ROWS["boundary_tokens"].example,
        ["text", "--text-format", "units", "--word-boundary", "</unk>"],
    ),
    "conllu_plus": ("text.conllu", "# global.columns = ID FORM UPOS\n1\tthe\tDET\n2\tdog\tNOUN\n\n", ["text.conllu"]),
}
#: Remedies that another program carries out.
ELSEWHERE = (
    "latex", "difference", "settings", "pandas", "arff", "lost_letters", "other_encoding", "git_lfs", "git_annex",
    "conflict", "html", "rtf", "postscript", "praat", "eaf", "transcriber", "xml", "bisegments", "links", "r_table",
    "r_strings", "analyses", "messages", "frame", "all_but_one", "integers", "mecab_dump", "dependency_tree",
    "tokenizer", "token_ids", "merges", "pieces", "git_log", "server_error", "lines_of_marks", "scc", "long_object",
    "sql", "bibtex", "r_frame", "julia", "chronological", "est", "file_names",
)  # fmt: skip


#: The signs of regular expressions, by the name of their form, that a string or one of several is looked for before them.
SIGNS = {}
for row in ROWS.values():
    signs = getattr(row.evidence, "__self__", None)
    if isinstance(signs, Signs) and (signs.has or signs.has_some_of):
        SIGNS[row.name] = signs


def words_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_every_remedy_is_tried() -> None:
    assert sorted([*CONVERTED, *WITH_OPTIONS, *BY_HAND, *ELSEWHERE]) == sorted(ROWS)


def test_each_form_has_a_title_of_its_own() -> None:
    titles = [row.title for row in ROWS.values()]
    assert all(titles)
    assert sorted(set(titles)) == sorted(titles)


def test_masses_are_called_what_segeval_calls_them(run: Run) -> None:
    Path("file").write_text('{"items": {"text": {"ann": [2, 3], "bob": [3, 2]}}}\n', encoding="utf-8")
    status, _, message = run("file", "file", "--scores", "token")
    assert (status, message.startswith("segscores: error: file: this is segeval's masses of segments (line 1")) == (
        2,
        True,
    )


@pytest.mark.parametrize("name", ROWS)
def test_a_known_form_is_refused_by_its_name(name: str, run: Run) -> None:
    row = ROWS[name]
    for line_end in ("\n", "\r\n"):
        found, evidence = recognise(row.example.replace("\n", line_end), is_json=row.is_json)
        assert found is row
        assert evidence is not None
        assert re.match(r"line [0-9]+ is '", evidence.sign.replace('"', "'"))
        assert evidence.is_weak == (name in WEAK)
    Path("file").write_text(row.example, encoding="utf-8")
    Path("file2").write_text(row.example, encoding="utf-8")
    status, _, message = run("file", "file2", "--scores", "token")
    assert row.title in message
    assert "line " in message
    if name in WEAK:
        assert (status, "warning: file: this looks like" in message) == (0, True)
    else:
        assert (status, message.startswith("segscores: error: file: this is ")) == (2, True)
    # The format that a person names is the person's word.
    status, _, message = run("file", "file2", "--scores", "token", "--text-format", "words")
    assert (status, f"warning: file: this looks like {row.title}" in message) == (0, True)


@pytest.mark.parametrize("name", [name for name in ROWS if name not in WEAK])
@pytest.mark.parametrize("options", [{}, {"normalize": "NFC"}], ids=["at once", "in pieces"])
@pytest.mark.filterwarnings("ignore::UserWarning")  # of what else a form looks like
def test_strings_of_a_known_form_are_warned_of(name: str, options: dict[str, Any]) -> None:
    lines = ROWS[name].example.rstrip("\n").split("\n")
    with pytest.warns(UserWarning, match=re.escape(f"this looks like {ROWS[name].title}")):
        segscores.score(lines, lines, text_format="words", scores="token", **options)


def doubts_at_once_and_in_pieces(values: Any, **options: Any) -> list[list[str]]:
    """Return the doubts about the form of values that are both sides, as `score` reads them at once, and in pieces."""
    doubts = []
    for average in ("micro", "macro"):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            segscores.score(values, values, scores="token", average=average, **options)
        doubts.append([str(one.message) for one in warned if "looks like" in str(one.message)])
    return doubts


@pytest.mark.parametrize("name", WEAK)
def test_strings_are_looked_at_however_they_are_read(name: str) -> None:
    lines = ROWS[name].example.rstrip("\n").split("\n")
    at_once, in_pieces = doubts_at_once_and_in_pieces(lines, text_format="words")
    assert at_once == in_pieces


# Lists of tags are refused.
@pytest.mark.parametrize("name", [name for name in ROWS if name != "label_lines"])
def test_lists_of_words_are_looked_at_however_they_are_read(name: str) -> None:
    lists = [line.split() for line in ROWS[name].example.splitlines() if line.strip()]
    at_once, in_pieces = doubts_at_once_and_in_pieces(lists)
    assert at_once == in_pieces


#: Scores, whether some of them take subwords without their marks, and the scores that do not.
OF_SUBWORDS = [
    ("token", True, ""),
    ("token_use", False, ""),
    ("renyi_efficiency,distinct_tokens", False, ""),
    ("token,token_use", True, "token_use"),
    ("vocabulary_use,token", True, "vocabulary_use"),
    ("all", True, "all"),
]


@pytest.mark.parametrize(("scores", "is_advised", "refusing"), OF_SUBWORDS)
@pytest.mark.filterwarnings("ignore:undefined")
def test_the_remedy_for_subwords_goes_with_the_scores(scores: str, is_advised: bool, refusing: str, run: Run) -> None:
    lines = ROWS["subwords"].example.splitlines()
    advice = "to score the subwords as words, add "
    Path("file").write_text(ROWS["subwords"].example, encoding="utf-8")
    Path("plain").write_text("the dog barks\na cat\n", encoding="utf-8")
    status, _, message = run("file", "file", "--scores", scores)
    assert (status, advice in message) == (0, is_advised)
    found = re.findall(r"It does not go with --scores (\S+): name others\.", message)
    assert set(found) == ({refusing} if refusing else set())
    options: dict[str, Any]
    for utterances, options in ((lines, {"text_format": "words"}), ([line.split() for line in lines], {})):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            segscores.score(utterances, utterances, scores=scores.split(","), **options)
        (said,) = [str(one.message) for one in warned if advice in str(one.message)] or [""]
        assert bool(said) == is_advised
        assert bool(refusing) == (f'scores="{refusing}": name others.' in said)
    # What the advice adds to the error of units that differ, and what it does not add, is right.
    status, _, message = run("plain", "file", "--scores", scores)
    assert (status, "did you mean --subword-marks strip?" in message) == (2, True)
    taken = [name for name in scores.split(",") if name == "token"]
    assert ("does not go with" in message) == (taken != scores.split(","))


def test_trees_that_go_on_behind_the_text_are_warned_of() -> None:
    lines = ["(S (NN dog) (VB runs", "(S (NN cat) (VB sits"]
    with pytest.warns(UserWarning, match="this looks like trees with brackets"):
        segscores.score(lines, lines, text_format="words", scores="token")


@pytest.mark.parametrize("name", SIGNS)
def test_a_string_that_is_looked_for_first_is_in_every_match(name: str) -> None:
    signs = SIGNS[name]
    patterns = [signs.first, signs.some, signs.also, signs.every, signs.most]
    assert any(is_in_every_match(signs.has, signs.has_some_of, pattern) for pattern in patterns if pattern)


#: A match that lacks the text need not be made smaller.
GENERATE = settings(max_examples=12, database=None, phases=[Phase.generate])


def is_in_every_match(text: str, characters: str, pattern: str) -> bool:
    """Return whether no match of the pattern is found that lacks the text, or all of the characters."""
    matches = st.from_regex(pattern, fullmatch=True)
    some = characters or text
    try:
        find(matches, lambda match: text not in match or set(some).isdisjoint(match), settings=GENERATE)
    except NoSuchExample:
        return True
    return False


@pytest.mark.parametrize("data", ["", "\nxmin = 0\nxmax = 1\n"])
def test_an_object_of_praat_on_one_line_is_refused_by_its_name(data: str, run: Run) -> None:
    Path("file").write_text(f'File type = "ooTextFile" Object class = "PitchTier"\n{data}', encoding="utf-8")
    status, _, message = run("file", "file", "--scores", "token")
    assert (status, message.startswith("segscores: error: file: this is a file of Praat")) == (2, True)
    assert "line 1 is " in message


def test_a_format_of_several_lines_that_is_read_as_words_is_said(run: Run) -> None:
    for name in ("file", "file2"):
        Path(name).write_text("猫\t名詞,一般,*,*\nが\t助詞,*,*,*\nEOS\n", encoding="utf-8")
    status, _, message = run("file", "file2", "--scores", "token", "--text-format", "words")
    assert (status, "and is read as words: if that is wrong, add --text-format mecab." in message) == (0, True)


@pytest.mark.parametrize("name", CONVERTED)
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are of POSIX")
def test_the_command_of_a_remedy_makes_a_file_that_is_read(name: str, run: Run) -> None:
    for file in ("OLD", "OLD2"):
        Path(file).write_text(ROWS[name].example, encoding="utf-8")
    _, _, message = run("OLD", "OLD2", "--scores", "token")
    match = re.search(r"convert it with (.*?) < OLD > (NEW(?:\.\w+)?)(.*)", message)
    assert match, message
    command, new, more = match.groups()
    subprocess.run(f"{command.replace('python3', sys.executable)} < OLD > {new}", shell=True, check=True)
    made = Path(new).read_text(encoding="utf-8")
    assert words_of(made) == words_of(CONVERTED[name])
    options = re.search(r"add (--\S+ [^ .,]+)", more.partition("; ")[0])
    flags = options[1].split() if options else []
    paths = [new]
    if not new.endswith((".jsonl", ".tsv")):
        paths.append(f"2{new}")
        Path(paths[1]).write_text(made, encoding="utf-8")
    status, _, message = run(*paths, *flags, "--scores", "exact", "--format", "json")
    assert status == 0, message
    assert "this " not in message


#: Lists of words with spaces in them, as of Vietnamese.
OF_SYLLABLES = {
    "lists": "['Việt Nam', 'là', 'đất nước']\n['nó', 'là']\n",
    "a list of lists": '[["Việt Nam", "là", "đất nước"], ["nó", "là"]]\n',
}


@pytest.mark.parametrize("name", OF_SYLLABLES)
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are of POSIX")
def test_words_of_lists_keep_their_ends(name: str, run: Run) -> None:
    Path("OLD").write_text(OF_SYLLABLES[name], encoding="utf-8")
    commands = re.findall(r"convert it with (.*?) < OLD > NEW", run("OLD", "OLD", "--scores", "token")[2])
    subprocess.run(f"{commands[0].replace('python3', sys.executable)} < OLD > NEW", shell=True, check=True)
    assert Path("NEW").read_text(encoding="utf-8") == "ViệtNam là đấtnước\nnó là\n"


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_the_options_of_a_remedy_read_the_file(name: str, run: Run) -> None:
    flags, prediction, value = WITH_OPTIONS[name]
    Path("r").write_text(ROWS[name].example, encoding="utf-8")
    Path("p").write_text(prediction, encoding="utf-8")
    message = run("r", "p", "--scores", "token")[2]
    assert set(flags.split()) <= set(re.split(r"[ ,.]+", message))
    status, printed, message = run("r", "p", *shlex.split(flags), "--scores", "token_precision", "--format", "json")
    assert (status, message) == (0, "")
    assert json.loads(printed)["predictions"][0]["scores"]["token_precision"] == pytest.approx(value)


@pytest.mark.parametrize("name", BY_HAND)
def test_a_file_that_follows_the_remedy_is_read(name: str, run: Run) -> None:
    file, text, more = BY_HAND[name]
    Path(file).write_text(text, encoding="utf-8")
    if more[:1] == [file]:
        more = [f"2{file}", *more[1:]]
        Path(more[0]).write_text(text, encoding="utf-8")
    assert run(file, *more, "--scores", "token")[0] == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["the dog", "a cat"]\n', "this is a list of utterances"),
        ('[["the", "dog"], ["a", "cat"]]\n', "this is a list with a list of words for each utterance"),
        ('["the", "dog"]\n["a", "cat"]\n', "this is lists of words"),
        ("[1, 0]\n[1, 1]\n", "this is lists of labels"),
        ('"the dog"\n"a cat"\n', "line 1: the line can't be read: it is no object, but of the type string"),
    ],
)
def test_json_that_has_no_objects_is_named(text: str, words: str, run: Run) -> None:
    Path("file.jsonl").write_text(text)
    status, _, message = run("file.jsonl", "file.jsonl", "--scores", "token")
    assert (status, words in message) == (2, True), message


#: The beginnings of binary files, by a word of their names.
BEGINNINGS = {
    "docx": b"PK\x03\x04\x14\0\6\0\x08\0\0\0!\0\xdf\xa4\xd2lZ\1\0\0 \5\0\0\x13\0\x08\2[Content_Types].xml",
    "odt": b"PK\x03\x04\x14\0\0\x08\0\0\0\0!\0\xdf\xa4\xd2lZ\1\0\0 \5\0\0\x08\0\0\0mimetypeapplication",
    "npz": b"PK\x03\x04\x14\0\0\x08\0\0\0\0!\0\xdf\xa4\xd2lZ\1\0\0 \5\0\0\x08\0\0\0a.npy\x93NUMPY",
    "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "SQLite": b"SQLite format 3\0\x10\0\1\1\0",
    "Parquet": b"PAR1\x15\4\x15\x10",
    "npy": b"\x93NUMPY\1\0v\0{'descr': '<i8'",
    "pickle": b"\x80\4\x95\x14\0\0\0\0\0\0\0]\x94",
    "PNG": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
    "WAV": b"RIFF\x24\x08\0\0WAVEfmt ",
    "tar": b"g".ljust(257, b"\0") + b"ustar\x0000",
    "7z": b"7z\xbc\xaf\x27\x1c\0\4",
    "doc, xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
}


@pytest.mark.parametrize("word", BEGINNINGS)
def test_a_binary_file_is_refused_by_its_name(word: str, run: Run) -> None:
    Path("gold").write_bytes(b"the dog\n")
    Path("file.txt").write_bytes(BEGINNINGS[word] + bytes(600))
    for line in (
        ["gold", "file.txt"],
        ["file.txt", "gold"],
        ["gold", "gold", "--scores", "oov", "--vocabulary", "file.txt"],
    ):
        status, _, message = run(*line, "--text-format", "words")
        assert status == 2
        assert re.search(rf"file\.txt: this is [^:]*{re.escape(word)}", message), message


def test_binary_forms_are_distinct() -> None:
    assert len({row.title for row in BINARIES}) == len(BINARIES)
    shown = [[row.title for row in BINARIES if re.match(row.magic, beginning)] for beginning in BEGINNINGS.values()]
    assert all(len(titles) == 1 for titles in shown)


word = st.text(st.sampled_from("abzäßéМир狗叫กิの「」.,!?'’-:;\"…0123"), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(word, max_size=6).map(" ".join), max_size=8).map("\n".join))
def test_words_text_is_never_refused(text: str) -> None:
    row, evidence = recognise(text)
    assert not row.remedy or (evidence is not None and evidence.is_weak), (row.name, text)


@pytest.mark.parametrize("form", ["token_ids", "chat"])
@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("vocab", ["gold", "gold", "--scores", "oov", "--vocabulary", "file"]),
        ("words", ["gold", "gold", "--scores", "dictionary", "--dictionary", "file"]),
        ("ids", ["gold", "gold", "--confidence", "0.9", "--clusters", "file"]),
        ("values", ["gold", "gold", "--by", "./file"]),
    ],
)
def test_lists_in_files_ask_the_same_place(file: str, arguments: list[str], form: str, run: Run) -> None:
    Path("gold").write_text("the dog\n")
    Path("file").write_text(ROWS[form].example, encoding="utf-8")
    status, _, message = run(*arguments)
    assert (status, f"file: this is {ROWS[form].title}" in message) == (2, True), message
