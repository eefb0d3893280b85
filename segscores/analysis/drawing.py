"""Drawings: differences, difficulties, links and curves as HTML and SVG, for the demo, notebooks and reports.

Conventions
-----------
- Every function returns one element as a string. The templates escape all text, and visible symbols replace characters that are
  invisible or that reorder the text around them, so that no text can hide itself or its neighbours.
- A page with such elements needs `STYLE` once. Elements have no scripts and request nothing.
- Signs (`|`, `+`, `−`), the form of lines and words distinguish correct, missed and wrong; colour only repeats the
  distinction. For a dark page, an element around the drawing has the class `dark`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from itertools import chain, product
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..kernel.marks import MATCHED, MISSED, WRONG
from ..results.pictures import COLOURS
from ..results.scored import Scored
from ..scoring.measures.registry import GROUPS, heading_of
from .differences import Difference, MarkedText

#: The most segments of one utterance that are drawn.
SEGMENTS_DRAWN = 2000
#: The most words that the summary of an utterance names.
WORDS_NAMED = 5
#: The most segments of one side of a bitext for which links are drawn.
SEGMENTS_LINKED = 200

STYLE = (Path(__file__).parent / "templates" / "drawings.css").read_text("utf-8")

#: The class and the dashes of each line of a chart, in turn.
_LINES = (("one", ""), ("two", "8 4"), ("three", "2 4"), ("four", "10 4 2 4"))
#: The names of the lines below the chart: how many are in a row, and how far apart they are.
_NAMES_IN_ROW = 2
_NAME_WIDTH = 220
_NAME_HEIGHT = 20
#: The chart's frame, in the units of its view box.
_LEFT = 44
_TOP = 12
_WIDTH = 440
_HEIGHT = 260
_BOTTOM = _TOP + _HEIGHT
#: The height of the numbers and the title of the axis, between the chart and the names.
_AXIS_HEIGHT = 50

#: The places of source and of target segments in the drawing of links, which `drawings.html` repeats.
_SOURCE_X = 42
_TARGET_X = 258
#: A link begins and ends beside the circle of a segment.
_LINK_START_X = 58
_LINK_END_X = 242
#: The heights of the heading of linked segments, and of the row of a segment.
_HEADING_HEIGHT = 40
_SEGMENT_HEIGHT = 44

#: Control characters, and marks of direction, for which Unicode has no symbol.
_WITHOUT_SYMBOL = (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
#: Visible symbols for control characters: the symbol of Unicode where there is one, otherwise the code point.
_VISIBLE: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(0x20)},
    0x7F: 0x2421,
    **{code: f"[U+{code:04X}]" for code in _WITHOUT_SYMBOL},
}


def visible(text: str) -> str:
    """Return the text with a visible symbol for each control character and each mark of direction.

    >>> visible("a\\tb\\u202ec")
    'a␉b[U+202E]c'
    """
    # The test is ten times as quick as translating, and nearly all texts are printable.
    if text.isprintable():
        return text
    return text.translate(_VISIBLE)


def standing(text: str) -> str:
    """Return the text, with a dotted circle under an initial combining character, whose base is outside the text.

    >>> standing("\u0301a")
    '◌́a'
    """
    # The categories of combining characters are Mn, Mc and Me.
    begins_with_mark = unicodedata.category(text[0]).startswith("M")
    return f"◌{text}" if begins_with_mark else text


def drawing_environment(*packages: str) -> Environment:
    """Return the templates of packages, searched in order, which may import the macros of `drawings.html`."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "segscores.analysis")]),
        autoescape=True,
        # A Markup, which is a subclass of str, is HTML that was made visible already.
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=StrictUndefined,
    )
    templates.filters |= {
        # A browser may break a long score key after each "_".
        "breakable": lambda key: Markup("_<wbr>").join(visible(key).split("_")),
        "marked": _mark,
        "named": _name,
        "standing": standing,
        "summary": _summarise,
    }
    templates.globals |= {"matched": MATCHED, "missed": MISSED, "wrong": WRONG, "segments_drawn": SEGMENTS_DRAWN}
    return templates


#: The HTML at the end of a segment, by the mark after it.
_ENDS = {
    "": "</b>",
    " ": "</b><i class=empty></i>",
    MATCHED: f"</b><i>{MATCHED}</i>",
    MISSED: f"</b><i class=missed>{MISSED}</i>",
    WRONG: f"</b><i class=wrong>{WRONG}</i>",
}


