"""Lexicons: against Python's sets of words, merged in any order and at any moment."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.lexicon import Lexicon

#: Words as bytes; some are prefixes of others, and one is empty.
WORDS = [b"", b"a", b"aa", b"ab", b"\x00", b"a\x00", "狗".encode(), "狗叫".encode(), b"a" * 8, b"a" * 9, b"b" * 40]
lists_of_words = st.lists(st.sampled_from(WORDS), max_size=12)


def lexicon_of(words: Sequence[bytes]) -> Lexicon:
    """The lexicon of words that stand amid others in one buffer, from its second byte on."""
    return Lexicon(pa.array([b"x", *words, b"after"], pa.large_binary()).slice(1, len(words)))


@given(lists_of_words, lists_of_words)
def test_types_and_shared_types_equal_sets(left: list[bytes], right: list[bytes]) -> None:
    lexicons = lexicon_of(left), lexicon_of(right)
    assert [len(lexicon) for lexicon in lexicons] == [len(set(left)), len(set(right))]
    assert sorted(lexicons[0].types.to_pylist()) == sorted(set(left))
    shared = len(set(left) & set(right))
    assert lexicons[0].count_shared(lexicons[1]) == lexicons[1].count_shared(lexicons[0]) == shared


@given(parts=st.lists(st.tuples(lists_of_words, st.booleans()), max_size=6))
def test_updates_are_unions_whenever_they_are_counted(parts: list[tuple[list[bytes], bool]]) -> None:
    merged, words = Lexicon(), set[bytes]()
    for part, is_counted in parts:
        merged.update(lexicon_of(part))
        words |= set(part)
        assert not is_counted or len(merged) == len(words)
    assert sorted(merged.types.to_pylist()) == sorted(words)
    assert len(merged) == len(words)


def test_a_million_types_that_wait_are_merged() -> None:
    merged = Lexicon()
    for start in (0, 300_000, 600_000):
        merged.update(Lexicon(pa.array(np.arange(start, start + 600_000)).cast(pa.string()).cast(pa.large_binary())))
    assert len(merged) == 1_200_000
    assert merged.count_shared(Lexicon(pa.array([b"0", b"1199999", b"1200000"], pa.large_binary()))) == 2
