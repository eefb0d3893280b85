"""Tagged text: words with a tag after their last separator, as in the People's Daily corpus."""

from __future__ import annotations

import re
from typing import NamedTuple

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

# In these patterns a NUL stands for the separator.
#: A token of tagged text.
_TAGGED = r"\S+\x00[^\x00\s]+"
#: The last letter of a word (group 1), its tag, and the space after it (group 2).
_TAG = r"(\S)\x00[^\x00\s]+(\s|$)"
#: A word, and its tag (group 1).
_WORD_AND_TAG = r"\S+\x00([^\x00\s]+)"
#: The ends of groups after the tag of their last word: for each group `]` and its tag, perhaps after a separator.
_GROUP_ENDS = rb"(?<=\x00)[^\x00\[\]]+((?:\](?:\x00?[^\x00\[\]]+)?)+)$"
#: A pair of brackets within a word.
_BRACKETED = rb"\[[^\[\]]*\]"
_SEPARATOR = "/"
_SIGNS = Patterns(occurs=r"/", every_line=r"\s*(\S+/[A-Za-z][A-Za-z0-9$\]-]*(\s+|$))+", sign="a tag after each word")


def from_tagged(block: bytes, reading: Reading) -> Segmentation:
    """Read words with a tag after their last separator. Brackets around several words, with a tag of their own, are dropped.

    The naive equivalent, for a word, is `word.rpartition("/")[0]`.

    >>> bytes(from_tagged("1/2/m [中央/n 电视台/n]nt\\n".encode(), Reading(text_format="tagged")).text).decode()
    '1/2中央电视台'
    """
    refuse_nul(block)
    separator = (reading.separator or _SEPARATOR).encode()
    block = narrow_whitespace(_mark_separators(block, separator)).translate(TO_SPACES)
    refuse_tokens(lines_of(block), _TAGGED, "a word and its tag, such as 迈向/v", separator)
    if b"[" in block or b"]" in block:
        lines = block.split(b"\n")
        block = b"\n".join(_without_groups(line, number, separator) for number, line in enumerate(lines))
    tagged = lines_of(block)
    # Drop the separator before the tag, and the tag. The other separators of a word belong to it.
    untagged = block_of(pc.replace_substring_regex(tagged, _TAG, r"\1\2"))
    words = from_words_text(_restore_separators(untagged, separator))
    if not reading.tags:
        return words
    # The tags in place of their words are words text too, which has as many words.
    tags = from_words_text(block_of(pc.replace_substring_regex(tagged, _WORD_AND_TAG, r"\1")))
    return words.with_word_columns(tags=tags.words().cast(TEXT))


def _mark_separators(block: bytes, separator: bytes) -> bytes:
    r"""Return text with a NUL, which no text has, for each separator.

    The search runs from the right: with the separator `//`, the word `a/` of `a///n` keeps its slash.

    >>> _mark_separators(b"1/2/m", b"/"), _mark_separators(b"a///n", b"//")
    (b'1\x002\x00m', b'a/\x00n')
    """
    backwards = block[::-1].replace(separator[::-1], b"\0")
    return backwards[::-1]


def _restore_separators(text: bytes, separator: bytes) -> bytes:
    """Return text with a separator for each NUL."""
    return text.replace(b"\0", separator)


class _Brackets(NamedTuple):
    """A token with brackets, and the groups that begin before its word and end after its tag."""

    token: bytes  #: without the brackets and tags of groups
    begun: int  #: the number of groups that begin with the token
    ended: int  #: the number of groups that end with it
    may_be_word: bool  #: whether the word is brackets alone, so that one of them may be the word

    @classmethod
    def of(cls, token: bytes) -> _Brackets:
        """Return what the brackets of a token stand for; a NUL stands for its separator, which is shown here as `/`.

        `[[a/n]nt` begins two groups and ends one: a/n remains. `[[/w` begins one, and [/w remains.
        """
        bare = token
        ended = 0
        group_ends = re.search(_GROUP_ENDS, token)
        if group_ends:
            bare = token[: group_ends.start(1)]
            ended = group_ends[1].count(b"]")
        word, _, _ = bare.rpartition(b"\0")
        # Pairs of brackets within a word begin no group. There may be pairs within pairs.
        while re.search(_BRACKETED, word):
            word = re.sub(_BRACKETED, b"-", word)
        begun = len(word) - len(word.lstrip(b"["))
        has_brackets_alone = begun == len(word)
        if has_brackets_alone:
            # In `[[/w` the last bracket is the word, and the first one begins a group. If no `]` closes this group,
            # `_without_groups` puts the bracket back.
            begun -= 1
        return cls(bare[begun:], begun, ended, may_be_word=has_brackets_alone)


class _OpenGroup(NamedTuple):
    """A group that has begun: the place of its first token, and whether the word of this token is brackets alone."""

    place: int
    may_be_word: bool


def _without_groups(line: bytes, line_number: int, separator: bytes) -> bytes:
    """Return a line of tagged text without the brackets and tags of groups, which begin at `[` before their first word.

    A NUL of the line stands for a separator, which is shown here as `/`: `[中央/n 电视台/n]nt` becomes `中央/n 电视台/n`.
    A word may be a bracket, as in `[/w`, or contain a pair of brackets, as in `[a]b/n`.
    """
    if b"[" not in line and b"]" not in line:
        return line
    groups: list[_OpenGroup] = []
    tokens = line.split()
    for place, token in enumerate(tokens):
        if b"[" not in token and b"]" not in token:
            continue
        brackets = _Brackets.of(token)
        tokens[place] = brackets.token
        groups += [_OpenGroup(place, brackets.may_be_word)] * brackets.begun
        if brackets.ended > len(groups):
            problem = "] closes no group; expected [ before the first word of the group"
            raise _group_error(line_number, token, separator, problem)
        # The groups that began last end first.
        del groups[len(groups) - brackets.ended :]
    for group in groups:
        # Nothing closes the group, so its bracket is put back. A word of brackets alone, such as `[[`, is whole again. Before
        # any other word the bracket is an error, which shows it.
        tokens[group.place] = b"[" + tokens[group.place]
        if not group.may_be_word:
            problem = "[ is not closed on its line; expected ] and a tag after the last word"
            raise _group_error(line_number, tokens[group.place], separator, problem)
    return b" ".join(tokens)


def _group_error(line_number: int, token: bytes, separator: bytes, problem: str) -> UtteranceError:
    """Return the error of a bracket without its counterpart; a NUL of the token stands for a separator."""
    received = shortened(_restore_separators(token, separator).decode(errors="replace"))
    remedy = "In text whose words have such brackets, leave out the tags, and read it with "
    hint = Message(remedy, OPTIONS["text_format"].set("words"), ".")
    problem = f"received {received}, whose {problem}, as in [中央/n 电视台/n]nt."
    return UtteranceError(line_number, problem, hint=hint)


def find_evidence(text: str) -> Evidence | None:
    """Find words with a tag after a slash each, if the tags recur and are several, or are Latin letters after another script.

    >>> find_evidence("나/NP 는/JX 학교/NNG").sign, find_evidence("and/or his/her") is None
    ('a tag after each word', True)
    """
    if "/" not in text:
        return None
    # The text after the last slash of each token that has one.
    tags = re.findall(r"/([^\s/]+)(?!\S)", text)
    are_several = len(set(tags)) > 1
    recur = len(set(tags)) < len(tags)
    have_signs = are_several and recur
    if have_signs or find_tags(beginning_of(text), separator="/", token=r"(\S*\S)/([A-Za-z]+)"):
        # Some words have tags: in tagged text each one has.
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
