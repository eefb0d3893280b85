"""Formats of text: what is written in a format is read as the same segmentation; real examples, and bad input."""

import html
import json
import re
import shlex
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscores import UtteranceError, score, tally
from segscores.apps.command.main import main
from segscores.apps.demo.answers import answer
from segscores.options.table import FORMATS, OPTIONS, WORLDS
from segscores.reading.formats import registry
from segscores.reading.formats.registry import SENTENCE_FORMATS
from segscores.reading.texts import recognise_form

Words = Sequence[str]


def kytea(words: Words) -> str:
    return " ".join(re.sub(r"([\\/ ])", r"\\\1", word) + "/名詞/よみ" for word in words)


def labelled(words: Words, marks: Callable[[str], str]) -> str:
    return "".join(f"{unit}\t{mark}\n" for word in words for unit, mark in zip(word, marks(word), strict=True)) + "\n"


def bmes(word: str) -> str:
    return "S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E"


#: Writers of an utterance of characters, with the options that read it.
WRITERS: dict[str, tuple[Callable[[Words], str], dict[str, Any]]] = {
    "words": (" ".join, {}),
    "units": (lambda words: " WORD_BOUNDARY ".join(map(" ".join, words)), {}),
    "separated": ("|".join, {}),
    "separated by a string": ("<>".join, {"separator": "<>"}),
    "separated, with spaces and tags": (
        lambda words: "|".join(f"<NE>{word[:1]} {word[1:]}</NE>" for word in words) + "|",
        {"markup": "drop", "spaces": "drop"},
    ),
    "syllables": (lambda words: " ".join(map("_".join, words)), {}),
    "syllables joined by a string": (lambda words: "  ".join(map("~~".join, words)), {"joiner": "~~"}),
    "words with joiners": (lambda words: " ".join(map("_".join, words)), {"joiner": "_"}),
    "tagged": (lambda words: " ".join(f"{word}/n" for word in words), {}),
    "tagged with brackets": (lambda words: f"[{' '.join(f'{word}/n' for word in words)}]nt" if words else "", {}),
    "tagged with underscores": (lambda words: " ".join(f"{word}_NN" for word in words), {"separator": "_"}),
    "vlsp": (lambda words: " ".join(f"{'_'.join(word)}/N" for word in words), {}),
    "kytea": (kytea, {}),
    "sigmorphon": (lambda words: f"{''.join(words)}\t{' @@'.join(words)}\t000" if words else "", {}),
    "alternatives": (lambda words: f"{''.join(words)}\t{' '.join(words)}" if words else "# no word", {}),
    "conll": (lambda words: labelled(words, bmes), {}),
    "conll with BIES": (lambda words: labelled(words, lambda word: bmes(word).replace("M", "I").lower()), {}),
    "conll with BI": (lambda words: labelled(words, lambda word: "B" + "I" * (len(word) - 1)), {}),
    "conllu": (lambda words: "".join(f"{at}\t{word}\t_\n" for at, word in enumerate(words, 1)) + "\n", {}),
    "mecab": (lambda words: "".join(f"{word}\t名詞,*\n" for word in words) + "EOS\n", {}),
    "mecab as KNP writes": (
        lambda words: "# S-ID:1 KNP:5\n* -1D <BGH>\n" + "".join(f"+ 1D\n{word} よみ x 名詞 6\n" for word in words) + "EOS\n",
        {},
    ),
}  # fmt: skip
#: With these a writer has no utterances without words.
NO_BLANKS = ("conll", "conllu")


def format_of(name: str) -> str:
    return re.split(r"[ ,]", name)[0]


utterance = st.lists(st.text(st.sampled_from("abกิ狗ệ"), min_size=1, max_size=3), max_size=4)


