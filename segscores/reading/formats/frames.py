"""Signs of what all lines have in common around their words, and of lines that are none of the text.

What both sides have there agrees, so that no error tells of it. `surroundings` has the signs of ids, scores and special tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, pairwise, takewhile

from .format import Evidence
from .signs import SENTENCE_ENDS, first_lines, first_rows, lines_without_numbers
from .surroundings import are_numbers_of_lines, is_phoneme

#: Marks that ordinary words begin or end with rarely, where all lines have them.
_MARKS = frozenset("[]<>{}()|:：*+\\^・●•■\u200e\u200f\ufeff")
#: Marks that a token at the end of all lines has rarely.
_END_MARKS = frozenset("[]<>{}|#@=*_/\\$^~+¶↵⏎␤")
#: Marks that `cat -E` and editors write for the ends of lines, without a space.
_MARKS_AT_LAST_WORDS = frozenset("$¶↵⏎␤")
#: Marks that all lines of ordinary text may begin or end with, as hashtags and lists of headings do.
_ORDINARY_MARKS = frozenset("([):：")
#: Lines in quotes, or between the slashes of a phonemic transcription. JSON strings are apart.
_QUOTED = r"(b|u)?'\S.*\S'|(b|u)\"\S.*\S\"|“\S.*\S”|‘\S.*\S’|«\S.*\S»|「[^」]*」|`[^`]*`|/\S[^/]*\S/"
#: With what these begin: few texts need the expression, which takes long to compile.
_FIRST_QUOTES = frozenset({"b", "u", *"'\"“‘«「`/"})
_QUOTES = "'\"‘“«`"
_COLONS = ":："
#: Names of columns of text.
_NAMES = frozenset(
    {
        *("text", "utterance", "utt", "sentence", "word", "words", "token", "tokens", "segmented", "segmentation"),
        *("reference", "prediction", "hypothesis", "transcript", "transcription"),
    }
)
#: Further ones, which may be a first utterance where utterances of one word are ordinary; 0 is that of pandas.
_FURTHER_NAMES = frozenset(
    {
        *("texts", "utterances", "utts", "sentences", "line", "lines", "content", "contents", "label", "labels"),
        *("input", "inputs", "output", "outputs", "source", "sources", "target", "targets", "gold"),
        *("y_true", "y_pred", "0"),
        *("corpus", "data", "dev", "hyp", "ref", "test", "train", "valid"),
        *("句子", "文本", "分词", "分词结果", "テキスト", "文", "satz", "sätze"),
        *("phrase", "phrases", "frase", "frases", "texte", "textes", "texto", "textos"),
    }
)
#: All of them, for the quick look.
NAMES_OF_COLUMNS = _NAMES | _FURTHER_NAMES
#: A first line about the text, such as `Corpus: brent`, without a space before the colon, which tokenised text has.
_ABOUT_TEXT = (
    r"(Annotators?|Authors?|Corpus|Created|Data ?set|Date|Description|File|Language|Licen[cs]e|Sources?|Title|Version): \S.*"
    r"|Version \d[\d.]*|Copyright \S.*\d{4}.*|CC[- ]BY[- ].*|\d{4}-\d\d-\d\d"
)
#: The names of sounds in brackets, and the sign of music.
_SOUND = (
    r"(?i)[\[(](applause|cough(s|ing)?|inaudible|laugh(s|ing|ter)?|music( playing)?|noise|pause|sigh(s|ing)?|silence"
    r"|unintelligible|笑|笑声|掌声|音乐|拍手|音楽)[\])]|♪"
)
#: A line of marks, such as `---` between parts, or a fence of code.
_RULE = (
    r"([-*_~+=]{3,}|:{10,}|([-*] ){2,}[-*]|-+( +-{2,})+|`{3}[a-z]*| ?=+ .* =+|\*{3} .* \*{3}"
    r"|==> .* <==|-- .* --|⋮|\[[A-Za-z_-]+[0-9]+\]|Page [0-9]+( of [0-9]+)?)\s*$"
)
_FEWEST = 3
#: The fewest lines in which a single line of marks may be an utterance.
_MANY_LINES_AROUND = 10
#: So many lines are seen of a long text at least.
_MANY_LINES = 50
#: The fewest lines whose common beginning is no chance: three addresses may stand below each other.
_FEWEST_IN_FRAME = 5
#: Missing values of Python, pandas and databases.
_MISSING = frozenset({"None", "NaN", "nan", "NULL", "null"})


def find_markup(text: str) -> Evidence | None:
    """Find a tag of markup at the beginning of each line, and its end at the end of the line.

    >>> find_markup('<s id="1">the dog</s>\\n<s id="2">a cat</s>\\n').sign
    'line 1 is \\'<s id="1">the dog</s>\\''
    """
    if "</" not in text:
        return None
    lines = first_lines(text)
    element = re.compile(r"\s*<(?P<name>[A-Za-z][\w:-]*)(\s[^<>]*)?>.*</(?P=name)>\s*")
    if len(lines) > 1 and all(element.fullmatch(line.text) for line in lines):
        return Evidence(lines[0].sign)
    return None


def find_frame(text: str) -> Evidence | None:
    """Find quotes around all lines, or the same marks at the first words of all lines, or at the last ones; numbers may differ.

    >>> find_frame("u1:the dog\\nu2:a cat\\nu3:it is\\nu4:so\\nu5:no\\n").sign
    "line 1 is 'u1:the dog'"
    >>> find_frame("the dog<br>\\n" * 5).is_weak, find_frame("#love it\\n#fun is\\n" * 3) is None
    (True, True)
    """
    lines = first_lines(text)
    if len(lines) < _FEWEST_IN_FRAME:
        return None
    # The numbers of lines, such as those of utt1:the and utt2:a, are made the same.
    texts = lines_without_numbers(text)
    beginning = _common_beginning(texts)
    end = _common_beginning([text[::-1] for text in texts])[::-1]
    are_quoted = all(text[0] in _FIRST_QUOTES for text in texts) and all(re.fullmatch(_QUOTED, text) for text in texts)
    # An apostrophe before a cell makes it text in spreadsheets. One with a space behind it is a word.
    are_cells = beginning[:1] == "'" and not any(text[1:2].isspace() for text in texts)
    # A call around a string, such as echo "…".
    quote = beginning[-1:]
    are_arguments = len(beginning) > 1 and quote in ("'", '"') and quote in end
    # A name and a number, such as No. 1, No. 2, with nothing but spaces behind it.
    are_numbered = beginning.endswith("0 ") and are_numbers_of_lines([_first_number(line.text) for line in lines])
    are_strings = are_quoted or are_cells or are_arguments
    are_items = are_numbered or _is_number(beginning)
    is_end_mark = not _MARKS_AT_LAST_WORDS.isdisjoint(end[-1:])
    have_end_marks = is_end_mark or _is_frame(end)
    have_marks = _is_frame(beginning) or have_end_marks or _have_frames_by_turns(texts)
    if are_strings or are_items or have_marks:
        return Evidence(lines[0].sign, is_weak=True)
    return None


def _have_frames_by_turns(texts: Sequence[str]) -> bool:
    """Return whether two marks begin the lines by turns, as `原文：` and `分词：` before a text and its words."""
    turns = (texts[::2], texts[1::2])
    have_enough = len(texts) >= 2 * _FEWEST
    return have_enough and all(_is_frame(_common_beginning(turn)) for turn in turns)


def _first_number(text: str) -> str:
    """Return the first number in a text that has one."""
    number, *_ = re.findall(r"\d+", text)
    return str(number)


def _common_beginning(texts: Sequence[str]) -> str:
    """Return the longest string with which all texts begin.

    >>> _common_beginning(["utt0:the dog", "utt0:a cat", "utt0:it is"])
    'utt0:'
    """
    # All other texts stand between these two in the order of strings.
    characters = zip(min(texts), max(texts), strict=False)
    return "".join(left for left, _ in takewhile(lambda pair: pair[0] == pair[1], characters))


def _is_frame(common: str) -> bool:
    """Return whether what lines have in common at one end has a mark that is no part of their words."""
    has_comment = " # " in common or " // " in common  # behind each line
    has_mark = has_comment or not _MARKS.isdisjoint(common)
    return has_mark and common.strip() not in _ORDINARY_MARKS


def _is_number(common: str) -> bool:
    """Return whether all lines begin with a number or an id and a mark behind it, such as `1、`; 0 stands for any number."""
    return "0" in common and re.fullmatch(r"\W*\w*0[^\w\s]+", common) is not None


def find_end_marks(text: str) -> Evidence | None:
    """Find the same token with a mark at the end of each line, such as `$` or `|`.

    >>> find_end_marks("the dog $\\na cat $\\nit is $\\n").sign, find_end_marks("a .\\nb .\\nc .\\n") is None
    ("line 1 is 'the dog $'", True)
    """
    lines = first_lines(text)
    rows = first_rows(text)
    ends = {row[-1] for row in rows}
    have_words = all(len(row) > 1 for row in rows)
    if len(lines) < _FEWEST or len(ends) > 1 or not have_words:
        return None
    (end,) = ends
    if len(lines) < _FEWEST_IN_FRAME and is_phoneme(end):
        return None
    if _is_only_name(end, rows):
        return Evidence(lines[0].sign, is_weak=True)
    # A mark that follows a full stop without a space, as in `.$`, belongs to the text.
    has_mark = end[0] not in ".!?。！？" and not _END_MARKS.isdisjoint(end)
    is_mark = has_mark or all(unicodedata.category(character) == "So" for character in end)
    return Evidence(lines[0].sign, is_weak=True) if is_mark else None


def _is_only_name(end: str, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the last token of all lines is a missing value, or a word in capitals, such as END, and no other is."""
    if end in _MISSING:
        return True
    is_name = end.isascii() and end.isalpha() and end.isupper()
    if len(end) < 2 or len(rows) < _FEWEST_IN_FRAME or not is_name:
        return False
    others = set(chain.from_iterable(rows)) - {end}
    # I and A are words.
    return not any(other.isupper() and len(other) > 1 for other in others)


