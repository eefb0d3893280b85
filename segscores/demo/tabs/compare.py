"""Compare: the scores of several systems on one text, which is best, what is chance, and where they differ most."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

import numpy as np
from markupsafe import Markup

from ...analysis.differences import Difference, differences_of
from ...analysis.drawing import draw_differences
from ...kernel.comparison import compare_segmentations
from ...kernel.mismatch import project_boundaries
from ...kernel.segmentation import select_utterances
from ...measures.registry import DEFAULT_SCORES, goodness, group_of, heading_of, is_share, select_scores
from ...options.keywords import ComputeOptions, ScoringOptions
from ...options.requests import Request, command_line, python_call
from ...options.table import options_in
from ...options.tasks import COMMANDS
from ...report.page import Report
from ...results.rendering import render
from ...results.result import Result
from ...results.scored import Scored
from ...scoring.options import Plan
from ...sources.fold import fold
from ...sources.names import Files, is_json
from ...sources.parts import Part
from ...sources.passes import with_window_size
from ...sources.sides import sides_of
from ...statistics.clusters import MIN_CLUSTERS
from ...statistics.comparison_results import SystemComparison
from ...statistics.signing import sign_comparison
from ...statistics.system_comparison import compare, describe_few_trials
from ...statistics.utterance_scores import per_utterance
from ..boxes import Box, BoxError, Inputs, columns_of
from ..examples import SYSTEMS
from ..reports import of_files, report_of
from ..tab import Tab, templates
from ..takeaway import code_of
from .score import TAB as SCORE

#: The letters of the boxes: as many systems as the page compares.
LETTERS = "ABCDEFGHIJ"
_LONGEST_NAME, _DRAWN = 60, 20
#: The classes of the lines of systems, as in the report.
LINES = ("one", "two", "three", "four")


class CompareTab(Tab):
    """The tab: its boxes are as many as are filled, and each has the name of a system."""

    def read(self, values: Mapping[str, str]) -> Inputs | None:
        """The reference and the systems, whose files have the names of the systems; None while there are fewer than two."""
        given = {box.name: values.get(f"{box.name}.name", "").strip() for box in self.boxes if box.is_named}
        named = {f"{box}.file": f"{name}.txt" for box, name in given.items() if name and not values.get(f"{box}.file")}
        inputs = super().read({**values, **named})
        if inputs is None:
            return None
        reference, *systems = inputs.files.items()
        if systems:
            names = [
                (box, given[box] or (inputs.paths[box] if values.get(f"{box}.file") else box[-1].upper()))
                for box, _ in systems
            ]
            for at, (box, name) in enumerate(names):
                if name in dict(names[:at]).values():
                    raise BoxError(box, f"two systems have the name {name!r}: give them different names.")
                if len(name) > _LONGEST_NAME and given[box]:
                    raise BoxError(box, f"the name has {len(name):,} characters: expected up to {_LONGEST_NAME}.")
            files = {box: replace(inputs.files[box], name=name) for box, name in names}
        else:
            files = _columns(reference[1], inputs.contents["reference"])
        keys = select_scores(inputs.given.get("scores", DEFAULT_SCORES), words_known=True)
        by = next((key for key in (values.get("by", ""), "token_fscore") if key in keys), "")
        given_by = {"decide_by": by} if by else {}
        both = dict([reference, *files.items()])
        return replace(inputs, files=both, given={**inputs.given, **given_by}) if len(files) > 1 else None


def _columns(table: Files, content: bytes) -> dict[str, Files]:
    """The systems of a table that has the reference too: its other columns."""
    others = [name for name in columns_of(content) if name != table.column] if is_json(table.paths[0]) else []
    return {name: replace(table, name=name, column=name, given="") for name in others[: len(LETTERS)]}


def compared(inputs: Inputs) -> SystemComparison:
    """The comparison of the systems."""
    reference, *systems = inputs.files.values()
    inputs.check_resampling(len(systems), inputs.given.get("n_trials", 1000))
    return compare(reference, {each.name: each for each in systems}, **inputs.options)


def show(inputs: Inputs) -> str:
    """The results as HTML."""
    found = compared(inputs)
    by = found.decide_by
    ends = {key: [*zip(*(found.intervals[name][key] for name in found.scores), strict=True)] for key in found.keys}
    scales = {
        key: _scale([*chain(*ends[key]), *(scores[key] for scores in found.scores.values())]) for key in found.keys
    }
    good = goodness(by, np.array([scores[by] for scores in found.scores.values()]))
    order = (
        np.argsort(-np.nan_to_num(good, nan=-math.inf), kind="stable") if good is not None else range(len(found.scores))
    )
    differ, drawn = _differences(inputs, by)
    return (
        templates()
        .get_template("compare.html")
        .render(
            found=found,
            by=by,
            keys=[by, *(key for key in found.keys if key != by)],
            standings=[found.standing(by, list(found.scores)[at]) for at in order],
            better=group_of(by).better_of(by),
            scales=scales,
            place=lambda key, value: (value - scales[key][0]) / (scales[key][1] - scales[key][0]),
            heading=heading_of,
            kinds={name: LINES[at % len(LINES)] for at, name in enumerate(found.scores)},
            undefined=[name for name in found.scores if found.is_undefined(by, name)],
            level=f"{1 - found.confidence:.3g}",
            percent=f"{100 * found.confidence:g} %",
            caution=describe_few_trials(found),
            few=MIN_CLUSTERS,
            table=Markup(render(found.result(), "html")),
            signature=signature_of(inputs, found),
            differ=differ,
            drawn=Markup(drawn),
        )
    )


def _scale(values: list[float]) -> tuple[float, float]:
    known = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _differences(inputs: Inputs, by: str) -> tuple[int, str]:
    """How many utterances have different scores, and those that differ most, as each system segments them."""
    reference, *systems = inputs.files.values()
    options = {name: value for name, value in inputs.options.items() if name in options_in(ScoringOptions)}
    options |= {"scores": (group_of(by).name,), "zero_division": math.nan}
    rows = [{int(row["utterance"]): row[by] for row in per_utterance(reference, each, **options)} for each in systems]
    common = sorted(set(rows[0]).intersection(*rows))
    # A score is undefined where neither side has anything to count: nothing is wrong there.
    scores = np.array([[row[utterance] for row in rows] for utterance in common], np.float64).reshape(len(common), -1)
    spreads = np.ptp(np.where(np.isnan(scores), 1.0, scores), axis=1)
    worst = [int(at) for at in np.argsort(-spreads, kind="stable")[:_DRAWN] if spreads[at] > 0]
    chosen = [common[at] for at in worst]
    plan = Plan.of(**options)
    sides = sides_of(plan.reading, reference, *systems)
    plan, _ = with_window_size(sides[0], plan)

    def draw(part: Part) -> list[tuple[Difference, ...]]:
        is_here = np.isin(np.arange(part.first, part.first + part.count), chosen)
        drawn = []
        for at in range(1, len(sides)):
            both = part.compare(at, plan)
            projected = project_boundaries(both.comparison)
            kept = is_here if both.kept is None else is_here[both.kept]
            chosen_sides = (select_utterances(side, kept) for side in (projected.reference, projected.prediction))
            drawn.append([*differences_of(compare_segmentations(*chosen_sides))])
        return list(zip(*drawn, strict=True))

    found = dict(zip(sorted(chosen), chain.from_iterable(fold(sides, draw)), strict=True))
    titles = [
        f"{each.name}: {heading_of(by)} {score:.4f}"
        for at in worst
        for each, score in zip(systems, scores[at], strict=True)
    ]
    numbers = [1 + utterance for utterance in chosen for _ in systems]
    drawn = draw_differences([one for utterance in chosen for one in found[utterance]], numbers=numbers, titles=titles)
    return int((spreads > 0).sum()), drawn if chosen else ""


def signature_of(inputs: Inputs, found: SystemComparison) -> str:
    """The signature that the command prints."""
    options = {name: value for name, value in inputs.options.items() if name in options_in(ComputeOptions)}
    return of_files(inputs, sign_comparison(inputs.files["reference"], found, **{"confidence": 0.95, **options}))


def result(inputs: Inputs) -> Result:
    """The result of the command."""
    found = compared(inputs)
    paths = {each.name: each.given for each in inputs.files.values()}
    predictions = [
        Scored(name, scores, {}, found.intervals[name], paths[name], found.undefined[name]).record()
        for name, scores in found.scores.items()
    ]
    record = {"reference": inputs.paths["reference"], "predictions": predictions, **found.to_dict()}
    return replace(found.result(), record=record, signature=signature_of(inputs, found))


def picture(inputs: Inputs) -> str:
    """The scores from 0 to 1 with their intervals as dots, as an SVG."""
    found = compared(inputs)
    keys = [key for key in found.keys if is_share(key) and group_of(key).range_of(key) == (0.0, 1.0)]
    return templates().get_template("compare.svg").render(found=found, keys=keys, heading=heading_of)


def report(inputs: Inputs) -> Report:
    """The report, with the baseline first."""
    reference, *systems = inputs.files.items()
    systems.sort(key=lambda item: item[1].name != inputs.given.get("baseline"))
    given = {name: value for name, value in inputs.given.items() if name not in ("baseline", "decide_by", "margin")}
    ordered = replace(inputs, files=dict([reference, *systems]), given={"confidence": 0.95, **given})
    return report_of(ordered, [each.name for _, each in systems])


def lines(inputs: Inputs) -> dict[str, str]:
    """The commands and the Python code that compute the same."""
    reference, *systems = inputs.files.values()
    is_one_table = all(each.paths == reference.paths for each in systems)
    given = {**inputs.columns(), **inputs.given}
    columns = given.get("columns", ())[1:]
    files = [] if is_one_table else [_argument(each) for each in systems]
    named = {"reference": reference.paths[0], "predictions": files}
    of_report = {
        name: value for name, value in given.items() if name not in ("baseline", "decide_by", "margin", "n_trials")
    }
    commands = {
        "Command": command_line(Request(COMMANDS["compare"], named, given)),
        "Command for the report": command_line(
            Request(COMMANDS["report"], named, {**of_report, "output": "report.html"})
        ),
    }
    if not is_one_table and len(columns) > 1:
        commands = {"Command": f"# None: it reads one column of all predictions, and these are {', '.join(columns)}."}
    code = {box: code_of(inputs, box) for box in inputs.files}
    passed = "".join(f"        {each.name!r}: {code[box]},\n" for box, each in [*inputs.files.items()][1:])
    call = python_call("compare", {"references": code["reference"], "systems": f"{{\n{passed}    }}"}, inputs.options)
    imports = "import pathlib\n\n" if any("pathlib" in each for each in code.values()) else ""
    return {**commands, "Python": f"{imports}import segscores\n\nfound = {call}\nprint(found)"}


def _argument(system: Files) -> str:
    """The prediction as the command takes it, with its name if the path does not say it."""
    path = system.paths[0]
    return path if path == system.name or re.search(r"[=/*?\[\]]", system.name) else f"{system.name}={path}"


TAB = CompareTab(
    "compare",
    "Compare",
    (
        Box("reference", "Reference", "One utterance a line; or JSON lines with a column for each system too.", ("reference",)),
        *(Box(f"prediction_{letter.lower()}", f"Prediction {letter}", "The same text as a system segments it.", ("prediction",),
              is_required=False, is_named=True) for letter in LETTERS),
    ),
    show,
    task="compare",
    waits_for="the reference and two predictions",
    visible=("scores", "baseline", "margin", "confidence", "n_trials"),
    controls=SCORE.controls,
    groups=SCORE.groups,
    examples={"Three segmenters": {"reference": SYSTEMS[0]} | {
        key: value for letter, (name, text) in zip("abc", SYSTEMS[1].items(), strict=True)
        for key, value in ((f"prediction_{letter}", text), (f"prediction_{letter}.name", name))}},
    result=result,
    picture=picture,
    report=report,
    lines=lines,
    fields="compare_fields.html",
    lead="Which system is best, and is the difference more than chance? Give the predictions of two to ten systems for one text; "
    "several files can be dropped at once.",
)  # fmt: skip