def _mark(pieces: Iterable[MarkedText]) -> Markup:
    """Return the HTML of segments and marks: `<b>the</b><i>|</i>` for a word of both sides with a matched boundary after it.

    A report has thousands of lines, for which a loop in a template is too slow.
    """
    drawn = []
    for text, mark, is_matched in pieces:
        start = "<b>" if is_matched else "<b class=off>"
        drawn.append(f"{start}{_safe(text)}{_ENDS[mark]}")
    return Markup("".join(drawn))


def _name(words: Sequence[str]) -> Markup:
    """Return the first words, and how many more there are: `the, dog and 12 more`."""
    named = ", ".join(f"<bdi>{_safe(word[:60])}</bdi>" for word in words[:WORDS_NAMED])
    more = len(words) - WORDS_NAMED
    if more > 0:
        named += f" and {more:,} more"
    return Markup(named)


def _summarise(difference: Difference) -> Markup:
    """Return the number of reference words that are found, and the words that are missed and wrong.

    `1 of 3 words found; missed: the, dog; wrong: thedog`
    """
    matched = len(difference.matched)
    # Each of these properties reads the whole utterance: read it once.
    missed = difference.missed
    wrong = difference.wrong
    if missed:
        summary = f"{matched} of {matched + len(missed)} words found; missed: {_name(missed)}"
        if wrong:
            summary += f"; wrong: {_name(wrong)}"
    elif matched > 1:
        # If no reference word is missed, no predicted word is wrong.
        summary = f"all {matched} words found"
    elif matched == 1:
        summary = "its word found"
    else:
        summary = "blank"
    return Markup(summary)


def _safe(text: str) -> str:
    """Return the HTML of a text, in which no character hides itself or its neighbours."""
    return escape(standing(visible(text)))


@cache
def _macros() -> Any:
    """Return the macros of the template, as functions that draw."""
    return drawing_environment().get_template("drawings.html").module


def draw_differences(
    differences: Sequence[Difference], total: int | None = None, *, titles: Sequence[str] | None = None
) -> str:
    """Draw the differences of utterances, each below its title if there are `titles`.

    `total` is the number of all utterances, if these are only the first ones; None if these are all.
    """
    if titles is None:
        titles = [""] * len(differences)
    return str(_macros().differences(list(zip(differences, titles, strict=True)), total))


def describe_counts(name: str, columns: Iterable[str], counts: Mapping[str, int]) -> str:
    """Return the counts of a score group in a line; missing counts are left out.

    >>> describe_counts("token", ("token_matched", "token_reference"), {"token_matched": 3, "token_reference": 1200})
    'matched 3, reference 1,200'
    """
    described = []
    for column in columns:
        if column in counts:
            heading = column.removeprefix(f"{name}_").replace("_", " ")
            described.append(f"{heading} {counts[column]:,}")
    return ", ".join(described)


def draw_difficulties(
    words: Sequence[Sequence[str]],
    difficulties: Sequence[Sequence[float]],
    recovered: Sequence[Sequence[bool]],
    total: int | None = None,
) -> str:
    """Draw the words of references by difficulty, with a sign for recovered words.

    `total` is the number of all utterances, if these are only the first ones; None if these are all.
    """
    # Each utterance is a list of its words, and a word has its difficulty, and True if it is recovered: ("dog", 0.5, True).
    utterances = []
    for utterance_words, utterance_difficulties, utterance_recovered in zip(
        words, difficulties, recovered, strict=True
    ):
        utterances.append(list(zip(utterance_words, utterance_difficulties, utterance_recovered, strict=True)))
    return str(_macros().difficulties(utterances, total))


