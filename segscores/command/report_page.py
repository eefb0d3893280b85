"""The page that `segmentation-scores report` writes.

Conventions
-----------
- The page is whole in itself: its policy forbids every request, and runs the one script whose digest it names.
- Whatever comes from a text or is the name of a file is escaped as it is put into markup; in the data for the script `<`, `>`
  and `&` are escapes of JSON, so that no text can end the element around it.
- Scores, tables and the first utterances are there without the script, which sorts, searches and shows the others.
- Utterances have the numbers of their lines, sentences or rows; those of several files are counted from 1, as one text, and
  the place in the file stands beside.
"""

from __future__ import annotations

__all__ = ["Prediction", "Report", "ShownUtterance", "build_page"]

import base64
import hashlib
import json
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..analysis.differences import MATCHED, MISSED, WRONG, Difference
from ..analysis.drawing import SEGMENTS_DRAWN, STYLE, WORDS_NAMED, draw_utterance
from ..analysis.error_analysis import CLASSES, ClassCounts, ErrorAnalysis, ErrorPattern, Example
from ..kernel.formulas import divide
from ..measures.group import ScoreGroup
from ..measures.registry import group_of, groups_of
from ..statistics.significance import Difference as ScoreDifference
from ..statistics.system_comparison import SystemComparison
from ..statistics.utterance_scores import goodness

#: How many utterances stand there without the script, and how many the script shows at a time.
_PAGE = 25

#: What the classes of a word are called.
_CLASS_NAMES = {
    "correct": "correct",
    "over": "over-segmented",
    "under": "under-segmented",
    "mis": "mis-segmented",
}

#: Pictures of the characters that have no look of their own, from U+2400 on.
_VISIBLE = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}

#: The looks of lines of intervals, as in drawings.
_LINES = ("one", "two", "three", "four")


@dataclass(frozen=True, order=True)
class ShownUtterance:
    """An utterance with its differences; the worst is the least.

    Attributes:
        rank: the score, less where it is worse, inf where it is undefined.
        minus_units: the number of units, negated.
        utterance: its index.
        score: nan where it is undefined.
        difference: its two segmentations.
    """

    rank: float
    minus_units: int
    utterance: int
    score: float = field(compare=False)
    difference: Difference = field(compare=False)


@dataclass(frozen=True)
class Prediction:
    """What the page tells of one prediction.

    Attributes:
        name: the end of its path, distinct.
        path: as it was given.
        scores: by key, with `<key>_low` and `<key>_high` where there are intervals.
        counts: by column.
        errors: the error analysis, of the utterances that were scored.
        places: int64, the indices of those utterances.
        shown: the utterances to be shown, in order.
    """

    name: str
    path: str
    scores: dict[str, float]
    counts: dict[str, int]
    errors: ErrorAnalysis
    places: npt.NDArray[np.int64]
    shown: Sequence[ShownUtterance]


@dataclass(frozen=True)
class Report:
    """What the page tells.

    Attributes:
        reference: the end of its path.
        reference_path: as it was given.
        noun: what an utterance is in it, such as `"line"`; `"utterance"` where it is several files.
        first_number: of the first utterance.
        where: says of the index of an utterance where it stands, if the reference is several files; None if it is one.
        utterances: how many.
        keys: of the scores.
        signature: of the scoring.
        confidence: of the intervals, None where there are none.
        predictions: at least one.
        comparison: of several predictions, None where there is none.
        worst: the score by which utterances are shown.
        top: how many errors and words a table has.
        on_mismatch: what became of utterances whose units differ.
    """

    reference: str
    reference_path: str
    noun: str
    first_number: int
    where: Callable[[int], str] | None
    utterances: int
    keys: Sequence[str]
    signature: str
    confidence: float | None
    predictions: Sequence[Prediction]
    comparison: SystemComparison | None
    worst: str
    top: int
    on_mismatch: str


