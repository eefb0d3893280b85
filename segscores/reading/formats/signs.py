"""Signs: what shows in the first lines of a text that it has a form which is known, and not read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...options.quoting import shortened
from .format import Evidence

#: The beginning of a text in which signs are looked for.
_MOST_LINES = 60
_MOST_CHARACTERS = 1 << 13
#: The fewest lines of two words that show tags where letters do not.
_FEWEST_PAIRS = 20
#: The fewest words with a tag whose tags show that they recur.
_FEWEST_TAGS = 6
_LONGEST_TAG = 20
#: The characters of the line below the names of a table of Markdown.
_SIGNS_OF_RULERS = frozenset("|-: \t")
#: The last characters of sentences.
SENTENCE_ENDS = frozenset(".!?…。！？।။")
_SPEAKER = r"(\*[A-Z0-9]{2,8}:|<[A-Z][A-Z0-9]{1,7}>|[A-Z][\w.-]{0,14}( [A-Z0-9]\w{0,9})?:)\s+(?=\S)"
#: Letters of scripts from Thai on, among them kana, Chinese characters and Hangul.
EASTERN = "[\u0e00-\u1cff\u3005-\u318f\u3400-\u9fff\uac00-\ud7a3]"


class Signs(NamedTuple):
    """Signs that regular expressions describe. A text has them if it has `has`, and every expression that is not empty matches.

    A text without `has` needs no expression: to compile those of all forms takes as long as to score a small file.

    >>> Signs(first="@UTF8").find("@UTF8\\n@Begin\\n").sign
    "line 1 is '@UTF8'"
    """

    has: str = ""  #: stands somewhere in every text that has the signs
    has_some_of: str = ""  #: characters of which one stands in every such text; empty if there are none
    first: str = ""  #: matches the beginning of the first line that is not blank
    some: str = ""  #: matches the beginning of a line
    also: str = ""  #: matches the beginning of another line, or of the same one
    every: str = ""  #: fits every line that is not blank
    most: str = ""  #: fits at least half of the lines that are not blank
    fewest: int = 1  #: the fewest lines that are not blank
    is_weak: bool = False  #: as in `Evidence`

    def find(self, text: str) -> Evidence | None:
        """Return the evidence, if the text has these signs."""
        if self.has not in text:
            return None
        if self.has_some_of and not any(character in text for character in self.has_some_of):
            return None
        lines = first_lines(text)
        if len(lines) < self.fewest:
            return None
        if self.also and _first_match(self.also, lines) is None:
            return None
        # The line to show: the first one that matches, if some line has to.
        shown, *_ = lines
        if self.first and not re.match(self.first, shown.text):
            return None
        pattern = self.some or self.most
        if pattern:
            matching = _first_match(pattern, lines)
            if matching is None:
                return None
            shown = matching
        # Expressions of whole lines are longest, and take longest to compile: few texts come so far.
        if self.every and not all(re.fullmatch(self.every, line.text) for line in lines):
            return None
        if self.most:
            fitting = [line for line in lines if re.fullmatch(self.most, line.text)]
            if 2 * len(fitting) < len(lines):
                return None
        return Evidence(shown.sign, is_weak=self.is_weak)


def _first_match(pattern: str, lines: Sequence[Line]) -> Line | None:
    """Return the first line whose beginning an expression matches; None if there is no such line."""
    match = re.compile(pattern).match
    return next((line for line in lines if match(line.text)), None)


def beginning_of(text: str) -> str:
    """Return the first whole lines of a text, in which signs are looked for."""
    lines = text[:_MOST_CHARACTERS].split("\n")
    if len(text) > _MOST_CHARACTERS and len(lines) > 1:
        del lines[-1]  # it may be cut
    return "\n".join(lines[:_MOST_LINES])


class Line(NamedTuple):
    """A line of a text, and its number, which counts from 1."""

    number: int
    text: str

    @property
    def sign(self) -> str:
        """The clause that shows the line, such as "line 1 is '@UTF8'"."""
        return f"line {self.number} is {shortened(self.text.strip())}"


@lru_cache(maxsize=1)
def first_lines(text: str) -> list[Line]:
    """Return the lines of a beginning that are not blank."""
    return [Line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


@lru_cache(maxsize=1)
def first_rows(text: str) -> list[list[str]]:
    """Return the tokens of each line of a beginning that is not blank."""
    return [line.text.split() for line in first_lines(text)]


@lru_cache(maxsize=1)
def lines_without_numbers(text: str) -> list[str]:
    """Return the lines of a beginning that are not blank, with 0 in place of each number, and no whitespace at their ends."""
    lines = "\n".join(line.text.strip() for line in first_lines(text))
    return re.sub(r"\d+", "0", lines).split("\n")


def first_line(text: str) -> Line:
    """Return the first line that is not blank, of a text that has one."""
    line, *_ = first_lines(text)
    return line


def find_markdown(text: str) -> Evidence | None:
    """Find a table of Markdown: rows of cells, of which the second is a ruler with as many cells as the names above it.

    >>> find_markdown("text | n\\n--- | ---\\nthe dog | 1\\n").sign, find_markdown("ผม|ไม่|\\n-|\\nเขา|ไป|\\n") is None
    ("line 2 is '--- | ---'", True)
    """
    if "|" not in text:
        return None
    lines = first_lines(text)
    if len(lines) < 2 or not all("|" in line.text for line in lines):
        return None
    names, ruler, *_ = lines
    is_ruler = "-" in ruler.text and _SIGNS_OF_RULERS.issuperset(ruler.text)
    bar_counts = {line.text.strip().strip("|").count("|") for line in (names, ruler)}
    if is_ruler and len(bar_counts) == 1:
        return Evidence(ruler.sign)
    return None


def find_token_lines(text: str) -> Evidence | None:
    """Find lines of an id, a word and more columns, whose ids begin at 1 after each blank line.

    >>> find_token_lines("1\\tthe\\tDET\\n2\\tdog\\tNOUN\\n\\n1\\ta\\tDET\\n").sign
    "line 1 is '1\\\\tthe\\\\tDET'"
    """
    if "\t" not in text:
        return None
    lines = first_lines(text)
    expected_id = 1
    previous_number = 0
    for line in lines:
        follows_blank_line = line.number > previous_number + 1
        if follows_blank_line:
            expected_id = 1
        id_, *cells = line.text.split("\t")
        if len(cells) < 2 or id_ != str(expected_id):
            return None
        word, *_ = cells
        if not word.strip() or " " in word.strip():
            return None
        expected_id += 1
        previous_number = line.number
    # Lines that are not blank, but numbered from 1 on without a break, may be a table.
    if len(lines) > 1 and (re.search(r"\n\s*\n\S", text) or text.endswith("\n\n")):
        return Evidence(lines[0].sign)
    return None


def find_tags_in_columns(text: str) -> Evidence | None:
    """Find lines of a word and its tag, as of TreeTagger: the tags recur, and blank lines or marks end sentences.

    >>> find_tags_in_columns("The\\tDT\\ndog\\tNN\\n.\\t.\\n\\nA\\tDT\\ncat\\tNN\\n.\\t.\\n").is_weak
    False
    >>> find_tags_in_columns("the\\tle\\ndog\\tchien\\nis\\test\\non\\tsur\\na\\tun\\nboat\\tbateau\\n") is None
    True
    """
    lines = first_lines(text)
    rows = [line.text.strip("\r").split("\t") for line in lines if not line.text.startswith("#")]
    widths = {len(row) for row in rows}
    have_columns = len(widths) == 1 and min(widths) > 1
    if len(rows) < _FEWEST_TAGS or not have_columns:
        return None
    words, *other_columns = zip(*rows, strict=True)
    if any(not word or " " in word.strip() for word in words):
        return None
    columns_of_tags = [cells for cells in other_columns if _are_tags(cells)]
    if not columns_of_tags:
        return None
    first_tags, *_ = columns_of_tags
    tags = set(first_tags)
    begin_as_names = all(tag[0].isupper() or not tag[0].isalnum() for tag in tags)
    # A mark such as a comma may be its own tag, and a word may not.
    are_no_words = not any(tag[0].isalnum() for tag in tags.intersection(words))
    mark_count = sum(word in SENTENCE_ENDS for word in words)
    has_sentences = mark_count > 1 or re.search(r"\S\n\s*\n\S", text) is not None
    is_certain = begin_as_names and are_no_words and has_sentences
    return Evidence(lines[0].sign, is_weak=not is_certain)


def _are_tags(cells: Sequence[str]) -> bool:
    """Return whether the values recur, and are short and without spaces, as tags are."""
    distinct = set(cells)
    are_short = all(cell and " " not in cell and len(cell) <= _LONGEST_TAG for cell in distinct)
    return are_short and len(distinct) > 1 and _recur(cells)


def _recur(values: Sequence[str]) -> bool:
    """Return whether values recur: a third of them have occurred before."""
    return len(set(values)) <= len(values) * 2 // 3


def find_entities(text: str) -> Evidence | None:
    """Find columns whose last one has labels of entities or chunks: `O`, `B-LOC`, `I-LOC`.

    >>> find_entities("EU NNP B-ORG\\nrejects VBZ O\\ncalls NNS O\\n").sign
    "line 1 is 'EU NNP B-ORG'"
    """
    lines = [line for line in first_lines(text) if not line.text.startswith(("#", "-DOCSTART-"))]
    rows = [line.text.split() for line in lines]
    # The mark of a document is a sign itself, so that one line is enough.
    fewest = 1 if "-DOCSTART-" in text else 3
    widths = {len(row) for row in rows}
    have_columns = len(widths) == 1 and min(widths) > 1
    if len(rows) < fewest or not have_columns:
        return None
    labels = {label for *_, label in rows}
    are_labels = all(re.fullmatch(r"O|[BIESLU]-\S+", label) for label in labels)
    # Few words may all be in chunks, such as B-NP and I-NP: then no label is O.
    are_of_chunks = all(re.fullmatch("[BIESLU]-[A-Z]+", label) for label in labels)
    have_outside = "O" in labels or are_of_chunks
    if are_labels and have_outside and len(labels) > 1:
        return Evidence(lines[0].sign)
    return None


def _tokens_of(lines: Sequence[Line]) -> list[str]:
    """Return the tokens of lines."""
    tokens: list[str] = []
    for line in lines:
        tokens += line.text.split()
    return tokens


def find_tags(text: str, *, separator: str, token: str) -> Evidence | None:
    """Find words with a tag each: all tokens fit, and their tags recur, or are Latin letters after words of another script.

    The groups of `token` are a word and its tag; the separator stands before the tag.

    >>> find_tags("上海_NR 浦东_NR 开发_NN", separator="_", token=r"(\\S+)_([A-Z]+)").sign
    "line 1 is '上海_NR 浦东_NR 开发_NN'"
    """
    if separator not in text:
        return None
    lines = first_lines(text)
    words = _tokens_of(lines)
    # The first word shows, in most texts, that they have no tags.
    if not words or not re.fullmatch(token, words[0]):
        return None
    found = [match for match in map(re.compile(token).fullmatch, words) if match]
    if len(found) < len(words):
        return None
    tags = [match[2] for match in found]
    recur = len(found) >= _FEWEST_TAGS and len(set(tags)) > 1 and _recur(tags)
    # Three words are enough where the tags cannot be words of the text.
    are_beside_other_script = len(found) >= 3 and all(
        re.search(EASTERN, match[1]) and re.fullmatch("[A-Za-z]+", match[2]) for match in found
    )
    if recur or are_beside_other_script:
        return Evidence(lines[0].sign)
    return None


def find_most_tags(text: str, *, separator: str) -> Evidence | None:
    """Find words nearly all of which have a tag after the separator: the tags recur.

    >>> find_most_tags("the|dt dog|nn sees|vb a|dt cat|nn and|cc\\nthe|dt cat|nn sees|vb a|dt dog|nn .\\n", separator="|").sign
    "line 1 is 'the|dt dog|nn sees|vb a|dt cat|nn and|cc'"
    """
    if separator not in text:
        return None
    lines = first_lines(text)
    tokens = _tokens_of(lines)
    # A token such as dog|nn, or tic|tac|nn, of which nn is the tag, or .|. and ``|``, of which the mark is. Neither |nn nor
    # dog||nn is one, nor a token with another end, such as dog|1 and dog|. The three separators of the callers mean nothing else
    # in a character class.
    word = rf"\S*?[^\s{separator}]{re.escape(separator)}(?P<tag>[A-Za-z][A-Za-z0-9$:*+-]{{0,11}})"
    mark = rf"[^\w\s{separator}]+{re.escape(separator)}(?P<mark>[^\w\s{separator}]+)"
    matches = [re.fullmatch(rf"{word}|{mark}", token) for token in tokens]
    tags = [match["tag"] or match["mark"] for match in matches if match]
    # Twelve tokens and nine in ten: a few words with the separator in them are no tags. Several tags, that recur: words with the
    # same end are not tagged, and ends that all differ are words.
    are_most = len(tokens) >= 12 and 10 * len(tags) >= 9 * len(tokens)
    if are_most and 1 < len(set(tags)) <= len(tags) // 2:
        return Evidence(lines[0].sign)
    return None


def find_words_beside_tags(text: str) -> Evidence | None:
    """Find lines of a word and its tag with a space between, which lines of two words may be too.

    >>> find_words_beside_tags("a dt\\nb nn\\n" * 10).is_weak
    True
    """
    lines = first_lines(text)
    rows = first_rows(text)
    have_two_fields = {*map(len, rows)} == {2}
    if not have_two_fields:
        return None
    words = {word for word, _ in rows}
    tags = {tag for _, tag in rows}
    # Latin letters beside an eastern script are no words: few lines are enough.
    are_eastern = len(rows) > 2 and all(re.search(EASTERN, word) for word in words)
    if are_eastern and all(re.fullmatch("[a-z]{1,5}|[A-Z]{1,5}", tag) for tag in tags):
        return Evidence(lines[0].sign, is_weak=True)
    if len(rows) < _FEWEST_PAIRS:
        return None
    # Elsewhere tags must recur: a tag has three lines or more on average.
    are_tags = 1 < len(tags) <= len(rows) // 3 and all(
        re.fullmatch(r"[A-Za-z][A-Za-z0-9$:_-]*|[^\w\s]+", tag) for tag in tags
    )
    # A tag is no word of the text, but for punctuation, which is its own tag in many tag sets.
    if are_tags and tags.isdisjoint(word for word in words if word.isalnum()):
        return Evidence(lines[0].sign, is_weak=True)
    return None


def find_topics(text: str) -> Evidence | None:
    """Find lines of ten or eight `=` between segments; if it is the first line, five are enough.

    >>> find_topics("a b\\n==========\\nc\\n==========\\n").sign
    "line 2 is '=========='"
    """
    if "=====" not in text:
        return None
    lines = first_lines(text)
    if lines and re.fullmatch(r"={5,}(,.*)?\s*", lines[0].text):
        return Evidence(lines[0].sign)
    # Ten as in the texts of Choi, or eight as in Wiki-727, with more after a comma: ========,2,History.
    marks = [line for line in lines if re.fullmatch(r"={8}(={2})?(,.*)?\s*", line.text)]
    if len(marks) > 1:
        return Evidence(marks[0].sign)
    return None


def find_factors(text: str) -> Evidence | None:
    """Find Moses' factors: each word has the same number of them, with `|` between.

    >>> find_factors("the|the|DT dog|dog|NN barks|bark|VBZ .|.|.").sign
    "line 1 is 'the|the|DT dog|dog|NN barks|bark|VBZ .|.|.'"
    """
    if "|" not in text:
        return None
    lines = first_lines(text)
    tokens = _tokens_of(lines)
    bar_counts = {token.count("|") for token in tokens}
    # Words with one bar have a tag, which `find_most_tags` finds. Fewer than four tokens may have bars by chance.
    has_factors = len(tokens) >= 4 and len(bar_counts) == 1 and min(bar_counts) > 1
    if has_factors and all(all(token.split("|")) for token in tokens):
        return Evidence(lines[0].sign)
    return None


def find_slashes(text: str) -> Evidence | None:
    """Find words of an eastern script with ` / `, `/ ` or `/` between them, as jieba's command and its examples write them.

    >>> find_slashes("我们 / 在 / 上海 / 学习\\n").sign, find_slashes("我们/ 在/ 上海/ 学习\\n").is_weak
    ("line 1 is '我们 / 在 / 上海 / 学习'", False)
    """
    if "/" not in text:
        return None
    lines = first_lines(text)
    slash_count = 0
    for line in lines:
        words = re.split(r"\s*/\s*", line.text.strip().removesuffix("/"))
        if any(not word or re.search(r"\s", word) for word in words):
            return None
        slash_count += len(words) - 1
    are_spaced = re.search(r"\S/|/\S", text) is None
    # Each word has a letter of an eastern script at least.
    is_eastern = len(re.findall(EASTERN, text)) > slash_count
    if slash_count > 2 and (are_spaced or is_eastern):
        return Evidence(lines[0].sign)
    return None


def find_speakers(text: str) -> Evidence | None:
    """Find names of speakers at the beginning of most lines: CHAT's, names before a colon that recur, or in angle brackets.

    >>> find_speakers("Mother: look\\nChild: dog\\nMother: yes\\n").is_weak, find_speakers("Note: it is\\nthe dog\\n") is None
    (True, True)
    """
    if ":" not in text and ">" not in text:
        return None
    lines = first_lines(text)
    matches = [re.match(_SPEAKER, line.text) for line in lines]
    names = [match[0].rstrip() for match in matches if match]
    if len(names) < 2 or 2 * len(names) < len(lines):
        return None
    are_marks = all(name[0] in "*<" for name in names)
    if are_marks or _recur(names):
        first_named = next(line for line, match in zip(lines, matches, strict=True) if match)
        return Evidence(first_named.sign, is_weak=True)
    return None


def find_subwords(text: str) -> Evidence | None:
    """Find the marks of subwords: `@@` after, `##` before, or a space as `▁` or `Ġ`.

    >>> find_subwords("▁the ▁do g ▁bark s\\n▁a ▁c at\\n").is_weak, find_subwords("C## is # 1") is None
    (True, True)
    """
    if not any(mark in text for mark in ("##", "@@", "▁", "Ġ", "</w>")):
        return None
    lines = first_lines(text)
    tokens = _tokens_of(lines)
    marked = [token for token in tokens if re.fullmatch(r"##[^#]\S*|[^@]\S*@@|@@\S*[^@]|[▁Ġ]\S+|\S+</w>", token)]
    # One mark, or one in more than ten tokens, may be a token of ordinary text.
    if len(marked) < 2 or 10 * len(marked) < len(tokens):
        return None
    first_marked, *_ = marked
    shown = next(line for line in lines if first_marked in line.text.split())
    return Evidence(shown.sign, is_weak=True)


def find_vectors(text: str) -> Evidence | None:
    """Find vectors of words: after a line of two numbers, a word and many numbers on each line."""
    lines = first_lines(text)
    if len(lines) < 2:
        return None
    counts, first_vector, *_ = lines
    if not re.fullmatch(r"\d+ \d+\s*", counts.text):
        return None
    if re.fullmatch(r"\S+( -?\d+(\.\d+)?(e-?\d+)?){10,}\s*", first_vector.text):
        return Evidence(first_vector.sign)
    return None


def find_yaml(text: str) -> Evidence | None:
    """Find YAML: a list of mappings, or lists under keys or after the mark `---`.

    >>> find_yaml("gold:\\n  - the dog\\n").sign, find_yaml("- Mother: look\\n- yes\\n") is None
    ("line 1 is 'gold:'", True)
    """
    if "- " not in text:
        return None  # without an item of a list
    lines = first_lines(text)
    # A mark of YAML, a comment, an item of a list, a key, or what is indented below them.
    line_of_yaml = r"---\s*|%YAML .*|#.*|\s*- .*|\s*[A-Za-z_][\w-]*:(\s.*)?|\s{2,}\S.*"
    if not lines or not all(re.fullmatch(line_of_yaml, line.text) for line in lines):
        return None
    has_keys = any(re.match(r"\s+[A-Za-z_][\w-]*:\s", line.text) for line in lines)
    has_lists = any(re.match(r"\s*- ", line.text) for line in lines)
    begins_list = re.match(r"---\s*$|%YAML |[A-Za-z_][\w-]*:\s*$", lines[0].text) is not None
    if has_lists and (has_keys or begins_list):
        return Evidence(lines[0].sign)
    return None


def find_praat_object(text: str) -> Evidence | None:
    """Return the evidence of an object of Praat that is no TextGrid."""
    if "ooTextFile" not in text and "ooBinaryFile" not in text:
        return None
    match = re.match(r'\s*(File type = )?"oo(Text|Binary)File( short)?"\s+(Object class = )?"([^"]*)"', text)
    if match is None or match[5] == "TextGrid":
        return None
    # Show the line with the class of the object: the second one, as a rule. Lines count from 1.
    line_number = text.count("\n", 0, match.start(5)) + 1
    (line_of_class,) = [line for line in first_lines(text) if line.number == line_number]
    return Evidence(line_of_class.sign)
