"""Tagged text: words with a tag after their last separator, as in the People's Daily corpus."""

from __future__ import annotations

import re

from ...kernel import arrow_functions as pc
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.messages import Message
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ...reading.formats.blocks import TO_SPACES, block_of, lines_of, refuse_tokens
from ...reading.formats.format import Evidence, Format, Patterns
from ...reading.formats.signs import beginning_of, find_tags
from ...reading.inputs import TEXT
from ...reading.readers import from_words_text, narrow_whitespace, refuse_nul
from ...reading.reading import Reading

#: A token of tagged text whose separator is a NUL; the last letter of a word with the tag after it; a word, and its tag.
_TAGGED = r"\S+\x00[^\x00\s]+"
_TAG = r"(\S)\x00[^\x00\s]+(\s|$)"
_WORD_AND_TAG = r"\S+\x00([^\x00\s]+)"
#: The ends of groups after the tag of their last word: for each group `]` and its tag, perhaps after a separator.
_GROUP_ENDS = re.compile(rb"(?<=\x00)[^\x00\[\]]+((?:\](?:\x00?[^\x00\[\]]+)?)+)$")
#: A pair of brackets within a word.
_BRACKETED = re.compile(rb"\[[^\[\]]*\]")
_SEPARATOR = "/"
_SIGNS = Patterns(r"/", r"\s*(\S+/[A-Za-z][A-Za-z0-9$\]-]*(\s+|$))+", "a tag after each word")


def from_tagged(block: bytes, reading: Reading) -> Segmentation:
    """Read words with a tag after their last separator. Brackets around several words, with a tag of their own, are dropped.

    The naive equivalent, for a word, is `word.rpartition("/")[0]`.

    >>> bytes(from_tagged("1/2/m [中央/n 电视台/n]nt\\n".encode(), Reading(text_format="tagged")).text).decode()
    '1/2中央电视台'
    """
    refuse_nul(block)
    separator = (reading.separator or _SEPARATOR).encode()
    # A NUL, which no text has, stands for the separator. The search runs from the right, because a word ends at its last one.
    block = narrow_whitespace(block[::-1].replace(separator[::-1], b"\0")[::-1]).translate(TO_SPACES)
    refuse_tokens(lines_of(block), _TAGGED, "a word and its tag, such as 迈向/v", separator)
    if b"[" in block or b"]" in block:
        block = b"\n".join(_without_groups(line, at, separator) for at, line in enumerate(block.split(b"\n")))
    tagged = lines_of(block)
    words = from_words_text(block_of(pc.replace_substring_regex(tagged, _TAG, r"\1\2")).replace(b"\0", separator))
    if not reading.tags:
        return words
    tags = from_words_text(block_of(pc.replace_substring_regex(tagged, _WORD_AND_TAG, r"\1")))
    return words.with_word_columns(tags=tags.words().cast(TEXT))


def _without_groups(line: bytes, at: int, separator: bytes) -> bytes:
    """Return a line of tagged text without the brackets and tags of groups, which begin at `[` before their first word.

    A word may be a bracket, or contain a pair of brackets.
    """
    if b"[" not in line and b"]" not in line:
        return line
    groups: list[tuple[int, bool]] = []
    tokens = line.split()
    for place, token in enumerate(tokens):
        if b"[" not in token and b"]" not in token:
            continue
        ends = _GROUP_ENDS.search(token)
        bare = token
        ended = 0
        if ends:
            bare = token[: ends.start(1)]
            ended = ends[1].count(b"]")
        word = bare.rpartition(b"\0")[0]
        while _BRACKETED.search(word):
            word = _BRACKETED.sub(b"-", word)
        begun = len(word) - len(word.lstrip(b"["))
        is_bracket = begun == len(word)
        begun -= is_bracket
        tokens[place] = bare[begun:]
        groups += [(place, is_bracket)] * begun
        if ended > len(groups):
            _raise_group(at, token, separator, "] closes no group; expected [ before the first word of the group")
        del groups[len(groups) - ended :]
    for place, is_bracket in groups:
        tokens[place] = b"[" + tokens[place]
        if not is_bracket:  # `[[` may be a word
            problem = "[ is not closed on its line; expected ] and a tag after the last word"
            _raise_group(at, tokens[place], separator, problem)
    return b" ".join(tokens)


def _raise_group(at: int, token: bytes, separator: bytes, problem: str) -> None:
    received = shortened(token.replace(b"\0", separator).decode(errors="replace"))
    remedy = "In text whose words have such brackets, leave out the tags, and read it with "
    hint = Message(remedy, OPTIONS["text_format"].set("words"), ".")
    raise UtteranceError(at, f"received {received}, whose {problem}, as in [中央/n 电视台/n]nt.", hint=hint)


def find_evidence(text: str) -> Evidence | None:
    """Find texts after slashes that recur and are not always the same, as tags do, or Latin letters after an eastern script.

    >>> find_evidence("나/NP 는/JX 학교/NNG").sign, find_evidence("and/or his/her") is None
    ('a tag after each word', True)
    """
    tags = re.findall(r"/([^\s/]+)(?!\S)", text)
    recur = 1 < len(set(tags)) < len(tags)
    if recur or find_tags(beginning_of(text), token=r"(\S*\S)/([A-Za-z]+)"):
        return _SIGNS.find(text)
    return None


FORMAT = Format(
    "tagged",
    gives=frozenset({"tags"}),
    tags_each_word=True,
    read=from_tagged,
    usual={"separator": _SEPARATOR},
    evidence=find_evidence,
    fits=_SIGNS.fits,
)
