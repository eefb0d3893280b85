"""Signs of files of JSON, and of lists as Python writes them, that are no JSON lines."""

from __future__ import annotations

import re

from ..json_values import json_value
from .format import Evidence
from .signs import first_line, first_lines

#: Rows of JSON lines have fewer characters than this, as a rule.
_LONG = 4000


def find_json_object(text: str, pattern: str) -> Evidence | None:
    """Return the evidence if the text begins with an object that has the pattern."""
    if text.lstrip().startswith("{") and re.search(pattern, text):
        return Evidence(first_line(text).sign)
    return None


def find_masses(text: str) -> Evidence | None:
    """Find the masses of segeval: numbers of units by item and coder.

    >>> find_masses('{"items": {"text": {"ann": [2, 3], "bob": [5]}}}').sign
    'line 1 is \\'{"items": {"text": {"ann": [2, 3], "bob": [5]}}}\\''
    """
    return find_json_object(
        text, r'"items"\s*:\s*\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*\[\s*\d|"segmentation_type"\s*:\s*"linear"'
    )


def find_token_ids(text: str) -> Evidence | None:
    """Find the vocabulary of a tokenizer: an object whose values are the ids of tokens.

    >>> find_token_ids('{"<unk>": 0, "the": 1, "do": 2}') is not None, find_token_ids('{"a": 1, "b": "c"}') is None
    (True, True)
    """
    if not text.lstrip().startswith("{"):
        return None
    pair = r'"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*'
    # At least three pairs; some 40 are enough to see in a long vocabulary.
    if re.match(rf"\s*\{{\s*{pair}(,\s*{pair}){{2,40}}(,|\}}\s*\Z)", text):
        return Evidence(first_line(text).sign)
    return None


def find_objects(text: str) -> Evidence | None:
    """Find JSON lines: an object on each line.

    >>> find_objects('{"reference": "the dog"}\\n').sign
    'line 1 is \\'{"reference": "the dog"}\\''
    """
    lines = first_lines(text)
    # The last of several lines may be cut.
    whole = lines[:-1] or lines
    if whole and all(line.text.startswith("{") and _is_json(line.text) for line in whole):
        return Evidence(lines[0].sign)
    return None


def find_objects_in_lists(text: str) -> Evidence | None:
    """Find a list of objects on each line, of which each has the text of a token.

    >>> find_objects_in_lists('[{"surface": "東京", "pos": "名詞"}]\\n[{"surface": "に", "pos": "助詞"}]\\n').sign
    'line 1 is \\'[{"surface": "東京", "pos": "名詞"}]\\''
    """
    lines = first_lines(text)
    # One list may have a row for each utterance, under keys such as text.
    keys = "surface|surface_form" if len(lines) == 1 else "surface|surface_form|text|word|token|form"
    list_of_tokens = re.compile(rf"""\s*\[\s*(\{{.*['"]({keys})['"]\s*:.*\}}\s*)?\]\s*""")
    if lines and all(list_of_tokens.fullmatch(line.text) for line in lines):
        return Evidence(lines[0].sign)
    return None


def find_long_object(text: str) -> Evidence | None:
    """Find one object on a line of which only the beginning is seen.

    >>> find_long_object('{"text": {"0": "the dog", "1":').sign
    'line 1 is \\'{"text": {"0": "the dog", "1":\\''
    """
    lines = first_lines(text)
    is_long = len(lines) == 1 and (len(text) > _LONG or not text.rstrip().endswith("}"))
    if is_long and re.match(r"""\s*\{\s*(["'])[^"']*\1\s*:""", lines[0].text):
        return Evidence(lines[0].sign)
    return None


def find_list(text: str, item: str) -> Evidence | None:
    """Find one list over all lines, or on one line, whose first item begins with the pattern `item`.

    On one line, words of one utterance are another form.

    >>> find_list('["the dog", "a cat"]\\n', item='"').sign, find_list('["the", "dog"]\\n', item='"') is None
    ('line 1 is \\'["the dog", "a cat"]\\'', True)
    """
    if not re.match(rf"\s*\[\s*{item}", text):
        return None
    first, *others = first_lines(text)
    is_closed = first.text.rstrip().endswith("]")
    if is_closed and others:
        return None  # a list on each line
    strings = re.findall(r"""(['"])(.+?)\1\s*[,\]]""", first.text)
    have_spaces = any(" " in string.strip() for _, string in strings)
    is_of_lists = re.match(r"\s*\[\s*[\[(]", text) is not None
    if others or have_spaces or is_of_lists:
        return Evidence(first.sign)
    return None


def _is_json(text: str) -> bool:
    """Return whether a line is a value of JSON."""
    try:
        json_value(text)
    except ValueError:
        return False
    return True