def find_lines_between(text: str) -> Evidence | None:
    """Find lines of times, or of names with numbers, before each utterance.

    >>> find_lines_between("0:01\\nthe dog\\n0:05\\na cat\\n0:09\\nit is\\n").sign
    "line 1 is '0:01'"
    """
    lines = first_lines(text)
    between = lines[::2]
    utterances = lines[1::2]
    if len(utterances) < _FEWEST:
        return None
    are_times = all(_has_time(line.text) for line in between)
    if are_times and not any(_has_time(line.text) for line in utterances):
        return Evidence(between[0].sign, is_weak=True)
    all_shapes = lines_without_numbers(text)
    shape, *others = set(all_shapes[::2])
    if others or shape in all_shapes[1::2]:
        return None
    # A number alone may be an utterance.
    has_more_than_a_number = re.search(r"0\W*\w|\w\W*0", shape) is not None
    if not has_more_than_a_number:
        return None
    return Evidence(between[0].sign, is_weak=True)


def _has_time(text: str) -> bool:
    """Return whether a line has a time such as 10:15, as the lines above the messages of a chat have."""
    return re.search(r"(?<!\S)\W?\d{1,2}:\d\d(?!\d)", text) is not None


def find_notes(text: str) -> Evidence | None:
    """Find several lines that are a note in brackets, `[MUSIC]`, or else that have a sound, `(laughs)`, or a sign of music.

    >>> find_notes("[MUSIC]\\nthe dog\\n[slow music]\\na cat\\n").sign, find_notes("the dog\\nit (laughs)\\na ♪ cat\\n").sign
    ("line 1 is '[MUSIC]'", "line 2 is 'it (laughs)'")
    >>> find_notes("[the dog]\\n[a cat]\\n") is None
    True
    """
    if not any(sign in text for sign in "([♪"):
        return None
    lines = first_lines(text)
    notes = [line for line in lines if re.fullmatch(r"\s*\[[^\W\d_][\w -]*\w\]\s*", line.text)]
    # The utterances of a text may all stand in brackets.
    are_utterances = len(notes) == len(lines)
    if len(notes) > 1 and not are_utterances:
        return Evidence(notes[0].sign, is_weak=True)
    with_sounds = [line for line in lines if re.search(_SOUND, line.text)]
    if len(with_sounds) > 1:
        return Evidence(with_sounds[0].sign, is_weak=True)
    return None


