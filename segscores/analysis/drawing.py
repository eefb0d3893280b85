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
from itertools import cycle
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..results.pictures import COLOURS
from ..results.scored import Scored
from ..scoring.measures.registry import GROUPS, heading_of
from .differences import MATCHED, MISSED, WRONG, Difference

#: The most segments of one utterance that are drawn, and the most words that its summary names.
SEGMENTS_DRAWN, WORDS_NAMED = 2000, 5
#: The most segments of one side of a bitext for which links are drawn.
SEGMENTS_LINKED = 200

STYLE = (Path(__file__).parent / "templates" / "drawings.css").read_text("utf-8")

#: The class and the dashes of each line of a chart, in turn.
_LINES = (("one", ""), ("two", "8 4"), ("three", "2 4"), ("four", "10 4 2 4"))
#: The chart's frame, in the units of its view box.
_LEFT, _TOP, _WIDTH, _HEIGHT = 44, 12, 440, 260


#: Visible symbols for control characters: the symbol of Unicode where there is one, otherwise the code point.
_VISIBLE: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(0x20)},
    0x7F: 0x2421,
    **{
        code: f"[U+{code:04X}]"
        for codes in (range(0x80, 0xA0), (0x061C, 0x200E, 0x200F, 0xFEFF), range(0x202A, 0x202F), range(0x2066, 0x206A))
        for code in codes
    },
}


def visible(text: str) -> str:
    """Return the text with a visible symbol for each control character and each mark of direction.

    >>> visible("a\\tb\\u202ec")
    'a␉b[U+202E]c'
    """
    # Translating takes ten times as long, and nearly all texts are printable.
    return text if text.isprintable() else text.translate(_VISIBLE)


def standing(text: str) -> str:
    """Return the text, with a dotted circle under an initial combining character, whose base is outside the text.

    >>> standing("\u0301a")
    '◌́a'
    """
    return f"◌{text}" if unicodedata.category(text[0])[0] == "M" else text