def cut_again(words: Words, ends: set[int]) -> list[str]:
    """The same characters, cut after other ones."""
    text = "".join(words)
    bounds = sorted({0, len(text), *(end for end in ends if end < len(text))})
    return [text[start:end] for start, end in pairwise(bounds)]


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=settings.default.max_examples // 4)
@given(corpus=st.lists(st.tuples(utterance, st.sets(st.integers(1, 11))), min_size=1, max_size=4))
@example(corpus=[([], set()), (["ab", "c"], {1})])
def test_a_written_file_is_read_again(name: str, corpus: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    text_format = format_of(name)
    write, options = WRITERS[name]
    pairs = [(words, cut_again(words, ends)) for words, ends in corpus if words or text_format not in NO_BLANKS]
    if not pairs:
        return
    lists = [list(side) for side in zip(*pairs, strict=True)]
    options = {"scores": ["token", "boundary_accuracy"], "text_format": text_format, "zero_division": 0, **options}
    written = [[write(words) for words in side] for side in lists]
    expected = tally(*lists, scores=options["scores"]).counts()
    end = "" if text_format in SENTENCE_FORMATS else "\n"
    folder = tmp_path_factory.getbasetemp()
    paths = [folder / f"{name}.{side}" for side in ("reference", "prediction")]
    for path, side in zip(paths, written, strict=True):
        path.write_text("".join(each + end for each in side), encoding="utf-8")
    if any(map(any, lists)):  # a file of whitespace has no utterance
        assert tally(*paths, **options).counts() == expected
    if text_format not in SENTENCE_FORMATS:
        assert tally(*written, **options).counts() == expected


#: Formats that nothing shows, each with the reason; they are read as words text where no option names them.
NOT_RECOGNISED = {"syllables": "`_` may be a letter", "alternatives": "one line may be an accident"}
#: Formats in which every line can be read, and what tests the bad input of one that is not here.
WITHOUT_BAD_LINES = {
    **dict.fromkeys(("words", "units", "syllables"), "words are whatever stands between spaces"),
    "conllu": "tests/worlds/documents/test_conllu.py",
}


#: The formats that are read, and not refused by name.
READ = [name for name, row in registry.FORMATS.items() if not row.remedy]


# The tests of a world have its files, as tests/worlds/times/test_formats.py has.
@pytest.mark.parametrize("name", sorted({*FORMATS, *READ} - WORLDS.keys()))
def test_a_format_is_complete(name: str) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/reference/file-formats.md").read_text(encoding="utf-8")
    here = "tests/reading/test_formats.py"
    parts = {
        "its module in MODULES (segscores/reading/formats/registry.py)": name in READ,
        "a row in FORMATS (segscores/options/table.py)": name in FORMATS,
        f"a writer in WRITERS ({here}), whose text is read again": name in map(format_of, WRITERS),
        f"a bad line in BAD ({here}), or the reason in WITHOUT_BAD_LINES": name
        in {*(format_of_flags(flags) for _, flags, _ in BAD.values()), *WITHOUT_BAD_LINES},
        f"the words ab and c in PLAIN ({here})": name in PLAIN,
        "a row in docs/reference/file-formats.md that says --text-format": f"`--text-format {name}`" in page,
    }
    missing = [part for part, has in parts.items() if not has]
    assert not missing, f"the format {name} lacks {'; '.join(missing)}"


@pytest.mark.parametrize("name", READ)
def test_a_format_has_one_reader(name: str) -> None:
    row = registry.FORMATS[name]
    assert sum(map(bool, [row.read, row.sentences, row.world_form])) == 1


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_of_a_format_is_recognised_and_read(name: str, tmp_path: Path) -> None:
    text = FORMATS[name][1]
    text = text.replace("nt", "nt 很/v") if name == "tagged" else text
    expected = "words" if name in NOT_RECOGNISED else name
    for line_end in ("\n", "\r\n"):
        found = recognise_form(text.replace("\n", line_end)).text_format
        assert found == expected, (
            f"the example of {name} is recognised as {found}: give its row evidence (segscores/reading/formats), or add the "
            f"format with the reason to NOT_RECOGNISED (tests/reading/test_formats.py)"
        )
    path = tmp_path / "example"
    path.write_text(text, encoding="utf-8")
    assert score(path, path, text_format=name, scores="token_fscore") == {"token_fscore": 1.0}


WORDS_TEXT = [
    "and/or either/or", "1/2 3/4 1/2", "a|b c|d", "New_York is_on", "the DT\ndog NN", "B\nI\nB", "EOS is a word\nEOS",
    "word|NN other|NN", "he @@said",
]  # fmt: skip


@pytest.mark.parametrize("text", WORDS_TEXT)
def test_words_text_is_not_taken_for_another_format(text: str) -> None:
    assert recognise_form(text).text_format == "words"


SPELT = ["undo un do", "dogs dog s", "able able", "untied un tie d, un tied", "cats cat s"]


@pytest.mark.parametrize(
    ("lines", "text_format"),
    [
        (SPELT, "alternatives"),
        (["# Morfessor's annotations", "", *(line.replace(" ", "\t", 1) for line in SPELT)], "alternatives"),
        (SPELT[:4], "words"),
        ([*SPELT, "dogs dog es"], "words"),
        (["bye bye", "no no", "woof woof", "ha ha", "choochoo choo choo"], "words"),
    ],
    ids=["spaces", "tabs and comments", "few lines", "another word", "words said twice"],
)
def test_lines_that_spell_their_first_word_are_analyses(lines: list[str], text_format: str) -> None:
    assert recognise_form("\n".join(lines) + "\n").text_format == text_format


BEST = "<NE>กรุงเทพ</NE>|เป็น|เมือง| |ใหญ่|"
#: An utterance of a real convention, the options, and its words.
REAL = {
    "BEST": (BEST, {"separator": "|", "markup": "drop"}, ["กรุงเทพ", "เป็น", "เมือง", " ", "ใหญ่"]),
    "BEST without spaces": (BEST, {"separator": "|", "markup": "drop", "spaces": "drop"}, ["กรุงเทพ", "เป็น", "เมือง", "ใหญ่"]),
    "VLSP in characters": ("Việt_Nam là", {"joiner": "_", "text_format": "words"}, ["ViệtNam", "là"]),
    "PKU": ("迈向/v [中央/n 电视台/n]nt ，/w 1/2/m [/w", {"text_format": "tagged"}, ["迈向", "中央", "电视台", "，", "1/2", "["]),
    "People's Daily of 2014": ("[纽约/nsf 时报/n]/nz 报道/v", {"text_format": "tagged"}, ["纽约", "时报", "报道"]),
    "nested groups": (
        "[[中央/n 电视台/n]nt 记者/n]/nz [[/w 1/m ]/w]nx",
        {"text_format": "tagged"},
        ["中央", "电视台", "记者", "[", "1", "]"],
    ),
    "brackets in words beside a group": (
        "[1]/m [[2]/m 中央/n]nt [/w ]/w a[b/x [[/w ]]/w :]/x",
        {"text_format": "tagged"},
        ["[1]", "[2]", "中央", "[", "]", "a[b", "[[", "]]", ":]"],
    ),
    "a separator with a slash": ("a/b//n [a///n b//n]//nz", {"text_format": "tagged", "separator": "//"}, ["a/b", "a/", "b"]),
    # The bytes of a tag may be those of a separator that is not ASCII.
    "a wide slash": ("1／2／３ 上海／地名 a/b／伏", {"text_format": "tagged", "separator": "／"}, ["1／2", "上海", "a/b"]),
    "a separator of two characters": ("a|b||n c||v|x", {"text_format": "tagged", "separator": "||"}, ["a|b", "c"]),
    "CTB": ("上海_NR 浦东_NR", {"text_format": "tagged", "separator": "_"}, ["上海", "浦东"]),
    "KyTea": (r"東京/名詞/とうきょう \//補助記号/UNK に/助詞/に", {"text_format": "kytea"}, ["東京", "/", "に"]),
    "KyTea with spaces in words": (
        r"New\ York/名詞/x a\ /n \ /補助記号 \\/補助記号/\\ に/助詞",
        {"text_format": "kytea"},
        ["New York", "a ", " ", "\\", "に"],
    ),
    "SIGMORPHON": ("wheelbands\twheel @@band @@s\t101", {"text_format": "sigmorphon"}, ["wheel", "band", "s"]),
    "a sentence of SIGMORPHON": ("Six weeks\tSix week @@s", {"text_format": "sigmorphon"}, ["Six", "week", "s"]),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_conventions(name: str) -> None:
    text, options, words = REAL[name]
    scores = score([text], [words], reference_format=options.get("text_format", "separated"), prediction_format="words",
                   **{key: value for key, value in options.items() if key != "text_format"}, scores="exact")  # fmt: skip
    assert scores == {"utterance_accuracy": 1.0}


#: Words, some with brackets, and groups. Only a bracket may be a word that begins with one and lacks the other. The first word
#: of a group has no `]` that closes none.
GROUPED = st.recursive(
    st.sampled_from(["a", "狗", "1/2", "[", "]", "[1]", "[[1][2]]", "a[b]", "]a[", "b]", "b["]),
    lambda parts: st.tuples(st.lists(parts, min_size=1, max_size=3), st.sampled_from(["nt", "/nt"])).filter(
        lambda group: leaves(group)[0] not in ("]", "]a[", "b]")
    ),
    max_leaves=6,
)


def tagged(part: Any) -> str:
    """A word, or a group of parts, which ends with its tag."""
    return f"{part}/n" if isinstance(part, str) else f"[{' '.join(map(tagged, part[0]))}]{part[1]}"


def leaves(part: Any) -> list[str]:
    return [part] if isinstance(part, str) else [word for inner in part[0] for word in leaves(inner)]


@given(st.lists(GROUPED, max_size=4))
def test_groups_of_tagged_words_are_their_words(parts: list[Any]) -> None:
    words = [word for part in parts for word in leaves(part)]
    counts = tally([" ".join(map(tagged, parts))], [words], reference_format="tagged").counts()
    assert counts == tally([words], [words]).counts()


def test_text_whose_words_have_single_brackets_is_read_without_tags() -> None:
    with pytest.raises(UtteranceError, match=r'leave out the tags, and read it with text_format="words"\.'):
        score(["[1/m 页/q"], ["[1/m 页/q"], text_format="tagged")
    assert score(["[1 页"], ["[1 页"], text_format="words", scores="exact") == {"utterance_accuracy": 1.0}


def test_a_vocabulary_has_the_separators_of_the_reference() -> None:
    """`Việt_Nam` and `là` are known."""
    options = {"vocabulary": ["Việt_Nam là"], "scores": "oov_rate", "joiner": "_"}
    assert score(["Việt_Nam là gì"], ["Việt Nam là gì"], **options) == {"oov_rate": 1 / 3}
    options = {"vocabulary": ["กิน|ผัก", "ผม"], "scores": "oov_rate", "separator": "|"}
    assert score(["ผม|กิน|ข้าว"], ["ผม|กิน|ข้าว"], **options) == {"oov_rate": 1 / 3}


#: Bad second lines, the options, and what the message says.
BAD = {
    "no tag in Vietnamese": ("ab_c cd/N", "--text-format vlsp", "received 'abc'; expected a word and its tag"),
    "an unclosed tag": ("<NE>ab|c", "--markup drop", "<NE> is not closed on its line; expected </NE> after <NE>."),
    "a tag that closes none": ("ab</NE>|c", "--markup drop", "</NE> closes no tag of its line; expected <NE>"),
    "a tag that closes another": ("<AB>ab</NE>|c", "--markup drop", "</NE> closes no tag of its line; expected <NE>"),
    "no tag": ("ab cd/n", "--text-format tagged", "received 'ab'; expected a word and its tag, such as 迈向/v."),
    "an empty tag": ("cd/n ab/", "--text-format tagged", "received 'ab/'; expected a word and its tag"),
    "a group that does not end": (
        "cd/n [ab/n c/n",
        "--text-format tagged",
        "received '[ab/n', whose [ is not closed on its line; expected ] and a tag after the last word, as in [中央/n ",
    ),
    "a group that does not begin": (
        "[a/n b/n]nt c/n]/nt",
        "--text-format tagged",
        "received 'c/n]/nt', whose ] closes no group; expected [ before the first word of the group, as in [中央/n 电视台/n]nt.",
    ),
    "an escape of nothing": ("c/d ab/n\\", "--text-format kytea", r"received 'ab/n\\'; expected a word and its tags"),
    "one field": (r"a\/b c/d/e", "--text-format kytea", r"received 'a\\/b'; expected a word and its tags"),
    "no morphs": ("played", "--text-format sigmorphon", "received 'played'; expected a word, a tab and its morphs"),
    "canonical morphs": (
        "accuracy\taccurate @@cy",
        "--text-format sigmorphon",
        "the morphs spell 'accuratecy', the text is 'accuracy'; expected morphs that spell it. Canonical morphs",
    ),
    "no analysis": ("played", "--text-format alternatives", "received 'played'; expected a word and its analyses"),
    "two analyses": ("ab ab, a b", "--text-format alternatives", "the word has 2 analyses; expected one: leave"),
    "a label outside the schemes": ("a\tX", "--text-format conll", "received the label 'X'; expected B, I or M, E or S"),
    "no features": ("a", "--text-format mecab", "received 'a'; expected a word and its features after a tab or a space, or EOS."),
    "no end": ("a\tb", "--text-format mecab", "no line EOS follows this word; expected one after each sentence."),
}  # fmt: skip
#: Good lines of formats of which an utterance has several.
GOOD = {"conll": "a\tB", "mecab": "EOS"}


def format_of_flags(flags: str) -> str:
    return flags.removeprefix("--text-format ").replace("--markup drop", "separated")


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_an_error_with_its_file_and_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line, flags, words = BAD[name]
    text_format = format_of_flags(flags)
    good = GOOD.get(text_format) or WRITERS[text_format][0](["ab", "c"])
    Path("bad").write_text(f"{good}\n{line}\n", encoding="utf-8")
    assert main(shlex.split(f"score bad bad {flags}")) == 2
    assert f"error: bad, line 2: {words}" in capsys.readouterr().err
    options = {"--markup drop": {"markup": "drop"}}.get(flags) or {"text_format": flags.split()[-1]}
    with pytest.raises(ValueError, match=re.escape(f"bad, line 2: {words}")):
        score(Path("bad"), Path("bad"), **options)
    if options.get("text_format") not in SENTENCE_FORMATS:
        with pytest.raises(UtteranceError, match=re.escape(f"references, utterance 1: {words}")):
            score([good, line], [good, line], **options)


#: Of each option that is for some formats a value, and by format, of which lists of words are one, a text that needs the option.
FOR_FORMATS: dict[str, tuple[str, dict[str, str]]] = {
    "word_boundary": ("#", {"units": "a b # c"}),
    "ignored_tokens": ("x", {"units": "a x b WORD_BOUNDARY c"}),
    "separator": ("/", {"separated": "ab/c", "tagged": "ab/n c/v"}),
    "joiner": ("~", {"syllables": "a~b c", "words": "a~b c"}),
    "spaces": (
        "drop",
        {"separated": "a b|c", "mecab": "a b\tn\nc\tn\nEOS", "lists": '["a b", "c"]', "conllu": "1\ta b\n2\tc\n"},
    ),
    "markup": ("drop", {"separated": "<NE>ab</NE>|c"}),
}
#: The words ab and c in every format.
PLAIN = {
    "words": "ab c", "units": "a b WORD_BOUNDARY c", "separated": "ab|c", "syllables": "a_b c", "tagged": "ab/n c/v",
    "vlsp": "a_b/N c/V",
    "kytea": "ab/n/x c/v/x", "sigmorphon": "abc\tab @@c", "conllu": "1\tab\n2\tc\n", "conll": "a\tB\nb\tE\nc\tS\n",
    "alternatives": "abc ab c", "mecab": "ab\tn\nc\tn\nEOS", "lists": '["ab", "c"]',
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "lists"])
def test_a_nul_is_an_error_that_names_the_utterance(name: str, tmp_path: Path) -> None:
    text = PLAIN[name]
    bad = text.replace("c", "c\0")
    (tmp_path / "n").write_text(f"{text.strip()}\n{bad}\n" if name == "mecab" else f"{text}\n{bad}\n")
    nul = "there is a NUL character (U+0000), which no text has. Is the input binary, or UTF-16? Expected UTF-8 text."
    place = {"conll": "line 7", "conllu": "sentence 2", "mecab": "sentence 2"}.get(name, "line 2")
    with pytest.raises(ValueError, match=re.escape(f"n, {place}: {nul}")):
        score(tmp_path / "n", tmp_path / "n", text_format=name, scores="exact")
    if name not in SENTENCE_FORMATS:
        with pytest.raises(UtteranceError, match=re.escape(f"references, utterance 1: {nul}")):
            score([text, bad], [text, bad], text_format=name, scores="exact")


@pytest.mark.parametrize("left", PLAIN)
@pytest.mark.parametrize("option", FOR_FORMATS)
def test_an_option_for_a_format_is_taken_if_a_side_has_the_format_and_refused_otherwise(
    option: str, left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    value, texts = FOR_FORMATS[option]
    following = list(PLAIN)[(list(PLAIN).index(left) + 1) % len(PLAIN)]
    # Each of the texts that the option is for is met by several others.
    of_option = list(texts)[list(PLAIN).index(left) % len(texts)]
    for right in {left, following, of_option}:
        names, formats, sides = [], [], []
        for side, text_format in (("reference", left), ("prediction", right)):
            text = (PLAIN | texts)[text_format]
            is_lists = text_format == "lists"
            names.append(f"{side}.{'jsonl' if is_lists else 'conllu' if text_format == 'conllu' else 'txt'}")
            Path(names[-1]).write_text(f'{{"{side}": {text}}}\n' if is_lists else f"{text}\n")
            formats.append("words" if is_lists else text_format)
            sides.append([json.loads(text)] if is_lists else [text])
        options = {"reference_format": formats[0], "prediction_format": formats[1], option: value, "scores": "exact"}
        flags = ["--text-format", ",".join(formats), f"--{option.replace('_', '-')}", value, "--scores", "exact"]
        calls = [Path(name) for name in names], *([sides] if set(formats).isdisjoint(SENTENCE_FORMATS) else [])
        if {left, right}.isdisjoint(texts):
            *others, last = [
                "lists of words" if name == "lists" else f'text_format="{name}"' for name in OPTIONS[option].formats
            ]
            listed = f"{', '.join(others)} or {last}" if others else last
            for call in calls:
                with pytest.raises(
                    ValueError, match=rf"^{option}=.*: it is for {re.escape(listed)}(; .*)?: leave it out\.$"
                ):
                    score(*call, **options)
            assert main(["score", *names, *flags]) == 2
            message = capsys.readouterr().err
            assert re.search(rf"error: --{option.replace('_', '-')} .*: it is for .*: leave it out\.", message), message
            continue
        for call in calls:
            assert score(*call, **options) == {"utterance_accuracy": 1.0}, (left, right)
        assert main(["score", *names, *flags]) == 0, (left, right, capsys.readouterr().err)
        assert re.search(r"utterance_accuracy +1\.0000", capsys.readouterr().out)


def test_sides_may_have_an_option_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Syllables with joiners against words with tags, with a vocabulary in the form of the reference."""
    texts = {"r": "Việt_Nam là gì\n", "p": "Việt_Nam/n là/v gì/n\n", "v": "Việt_Nam\nlà\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text.replace("_", "~" if name != "p" else ""), encoding="utf-8")
    paths = [str(tmp_path / name) for name in texts]
    flags = [
        "--text-format", "syllables,tagged", "--joiner", "~", "--separator", "/", "--scores", "oov_rate,token_fscore",
    ]  # fmt: skip
    assert main(["score", *paths[:2], *flags, "--vocabulary", paths[2]]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"oov_rate +0\.3333\ntoken_fscore +1\.0000", printed), printed


def test_a_unit_of_labels_may_have_the_name_of_the_boundary_token(tmp_path: Path) -> None:
    path = tmp_path / "units"
    path.write_text("WORD_BOUNDARY\tB\nb\tE\nc\tS\n\n")
    counts = tally(path, path, text_format="conll", scores="token").counts()
    assert (counts["units"], counts["token_reference"], counts["token_matched"]) == (3, 2, 2)


MARKED = "<NE>กรุงเทพ</NE>|เป็น|เมือง|ใหญ่|"


@pytest.mark.parametrize("prediction", ["กรุงเทพ|เป็น|เมืองใหญ่", "กรุงเทพ เป็น เมืองใหญ่"])
@pytest.mark.parametrize(
    ("reference", "more"), [(MARKED, ""), (MARKED.replace("เมือง", " |เมือง"), " and --spaces drop")]
)  # fmt: skip
def test_the_error_on_tags_names_the_options_that_drop_them(
    reference: str, more: str, prediction: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / name for name in ("r", "p")]
    for path, text in zip(paths, (reference, prediction), strict=True):
        path.write_text(f"{text}\n", encoding="utf-8")
    line = ["score", *map(str, paths), "--scores", "token_precision"]
    assert main(line) == 2
    hint = f"did you mean --text-format 'separated,' and --markup drop{more}?"
    assert hint in capsys.readouterr().err
    assert main([*line, *shlex.split(hint.removeprefix("did you mean ").rstrip("?").replace(" and", ""))]) == 0
    assert re.search(r"token_precision +0\.6667", capsys.readouterr().out)


def test_spaces_of_lists_are_units_unless_they_are_dropped() -> None:
    pair = [["New York", "is"]], [["New", "Yorkis"]]
    with pytest.raises(UtteranceError, match=re.escape('did you mean spaces="drop"?')):
        score(*pair)
    assert score(*pair, spaces="drop", scores="boundary_noedge_fscore") == {"boundary_noedge_fscore": 0.0}
    # Those of a vocabulary are dropped too.
    assert score(*pair, spaces="drop", vocabulary=pair[0], scores="oov_rate") == {"oov_rate": 0.0}


@pytest.mark.parametrize("name", FORMATS)
def test_the_demo_and_the_command_read_every_format(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = FORMATS[name][1]
    Path("r").write_text(text, encoding="utf-8")
    assert main(["score", "r", "r", "--text-format", name, "--scores", "token"]) == 0
    signed = capsys.readouterr().out.strip().splitlines()[-1]
    signature = tally(Path("r"), Path("r"), text_format=name, scores="token").signature()
    assert signed == f"signature: {signature}"
    assert f"text:{name}" in signature
    page = answer("score", {"reference": text, "prediction": text, "text_format": name, "scores": "token"})
    assert page.html is not None, page.problem
    assert signature in html.unescape(page.html)


def test_the_command_lists_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines()[2:]] == list(FORMATS)
    assert "played⇥play @@ed" in printed
