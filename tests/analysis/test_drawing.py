"""Drawings, parsed as a browser's tags: well-formed, nothing of a text unescaped, and what they show is what there is."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import segscores
from segscores.analysis.differences import Difference
from segscores.analysis.drawing import (
    SEGMENTS_DRAWN,
    STYLE,
    WORDS_NAMED,
    draw_curves,
    draw_differences,
    draw_difficulties,
    draw_links,
)

#: Every tag and attribute of a drawing; no other can come from a text.
TAGS = {"div", "p", "ol", "li", "span", "b", "i", "small", "bdi", "ruby", "rt", "wbr"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"} | {"svg", "g", "path", "circle", "text"}
ATTRIBUTES = {"class", "dir", "style", "tabindex", "role", "aria-label", "scope", "colspan"}
ATTRIBUTES |= {"viewbox", "width", "height", "d", "x", "y", "cx", "cy", "r"}
ATTRIBUTES |= {"fill", "stroke", "stroke-width", "stroke-dasharray", "text-anchor"}
VOID = {"wbr"}
SHAPES = {"path", "circle"}

#: Attributes as HTML has them without doubt: quoted, or of letters and digits.
_TAG = re.compile(r"""<[a-z]+(\s+[a-zA-Z-]+(=("[^"<>]*"|[A-Za-z0-9_-]+))?)*\s*/?>""")


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Any] = field(default_factory=list)

    def all(self, tag: str, kind: str | None = None) -> list[Element]:
        """The elements within, of a tag and of a class."""
        return [found for found in self._walk() if found.tag == tag and (kind is None or kind in found.kinds)]

    def one(self, tag: str, kind: str | None = None) -> Element:
        (found,) = self.all(tag, kind)
        return found

    @property
    def kinds(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def _walk(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child._walk()


class _Parser(HTMLParser):
    """A tree of elements; anything that is not as it should be fails."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]], closed: bool = False) -> None:
        source = self.get_starttag_text()
        assert source is not None
        assert _TAG.fullmatch(source), f"odd tag {source!r}"
        assert tag in TAGS, f"odd element {source!r}"
        assert {name for name, _ in attrs} <= ATTRIBUTES, f"odd attribute in {source!r}"
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in {source!r}"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if not closed and tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES, f"<{tag}/> does not close in HTML"
        self.handle_starttag(tag, attrs, closed=True)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def _refuse(self, data: str) -> None:
        raise AssertionError(f"neither element nor text: {data!r}")

    handle_comment = handle_decl = handle_pi = unknown_decl = _refuse


def parse(drawn: str) -> Element:
    """The one element of a drawing."""
    parser = _Parser()
    parser.feed(drawn)
    parser.close()
    assert parser.open == [parser.root], "an element is not closed"
    (element,) = parser.root.children
    assert "segscores" in element.kinds
    for svg in element.all("svg"):
        assert svg.attributes["role"] == "img"
        assert svg.attributes["aria-label"]
        *_, width, height = map(float, str(svg.attributes["viewbox"]).split())
        for text in svg.all("text"):
            assert 0 <= float(text.attributes["x"] or -1) < width
            assert 0 <= float(text.attributes["y"] or -1) <= height
    return element


def visible(character: str) -> str:
    """A character as it is drawn: those that show nothing, or that reorder others, as Unicode classes them, have a symbol."""
    if unicodedata.category(character) == "Cc":
        code = ord(character)
        if code == 0x7F:
            return chr(0x2421)
        return chr(0x2400 + code) if code < 0x20 else f"[U+{code:04X}]"
    reorders = unicodedata.bidirectional(character) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return f"[U+{ord(character):04X}]" if reorders or character in "\u061c\u200e\u200f\ufeff" else character


def shown(text: str) -> str:
    """A piece of text as it is drawn: a combining character at its beginning has a circle to stand on."""
    return "".join(map(visible, "◌" + text if unicodedata.category(text[0]).startswith("M") else text))


HOSTILE = [
    *("<", ">", "&", '"', "'", "`", "=", "/", "-", "!", "?", "\\", "{", "}", "$", "#", ";"),
    *("<script>", "</script>", "<!--", "-->", "<b>", "</b>", "</li>", "]]>", "<img src=x onerror=alert(1)>"),
    *("&lt;", "&amp;", "&#60;", "&#x3c", "&copy", "javascript:", '" onclick="', "' onclick='", "{{value}}", "${value}"),
    *("a", "狗", "é", "\u0301", "א", "\u202e", "\u200b", "\x01", "\x1b", "\x7f", "\ufffe", "𠮷", " ", "\u00a0", "\n"),
]
#: Words that begin with a combining character of each category.
INITIAL_MARKS = ("\u0301a", "\u0e31a", "\u093ea", "\u20dda")
#: Every character without a shape that sets the direction of a text, and the byte order mark.
DIRECTING_MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
hostile_words = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4).map("".join)


@st.composite
def hostile_differences(draw: st.DrawFn) -> Difference:
    segments = draw(st.lists(hostile_words, max_size=6))
    size = max(len(segments) - 1, 0)
    marks = draw(st.lists(st.sampled_from("|+−"), min_size=size, max_size=size))
    return Difference(tuple(segments), tuple(marks), separator=draw(st.sampled_from(["", " "])))


def assert_drawn(element: Element, differences: list[Difference]) -> None:
    """Check that the list of utterances shows the differences."""
    items = element.one("ol").all("li")
    assert len(items) == len(differences)
    kinds = {"|": [], "+": ["missed"], "−": ["wrong"]}
    for number, (item, difference) in enumerate(zip(items, differences, strict=True), 1):
        assert item.one("span", "place").text == str(number)
        assert [segment.text for segment in item.all("b")] == [shown(segment) for segment in difference.segments]
        assert [segment.kinds == [] for segment in item.all("b")] == list(difference.is_matched)
        assert all(segment.kinds in ([], ["off"]) for segment in item.all("b"))
        assert [(mark.text, mark.kinds) for mark in item.all("i")] == [(mark, kinds[mark]) for mark in difference.marks]
        named = [*difference.missed[:WORDS_NAMED], *difference.wrong[:WORDS_NAMED]]
        assert [word.text for word in item.one("small").all("bdi")] == [shown(word[:60]) for word in named]


@given(differences=st.lists(hostile_differences(), max_size=4))
@example(differences=[Difference(("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'), ("+",))])
@example(differences=[Difference((), ())])
@example(differences=[Difference(("e", *INITIAL_MARKS), ("+", "|", "|", "−"))])
@example(differences=[Difference((DIRECTING_MARKS, "a"), ("+",))])
def test_nothing_of_the_words_is_markup(differences):
    assert_drawn(parse(draw_differences(differences)), differences)


def test_the_legend_has_every_sign_with_its_meaning():
    legend = parse(draw_differences([])).one("p", "legend")
    assert [(mark.text, mark.kinds) for mark in legend.all("i")] == [("|", []), ("+", ["missed"]), ("−", ["wrong"])]
    assert "a missed boundary" in legend.text
    assert "a wrong boundary" in legend.text


@pytest.mark.parametrize(
    ("reference", "prediction", "summary"),
    [
        ("", "", "blank"),
        ("ab", "ab", "its word found"),
        ("a b", "a b", "all 2 words found"),
        ("a b c", "ab c", "1 of 3 words found; missed: a, b; wrong: ab"),
        ("ab", "a b", "0 of 1 words found; missed: ab; wrong: a, b"),
        ("a b c d e f g", "abcdefg", "0 of 7 words found; missed: a, b, c, d, e and 2 more; wrong: abcdefg"),
    ],
)
def test_a_line_says_what_is_found_in_words(reference, prediction, summary):
    differences = segscores.differences([reference], [prediction], text_format="words")
    assert parse(draw_differences(differences)).one("small").text == summary


@pytest.mark.parametrize("total", [None, 2000])
def test_utterances_can_have_titles_and_be_the_first_of_more(total):
    differences = segscores.differences(["a b", "c"], ["ab", "c"], text_format="words")
    told = "The first 2 of 2,000 utterances are drawn"
    drawn = parse(draw_differences(differences, total, titles=["<b>one", "two"]))
    assert [place.text for place in drawn.all("span", "place")] == ["1", "2"]
    assert [item.all("small")[0].text for item in drawn.all("li")] == ["<b>one", "two"]
    for element in (drawn, parse(draw_difficulties([["a"], ["b"]], [[0.5], [0.5]], [[True], [False]], total))):
        assert (told in element.one("p").text) == (total is not None)
    with pytest.raises(ValueError, match="zip"):
        draw_differences(differences, titles=["one"])


@pytest.mark.parametrize("more", [0, 1, 1500])
def test_a_long_utterance_is_cut_and_says_so(more):
    count = SEGMENTS_DRAWN + more
    item = parse(draw_differences(segscores.differences([["a"] * count], [["a" * count]]))).one("li")
    assert len(item.all("b")) == SEGMENTS_DRAWN
    assert (f"and {more:,} more segments" in item.text) == bool(more)
    assert f"0 of {count} words found" in item.one("small").text
    item = parse(draw_difficulties([["a"] * count], [[0.5] * count], [[False] * count])).one("li")
    assert len(item.all("b")) == SEGMENTS_DRAWN
    assert (f"and {more:,} more words" in item.text) == bool(more)
    assert f"0 of {count} words recovered" in item.one("small").text


def test_each_word_is_isolated_from_the_direction_of_its_neighbours():
    differences = segscores.differences(["שלום abc \u202edef"], ["שלוםabc \u202edef"], text_format="words")
    item = parse(draw_differences(differences)).one("li")
    assert {span.attributes["dir"] for span in item.all("span") if "dir" in span.attributes} == {"auto"}
    assert [word.text for word in item.all("bdi")] == ["שלום", "abc", "שלוםabc"]
    # No letter of a text stands outside of an element that isolates.
    inside = "".join(element.text for element in (*item.all("b"), *item.all("bdi")))
    assert "\u202e" not in item.text
    assert all(item.text.count(letter) == inside.count(letter) > 0 for letter in "שלום")
    assert re.search(r"\.segscores b[^{},]*\{[^{}]*unicode-bidi: isolate", STYLE)


rated_words = st.tuples(hostile_words, st.floats(0, 1), st.booleans())


@given(utterances=st.lists(st.lists(rated_words, max_size=8), max_size=4))
@example(utterances=[])
@example(utterances=[[], [("<b>", 0.0, False), ("&amp;", 1.0, True)], [(word, 0.5, False) for word in INITIAL_MARKS]])
def test_difficulties_are_drawn_as_they_are(utterances):
    columns = [[[word[index] for word in words] for words in utterances] for index in range(3)]
    element = parse(draw_difficulties(*columns))
    items = element.one("ol").all("li")
    assert len(items) == len(utterances)
    for item, words in zip(items, utterances, strict=True):
        assert [word.one("b").text for word in item.all("ruby")] == [shown(word) for word, _, _ in words]
        assert [word.one("rt").text for word in item.all("ruby")] == [
            f"{rate:.2f} {'✓' if is_found else '✗'}" for _, rate, is_found in words
        ]
        missed = [word for word, _, is_found in words if not is_found]
        summary = item.one("small")
        assert f"{len(words) - len(missed)} of {len(words)} words recovered" in summary.text
        assert [word.text for word in summary.all("bdi")] == [shown(word[:60]) for word in missed[:WORDS_NAMED]]
        for word, (_, rate, _) in zip(item.all("ruby"), words, strict=True):
            colour = re.fullmatch(r"--difficulty:([0-9.]+)", word.one("b").attributes["style"] or "")
            assert colour
            assert 0 <= float(colour[1]) <= 1
            assert (float(colour[1]) == 0) == (rate < 0.0067) or 0.006 < rate < 0.007


@given(names=st.lists(hostile_words, min_size=4, max_size=4, unique=True), title=hostile_words)
def test_nothing_of_a_curve_is_markup(names, title):
    shown_names = ["".join(map(visible, name)) for name in names]
    shown_title = "".join(map(visible, title))
    svg = parse(draw_curves([0, 1], {name: [0.25, 0.75] for name in names}, x_title=title)).one("svg")
    assert {shown_title, *shown_names} <= {text.text for text in svg.all("text")}
    assert all(f"{name} is best at 1.00: 0.7500" in svg.attributes["aria-label"] for name in shown_names)


some = st.lists(st.integers(0, 6), max_size=3)
alignments = st.lists(st.tuples(some, some), max_size=6)


@given(references=alignments, predictions=alignments)
@example(references=[], predictions=[])
@example(references=[([0], []), ([], [3])], predictions=[([], [])])
@example(references=[([0, 0], [1])] * 2, predictions=[([0], [1, 1])])
def test_links_are_the_pairs_of_both_sides(references, predictions):
    left, right = (
        {(source, target) for sources, targets in side for source in sources for target in targets}
        for side in (references, predictions)
    )
    expected = {"both": left & right, "missed": left - right, "wrong": right - left}
    element = parse(draw_links(iter(references), iter(predictions)))
    svg = element.one("svg")
    for kind, pairs in expected.items():
        assert len(svg.all("path", kind)) == len(pairs)
    signs = svg.all("text", "halo")
    assert [[sign.text for sign in signs].count(text) for text in "|+−"] == list(map(len, expected.values()))
    for path, sign in zip(svg.one("g", "links").all("path"), signs, strict=True):
        # Text is placed by its base line, and the middle of its 10 units of height is on the line, at a whole x.
        (left_x, left_y), (right_x, right_y) = points_of(path)
        x, y = (float(sign.attributes[name]) for name in "xy")
        slope = (right_y - left_y) / (right_x - left_x)
        assert y - 5 == pytest.approx(left_y + slope * (x - left_x), abs=0.5 + abs(slope) / 2)
    # In words too, for who does not see the picture, and below it.
    for kind, pairs in expected.items():
        listed = ", ".join(f"{source} to {target}" for source, target in sorted(pairs)) or "none"
        told = f"{'of both' if kind == 'both' else kind}: {listed}"
        assert told in svg.attributes["aria-label"]
        assert told in element.one("p").text
    # A segment that no pair has is still there.
    counts = [
        max((number + 1 for side in (references, predictions) for both in side for number in both[end]), default=0)
        for end in (0, 1)
    ]
    assert len(svg.all("circle", "node")) == sum(counts)
    _, _, width, height = map(float, (svg.attributes["viewbox"] or "").split())
    heights_of_side: tuple[list[float], list[float]] = ([], [])
    for node in svg.all("circle"):
        x, y = (float(node.attributes[name]) for name in ("cx", "cy"))
        assert 0 < x < width
        assert 0 < y < height
        heights_of_side[x > width / 2].append(y)
    left_heights, right_heights = heights_of_side
    for kind, pairs in expected.items():
        ends = [tuple(y for _, y in points_of(path)) for path in svg.all("path", kind)]
        assert sorted(ends) == sorted((left_heights[source], right_heights[target]) for source, target in pairs)


def points_of(path: Element) -> list[tuple[float, float]]:
    numbers = list(map(float, re.findall(r"-?[0-9.]+", path.attributes["d"] or "")))
    return list(zip(numbers[0::2], numbers[1::2], strict=True))


def curves_of(svg: Element) -> list[Element]:
    """The curves' own groups, without those of the legend."""
    return [path for path in svg.all("path", "line") if "h" not in (path.attributes["d"] or "")]


@given(
    rows=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1) | st.just(math.nan)), max_size=8),
    at=st.none() | st.floats(0, 1),
)
@example(rows=[], at=None)
@example(rows=[(0.5, 0.5, math.nan)], at=0.0)
def test_curves_are_drawn_as_they_are(rows, at):
    x, one, two = [[row[index] for row in rows] for index in range(3)]
    curves = {"precision": one, "recall": two}
    element = parse(draw_curves(x, curves, x_title="λ", at=at))
    svg = element.one("svg")
    assert not re.search(r"nan|inf", "".join([element.text, *(path.attributes["d"] or "" for path in svg.all("path"))]))
    paths = curves_of(svg)
    assert len(paths) == 2
    circles = [(float(circle.attributes["cx"]), float(circle.attributes["cy"])) for circle in svg.all("circle")]
    told = []
    for path, (name, scores) in zip(paths, curves.items(), strict=True):
        known = [(share, score) for share, score in zip(x, scores, strict=True) if not math.isnan(score)]
        places = [(44 + 440 * share, 12 + 260 * (1 - score)) for share, score in known]
        if known:
            assert np.array(points_of(path)) == pytest.approx(np.array(places), abs=0.051)
            best = max(known, key=lambda point: point[1])
            assert circles[len(told)] == pytest.approx(places[known.index(best)], abs=0.051)
            told.append(f"{name} is best at {best[0]:.2f}: {best[1]:.4f}")
    assert len(circles) == len(told)
    assert all(words in svg.attributes["aria-label"] and words in element.one("p").text for words in told)
    across = [path for path in svg.all("path", "axis") if "H" not in path.attributes["d"]]
    assert len(across) == (at is not None)


def test_lines_of_a_chart_differ_in_more_than_colour():
    assert curves_of(parse(draw_curves([], {}, x_title="λ")).one("svg")) == []
    svg = parse(draw_curves([0, 1], {name: [0, 1] for name in "abcd"}, x_title="λ")).one("svg")
    assert len({path.attributes.get("stroke-dasharray") for path in curves_of(svg)}) == 4
    rules = re.findall(r"svg \.(?:both|missed|wrong) \{([^}]*)\}", STYLE)
    assert len({tuple(re.findall(r"stroke-dasharray: ([0-9 ]+)", rule)) for rule in rules}) == 3


def test_links_among_too_many_segments_are_rejected() -> None:
    with pytest.raises(ValueError, match="links are drawn for up to 200 segments of a text, received 2,147,483,648"):
        draw_links([((2147483647,), ())], [])
