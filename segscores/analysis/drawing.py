"""Drawing: differences, difficulties, links and curves as HTML and SVG, for the demo, notebooks and reports.

Conventions
-----------
- Every function returns one element as a string. Whatever comes from a text is escaped; nothing else in it is foreign.
- An element needs `STYLE` once on its page, has no script, and asks for nothing from elsewhere.
- Right, missed and wrong are told apart by a sign, `|`, `+` and `−`, by the form of a line and by words, and only then by
  colour. A page that is dark has the class `dark` on an element around.
"""

from __future__ import annotations

__all__ = [
    "STYLE",
    "draw_curves",
    "draw_differences",
    "draw_difficulties",
    "draw_links",
    "draw_scores",
    "draw_utterance",
]

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from .differences import MATCHED, MISSED, WRONG, Difference

#: Most segments of one utterance that are drawn, and most words that its summary names.
SEGMENTS_DRAWN, WORDS_NAMED = 2000, 5
#: Most segments of one side of a bitext whose links are drawn.
SEGMENTS_LINKED = 200

STYLE = """
.segscores { --found: #0b6b4f; --missed: #1d4fbf; --wrong: #a8370a; --ink: #1f2937; --soft: #4b5563; --rule: #d1d5db;
  --paper: #ffffff; --bar: #9cc5f0; --hard: 194, 86, 0; color: var(--ink); }
.dark .segscores { --found: #5fd3a8; --missed: #93b4ff; --wrong: #ffa877; --ink: #e5e7eb; --soft: #b6bdc9; --rule: #4b5563;
  --paper: #111827; --bar: #2d5f9a; --hard: 214, 106, 20; }
.segscores table { border-collapse: collapse; width: 100%; border: 0; margin: 0;
  font-variant-numeric: tabular-nums; }
.segscores tr { border: 0; }
.segscores th, .segscores td { border-style: solid; border-color: var(--rule); border-width: 0 0 1px; padding: .3em .5em;
  text-align: left; vertical-align: baseline; color: var(--ink); font-weight: normal; }
.segscores th small { font-weight: normal; color: var(--soft); display: block; }
.segscores thead th, .segscores .group th { font-weight: 600; }
.segscores .group th { padding-top: 1em; }
.segscores td.number, .segscores th { white-space: nowrap; }
.segscores td.number, .segscores th.number { text-align: right; }
.segscores tbody th { white-space: normal; }
.segscores thead th:last-child:not(.number) { min-width: 5em; }
.segscores .bar { display: block; width: 100%; height: .8em; border: 1px solid var(--soft); border-radius: 2px;
  background: linear-gradient(to right, var(--bar) var(--share), transparent var(--share)); }
.segscores.wide { overflow-x: auto; }
.segscores .legend { color: var(--soft); margin: .4em 0; }
.segscores .utterances { list-style: none; margin: 0; padding: 0; max-height: 36em; overflow-y: auto;
  border: 1px solid var(--rule); border-radius: 4px; }
.segscores .utterances > li { padding: .45em .6em .45em 3.2em; border-bottom: 1px solid var(--rule); margin: 0; line-height: 2;
  content-visibility: auto; contain-intrinsic-size: auto 5em; overflow-wrap: anywhere; }
.segscores .utterances > li:last-child { border-bottom: 0; }
.segscores .utterances small, .segscores .place { color: var(--soft); font-size: .85em; line-height: 1.5; }
.segscores .utterances small { display: block; }
.segscores .place { float: left; margin-left: -3em; line-height: 2.35; }
.segscores b { font-weight: normal; unicode-bidi: isolate; white-space: pre-wrap; padding: .1em .08em;
  border-style: solid; border-color: var(--found); border-width: 2px 0; }
.segscores b.off { border-style: dashed solid dotted; border-color: var(--missed) transparent var(--wrong); }
.segscores i { font-style: normal; font-weight: 700; color: var(--found); padding: .1em .15em;
  border-style: solid; border-color: transparent; border-width: 2px 0; }
.segscores i.missed { color: var(--missed); border-bottom-style: dotted; border-bottom-color: var(--wrong); }
.segscores i.wrong { color: var(--wrong); border-top-style: dashed; border-top-color: var(--missed); }
.segscores .legend i { border-color: transparent; }
.segscores .words ruby { display: inline-flex; flex-direction: column; align-items: center; margin: .15em .5em .15em 0;
  line-height: 1.35; }
.segscores .words b { border: 0; border-radius: 3px; padding: .1em .25em; background: rgba(var(--hard), var(--difficulty)); }
.segscores .words rt { color: var(--soft); font-size: .75em; }
.segscores svg { max-width: 100%; height: auto; display: block; margin: .5em 0; color: var(--ink); }
.segscores svg text { fill: currentColor; font: 13px system-ui, sans-serif; }
@media (max-width: 600px) { .segscores svg.curves text { font-size: 16px; } }
.segscores svg .grid { stroke: var(--rule); } .segscores svg .axis { stroke: currentColor; }
.segscores svg .line { fill: none; stroke: currentColor; stroke-width: 2; }
.segscores svg .one, .segscores svg .one * { color: var(--missed); }
.segscores svg .two, .segscores svg .two * { color: var(--wrong); }
.segscores svg .three, .segscores svg .three * { color: var(--found); }
.segscores svg .four, .segscores svg .four * { color: var(--soft); }
.segscores svg .both { stroke: var(--found); } .segscores svg .missed { stroke: var(--missed); stroke-dasharray: 7 4; }
.segscores svg .wrong { stroke: var(--wrong); stroke-dasharray: 2 4; }
.segscores svg .links path { stroke-width: 2.5; fill: none; }
.segscores svg .node { fill: var(--paper); stroke: currentColor; stroke-width: 1.5; }
.segscores svg .halo { stroke: var(--paper); stroke-width: 5; paint-order: stroke; font-weight: 700; }
"""