def build_page(report: Report) -> str:
    """The page, a whole HTML document."""
    folder = Path(__file__).parent
    style = STYLE + (folder / "report.css").read_text("utf-8")
    script = (folder / "report.js").read_text("utf-8")
    names = [prediction.name for prediction in report.predictions]
    title = f"{_shown(', '.join(names))} against {_shown(report.reference)}"
    comparison = [_comparison_section(report, report.comparison)] if report.comparison else []
    sections = [_section(report, number, prediction) for number, prediction in enumerate(report.predictions, 1)]
    # Nothing may be asked for; the icon is empty, or a browser would ask a server for one.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{_digest(script)}'"
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title} – segmentation report</title>\n"
        '<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n<script>{script}</script>\n</head>\n"
        '<body class="segscores">\n'
        f"{_header(report, title)}\n{_contents(report)}\n<main>\n"
        f"{''.join([*comparison, *sections])}</main>\n"
        f"<footer><p>Written by segmentation-scores. This page is complete and asks nothing of any other.</p></footer>\n"
        "</body>\n</html>\n"
    )


def _digest(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _shown(text: str) -> str:
    """Text as markup, with pictures of control characters."""
    return escape(_visible(text))


def _visible(text: str) -> str:
    return text.translate(_VISIBLE)


def _word(text: str) -> str:
    """A word or words; their direction stays their own."""
    return f"<bdi class=text>{_shown(text)}</bdi>"


def _header(report: Report, title: str) -> str:
    count = f"{report.utterances:,} {report.noun}{'' if report.utterances == 1 else 's'}"
    words = int(report.predictions[0].errors.words.sum())
    facts = [
        (
            "Reference",
            f"{_word(report.reference_path)}: {count}" + ("" if report.on_mismatch == "skip" else f", {words:,} words"),
        )
    ]
    facts += [("Prediction", _word(prediction.path)) for prediction in report.predictions]
    if report.confidence is not None:
        facts.append(("Intervals", f"{100 * report.confidence:g} %, by resampling {report.noun}s"))
    facts.append(("Signature", f"<code>{_shown(report.signature)}</code>"))
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return (
        '<header><div class="head"><h1>Segmentation report</h1>'
        '<button type="button" id="theme" class="tool" aria-pressed="false">Dark</button></div>'
        f'<p class="lead">{title}</p><dl>{rows}</dl></header>'
    )


def _contents(report: Report) -> str:
    entries = ['<li><a href="#comparison">Comparison</a></li>'] if report.comparison else []
    for number, prediction in enumerate(report.predictions, 1):
        parts = "".join(
            f'<li><a href="#{part}-{number}">{name}</a></li>'
            for part, name in (("scores", "Scores"), ("errors", "Errors"), ("utterances", f"{_plural(report)}"))
        )
        entries.append(f'<li><a href="#prediction-{number}">{_word(prediction.name)}</a><ul>{parts}</ul></li>')
    return f'<nav aria-label="Contents"><ul>{"".join(entries)}</ul></nav>'


def _plural(report: Report) -> str:
    return f"{report.noun.capitalize()}s"


def _section(report: Report, number: int, prediction: Prediction) -> str:
    title = f"prediction-{number}"
    return (
        f'<section aria-labelledby="{title}"><h2 id="{title}" tabindex="-1">{_word(prediction.name)}</h2>'
        f"{_scores(report, number, prediction)}{_errors(report, number, prediction)}"
        f"{_utterances(report, number, prediction)}</section>\n"
    )


def _scores(report: Report, number: int, prediction: Prediction) -> str:
    """The scores by group, with intervals drawn from 0 to 1."""
    has_intervals = report.confidence is not None
    head = _head("Score") + _head("Value", "number") + f'<th scope="col" class="plot">{_AXIS}</th>'
    bodies = []
    for group in groups_of(report.keys):
        rows = []
        for key in group.keys:
            if key not in report.keys:
                continue
            low, high = prediction.scores.get(f"{key}_low"), prediction.scores.get(f"{key}_high")
            ends = f"<small>{_interval(low, high)}</small>" if has_intervals else ""
            rows.append(
                f'<tr><th scope="row">{_key(group, key)}</th><td class="number">{_number(prediction.scores[key])}{ends}</td>'
                f'<td class="plot">{_bar_of(group, key, prediction.scores[key], low, high)}</td></tr>'
            )
        counted = ", ".join(
            f"{column.removeprefix(group.name + '_').replace('_', ' ')} {prediction.counts[column]:,}"
            for column in group.columns
            if column in prediction.counts
        )
        small = f"<small>{_shown(counted)}</small>" if counted else ""
        bodies.append(
            f'<tbody><tr class="group"><th scope="rowgroup" colspan="3">{_shown(group.title)}{small}</th></tr>'
            f"{''.join(rows)}</tbody>"
        )
    told = ""
    if has_intervals:
        told = f"Below each value, and as a line in its bar, is its {_percent(report)} interval. "
    return (
        f'<h3 id="scores-{number}">Scores</h3><p class="legend">{told}Under each title is what was counted.</p>'
        + _region(f"Scores of {prediction.name}", f"<table><thead><tr>{head}</tr></thead>{''.join(bodies)}</table>")
    )


_AXIS = '<span class="axis"><span>0</span><span>1</span></span>'


def _percent(report: Report) -> str:
    return f"{100 * (report.confidence or 0):g} %"


def _level(report: Report) -> str:
    """The level of significance."""
    return f"{1 - (report.confidence or 0.95):.3g}"


def _key(group: ScoreGroup, key: str) -> str:
    """A score's name, that may be broken after its underscores, and which values of it are better."""
    better = group.better_of(key)
    told = {"higher": "", "lower": "<small>lower is better</small>", "near 0": "<small>best near 0</small>"}.get(
        better, ""
    )
    return escape(key).replace("_", "_<wbr>") + told


def _is_share(group: ScoreGroup, key: str) -> bool:
    return group.range_of(key) == (0.0, 1.0)


def _bar_of(group: ScoreGroup, key: str, score: float, low: float | None, high: float | None) -> str:
    """A bar from 0 to the score with its interval, for scores between 0 and 1."""
    if not _is_share(group, key) or math.isnan(score):
        return ""
    line = "" if low is None or high is None or math.isnan(low) else _line(score, low, high, "plain")
    return f'<span class="range" aria-hidden="true"><span class="full" style="width:{100 * score:.2f}%"></span>{line}</span>'


def _line(score: float, low: float, high: float, kind: str) -> str:
    """An interval as a line, with a mark at the score."""
    return (
        f'<span class="line {kind}" style="left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"></span>'
        f'<span class="mark {kind}" style="left:{100 * score:.2f}%"></span>'
    )


def _number(value: float, sign: bool = False) -> str:
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    # Counts need no decimals but those of their intervals.
    return f"{value:{'+' if sign else ''}{',.1f' if abs(value) >= 100 else '.4f'}}".replace("-", "−")


def _interval(low: float | None, high: float | None, sign: bool = False) -> str:
    if low is None or high is None or math.isnan(low):
        return "undefined"
    return f"{_number(low, sign)} to {_number(high, sign)}"


def _head(name: str, kind: str = "", sort: str = "", order: str = "") -> str:
    """A column's head.

    Args:
        name: of the column.
        kind: its class.
        sort: `"number"` or `"text"` where the script may sort by it.
        order: in which order the rows are by it, as `aria-sort` has it.
    """
    attributes = (f' class="{kind}"' if kind else "") + (f' data-sort="{sort}"' if sort else "")
    return f'<th scope="col"{attributes}{f" aria-sort={order}" if order else ""}>{_shown(name)}</th>'


def _region(label: str, table: str, *, tall: bool = False) -> str:
    """A table in a box of its own, that scrolls where the page is too narrow."""
    kind = "wide tall" if tall else "wide"
    return f'<div class="{kind}" role="group" tabindex="0" aria-label="{_shown(label)}">{table}</div>'


def _tools(table: str, label: str, *, classes: bool = False) -> str:
    """What the script searches a table by; without the script it is hidden."""
    chosen = ""
    if classes:
        options = "".join(f'<option value="{name}">{_CLASS_NAMES[name]}</option>' for name in CLASSES[1:])
        chosen = f'<label>Class <select><option value="">all</option>{options}</select></label>'
    return (
        f'<div class="tools" role="group" aria-label="{_shown(label)}" data-table="{table}">'
        f'<label>Search <input type="search" autocomplete="off" spellcheck="false"></label>{chosen}'
        f'<span role="status"></span></div>'
    )


def _errors(report: Report, number: int, prediction: Prediction) -> str:
    errors = prediction.errors
    aligned = (
        "<p>Where the units of the prediction are others, its boundaries are those that it makes on the reference's units.</p>"
        if report.on_mismatch == "align"
        else ""
    )
    parts = [
        f'<h3 id="errors-{number}">Errors</h3>'
        '<p class="legend">A reference word is over-segmented where several words are predicted in its place, under-segmented '
        "where one word is predicted for it and its neighbours, and mis-segmented where its neighbours and it are cut "
        f"elsewhere.</p>{aligned}{_class_legend()}",
        _class_table(number, errors),
        _pattern_table(report, number, prediction),
        _word_table(report, number, prediction),
        _chart(number, prediction, "Length", errors.by_length(), "Reference words by their number of units."),
        _chart(
            number,
            prediction,
            "Frequency",
            errors.by_frequency(),
            "Reference words by how often the word occurs in the reference.",
        ),
    ]
    if errors.vocabulary is not None:
        told = "Reference words in the vocabulary and out of it."
        parts.append(_chart(number, prediction, "Vocabulary", errors.by_vocabulary(), told))
    return "".join(parts)


def _class_legend() -> str:
    keys = "".join(
        f'<li><span class="stack key" aria-hidden="true"><span class="{name}"></span></span>{_CLASS_NAMES[name]}</li>'
        for name in CLASSES
    )
    return f'<ul class="keys" aria-label="Classes of words">{keys}</ul>'


def _stack(counts: Iterable[int]) -> str:
    """The shares of the classes, side by side."""
    numbers = list(counts)
    total = sum(numbers)
    parts = "".join(
        f'<span class="{name}" style="width:{100 * count / total:.2f}%"></span>'
        for name, count in zip(CLASSES, numbers, strict=True)
        if count
    )
    return f'<span class="stack" aria-hidden="true">{parts}</span>'


def _class_table(number: int, errors: ErrorAnalysis) -> str:
    words = errors.words.tolist()
    shares = np.atleast_1d(divide(errors.words, int(errors.words.sum()), errors.zero_division)).tolist()
    rows = "".join(
        f'<tr><th scope="row">{_CLASS_NAMES[name]}</th><td class="number">{count:,}</td>'
        f'<td class="number">{_share(share)}</td><td class="number">{chunks:,}</td></tr>'
        for name, count, share, chunks in zip(CLASSES, words, shares, errors.chunks.tolist(), strict=True)
    )
    head = _head("Class") + "".join(_head(name, "number") for name in ("Words", "Share", "Errors"))
    head = head.replace("Errors", "Places")
    return (
        f'<h4 id="classes-{number}">Words by class</h4>{_stack(words)}'
        f'<table class="narrow"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _share(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{100 * share:.1f} %"


def _pattern_table(report: Report, number: int, prediction: Prediction) -> str:
    """The most frequent errors, with examples in context."""
    patterns = prediction.errors.errors(report.top)
    title = f'<h4 id="patterns-{number}">Most frequent errors</h4>'
    if not patterns:
        return f"{title}<p>There are none.</p>" if report.top else ""
    shown = {shown.utterance for shown in prediction.shown}
    rows = "".join(_pattern_row(report, number, prediction, pattern, shown) for pattern in patterns)
    head = (
        _head("Reference", sort="text")
        + _head("Prediction", sort="text")
        + _head("Places", "number", "number", "descending")
        + _head("Class", sort="text")
        + _head("Examples", "wider")
    )
    table = (
        f'<table class="sortable patterns" id="patterns-table-{number}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    total = int(prediction.errors.chunks[1:].sum())
    told = f"{total:,} places in all; a place is what lies between two boundaries that both sides have."
    if len(patterns) == report.top:
        told += f" The table has the {report.top:,} most frequent errors."
    return (
        f'{title}<p class="legend">{told}</p>'
        + _tools(f"patterns-table-{number}", f"Search the errors of {prediction.name}", classes=True)
        + _region(f"Most frequent errors of {prediction.name}", table, tall=True)
    )


def _pattern_row(
    report: Report, number: int, prediction: Prediction, pattern: ErrorPattern, shown: Collection[int]
) -> str:
    sides = "".join(
        f"<td>{_word(_join(words, prediction.errors))}</td>" for words in (pattern.reference, pattern.prediction)
    )
    examples = []
    for example in pattern.examples:
        index = int(prediction.places[example.utterance])
        place = _place(report, number, index, is_shown=index in shown)
        examples.append(_example(prediction, pattern, example, place))
    return (
        f'<tr data-class="{pattern.kind}">{sides}<td class="number">{pattern.count:,}</td>'
        f'<td>{_CLASS_NAMES[pattern.kind]}</td><td><ul class="examples">{"".join(examples)}</ul></td></tr>'
    )


def _place(report: Report, number: int, index: int, *, is_shown: bool) -> str:
    """Where an utterance stands, with a link to it where it is on the page."""
    name = index + report.first_number
    place = _shown(report.where(index)) if report.where else f"{report.noun} {name}"
    return f'<a href="#utterances-{number}" data-go="{name}">{place}</a>' if is_shown else place


def _example(prediction: Prediction, pattern: ErrorPattern, example: Example, place: str) -> str:
    """Where an error stands, with the words around it."""
    joint = _joint(prediction.errors)
    before, error, after = (
        _shown(_join(words, prediction.errors)) for words in (example.before, pattern.reference, example.after)
    )
    before, after = (before + joint if before else ""), (joint + after if after else "")
    return f'<li>{place}: <bdi class="text">{before}<mark>{error}</mark>{after}</bdi></li>'


def _joint(errors: ErrorAnalysis) -> str:
    """What stands between two words. Those of units text have spaces in them."""
    return " | " if errors.unit == "token" else " "


def _join(words: Sequence[str], errors: ErrorAnalysis) -> str:
    return _joint(errors).join(words)


def _word_table(report: Report, number: int, prediction: Prediction) -> str:
    """The words that went wrong most often, by class."""
    rows = [row for row in prediction.errors.word_types(report.top) if row.correct < row.words]
    title = f'<h4 id="words-{number}">Words that went wrong most often</h4>'
    if not rows:
        return f"{title}<p>There are none.</p>" if report.top else ""
    return (
        title
        + _tools(f"words-table-{number}", f"Search the words of {prediction.name}")
        + _region(
            f"Words of {prediction.name} by class",
            _count_table("Word", rows, f"words-table-{number}", names_are_words=True),
            tall=True,
        )
    )


def _chart(number: int, prediction: Prediction, column: str, rows: Sequence[ClassCounts], told: str) -> str:
    """Counts by class as bars and numbers."""
    if not rows:
        return ""
    name = column.lower()
    return f'<h4 id="{name}-{number}">Words by {name}</h4><p class="legend">{told}</p>' + _region(
        f"Words of {prediction.name} by {name}", _count_table(column, rows, f"{name}-table-{number}"), tall=True
    )


def _count_table(column: str, rows: Sequence[ClassCounts], name: str, *, names_are_words: bool = False) -> str:
    head = (
        _head(column, sort="text", order="" if names_are_words else "ascending")
        + '<th scope="col" class="plot">Shares</th>'
        + _head("Words", "number", "number")
        + _head("Correct", "number", "number")
        + "".join(_head(kind.capitalize(), "number", "number") for kind in CLASSES[1:])
        + _head("Recall", "number", "number")
    )
    body = "".join(
        f'<tr><th scope="row">{_word(row.name) if names_are_words else _shown(row.name.replace("-", "–"))}</th>'
        f'<td class="plot">{_stack((row.correct, row.over, row.under, row.mis)) if row.words else ""}</td>'
        + "".join(
            f'<td class="number">{count:,}</td>' for count in (row.words, row.correct, row.over, row.under, row.mis)
        )
        + f'<td class="number">{_share(row.recall)}</td></tr>'
        for row in rows
    )
    return f'<table class="sortable counts" id="{name}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _utterances(report: Report, number: int, prediction: Prediction) -> str:
    """The utterances as both sides cut them: the first as markup, all as data for the script."""
    shown = prediction.shown
    title = f'<h3 id="utterances-{number}">{_plural(report)}</h3>'
    if not shown:
        return title + "<p>There are none to be shown.</p>"
    all_shown = len(shown) == report.utterances
    told = (
        f"All {report.utterances:,} {report.noun}s are here"
        if all_shown
        else f"Of {report.utterances:,} {report.noun}s {len(shown):,} are here"
    )
    items = "".join(
        draw_utterance(each.utterance + report.first_number, _visible_difference(each.difference), _note(report, each))
        for each in shown[:_PAGE]
    )
    data = {
        "noun": report.noun,
        "first": report.first_number,
        "total": report.utterances,
        "score": report.worst,
        "separator": shown[0].difference.separator,
        "page": _PAGE,
        "segmentsDrawn": SEGMENTS_DRAWN,
        "wordsNamed": WORDS_NAMED,
        "rows": [
            [
                each.utterance + report.first_number,
                _score(each.score),
                list(map(_visible, each.difference.segments)),
                "".join(each.difference.marks),
                *([_visible(report.where(each.utterance))] if report.where else []),
            ]
            for each in shown
        ],
    }
    noun = report.noun
    bounds = f'min="{report.first_number}" max="{report.first_number + report.utterances - 1}"'
    return (
        f'{title}<p class="legend">{told}, those with the worst {escape(report.worst)} first. '
        f"<i>{MATCHED}</i> both have the boundary, "
        f"<i class=missed>{MISSED}</i> the prediction misses it, <i class=wrong>{WRONG}</i> the prediction has it wrongly. "
        f"<b>Lines</b> above and below: a word of both. <b class=off>Dashes</b> above: a missed word of the reference; dots "
        f"below: a wrong word of the prediction.</p>"
        f'<div class="viewer" data-source="data-{number}">'
        f'<form class="tools" role="search" novalidate aria-label="{_shown(f"Search the {noun}s of {prediction.name}")}">'
        '<label>Search <input type="search" class="query" autocomplete="off" spellcheck="false"></label>'
        f'<label>Order <select class="order"><option value="worst">worst first</option>'
        f'<option value="text">as in the text</option></select></label>'
        f'<label>Go to {noun} <input type="number" class="go" {bounds} inputmode="numeric"></label>'
        '<button type="submit">Go</button></form>'
        f'<p class="status" role="status">The first {len(shown[:_PAGE]):,} of them.</p>'
        f'<ol class="utterances" tabindex="0" aria-label="{_shown(f"{_plural(report)} of {prediction.name}")}">{items}</ol>'
        '<p class="tools pages"><button type="button" class="before">Previous</button>'
        '<button type="button" class="next">Next</button></p></div>'
        f'<script type="application/json" id="data-{number}">{_json(data)}</script>'
    )


def _visible_difference(difference: Difference) -> Difference:
    return Difference(tuple(map(_visible, difference.segments)), difference.marks, difference.separator)


def _note(report: Report, shown: ShownUtterance) -> str:
    place = f"{_visible(report.where(shown.utterance))}; " if report.where else ""
    return f"{place}{report.worst} {_score(shown.score)}"


def _score(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.2f}"


def _json(data: Any) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _comparison_section(report: Report, comparison: SystemComparison) -> str:
    return (
        '<section aria-labelledby="comparison"><h2 id="comparison" tabindex="-1">Comparison</h2>'
        f"{_verdicts(report, comparison)}{_system_table(report, comparison)}{_difference_table(report, comparison)}"
        "</section>\n"
    )


def _verdict(report: Report, key: str, found: ScoreDifference) -> str:
    """What the randomisation test says of a score."""
    p_value = found.p_randomisation_holm
    if math.isnan(p_value):
        return "undefined"
    if p_value >= 1 - (report.confidence or 0.95):
        return "not told apart"
    good = goodness(key, np.array([found.score, found.baseline_score]))
    if good is None:
        return "higher" if found.difference > 0 else "lower"
    return "better" if good[0] > good[1] else "worse"


def _verdicts(report: Report, comparison: SystemComparison) -> str:
    """A line for each system on how many scores are better and worse."""
    rows = []
    for name, found in comparison.differences.items():
        verdicts = [_verdict(report, key, difference) for key, difference in found.items()]
        counted = [
            f"{verdict} in {verdicts.count(verdict)}"
            for verdict in ("better", "worse", "higher", "lower", "not told apart", "undefined")
            if verdict in verdicts
        ]
        rows.append(
            f"<li>{_word(name)} against {_word(comparison.baseline)}: {', '.join(counted)} of {len(verdicts)} scores.</li>"
        )
    return f'<ul class="verdicts">{"".join(rows)}</ul>'


_BEST = '<span class="best">★<span class="heard"> best</span></span>'
_NO_STAR = '<span class="best"></span>'
_NOT_WORSE = '<span class="best">†<span class="heard"> not significantly worse than the best</span></span>'


def _system_table(report: Report, comparison: SystemComparison) -> str:
    """The scores of all systems, a column each, with their intervals drawn."""
    kinds = {name: _LINES[index % len(_LINES)] for index, name in enumerate(comparison.scores)}
    head = _head("Score") + "".join(
        f'<th scope="col" class="number starred"><span class="sample {kinds[name]}" aria-hidden="true"></span>{_word(name)}</th>'
        for name in comparison.scores
    )
    head += f'<th scope="col" class="plot">{_AXIS}</th>'
    rows = []
    for key in comparison.scores[comparison.baseline]:
        group, best = group_of(key), comparison.best(key)
        value = comparison.scores[best][key] if best else math.nan
        cells, lines = [], []
        for name, scores in comparison.scores.items():
            low, high = comparison.intervals[name][key]
            star = _BEST if scores[key] == value else _NOT_WORSE if name in comparison.not_worse(key) else _NO_STAR
            cells.append(
                f'<td class="number starred">{_number(scores[key])}{star}<small>{_interval(low, high)}</small></td>'
            )
            if _is_share(group, key) and not math.isnan(low):
                lines.append(f'<span class="range slim">{_line(scores[key], low, high, kinds[name])}</span>')
        drawn = f'<span aria-hidden="true">{"".join(lines)}</span>'
        rows.append(f'<tr><th scope="row">{_key(group, key)}</th>{"".join(cells)}<td class="plot">{drawn}</td></tr>')
    return (
        '<h3 id="systems">Scores of all predictions</h3>'
        f'<p class="legend">Below each value, and as a line, its {_percent(report)} interval. ★ the best value, † not '
        f"significantly worse than that (p &gt; {_level(report)}).</p>"
        + _region(
            "Scores of all predictions",
            f"<table class=systems><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
        )
    )


def _difference_table(report: Report, comparison: SystemComparison) -> str:
    """The differences from the baseline, with intervals and p-values."""
    several = len(comparison.differences) > 1
    rows = []
    for name, found in comparison.differences.items():
        for key, difference in found.items():
            verdict = _verdict(report, key, difference)
            rows.append(
                f'<tr><th scope="row">{escape(key).replace("_", "_<wbr>")}</th>{f"<td>{_word(name)}</td>" if several else ""}'
                f'<td class="number">{_number(difference.difference, sign=True)}'
                f"<small>{_interval(difference.low, difference.high, sign=True)}</small></td>"
                f'<td><span class="verdict {verdict.split()[0]}">{verdict}</span></td>'
                f'<td class="number">{_p_value(difference.p_randomisation_holm)}</td>'
                f'<td class="number">{_p_value(difference.p_bootstrap_holm)}</td></tr>'
            )
    head = (
        _head("Score", sort="text")
        + (_head("Prediction", sort="text") if several else "")
        + _head("Difference", "number", "number")
        + _head("Verdict", sort="text")
        + _head("p, randomisation", "number", "number")
        + _head("p, bootstrap", "number", "number")
    )
    corrected = ", corrected for several predictions by Holm's method" if several else ""
    skipped = (
        f" Differences are of those {report.noun}s that no prediction leaves out."
        if report.on_mismatch == "skip"
        else ""
    )
    table = (
        f'<table class="sortable" id="differences"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )
    level = _level(report)
    others = "" if several else f"of {_word(next(iter(comparison.differences)))} "
    return (
        f"<h3>Differences {others}from {_word(comparison.baseline)}</h3>"
        f'<p class="legend">Below each difference its {_percent(report)} interval. The p-values are of paired '
        f"approximate randomisation and of the paired bootstrap, two-sided{corrected}; the verdict is that of the first, at p "
        f"&lt; {level}.{skipped}</p>"
        + _tools("differences", "Search the differences")
        + _region(f"Differences from {comparison.baseline}", table)
    )


def _p_value(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}" if value >= 0.001 else f"{value:.2g}"
