"""Values in messages: what is long is cut between characters, as a reader sees them."""

import unicodedata

import pytest

from segscores.options.quoting import clipped, described, shortened

#: What a reader sees as one character, of several code points each.
CLUSTERS = {
    "marks": "q\u0323\u0307", "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "light skin": "\U0001f44b\U0001f3fb", "dark skin": "\U0001f44b\U0001f3ff", "variation selector": "\u2764\ufe0f",
    "flag": "\U0001f1e6\U0001f1ff", "jamo": "\u1112\u1160\u11ff", "devanagari": "\u0915\u094d\u0937\u093f",
}  # fmt: skip


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
@pytest.mark.parametrize("length", range(2, 13))
def test_a_text_is_cut_between_characters(cluster: str, length: int) -> None:
    text = "ab" + cluster + "cd" * 10
    whole = {text[:end] for end in (1, 2, *range(2 + len(cluster), len(text)))}
    shown = clipped(text, length)
    assert shown.endswith("…")
    assert shown[:-1] in whole
    assert len(shown) <= length


def test_a_letter_with_too_many_marks_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 100
    assert clipped(text, 10) == text[:9] + "…"
    assert unicodedata.combining(text[9])


@pytest.mark.parametrize("length", range(8, 40))
def test_an_escape_is_never_cut(length: int) -> None:
    shown = shortened(["\x00\u200b\U000e0001\\"] * 4, length)
    assert len(shown) <= length
    # What was kept reads back as it was.
    body = shown.removesuffix("…").removeprefix("[").rstrip(", ")
    closed = body if body.count("'") % 2 == 0 else body + "'"
    assert set("".join(eval(f"[{closed}]"))) <= set("\x00\u200b\U000e0001\\")


def test_a_value_is_shown_with_its_type() -> None:
    assert described(0.5) == "0.5 (float)"
    assert described(None) == "None"
    assert described("a" * 100) == f"'{'a' * 59}…' (str)"
    assert described([10**5000]) == "a value that Python cannot write (list)"
    assert shortened(10**5000) == f"an integer of {(10**5000).bit_length()} bits"