_CLASSES = {MATCHED: "", MISSED: ' class="missed"', WRONG: ' class="wrong"'}
#: The class and the dashes of each line of a chart, in turn.
_LINES = (("one", ""), ("two", "8 4"), ("three", "2 4"), ("four", "10 4 2 4"))


def draw_differences(
    differences: Sequence[Difference],
    total: int | None = None,
    *,
    numbers: Sequence[int] | None = None,
    titles: Sequence[str] | None = None,
) -> str:
    """Two segmentations one over the other, utterance by utterance.

    Args:
        differences: of the first utterances.
        total: how many utterances there are, where more than those.
        numbers: of the utterances, where they are not the first ones.
        titles: for each what stands above it.
    """
    heads = [""] * len(differences) if titles is None else [f"<small>{escape(title)}</small>" for title in titles]
    places = range(1, 1 + len(differences)) if numbers is None else numbers
    rows = "".join(
        f"<li>{_place(place)}{head}<span dir=auto>{_marked(difference)}</span><small>{_summary(difference)}</small></li>"
        for place, head, difference in zip(places, heads, differences, strict=True)
    )
    shown = f"The first {len(differences):,} of {total:,} utterances are drawn; all are scored. " if total else ""
    return (
        f"<div class=segscores><p class=legend>{shown}<i>{MATCHED}</i> both have the boundary, <i class=missed>{MISSED}</i> "
        f"the prediction misses it, <i class=wrong>{WRONG}</i> the prediction has it wrongly. <b>Lines</b> above and below: a "
        f"word of both. <b class=off>Dashes</b> above: a missed word of the reference; dots below: a wrong word of the "
        f'prediction.</p><ol class=utterances tabindex=0 aria-label="Utterances">{rows}</ol></div>'
    )