def draw_links(
    references: Iterable[tuple[Sequence[int], Sequence[int]]],
    predictions: Iterable[tuple[Sequence[int], Sequence[int]]],
) -> str:
    """Draw two alignments of one bitext as links between at most SEGMENTS_LINKED segments of a side.

    An alignment is its bisegments, each the numbers of source segments, and of the target segments that translate them.
    """
    reference = list(references)
    prediction = list(predictions)
    source_count = _count_segments(source for source, _target in reference + prediction)
    target_count = _count_segments(target for _source, target in reference + prediction)
    larger_count = max(source_count, target_count)
    if larger_count > SEGMENTS_LINKED:
        raise ValueError(f"links are drawn for up to {SEGMENTS_LINKED} segments of a text, received {larger_count:,}.")
    pairs_by_sign = _pairs_by_sign(reference, prediction)
    links = _links(pairs_by_sign)
    nodes = [(_SOURCE_X, _segment_height(number), number) for number in range(source_count)]
    nodes += [(_TARGET_X, _segment_height(number), number) for number in range(target_count)]
    # The drawing ends where one more segment would be. Texts without segments have the height of one.
    whole_height = _segment_height(max(larger_count, 1))
    return str(_macros().links(whole_height, links, nodes, _describe_pairs(pairs_by_sign)))


