"""Signs of what stands around utterances: ids, scores, comments, marks of lists, and each text a second time.

What both sides have around their words agrees, so that no error tells of it, and each token of it counts as a right word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from ..json_values import json_value
from .format import Evidence
from .numbering import are_certain_ids
from .signs import SENTENCE_ENDS, Line, first_lines, first_rows

#: Tokens that models put at the ends of a text.
SPECIAL_TOKENS = r"</?s>|<(bos|eos|sos|pad|BOS|EOS|SOS|PAD)>|\[(CLS|SEP|PAD|BOS|EOS)\]|<\|[a-z_]+\|>|<0x[0-9A-F]{2}>"
#: Marks of the items of lists that stand in other texts rarely.
_BULLETS = "‣※»›◦⁃∙⦿①"
_CERTAIN_BULLETS = frozenset({*"•●○■▪‣◦⁃✓✔", r"\item"})
#: A number with decimals, such as a log-probability.
_DECIMAL = r"-?\d+\.\d+(e-?\d+)?"
_FEWEST = 3
#: The beginning of a comment in files of NIST.
_COMMENT_OF_NIST = ";;"
#: The fewest lines whose growing numbers are ids although some numbers lack.
_FEWEST_WITH_GAPS = 5
#: The fewest lines whose numbers, in any order, are no words: recipes may have fewer such lines below each other.
_FEWEST_WITH_COUNTS = 12
#: A hash, such as the beginning of one of Git, or a UUID.
_HASH = r"[0-9a-f-]{6,}"


def find_ends_of_sentences(text: str) -> Evidence | None:
    """Find lines `EOS` after words, as analysers write them without tags.

    >>> find_ends_of_sentences("東京 に 住む\\nEOS\\n私 は\\nEOS\\n").sign
    "line 2 is 'EOS'"
    """
    lines = first_lines(text)
    ends = [line for line in lines if line.text.strip() == "EOS"]
    # The last word of a list with a word on each line may be EOS.
    is_list_of_words = len(ends) == 1 and all(len(line.text.split()) == 1 for line in lines)
    has_tags = "\t" in text
    if not ends or is_list_of_words or has_tags:
        return None
    is_after_words = ends[0] is not lines[0] and ends[-1] is lines[-1]
    return Evidence(ends[0].sign) if is_after_words else None


def find_pairs_of_lines(text: str) -> Evidence | None:
    """Find each text on two lines, of which one has the spaces between its words.

    >>> find_pairs_of_lines("thedog\\nthe dog\\nacat\\na cat\\n").sign
    "line 2 is 'the dog'"
    """
    lines = first_lines(text)
    # Most texts show in their first lines that they are no pairs.
    if len(lines) < 4 or _joined(lines[0].text) != _joined(lines[1].text):
        return None
    pairs = [*zip(lines[::2], lines[1::2], strict=False)]  # an odd line at the end has no partner
    texts = {_joined(first.text) for first, _ in pairs}
    # Lines of a single letter are equal if they have one length.
    have_letters = len(set().union(*texts)) > 1
    # Lines may be many segmentations of one text, which differ in spaces too: then few texts are distinct.
    are_distinct = 2 * len(texts) > len(pairs)
    first_have_spaces = any(" " in first.text.strip() for first, _ in pairs)
    second_have_spaces = any(" " in second.text.strip() for _, second in pairs)
    are_equal = all(_joined(first.text) == _joined(second.text) for first, second in pairs)
    differing = [first for first, second in pairs if first.text.split() != second.text.split()]
    # A text of one word is the same with and without spaces.
    are_mostly_differing = 2 * len(differing) >= len(pairs)
    are_in_two_forms = first_have_spaces != second_have_spaces and are_mostly_differing
    are_texts = are_distinct and have_letters
    if are_equal and are_texts and are_in_two_forms:
        return Evidence(lines[1].sign)
    return None


def _joined(text: str) -> str:
    """Return a text without its whitespace."""
    return "".join(text.split())


def find_pairs_in_lines(text: str) -> Evidence | None:
    """Find a word or text without spaces before its segmentation on each line, perhaps with a mark between: `dogs -> dog s`.

    >>> find_pairs_in_lines("dogs dog s\\ncat cat\\nplayed play ed\\n").sign
    "line 1 is 'dogs dog s'"
    """
    lines = first_lines(text)
    has_columns = "\t" in text  # which other forms describe
    if len(lines) < _FEWEST or has_columns:
        return None
    # Most texts show in their first line that they have no such pairs.
    if not _segmented_in(lines[0]):
        return None
    segmented = [*map(_segmented_in, lines)]
    if not all(segmented):
        return None
    has_several = any(len(words.split()) > 1 for words in segmented)
    return Evidence(lines[0].sign) if has_several else None


def _segmented_in(line: Line) -> str:
    """Return the segmentation behind a word, on a line such as `dogs -> dog s`; empty if the line has none."""
    optional_mark = r"(\s?(?:->|=>|→|⇒|[:=|]))?"
    match = re.fullmatch(rf"\s*(?P<word>\S+?){optional_mark}\s+(?P<segmented>\S.*)", line.text)
    if match is None or match["word"] != _joined(match["segmented"]):
        return ""
    return str(match["segmented"])


def find_texts_beside_words(text: str) -> Evidence | None:
    """Find each text beside its segmentation, or twice with a mark between, on one line; signs and capitals may differ.

    >>> find_texts_beside_words("#LoveIt: love it\\n#bestDay: best day\\n#fun: fun\\n").sign
    "line 1 is '#LoveIt: love it'"
    >>> find_texts_beside_words("the dog (thedog)\\na cat (acat)\\nit is (itis)\\n").is_weak
    True
    """
    lines = first_lines(text)
    has_columns = "\t" in text  # which other forms describe
    if len(lines) < _FEWEST or has_columns:
        return None
    # Most texts show in their first line that they have no such parts.
    if _equal_halves(lines[0].text) is None:
        return None
    pairs = [_equal_halves(line.text) for line in lines]
    halves = [pair for pair in pairs if pair is not None]
    if len(halves) < len(lines):
        return None
    most_first_words = max(_count_words(first) for first, _ in halves)
    most_last_words = max(_count_words(last) for _, last in halves)
    fewer_words, more_words = sorted([most_first_words, most_last_words])
    # The text twice, with a mark between: `it is so | it is so`.
    have_marks_between = all(re.search(r"(\s[^\w\s]+|[|>=])\s*$", first) for first, _ in halves)
    are_repeated = have_marks_between and len(lines) >= _FEWEST_WITH_GAPS and fewer_words >= _FEWEST
    # The text is one word in each line, and its segmentation several in some.
    are_segmented = fewer_words == 1 and more_words > 1
    if are_repeated or are_segmented:
        return Evidence(lines[0].sign, is_weak=True)
    return None


def _equal_halves(text: str) -> tuple[str, str] | None:
    """Return the two parts of a line that have the same letters and digits, in any case; None if it has no such parts.

    >>> _equal_halves("#LoveIt: love it"), _equal_halves("love it")
    (('#LoveIt: ', 'love it'), None)
    """
    places = [place for place, character in enumerate(text) if character.isalnum()]
    letters = [text[place].lower() for place in places]
    half = len(letters) // 2
    if not half or letters[:half] != letters[half:]:
        return None
    begin = places[half]
    return text[:begin], text[begin:]


def _count_words(text: str) -> int:
    """Return the number of tokens with a letter or digit."""
    return sum(any(map(str.isalnum, token)) for token in text.split())


def find_special_tokens(text: str) -> Evidence | None:
    """Find the special tokens of a model in most lines, or `EOS` at the end of most lines.

    >>> find_special_tokens("<s> the dog </s>\\n<s> a cat </s>\\n").sign
    "line 1 is '<s> the dog </s>'"
    """
    if not any(mark in text for mark in "<[") and "EOS" not in text:
        return None
    lines = first_lines(text)
    special = re.compile(rf"(?<!\S)({SPECIAL_TOKENS})(?=\s+\S)|\s({SPECIAL_TOKENS})(?!\S)|\sEOS\s*$")
    with_tokens = [line for line in lines if special.search(line.text)]
    if not with_tokens:
        return None
    # One line may have the tokens between its sentences.
    first, *others = with_tokens
    are_several = bool(others) or len(special.findall(first.text)) > 1
    are_most = 2 * len(with_tokens) >= len(lines)
    return Evidence(first.sign) if are_several and are_most else None


def find_json_strings(text: str) -> Evidence | None:
    """Find a string of JSON on each line; only escapes show that the quotes are none of the text.

    >>> find_json_strings('"the dog"\\n"a cat"\\n').is_weak, find_json_strings('"caf\\\\u00e9 a"\\n"a cat"\\n').is_weak
    (True, False)
    """
    lines = first_lines(text)
    # Commas stand after the strings of a list that has lines.
    strings = [line.text.strip().rstrip(",") for line in lines]
    if len(lines) < 2 or not all(map(_is_json_string, strings)):
        return None
    has_escapes = re.search(r"\\u[0-9a-f]{4}", text) is not None
    return Evidence(lines[0].sign, is_weak=not has_escapes)


def _is_json_string(text: str) -> bool:
    """Return whether a text is a string of JSON with no space inside its quotes; the quotes of tokenised text have spaces inside.

    >>> _is_json_string('"the dog"'), _is_json_string('" the dog "')
    (True, False)
    """
    if not re.fullmatch(r'"\S.*\S"', text):
        return False
    try:
        return isinstance(json_value(text), str)
    except ValueError:
        return False


def find_ids(text: str) -> Evidence | None:
    """Find lines that begin with their numbers, with ids or times of one shape, or with scores.

    >>> find_ids("utt1 the dog\\nutt2 a cat\\nutt10 it is\\n").is_weak, find_ids("a1 the dog\\nb1 a cat\\nb2 it is\\n") is None
    (True, True)
    """
    lines = first_lines(text)
    rows = first_rows(text)
    if any(len(row) < 2 for row in rows):
        return None
    ids = [row[0] for row in rows]
    second_tokens = [row[1] for row in rows]
    # Two lines may begin with other numbers or names by chance.
    are_enough = len(lines) >= _FEWEST
    if are_certain_ids(ids) or (are_enough and _are_numbers_or_ids(ids, lines, second_tokens)):
        return Evidence(lines[0].sign, is_weak=True)
    return None


def _are_numbers_or_ids(ids: list[str], lines: Sequence[Line], second_tokens: Sequence[str]) -> bool:
    """Return whether the first tokens of lines are scores, counts, numbers of the lines, or ids of one shape."""
    are_scores = all(re.fullmatch(_DECIMAL, id_) for id_ in ids)
    are_counts = all(id_.isdecimal() for id_ in ids) and _have_counts(lines, ids)
    if are_scores or are_counts:
        return True
    if are_numbers_of_lines(ids) or _are_letters_of_lines(ids):
        return True
    return _are_ids(ids) and not _have_shapes_of(second_tokens, ids)


def find_numbers_of_some(text: str) -> Evidence | None:
    """Find numbers with a mark, such as `2.`, which half of the lines or more begin with, each in its place in the text.

    >>> find_numbers_of_some("1. the dog\\na cat\\n3. it is\\n4. so\\n").sign
    "line 1 is '1. the dog'"
    """
    lines = first_lines(text)
    matches = [re.match(r"\s*\W?(\d{1,9})([^\w\s]*)\s+\S", line.text) for line in lines]
    have_marks = all(match[2] for match in matches if match)
    numbered = [(place, int(match[1])) for place, match in enumerate(matches) if match]
    first_numbers = {number - place for place, number in numbered}
    fewest = _FEWEST if have_marks else _FEWEST_WITH_GAPS
    are_enough = len(numbered) >= fewest and 2 * len(numbered) >= len(lines)
    if not are_enough or len(first_numbers) > 1:
        return None
    first_place, _ = numbered[0]
    return Evidence(lines[first_place].sign, is_weak=True)


def _have_counts(lines: Sequence[Line], ids: Sequence[str]) -> bool:
    """Return whether the numbers at the beginnings of lines are counts: in a column, as of `uniq -c`, or of many lines."""
    if all(line.text.startswith("  ") for line in lines):
        return True
    # Few numbers that recur are labels, which `find_classes` finds; and the words of a text may be numbers.
    are_several = 3 * len(set(ids)) > len(ids)
    have_words = not any(line.text.split()[1].isdecimal() for line in lines)
    return len(lines) >= _FEWEST_WITH_COUNTS and are_several and have_words


#: Letters and other signs that number the lines of a list, with a mark behind the letters.
_LETTERS_OF_LINES = ("abcdefghij", "ABCDEFGHIJ", "①②③④⑤⑥⑦⑧⑨⑩")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")


def _are_letters_of_lines(ids: list[str]) -> bool:
    """Return whether the tokens number the lines with letters, such as `a)`, `b)`, `c)`, or `i.`, `ii.`, `iii.`, or `①`, `②`."""
    # Most texts show in their first line that they have no such letters.
    if ids[0].strip("().:、").lower() not in ("a", "i", "①"):
        return False
    # Each list of letters has ten.
    first_ids = ids[: len(_ROMAN)]
    # (a) and a. are the letter a.
    letters = [re.sub(r"^\W*(\w+)[.):、]+$", r"\1", id_) for id_ in first_ids]
    # Without marks, a and b may be words of a few lines.
    may_be_words = letters == first_ids and len(letters) < _FEWEST_WITH_GAPS
    is_circled = first_ids[0] == "①"
    if may_be_words and not is_circled:
        return False
    lists = [*map(list, _LETTERS_OF_LINES), [*_ROMAN], [number.upper() for number in _ROMAN]]
    return any(letters == list_of_letters[: len(letters)] for list_of_letters in lists)


def are_numbers_of_lines(ids: list[str]) -> bool:
    """Return whether the tokens are numbers, perhaps with marks around them, each 1 more than the one before, or at least more.

    Such are `1.`, `2.`, `3.`, and with gaps `[1]`, `[3]`, `[4]`, `[7]`, `[8]`.
    """
    # No text has so many lines that their numbers are longer; and Python reads no integer of more than 4,300 digits.
    matches = [re.fullmatch(r"[^\w\s]*(\d{1,18})[^\w\s]*", id_) for id_ in ids]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) < len(ids):
        return False
    steps = {right - left for left, right in pairwise(numbers)}
    grow = min(steps) > 0
    return steps == {1} or (grow and len(ids) >= _FEWEST_WITH_GAPS)


def _are_ids(ids: list[str]) -> bool:
    """Return whether the tokens are distinct and of one shape, with digits and letters or marks: utt1, S01_u002 or 10:15:00.

    Ids of several speakers, such as spk1-0001 and bob-0001, have several shapes, and several parts.
    """
    are_distinct = len(set(ids)) == len(ids)
    # The shape of utt12 is utt0, and that of 10:15:00 is 0:0:0.
    shapes = {re.sub(r"\d+", "0", id_) for id_ in ids}
    if len(shapes) == 1:
        (shape,) = shapes
        # Digits alone, with a sign or a point, are a number.
        has_more_than_a_number = re.search(r"[^\d.,-]|\d-\d", shape) is not None
        # Several lines may have one date or time.
        are_dates = re.fullmatch(r"\W*0([-:/.]0){2,}\S*", shape) is not None
        may_be_ids = are_distinct or are_dates
        if "0" in shape and has_more_than_a_number and may_be_ids:
            return True
    if are_distinct and _are_hashes(ids):
        return True
    # Parts with marks between them, of which the last one ends in a number: spk1-0001.
    parts = re.compile(r"[A-Za-z0-9]+([-_.]+[A-Za-z0-9]+)*[-_.]+[A-Za-z]*\d+")
    return are_distinct and all(map(parts.fullmatch, ids))


def _are_hashes(ids: list[str]) -> bool:
    """Return whether the tokens are equally long numbers in hexadecimal digits, most of which have digits and letters."""
    are_equally_long = len(set(map(len, ids))) == 1
    if not are_equally_long or not all(re.fullmatch(_HASH, id_) for id_ in ids):
        return False
    mixed = [id_ for id_ in ids if re.search(r"\d.*[a-f]|[a-f].*\d", id_)]
    return 2 * len(mixed) > len(ids)


def find_scores(text: str) -> Evidence | None:
    """Find a number with decimals, or an id, at the end of each line.

    >>> find_scores("the dog -1.5\\na cat -2.25\\nit is -0.5\\n").sign
    "line 1 is 'the dog -1.5'"
    """
    lines = first_lines(text)
    rows = first_rows(text)
    ends = [row[-1] for row in rows]
    have_words = all(len(row) > 1 for row in rows)
    if len(lines) < _FEWEST or not have_words:
        return None
    are_scores = all(re.fullmatch(_DECIMAL, end) for end in ends)
    # An amount of money is none.
    are_ids = _are_ids(ends) and all(re.search(r"[A-Za-z]|\d[-:/]\d", end) for end in ends)
    are_ids = are_ids and not _have_shapes_of([row[-2] for row in rows], ends)
    if are_scores or are_ids or are_numbers_of_lines(ends):
        return Evidence(lines[0].sign, is_weak=True)
    return None


def _have_shapes_of(tokens: Sequence[str], ids: Sequence[str]) -> bool:
    """Return whether some token has the shape of an id: words such as x0a and x0b are ids in all places, or in none."""
    return not set(map(shape_of, ids)).isdisjoint(map(shape_of, tokens))


def shape_of(token: str) -> str:
    """Return a token with one letter and one digit in place of several: of `utt12` it is `a0`."""
    return re.sub(r"\d+", "0", re.sub("[A-Za-z]+", "a", token))


def find_ids_at_ends(text: str) -> Evidence | None:
    """Find an id in brackets at the end of each line. All have digits, and one has several parts; or else they are distinct.

    >>> find_ids_at_ends("the dog (ann-001)\\na cat (ann-002)\\n").is_weak
    False
    >>> find_ids_at_ends("the dog (s1)\\na cat (s2)\\nit is (s3)\\n").is_weak
    True
    """
    if "(" not in text:
        return None
    lines = [line for line in first_lines(text) if not line.text.startswith(_COMMENT_OF_NIST)]
    # A score may follow the id: (u1 -2345)
    matches = [re.fullmatch(r".*\(([^()\s]+)(?: -?\d+)?\)\s*", line.text) for line in lines]
    ids = [match[1] for match in matches if match]
    if len(lines) < 2 or len(ids) < len(lines):
        return None
    have_digits = all(re.search(r"\d", id_) for id_ in ids)
    have_parts = [bool(re.search("[-_]", id_)) for id_ in ids]
    if have_digits and any(have_parts):
        return Evidence(lines[0].sign)
    are_distinct = len(set(ids)) == len(ids)
    # A year in brackets belongs to the text.
    are_years = all(re.fullmatch(r"1\d{3}|20\d\d", id_) for id_ in ids)
    look_like_ids = not are_years and (have_digits or all(have_parts))
    are_enough = have_digits or len(ids) >= _FEWEST
    if are_distinct and look_like_ids and are_enough:
        return Evidence(lines[0].sign, is_weak=True)
    return None


#: The marks of comments, and expressions of the beginnings of lines of comments; of `#` and `;`, a space or a name with a value
#: follows.
_COMMENTS = {
    "#": r"# |##+|#!|#[\w.-]+ ?[:=]", "% ": "% ", "%%": "%%", "//": r"//\s*[^\W\d]", ";": ";+ ", "/*": r"/\*.*\*/\s*$",
    "<!--": r"<!--.*-->\s*$",
}  # fmt: skip


#: A mark that is a letter of a word.
_MARK_IN_WORD = r"[^\W\d][%#*&~^(){}|=+]|[%#*&~^|=+][^\W\d]"


def find_comments(text: str) -> Evidence | None:
    """Find lines of comments: they begin with `#`, `%`, `//` or `;`, the first line or several do, and the others do not.

    >>> find_comments("# gold of ann\\nthe dog\\na cat\\n").sign
    "line 1 is '# gold of ann'"
    """
    lines = first_lines(text)
    for mark, beginning in _COMMENTS.items():
        if mark not in text:
            continue
        marked = [line for line in lines if line.text.startswith(mark)]
        comments = [line for line in marked if re.match(beginning, line.text)]
        if not comments or len(comments) == len(lines):
            continue
        others = [line for line in lines if line not in comments]
        # Phonemes may be written with marks, and % or # be one of them.
        if len(mark.strip()) == 1 and any(re.search(_MARK_IN_WORD, line.text) for line in others):
            continue
        is_at_beginning = comments[0] is lines[0]
        # One such line among the others may be text.
        if is_at_beginning or len(comments) > 1:
            return Evidence(comments[0].sign, is_weak=True)
    return None


def is_phoneme(token: str) -> bool:
    """Return whether a token may be a word of phonemes, which are letters and signs, such as `D*` and `op~`.

    >>> is_phoneme("D*"), is_phoneme("*MOT:"), is_phoneme("**")
    (True, False, False)
    """
    return re.fullmatch(r"[^\W\d_][\w*/\\$^~@%&+]*", token) is not None


def find_marks(text: str) -> Evidence | None:
    """Find the same mark at the beginning of each line, such as `-`, `>` or `[INFO]`.

    >>> find_marks("- the dog\\n- a cat\\n- it is\\n").sign
    "line 1 is '- the dog'"
    """
    lines = first_lines(text)
    rows = first_rows(text)
    marks = {first for first, *_ in rows}
    have_words = all(len(row) > 1 for row in rows)
    # A bullet, such as `•`, shows a list of two lines too; a dash may begin two lines of a dialogue.
    fewest = 2 if marks.issubset(_CERTAIN_BULLETS) else _FEWEST
    if len(lines) < fewest or len(marks) > 1 or not have_words:
        return None
    (mark,) = marks
    if len(lines) < _FEWEST_WITH_GAPS and is_phoneme(mark):
        return None
    # Each line may be what a person of a dialogue says.
    is_dialogue = mark in ("–", "—") and all(line.text.rstrip()[-1] in SENTENCE_ENDS for line in lines)
    if is_dialogue:
        return None
    is_symbol = all(unicodedata.category(character) in ("So", "Sm") for character in mark)
    is_bullet = re.fullmatch(rf"[-+>$•·●○■–—{_BULLETS}]", mark) is not None
    # A capital may be the name of a speaker. A, I and O are words.
    is_speaker = re.fullmatch(r"[B-HJ-NP-Z]", mark) is not None
    # 1. or [INFO]
    has_sign = re.search(r"[][<>{}()|#@:=*_/\\$^~]|^\d+[.)、]$", mark) is not None
    are_marked = any((is_symbol, is_bullet, is_speaker, has_sign))
    return Evidence(lines[0].sign, is_weak=True) if are_marked else None