def find_rules(text: str) -> Evidence | None:
    """Find lines of marks, such as `---`, between utterances or around them.

    >>> find_rules("the dog\\n---\\na cat\\n---\\n").sign
    "line 2 is '---'"
    """
    is_rule = re.compile(_RULE).match
    lines = first_lines(text)
    rules = [line for line in lines if is_rule(line.text)]
    if not rules or len(rules) == len(lines):
        return None
    # A single row far from the first lines may be an utterance of punctuated text, as before the signature of an e-mail. A fence,
    # a mark of what was left out and the row within a conflict of Git are none.
    is_single_row = len(rules) == 1 and re.fullmatch(r"[-_* ]+", rules[0].text.strip()) is not None
    punctuated = [line for line in lines if line.text.rstrip()[-1] in SENTENCE_ENDS]
    is_punctuated = 2 * len(punctuated) >= len(lines) >= _MANY_LINES_AROUND
    is_within = rules[0] in lines[_FEWEST:]
    may_be_utterance = is_single_row and is_punctuated and is_within
    if may_be_utterance:
        return None
    return Evidence(rules[0].sign, is_weak=True)


def find_numbers_between(text: str) -> Evidence | None:
    """Find lines of pages or chapters between utterances, which count from one to the next: 1, 2 or Chapter 1, Chapter 2.

    >>> find_numbers_between("the dog\\n1\\na cat\\nit is\\n2\\nso\\n").sign, find_numbers_between("1\\n2\\nthe dog\\n") is None
    ("line 2 is '1'", True)
    """
    lines = first_lines(text)
    numbered: dict[str, list[tuple[int, int]]] = {}
    for index, line in enumerate(lines):
        match = re.fullmatch(r"(?P<before>\D*)(?P<number>[0-9]{1,18})(?P<after>\W*)", line.text.strip())
        # A name with marks around it may stand before the number.
        if match and len(re.findall(r"\w+", match["before"])) < 2:
            numbered.setdefault(match["before"] + match["after"], []).append((index, int(match["number"])))
    for places in numbered.values():
        steps = {right[1] - left[1] for left, right in pairwise(places)}
        are_apart = all(right[0] - left[0] > 1 for left, right in pairwise(places))
        if steps == {1} and are_apart and 2 * len(places) <= len(lines):
            first_index, _ = places[0]
            return Evidence(lines[first_index].sign, is_weak=True)
    return None