def draw_scores(
    groups: Mapping[str, Mapping[str, object]],
    scores: Mapping[str, float],
    counts: Mapping[str, int],
    *,
    definitions: bool = False,
    intervals: Mapping[str, tuple[float, float]] | None = None,
) -> str:
    """A table of scores with their counts and bars.

    Args:
        groups: by name their `title`, `definition`, `formula`, `source`, `keys` and `columns`.
        scores: by key.
        counts: by column.
        definitions: whether each group's definition, formula and source stand with it.
        intervals: by key the low and the high end, to stand beside the value.
    """
    bodies = []
    for name, group in groups.items():
        keys: Sequence[str] = group["keys"]  # type: ignore[assignment]
        columns: Sequence[str] = group["columns"]  # type: ignore[assignment]
        present = [key for key in keys if key in scores]
        if not present:
            continue
        notes = []
        if definitions:
            notes += [str(group["definition"]), f"{group['formula']}. {group['source']}."]
        counted = [
            f"{column.removeprefix(name + '_').replace('_', ' ')} {counts[column]:,}"
            for column in columns
            if column in counts
        ]
        notes += [", ".join(counted)] if counted else []
        small = "".join(f"<small>{escape(note)}</small>" for note in notes)
        rows = "".join(
            f"<tr><th scope=row>{_breakable(key)}</th><td class=number>{_number(scores[key])}"
            f"{_interval(intervals.get(key) if intervals else None)}</td><td>{_bar(scores[key])}</td></tr>"
            for key in present
        )
        bodies.append(
            f"<tbody><tr class=group><th colspan=3 scope=rowgroup>{escape(str(group['title']))}{small}</th></tr>{rows}</tbody>"
        )
    head = (
        "<thead><tr><th scope=col>score</th><th scope=col class=number>value</th><th scope=col>0 to 1</th></tr></thead>"
    )
    return f'<div class="segscores wide"><table>{head}{"".join(bodies)}</table></div>'


def draw_difficulties(
    words: Sequence[Sequence[str]],
    difficulties: Sequence[Sequence[float]],
    recovered: Sequence[Sequence[bool]],
    total: int | None = None,
) -> str:
    """The words of a reference, coloured by difficulty, with a sign for those that are recovered.

    Args:
        words, difficulties, recovered: for each utterance a value a word; difficulties in [0, 1].
        total: how many utterances there are, where more than those.
    """
    rows = []
    for index, (utterance, rated, found) in enumerate(zip(words, difficulties, recovered, strict=True), 1):
        drawn = "".join(
            f'<ruby><b style="--difficulty:{0.75 * rate:.2f}">{_shown(word)}</b>'
            f"<rt>{rate:.2f} {'✓' if is_found else '✗'}</rt></ruby>"
            for word, rate, is_found in zip(utterance, rated, found, strict=True)
        )
        missed = [word for word, is_found in zip(utterance, found, strict=True) if not is_found]
        rows.append(
            f"<li>{_place(index)}<span class=words dir=auto>{drawn}</span>"
            f"<small>{sum(found)} of {len(found)} words recovered{_named('missed', missed)}</small></li>"
        )
    shown = f"The first {len(words):,} of {total:,} utterances are drawn; all are scored. " if total else ""
    return (
        f"<div class=segscores><p class=legend>{shown}Under each word of the reference its difficulty, from 0 to 1, and ✓ where "
        f"the prediction recovers it, ✗ where not. The stronger the colour, the harder the word.</p>"
        f'<ol class=utterances tabindex=0 aria-label="Utterances">{"".join(rows)}</ol></div>'
    )


@dataclass(frozen=True)
class _Link:
    source: int
    target: int
    sign: str