def drawing_environment(*packages: str) -> Environment:
    """Return the templates of packages, searched in order, which may import the macros of `drawings.html`."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "segscores.analysis")]),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=StrictUndefined,
    )
    templates.filters |= {
        "breakable": lambda key: Markup("_<wbr>").join(visible(key).split("_")),
        "marked": _mark,
        "named": _name,
        "standing": standing,
        "summary": _summarise,
    }
    templates.globals |= {"matched": MATCHED, "missed": MISSED, "wrong": WRONG, "segments_drawn": SEGMENTS_DRAWN}
    return templates


# The HTML of a segment: its start, which says if it is a word of both sides, and its end with the mark after it.
_STARTS = ("<b class=off>", "<b>")
_ENDS = {
    "": "</b>",
    " ": "</b><i class=empty></i>",
    MATCHED: f"</b><i>{MATCHED}</i>",
    MISSED: f"</b><i class=missed>{MISSED}</i>",
    WRONG: f"</b><i class=wrong>{WRONG}</i>",
}


def _mark(pieces: Iterable[tuple[str, str, bool]]) -> Markup:
    """Return the HTML of segments and marks. A report has thousands of lines, for which a loop in a template is too slow."""
    return Markup("".join(f"{_STARTS[is_matched]}{_safe(text)}{_ENDS[mark]}" for text, mark, is_matched in pieces))


def _name(words: Sequence[str]) -> Markup:
    """Return the first words, and how many more there are."""
    more = len(words) - WORDS_NAMED
    named = ", ".join(f"<bdi>{_safe(word[:60])}</bdi>" for word in words[:WORDS_NAMED])
    return Markup(named + f" and {more:,} more" * (more > 0))


def _summarise(difference: Difference) -> Markup:
    """Return the number of reference words that are found, and the words that are missed and wrong."""
    matched, missed, wrong = len(difference.matched), difference.missed, difference.wrong
    if not missed:
        return Markup(f"all {matched} words found" if matched > 1 else "its word found" if matched else "blank")
    named = f"; missed: {_name(missed)}" + (f"; wrong: {_name(wrong)}" if wrong else "")
    return Markup(f"{matched} of {matched + len(missed)} words found{named}")


def _safe(text: str) -> str:
    return escape(standing(visible(text)))


@cache
def _macros() -> Any:
    return drawing_environment().get_template("drawings.html").module


def draw_differences(
    differences: Sequence[Difference], total: int | None = None, *, titles: Sequence[str] | None = None
) -> str:
    """Draw the differences of the first utterances, of `total` if there are more, each below a heading if there are `titles`."""
    heads = [""] * len(differences) if titles is None else titles
    return str(_macros().differences(list(zip(differences, heads, strict=True)), total))


def describe_counts(name: str, columns: Iterable[str], counts: Mapping[str, int]) -> str:
    """Return the counts of a score group in a line; missing counts are left out.

    >>> describe_counts("token", ("token_matched", "token_reference"), {"token_matched": 3, "token_reference": 1200})
    'matched 3, reference 1,200'
    """
    return ", ".join(
        f"{column.removeprefix(f'{name}_').replace('_', ' ')} {counts[column]:,}"
        for column in columns
        if column in counts
    )


def draw_difficulties(
    words: Sequence[Sequence[str]],
    difficulties: Sequence[Sequence[float]],
    recovered: Sequence[Sequence[bool]],
    total: int | None = None,
) -> str:
    """Draw the words of the first references, of `total` if there are more, by difficulty, with a sign for recovered ones."""
    utterances = [list(zip(*utterance, strict=True)) for utterance in zip(words, difficulties, recovered, strict=True)]
    return str(_macros().difficulties(utterances, total))


def draw_links(
    references: Iterable[tuple[Sequence[int], Sequence[int]]],
    predictions: Iterable[tuple[Sequence[int], Sequence[int]]],
) -> str:
    """Draw two alignments of one bitext as links between at most SEGMENTS_LINKED segments of a side."""
    sides = [[(tuple(source), tuple(target)) for source, target in side] for side in (references, predictions)]
    counts = [
        1 + max((number for side in sides for bisegment in side for number in bisegment[end]), default=-1)
        for end in (0, 1)
    ]
    if max(counts) > SEGMENTS_LINKED:
        raise ValueError(f"links are drawn for up to {SEGMENTS_LINKED} segments of a text, received {max(counts):,}.")
    reference, prediction = ({(s, t) for source, target in side for s in source for t in target} for side in sides)
    signed = {MATCHED: reference & prediction, MISSED: reference - prediction, WRONG: prediction - reference}
    kinds = {MATCHED: "both", MISSED: "missed", WRONG: "wrong"}
    in_order = sorted((pair, sign) for sign, of_sign in signed.items() for pair in of_sign)
    links = []
    for number, ((source, target), sign) in enumerate(in_order):
        top, bottom = _segment_height(source), _segment_height(target)
        # Where many links cross, signs at the same height would cover each other.
        at = 0.3 + 0.1 * (number % 5)
        x, y = f"{58 + 184 * at:.0f}", f"{top + (bottom - top) * at + 5:.0f}"
        links.append({"kind": kinds[sign], "sign": sign, "top": top, "bottom": bottom, "x": x, "y": y})
    nodes = [
        (x, _segment_height(number), number)
        for x, count in zip((42, 258), counts, strict=True)
        for number in range(count)
    ]
    names = {MATCHED: "of both", MISSED: "missed", WRONG: "wrong"}
    pairs = "; ".join(
        f"{name}: {', '.join(f'{s} to {t}' for s, t in sorted(signed[sign])) or 'none'}" for sign, name in names.items()
    )
    return str(_macros().links(44 * max(*counts, 1) + 40, links, nodes, pairs))


def _segment_height(number: int) -> int:
    return 40 + 44 * number


def draw_curves(
    x: Sequence[float], curves: Mapping[str, Sequence[float]], *, x_title: str, at: float | None = None
) -> str:
    """Draw curves of scores in [0, 1] or nan over shares x, each with its best point; a vertical line marks x = `at`."""
    ticks = [(tenth / 10, *_place(tenth / 10, tenth / 10)) for tenth in range(0, 11, 2)]
    bottom, lines, best_points = _TOP + _HEIGHT, [], []
    for number, ((name, scores), (kind, dashes)) in enumerate(zip(curves.items(), cycle(_LINES), strict=False)):
        defined = [index for index, score in enumerate(scores) if not math.isnan(score)]
        best = max(defined, key=lambda index: scores[index], default=None)
        if best is not None:
            best_points.append(f"{name} is best at {x[best]:.2f}: {scores[best]:.4f}")
        lines.append(
            {
                "name": name,
                "kind": kind,
                "dashes": dashes,
                "path": _path(x, scores),
                "best": None if best is None else _place(x[best], scores[best]),
                "row": bottom + 58 + 20 * (number // 2),
                "column": _LEFT + 220 * (number % 2),
            }
        )
    chart = {"left": _LEFT, "top": _TOP, "width": _WIDTH, "right": _LEFT + _WIDTH, "bottom": bottom}
    chart["whole_height"] = bottom + 50 + 20 * ((len(lines) + 1) // 2)
    across = None if at is None else _place(at, 0)[0]
    return str(_macros().curves(chart, ticks, lines, across, x_title, "; ".join(best_points) or "no score is defined"))


def draw_dots(scored: Sequence[Scored]) -> str:
    """Draw the scores from 0 to 1 as an SVG, as `results.pictures.draw_intervals` does: a block for each score."""
    ranges = {key: group.range_of(key) for group in GROUPS.values() for key in group.keys}
    shown = [key for key in scored[0].scores if ranges.get(key, (0.0, 1.0)) == (0.0, 1.0)]
    return str(_macros().dots(scored, {key: heading_of(key) for key in shown}, COLOURS))


def standalone(drawn: str) -> str:
    """Return the SVG of a drawing as a file of its own, with its style."""
    svg = drawn[drawn.index("<svg") : drawn.index("</svg>") + len("</svg>")]
    # In a file of its own the <svg> element has the class, and no element around it.
    style = STYLE.replace(".segscores svg", ".segscores").replace("<", "&lt;")
    svg = re.sub(r'^<svg(?: class="([^"]*)")?', r'<svg xmlns="http://www.w3.org/2000/svg" class="segscores \1"', svg)
    return svg.replace(">", f"><style>{style} svg {{ background: #fff; }}</style>", 1)


def _place(share: float, score: float) -> tuple[str, str]:
    return f"{_LEFT + _WIDTH * share:.1f}", f"{_TOP + _HEIGHT * (1 - score):.1f}"


def _path(x: Sequence[float], scores: Sequence[float]) -> str:
    """Return the path of a line through the points, interrupted where a score is undefined."""
    steps, command = [], "M"
    for share, score in zip(x, scores, strict=True):
        if math.isnan(score):
            command = "M"
            continue
        steps.append("{}{} {}".format(command, *_place(share, score)))
        command = "L"
    return "".join(steps) or "M0 0"