def find_count(text: str) -> Evidence | None:
    """Find the number of the lines that follow, or of more than are seen, in the first line.

    >>> find_count("2\\nthe dog\\na cat\\n").sign, find_count("3\\nthe dog\\na cat\\n") is None
    ("line 1 is '2'", True)
    """
    lines = first_lines(text)
    if len(lines) < _FEWEST or not re.fullmatch(r"\s*\d{1,18}\s*", lines[0].text):
        return None
    first, *others = lines
    is_of_lines = int(first.text) == len(others)
    is_of_more = int(first.text) > len(others) > _MANY_LINES
    have_words = all(re.search(r"[^\W\d]", line.text) for line in others)
    return Evidence(first.sign, is_weak=True) if have_words and (is_of_lines or is_of_more) else None


def find_glosses(text: str) -> Evidence | None:
    """Find glossed examples of linguists: a line of words, one of their glosses, and a translation in quotes.

    >>> find_glosses("der Hund\\nthe dog\\n'the dog'\\nes ist\\nit is\\n'it is'\\n").sign
    'line 3 is "\\'the dog\\'"'
    """
    if not any(quote in text for quote in _QUOTES):
        return None
    lines = first_lines(text)
    translations = lines[2::3]
    others = [*lines[::3], *lines[1::3]]
    quoted = re.compile(r"\s*(['\"‘“«`].*['\"’”»])\s*")
    are_quoted = all(quoted.fullmatch(line.text) for line in translations)
    if len(translations) > 1 and are_quoted and not any(quoted.fullmatch(line.text) for line in others):
        return Evidence(translations[0].sign, is_weak=True)
    return None