def draw_links(
    references: Iterable[tuple[Sequence[int], Sequence[int]]],
    predictions: Iterable[tuple[Sequence[int], Sequence[int]]],
) -> str:
    """Two alignments of one bitext as links between its segments.

    Args:
        references, predictions: bisegments, the numbers of source and of target segments from 0.

    Raises:
        ValueError: there are more segments than can be told apart.
    """
    sides = [[(tuple(source), tuple(target)) for source, target in side] for side in (references, predictions)]
    counts = [
        1 + max((number for side in sides for bisegment in side for number in bisegment[end]), default=-1)
        for end in (0, 1)
    ]
    if max(counts) > SEGMENTS_LINKED:
        raise ValueError(f"links are drawn for up to {SEGMENTS_LINKED} segments of a text, received {max(counts):,}.")
    pairs = [{(s, t) for source, target in side for s in source for t in target} for side in sides]
    links = [
        _Link(*pair, MATCHED if pair in pairs[0] and pair in pairs[1] else MISSED if pair in pairs[0] else WRONG)
        for pair in sorted(pairs[0] | pairs[1])
    ]
    height = 44 * max(*counts, 1) + 40
    y = [[40 + 44 * number for number in range(count)] for count in counts]
    kinds = {MATCHED: "both", MISSED: "missed", WRONG: "wrong"}
    lines, signs = [], []
    for number, link in enumerate(links):
        top, bottom = y[0][link.source], y[1][link.target]
        lines.append(f'<path class={kinds[link.sign]} d="M58 {top}L242 {bottom}"/>')
        # Where many links cross, signs at one place would cover each other.
        at = 0.3 + 0.1 * (number % 5)
        signs.append(
            f'<text class="halo" x="{58 + 184 * at:.0f}" y="{top + (bottom - top) * at + 5:.0f}" text-anchor="middle">'
            f"{link.sign}</text>"
        )
    nodes = "".join(
        f'<circle class=node cx="{x}" cy="{top}" r="15"/><text x="{x}" y="{top + 5}" text-anchor="middle">{number}</text>'
        for x, column in ((42, y[0]), (258, y[1]))
        for number, top in enumerate(column)
    )
    names = {MATCHED: "of both", MISSED: "missed", WRONG: "wrong"}
    told = "; ".join(
        f"{names[sign]}: "
        + (", ".join(f"{link.source} to {link.target}" for link in links if link.sign == sign) or "none")
        for sign in (MATCHED, MISSED, WRONG)
    )
    return (
        f'<div class=segscores><svg viewBox="0 0 300 {height}" width="420" role="img" aria-label="Links {escape(told)}">'
        f'<text x="42" y="16" text-anchor="middle">source</text><text x="258" y="16" text-anchor="middle">target</text>'
        f"<g class=links>{''.join(lines)}</g>{''.join(signs)}{nodes}</svg>"
        f"<p class=legend>{MATCHED} a pair of segments that both alignments join, {MISSED} missed, {WRONG} wrong. "
        f"Pairs {escape(told)}.</p></div>"
    )