def _pairs_by_sign(
    reference: Sequence[tuple[Sequence[int], Sequence[int]]], prediction: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> dict[str, set[tuple[int, int]]]:
    """Return the pairs of a source and a target segment that both alignments have, or one alone, by the signs of marks."""
    reference_pairs = _pairs_of(reference)
    prediction_pairs = _pairs_of(prediction)
    return {
        MATCHED: reference_pairs & prediction_pairs,
        MISSED: reference_pairs - prediction_pairs,
        WRONG: prediction_pairs - reference_pairs,
    }


def _links(pairs_by_sign: Mapping[str, Iterable[tuple[int, int]]]) -> list[dict[str, Any]]:
    """Return the links of all pairs, as the template draws them, in the order of source and target segments."""
    sign_of: dict[tuple[int, int], str] = {}
    for sign, pairs in pairs_by_sign.items():
        sign_of |= dict.fromkeys(pairs, sign)
    links = []
    for number, (source, target) in enumerate(sorted(sign_of)):
        links.append(_link(number, source, target, sign_of[source, target]))
    return links


def _count_segments(numbers: Iterable[Sequence[int]]) -> int:
    """Return the number of segments of a text, from the numbers of the segments of each bisegment, which begin at 0."""
    largest = max(chain.from_iterable(numbers), default=-1)
    return largest + 1


def _pairs_of(bisegments: Iterable[tuple[Sequence[int], Sequence[int]]]) -> set[tuple[int, int]]:
    """Return the pairs of a source segment and a target segment that bisegments join."""
    pairs: set[tuple[int, int]] = set()
    for source, target in bisegments:
        pairs.update(product(source, target))
    return pairs


def _link(number: int, source: int, target: int, sign: str) -> dict[str, Any]:
    """Return the link of a pair of segments, as the template draws it, with its sign on the line at (x, y).

    `number` is that of the link, and `source` and `target` are those of the segments.
    """
    kinds = {MATCHED: "both", MISSED: "missed", WRONG: "wrong"}
    top = _segment_height(source)
    bottom = _segment_height(target)
    # The sign is at 30 to 70 % of the way, another share for each of five links: signs at the same share could cover each other.
    share = 0.3 + 0.1 * (number % 5)
    x = _LINK_START_X + (_LINK_END_X - _LINK_START_X) * share
    # A text is placed by its base line, and is about 10 high.
    y = top + (bottom - top) * share + 5
    return {"kind": kinds[sign], "sign": sign, "top": top, "bottom": bottom, "x": f"{x:.0f}", "y": f"{y:.0f}"}


def _describe_pairs(pairs_by_sign: Mapping[str, Iterable[tuple[int, int]]]) -> str:
    """Return the pairs of segments in words, for readers who do not see the drawing."""
    names = {MATCHED: "of both", MISSED: "missed", WRONG: "wrong"}
    described = []
    for sign, name in names.items():
        pairs = ", ".join(f"{source} to {target}" for source, target in sorted(pairs_by_sign[sign]))
        described.append(f"{name}: {pairs or 'none'}")
    return "; ".join(described)


def _segment_height(number: int) -> int:
    """Return the vertical place of a segment, which has a row of its own below the heading."""
    return _HEADING_HEIGHT + _SEGMENT_HEIGHT * number


def draw_curves(
    x: Sequence[float], curves: Mapping[str, Sequence[float]], *, x_title: str, at: float | None = None
) -> str:
    """Draw curves of scores in [0, 1] or nan over shares x, each with its best point.

    A vertical line marks x = `at`; there is none if it is None.
    """
    # The numbers 0, 0.2 … 1 beside both axes, each with its x on one axis and its y on the other.
    ticks = []
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        tick_x, tick_y = _place(share, share)
        ticks.append((share, tick_x, tick_y))
    lines = []
    best_points = []
    for number, (name, scores) in enumerate(curves.items()):
        line = {**_look_of_line(number), "name": name, "path": _path(x, scores), "best": None}
        defined = [index for index, score in enumerate(scores) if not math.isnan(score)]
        if defined:
            best = max(defined, key=scores.__getitem__)
            line["best"] = _place(x[best], scores[best])
            best_points.append(f"{name} is best at {x[best]:.2f}: {scores[best]:.4f}")
        lines.append(line)
    # The names of the lines stand in rows below the chart: see `_look_of_line`.
    rows = math.ceil(len(lines) / _NAMES_IN_ROW)
    chart = {"left": _LEFT, "top": _TOP, "width": _WIDTH, "right": _LEFT + _WIDTH, "bottom": _BOTTOM}
    chart["whole_height"] = _BOTTOM + _AXIS_HEIGHT + _NAME_HEIGHT * rows
    x_of_line = None
    if at is not None:
        x_of_line, _y = _place(at, 0)
    in_words = "; ".join(best_points) or "no score is defined"
    return str(_macros().curves(chart, ticks, lines, x_of_line, x_title, in_words))


def _look_of_line(number: int) -> dict[str, Any]:
    """Return the class and the dashes of a line of a chart, and x and y of its name: below the chart, two in a row."""
    kind, dashes = _LINES[number % len(_LINES)]
    row, column = divmod(number, _NAMES_IN_ROW)
    # A text is placed by its base line, which is 8 below the top of its row.
    y = _BOTTOM + _AXIS_HEIGHT + 8 + _NAME_HEIGHT * row
    x = _LEFT + _NAME_WIDTH * column
    return {"kind": kind, "dashes": dashes, "name_x": x, "name_y": y}


def draw_dots(scored: Sequence[Scored]) -> str:
    """Draw the scores whose range is 0 to 1 as an SVG, with their intervals: a block for each score, a row for each system."""
    ranges: dict[str, tuple[float, float]] = {}
    for group in GROUPS.values():
        for key, described in group.keys.items():
            ranges[key] = described.range
    range_of_shares = (0.0, 1.0)
    # All predictions have the same scores.
    first_scored, *_ = scored
    # The scores of no group, such as scores balanced by difficulty, are shares too.
    shown = [key for key in first_scored.scores if ranges.get(key, range_of_shares) == range_of_shares]
    return str(_macros().dots(scored, {key: heading_of(key) for key in shown}, COLOURS))


def standalone(drawn: str) -> str:
    """Return the SVG of a drawing as a file of its own, with its style."""
    svg = drawn[drawn.index("<svg") : drawn.index("</svg>") + len("</svg>")]
    # In the page an element around the <svg> has the class `segscores`; in a file of its own, the <svg> itself.
    style = STYLE.replace(".segscores svg", ".segscores").replace("<", "&lt;")
    svg = re.sub(r'^<svg(?: class="([^"]*)")?', r'<svg xmlns="http://www.w3.org/2000/svg" class="segscores \1"', svg)
    # The style is the first child of <svg>, after the first ">".
    return svg.replace(">", f"><style>{style} svg {{ background: #fff; }}</style>", 1)


def _place(share: float, score: float) -> tuple[str, str]:
    """Return x and y of a point of the chart, as text for the SVG, in which y grows downwards."""
    x = _LEFT + _WIDTH * share
    y = _TOP + _HEIGHT * (1 - score)
    return f"{x:.1f}", f"{y:.1f}"


def _path(x: Sequence[float], scores: Sequence[float]) -> str:
    """Return the path of a line through the points, interrupted where a score is undefined."""
    steps = []
    # M moves to a point without a line, L draws a line to it.
    command = "M"
    for share, score in zip(x, scores, strict=True):
        if math.isnan(score):
            command = "M"
        else:
            place_x, place_y = _place(share, score)
            steps.append(f"{command}{place_x} {place_y}")
            command = "L"
    # SVG needs a path, also where no score is defined.
    return "".join(steps) or "M0 0"