def find_named_column(text: str) -> Evidence | None:
    """Find the name of a column of text on the first line.

    >>> find_named_column("text\\nthe dog\\nno\\nit is\\n").sign, find_named_column("gold\\nthe dog\\nno\\nit is\\n") is None
    ("line 1 is 'text'", True)
    """
    lines = first_lines(text)
    if len(lines) < _FEWEST:
        return None
    first, *_ = lines
    name = first.text.strip().lower()
    _, *word_counts = map(len, first_rows(text))
    if max(word_counts) == 1:
        return None
    is_name = re.fullmatch(rf"([a-z]+_)?({'|'.join(_NAMES)})(_[a-z]+)?", name) is not None
    is_further = name in _FURTHER_NAMES and min(word_counts) > 1
    return Evidence(first.sign, is_weak=True) if is_name or is_further else None


def find_introduction(text: str) -> Evidence | None:
    """Find a first line that ends with a colon, as nothing else in the text does.

    >>> find_introduction("Segmented text:\\nthe dog\\na cat\\nit is\\n").sign
    "line 1 is 'Segmented text:'"
    >>> find_introduction("he said :\\nthe dog\\na cat\\nit is\\n") is None
    True
    """
    if not any(colon in text for colon in _COLONS):
        return None
    first, *others = first_lines(text)
    # A colon of a text is a word of its own, as in tokenised text, or occurs elsewhere too, as the length of a vowel does.
    is_introduction = re.fullmatch(rf".*[^\s{_COLONS}][{_COLONS}]\W*", first.text) is not None
    rest = "".join(line.text for line in others)
    has_other_colons = any(colon in rest for colon in _COLONS)
    if len(others) < _FEWEST or not is_introduction or has_other_colons:
        return None
    # Text with marks at the ends of its words may have a line such as `he said:`.
    have_marks = any(re.search(r"\w[.,!?;。！？，；]\s*$", line.text) for line in others)
    return None if have_marks else Evidence(first.sign, is_weak=True)


def find_line_about_text(text: str) -> Evidence | None:
    """Find a first line about the text, such as its title or date, which no other line resembles.

    >>> find_line_about_text("Corpus: brent\\nthe dog\\na cat\\nit is\\n").sign
    "line 1 is 'Corpus: brent'"
    """
    lines = first_lines(text)
    if len(lines) <= _FEWEST or not re.fullmatch(_ABOUT_TEXT, lines[0].text.strip()):
        return None
    first, *others = lines
    may_be_speakers = any(re.match(r"[A-Z][\w-]*: |\d{4}-", line.text) for line in others)
    return None if may_be_speakers else Evidence(first.sign, is_weak=True)


def find_header(text: str) -> Evidence | None:
    """Find a header of names and values, with a blank line after it.

    >>> find_header("Title: gold\\nAuthor: ann\\n\\nthe dog\\na cat\\n").sign
    "line 1 is 'Title: gold'"
    """
    if ": " not in text or "\n\n" not in text:
        return None
    header, _, body = text.partition("\n\n")
    header = re.sub(r"\AFrom \S+@\S+ .*\n", "", header)  # the first line of a mailbox
    value = re.compile(r"(?P<name>[A-Z][\w-]*):\s+\S.*")
    matches = [value.fullmatch(line) for line in header.split("\n")]
    names = [match["name"] for match in matches if match]
    is_header = len(matches) > 1 and all(matches) and len(set(names)) == len(names)
    # A name that recurs after the header may be that of a speaker.
    if is_header and body.strip() and not any(value.fullmatch(line) for line in body.split("\n")):
        return Evidence(first_lines(text)[0].sign, is_weak=True)
    return None