def draw_curves(
    x: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    *,
    x_title: str,
    at: float | None = None,
) -> str:
    """Curves of scores over a share, each with its best point.

    Args:
        x: in [0, 1], rising or falling.
        curves: by name the scores, in [0, 1] or nan.
        x_title: what x is.
        at: where to draw a line across.
    """
    left, top, width, height = 44, 12, 440, 260

    def place(share: float, score: float) -> tuple[float, float]:
        return left + width * share, top + height * (1 - score)

    drawn = []
    for tenth in range(0, 11, 2):
        share = tenth / 10
        across, up = place(share, share)
        drawn.append(
            f'<path class=grid d="M{across:.1f} {top}V{top + height}M{left} {up:.1f}H{left + width}"/>'
            f'<text x="{across:.1f}" y="{top + height + 18}" text-anchor="middle">{share}</text>'
            f'<text x="{left - 6}" y="{up + 5:.1f}" text-anchor="end">{share}</text>'
        )
    told: list[str] = []
    legend: list[str] = []
    for (name, scores), (kind, dashes) in zip(curves.items(), cycle(_LINES), strict=False):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        steps, command = [], "M"
        for share, score in zip(x, scores, strict=True):
            # No line leads across what is undefined.
            if math.isnan(score):
                command = "M"
                continue
            steps.append("{}{:.1f} {:.1f}".format(command, *place(share, score)))
            command = "L"
        drawn.append(f'<g class="{kind}"><path class=line d="{"".join(steps) or "M0 0"}"{dash}/>')
        known = [index for index, score in enumerate(scores) if not math.isnan(score)]
        if known:
            best = max(known, key=lambda index: scores[index])
            across, up = place(x[best], scores[best])
            drawn.append(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="5" fill="currentColor"/>')
            told.append(f"{name} is best at {x[best]:.2f}: {scores[best]:.4f}")
        drawn.append("</g>")
        row = top + height + 58 + 20 * (len(legend) // 2)
        column = left + 220 * (len(legend) % 2)
        legend.append(
            f'<g class="{kind}"><path class=line d="M{column} {row - 4}h34"{dash}/></g>'
            f'<text x="{column + 42}" y="{row}">{escape(name)}</text>'
        )
    if at is not None:
        across, _ = place(at, 0)
        drawn.append(f'<path class=axis stroke-width="1.5" d="M{across:.1f} {top}V{top + height}"/>')
    rows = (len(legend) + 1) // 2
    best_points = "; ".join(told) or "no score is defined"
    return (
        f'<div class=segscores><svg class=curves viewBox="0 0 500 {top + height + 50 + 20 * rows}" width="640" role="img" '
        f'aria-label="Curves; {escape(best_points, quote=True)}">'
        f'<path class=axis fill="none" d="M{left} {top}V{top + height}H{left + width}"/>{"".join(drawn)}'
        f'<text x="{left + width / 2}" y="{top + height + 36}" text-anchor="middle">{escape(x_title)}</text>'
        f"{''.join(legend)}</svg>"
        f"<p class=legend>● the best point of each: {escape(best_points)}.</p></div>"
    )


def _marked(difference: Difference) -> str:
    """The segments of an utterance with the marks between them."""
    pieces: list[str] = []
    marks = (*difference.marks, "")
    for segment, mark, found in list(zip(difference.segments, marks, difference.is_found, strict=False))[
        :SEGMENTS_DRAWN
    ]:
        pieces.append(f"<b>{_shown(segment)}</b>" if found else f"<b class=off>{_shown(segment)}</b>")
        if mark:
            pieces.append(f"<i{_CLASSES[mark]}>{mark}</i>")
    more = len(difference.segments) - SEGMENTS_DRAWN
    return "".join(pieces) + (f" … and {more:,} more segments" if more > 0 else "")


def _summary(difference: Difference) -> str:
    found, missed = len(difference.found), difference.missed
    total = found + len(missed)
    if not total:
        return "blank"
    if not missed:
        return f"all {total} words found" if total > 1 else "its word found"
    return f"{found} of {total} words found{_named('missed', missed)}{_named('wrong', difference.wrong)}"


def _named(title: str, words: Sequence[str]) -> str:
    if not words:
        return ""
    more = f" and {len(words) - WORDS_NAMED:,} more" if len(words) > WORDS_NAMED else ""
    return f"; {title}: " + ", ".join(f"<bdi>{_shown(word[:60])}</bdi>" for word in words[:WORDS_NAMED]) + more


def _place(number: int) -> str:
    return f"<span class=place>{number}</span>"


def _shown(text: str) -> str:
    """A piece of text; a combining character at its beginning gets a circle to stand on, for its own stands elsewhere."""
    circle = "◌" if unicodedata.category(text[0])[0] == "M" else ""
    return circle + escape(text)


def _breakable(key: str) -> str:
    """A score's key, that may be broken after its underscores."""
    return escape(key).replace("_", "_<wbr>")


def _number(score: float) -> str:
    return "undefined" if math.isnan(score) else f"{score:.4f}"


def _interval(ends: tuple[float, float] | None) -> str:
    return f" <span>[{_number(ends[0])}, {_number(ends[1])}]</span>" if ends else ""


def _bar(score: float) -> str:
    share = 0.0 if math.isnan(score) else min(max(score, 0.0), 1.0)
    return f'<span class=bar style="--share:{100 * share:.1f}%"></span>'


def draw_utterance(number: int, difference: Difference, note: str = "") -> str:
    """One utterance as `draw_differences` has it, an `li` for an `ol class=utterances` within a `class=segscores`.

    Args:
        number: which it is, from 1.
        difference: its two segmentations.
        note: a few words that stand before its summary.
    """
    before = f"{escape(note)}; " if note else ""
    return (
        f"<li>{_place(number)}<span dir=auto>{_marked(difference)}</span>"
        f"<small>{before}{_summary(difference)}</small></li>"
    )
