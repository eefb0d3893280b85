"""Surfaces: the ways in which users score two sides, each as a function of a case; and what each of them cannot do.

A case is an input with options, and what every surface makes of it: scores, which come from `naive` or from arithmetic by hand,
or an error, whose words and place the case gives. `cases.py` and `test_bad_inputs.py` have the cases.

To add a case, add an entry to a table of these modules. If a surface cannot have it, the surface's `excluded` says why; a reason
that fits no case fails a test.

Every surface must have every option of scoring, but for those that it `lacks`, each with a reason (`test_conformance.py`).
"""

import contextlib
import html
import io
import json
import math
import re
import shlex
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, signature
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pytest

import segscores
from segscores.apps.command.main import main
from segscores.apps.demo.answers import answer, export
from segscores.apps.demo.tab import WITHOUT_CONTROL
from segscores.apps.demo.tabs import TABS
from segscores.options.class_kinds import WORD_CLASSES
from segscores.options.file_kinds import File
from segscores.options.keywords import DatasetOptions, ScoringOptions, TrainerOptions
from segscores.options.table import OPTIONS, options_in
from segscores.options.tasks import COMMANDS, NOT_OF_FILES, Request, command_line

from .case import Case, Scores, Setting
from .evaluate_alone import evaluate

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Surface:
    """A way to score."""

    #: gives the scores and the warnings of a case, or raises its error; the folder is empty
    run: Callable[[Case, Path], tuple[Scores, list[str]]]
    options: Collection[str]  #: the names of the options that it has, as the package says
    #: the reason by the name of each option of `EVERY` that it does not have; cases with such an option are not run
    lacks: Mapping[str, str] = field(default_factory=dict)
    #: the advice on an option that is missing
    add: str = "add it to the option set of the function (OPTION_SETS in segscores/options/table.py)"
    #: for each reason, whether it excludes a case
    excluded: Mapping[str, Callable[[Case], bool]] = field(default_factory=dict)
    #: writes an utterance of a side, from 0, as messages do
    place: Callable[[int, str], str] = lambda utterance, side: f"{side}, utterance {utterance}"
    #: writes an option as messages do
    setting: Callable[[Setting], str] = lambda option: (
        option.name if option.value is None else f"{option.name}={json.dumps(option.value)}"
    )
    is_python: bool = True  #: whether arguments are values of Python, and not files or fields
    warns: bool = True  #: whether warnings reach the user; a page shows what they say in its own words
    digits: int | None = None  #: the number of decimals of its scores; None if it gives all

    def reason(self, case: Case) -> str | None:
        """Return why the surface does not run a case; None if it does."""
        for reason, excludes in self.excluded.items():
            if excludes(case):
                return reason
        for name in case.options:
            if name in self.lacks:
                return self.lacks[name]
        return None

    def words(self, case: Case) -> list[str]:
        """Return what stands in the message of a case's error."""
        words = []
        for word in case.words:
            option = Setting(word) if isinstance(word, str) and word in OPTIONS else word
            words.append(self.setting(option) if isinstance(option, Setting) else option)
        return words if case.utterance is None else [*words, self.place(case.utterance, case.side).removeprefix(", ")]


def _calls(function: Callable[[Case], Scores]) -> Callable[[Case, Path], tuple[Scores, list[str]]]:
    def run(case: Case, folder: Path) -> tuple[Scores, list[str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            scores = function(case)
        return scores, [str(warning.message) for warning in caught]

    return run


def _score(case: Case) -> Scores:
    return segscores.score(case.references, case.predictions, **case.options)


def _score_tuples(case: Case) -> Scores:
    """Small lists are counted at once, tuples in pieces as everything else."""
    return segscores.score(tuple(case.references), tuple(case.predictions), **case.options)


@cache
def metric() -> Any:
    """The metric from the local file; one for all, so that what an error leaves behind would show in the next case."""
    return evaluate.load(str(ROOT / "segmentation_scores.py"), keep_in_memory=True)


def _compute(case: Case) -> Scores:
    found: Scores = metric().compute(references=case.references, predictions=case.predictions, **case.options)
    return found


def _compute_added(case: Case) -> Scores:
    """In two batches and a pair."""
    masked = {name: case.options[name] for name in case.options if name == "ignore_index"}
    try:
        for part in (slice(0, 2), slice(3, None)):
            metric().add_batch(references=case.references[part], predictions=case.predictions[part], **masked)
            if len(case.references) > 2 and not part.start:
                metric().add(reference=case.references[2], prediction=case.predictions[2], **masked)
        found: Scores = metric().compute(**{name: case.options[name] for name in case.options.keys() - masked.keys()})
    finally:
        metric().reset()
    return found


def _add_tallies(case: Case) -> Scores:
    """Counted in three parts, written as JSON and added up; a part of an error would have another number."""
    parts = [slice(None)] if case.error else [slice(0, 1), slice(1, 4), slice(4, None)]
    sides = [(case.references[part], case.predictions[part]) for part in parts if case.references[part]]
    tallies = [segscores.tally(*pair, **case.options) for pair in sides]
    return sum(segscores.CorpusTally.from_json(each.to_json()) for each in tallies).scores()  # type: ignore[union-attr]


def _score_subset(case: Case) -> Scores:
    """A subset that has all utterances; bad sides are rejected before the values are read."""
    values = ["all"] * (len(case.references) if isinstance(case.references, list) else 0)
    found = segscores.score_by(case.references, case.predictions, values, **case.options)
    return found.scores["prediction"]["all"]


def _compare(case: Case) -> Scores:
    found = segscores.compare(case.references, {"one": case.predictions, "other": case.predictions}, **case.options)
    intervals = found.intervals["other"] if "confidence" in case.options else {}
    return _with_ends(
        found.scores["other"], {key: {"low": low, "high": high} for key, (low, high) in intervals.items()}
    )


def _with_ends(scores: Mapping[str, Any], intervals: Mapping[str, Any]) -> Scores:
    """As Python gives them: each score with its ends behind it; null in JSON is nan."""
    flat = {}
    for key, score in scores.items():
        flat[key] = score
        for end in ("low", "high") if key in intervals else ():
            flat[f"{key}_{end}"] = intervals[key][end] if intervals[key] else None
    return {key: math.nan if value is None else value for key, value in flat.items()}


def _table(case: Case) -> pa.Table | None:
    """The case as a table; None if a column cannot hold a side."""
    columns = {"reference": case.references, "prediction": case.predictions, "document": case.options.get("clusters")}
    if not all(isinstance(column, list) for column in (case.references, case.predictions)):
        return None
    try:
        return pa.table({name: pa.array(column) for name, column in columns.items() if column is not None})
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _score_dataset(case: Case) -> Scores:
    options = {**case.options, **({"clusters": "document"} if "clusters" in case.options else {})}
    return segscores.score_dataset(datasets.Dataset(_table(case)), batch_size=3, **options)


def _score_dataframe(case: Case) -> Scores:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    assert session is not None
    kind = {"text": "string", "lists": "array<string>", "tags": "array<string>", "labels": "array<int>"}[case.kind]
    rows = [*zip(case.references, case.predictions, strict=True)]
    frame = session.createDataFrame(rows, f"reference {kind}, prediction {kind}").coalesce(1)
    return segscores.score_dataframe(frame, **case.options)


class _Letters:
    """A tokenizer whose ids are the numbers of characters."""

    pad_token_id = 0

    @staticmethod
    def batch_decode(rows: Sequence[Sequence[int]], **_: Any) -> list[str]:
        return ["".join(map(chr, filter(None, row))) for row in rows]


def _train(case: Case) -> Scores:
    """The arrays that a Trainer passes: class ids, or ids of generated text."""
    sides = [[list(map(ord, each)) if isinstance(each, str) else each for each in side] for side in
             (case.predictions, case.references)]  # fmt: skip
    longest = max(map(len, chain(*sides)))
    arrays = [np.array([[*row, *[-100] * (longest - len(row))] for row in side]) for side in sides]
    how = {} if case.kind == "labels" else {"text_format": "units", "units": "text", "processing_class": _Letters()}
    found = segscores.as_compute_metrics(**{**how, **case.options})(tuple(arrays))
    assert found.pop("mismatched", 0.0) == 0.0
    return found


_COMMAND, _REPORT = COMMANDS["score"].options, COMMANDS["report"].options


def command_options(case: Case, folder: Path) -> dict[str, Any]:
    """The options as a command line has them: lists are files, and the two formats are one flag."""
    given = {name: value for name, value in case.options.items() if not name.endswith("_format")}
    form = case.options.get("text_format", "units")
    if case.kind == "text":
        given["text_format"] = (case.options.get("reference_format", form), case.options.get("prediction_format", form))
    lists = {"dictionary", "acceptable", "vocabulary", "clusters"}
    if not WORD_CLASSES.keys() >= {*given.get("ignore_words", ())}:
        lists.add("ignore_words")
    for name in given.keys() & lists:
        given[name] = File(write_lines(folder / f"{name}.txt", [str(value) for value in given[name]]))
    return given


def write_lines(path: str | Path, lines: Iterable[str]) -> str:
    """A file of these lines."""
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return str(path)


def _files(case: Case, folder: Path) -> list[str]:
    end = "\n" if case.options.get("documents") else ""
    sides = [[f"{utterance}{end}" for utterance in side] for side in (case.references, case.predictions)]
    return [write_lines(folder / name, side) for name, side in zip(("r.txt", "p.txt"), sides, strict=True)]


def run_command(task: str, paths: Sequence[str], given: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return what the command prints in this process; its message is an error."""
    line = command_line(Request(COMMANDS[task], {"files": paths}, given))
    output, messages = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(messages), warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        status = main(shlex.split(line)[1:])
    if status:
        assert (status, output.getvalue()) == (2, "")
        raise ValueError(messages.getvalue())
    return output.getvalue(), messages.getvalue().splitlines()


def _run_score(paths: Sequence[str], given: Mapping[str, Any]) -> tuple[Scores, list[str]]:
    output, messages = run_command("score", paths, {**given, "format": "json"})
    (found,) = json.loads(output)["predictions"]
    return _with_ends(found["scores"], found.get("intervals", {})), messages


def _run_on_text(case: Case, folder: Path) -> tuple[Scores, list[str]]:
    return _run_score(_files(case, folder), command_options(case, folder))


def _run_on_table(case: Case, folder: Path) -> tuple[Scores, list[str]]:
    rows = [
        {"reference": left, "prediction": right} for left, right in zip(case.references, case.predictions, strict=True)
    ]
    return _run_score([write_lines(folder / "t.jsonl", list(map(json.dumps, rows)))], command_options(case, folder))


def _run_report(case: Case, folder: Path) -> tuple[Scores, list[str]]:
    """The values that the page shows."""
    path = folder / "report.html"
    given = {"confidence": None, **command_options(case, folder), "output": str(path)}
    messages = run_command("report", _files(case, folder), given)[1]
    scores: dict[str, Any] = {}
    intervals: dict[str, Any] = {}
    cell = r'<tr><th scope="row">[^<]*<small>(.*?)</small>.*?</th><td class="number">(.*?)(?:<|$)(?:small>([^<]* to [^<]*)<)?'
    for name, value, ends in re.findall(cell, path.read_text(encoding="utf-8").partition('<h3 id="errors-1"')[0]):
        key = re.sub("<[^>]*>|\u200b", "", name)
        scores[key] = _number(value)
        if ends:
            intervals[key] = dict(zip(("low", "high"), map(_number, ends.split(" to ")), strict=True))
    return _with_ends(scores, intervals), messages


def _number(shown: str) -> float:
    return math.nan if shown == "–" else float(shown.replace("−", "-").replace(",", ""))


def _answer(case: Case, folder: Path) -> tuple[Scores, list[str]]:
    """An endpoint of the demo, and what the page shows of an error."""
    values = {"reference": "\n".join(case.references), "prediction": "\n".join(case.predictions)}
    for name, value in command_options(case, folder).items():
        separator = " " if name == "ignored_tokens" else ","
        values[name] = "yes" if value is True else separator.join(_COMMAND[name].kind.write(value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = answer("score", values)
        if found.html is None:
            raise ValueError(html.unescape(re.sub("<[^>]*>", "", found.problem)))
        (scored,) = json.loads(export("score", "json", values))["predictions"]
    return _with_ends(scored["scores"], scored.get("intervals", {})), []


def _control(setting: Setting) -> str:
    """An option as the page writes it: the label of its control, and the text in it."""
    label = setting.name.replace("_", " ").capitalize()
    return label if setting.value is None else f"{label}: {' '.join(_COMMAND[setting.name].kind.write(setting.value))}"


def _is_no_line(case: Case) -> bool:
    """Return whether an utterance cannot be a line of UTF-8, or lines of a document."""
    marks = re.compile("[\r\ud800-\udfff]" if case.options.get("documents") else "[\n\r\ud800-\udfff]")
    return case.kind != "text" or any(marks.search(text) for text in chain(case.references, case.predictions))


def _is_no_row(case: Case) -> bool:
    """Return whether JSON has no such values, or a column cannot hold them."""
    try:
        json.dumps([case.references, case.predictions], allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        return True
    return _table(case) is None or not case.references


def _differs_in_number(case: Case) -> bool:
    return _is_no_list(case) or len(case.references) != len(case.predictions)


def _is_no_list(case: Case) -> bool:
    return not all(isinstance(side, list) and side for side in (case.references, case.predictions))


def _is_wrong_type(case: Case) -> bool:
    return case.error is TypeError


def _is_nothing(case: Case) -> bool:
    texts = [value for value in case.options.values() if isinstance(value, (str, list))]
    return any(not "".join(map(str, text)).strip() for text in texts)


def _needs_size(case: Case) -> bool:
    """Return whether a case needs a size of windows, which comes from the whole reference."""
    return (
        bool(re.search("windows|pk|window_diff|all'", repr(case.options.get("scores"))))
        and "window_size" not in case.options
    )


def _options(function: Callable[..., Any]) -> set[str]:
    """The options of a function, as its signature shows them."""
    return {each.name for each in signature(function).parameters.values() if each.kind is Parameter.KEYWORD_ONLY}


#: What a surface must have: the options of `score_dataset`, but for those of its columns and batches.
EVERY = options_in(DatasetOptions).keys() - {"reference_column", "prediction_column", "batch_size"}
_SUMS = dict.fromkeys(EVERY - options_in(ScoringOptions).keys(), "sums have no averages and intervals")
_NEEDS_SIZE = {"windows of the mean size need the whole reference": _needs_size}
#: The options of a command line, of which one is --text-format.
_SIDES = {"reference_format", "prediction_format"}
_NOT_OF_FILES = {name: reason for name, reason in NOT_OF_FILES.items() if name not in _SIDES}
_ADD_FLAG = (
    "the subcommands have the options of the topics text, reading and scores (segscores/options/table.py); NOT_OF_FILES "
    "(segscores/options/tasks.py) has those that they lack, with the reason"
)
_ADD_CONTROL = (
    "the tab has a control for each option of its subcommand, but for those that WITHOUT_CONTROL (segscores/apps/demo/tab.py) "
    "names with the reason"
)
_NO_TIMES = {"columns have no recordings": lambda case: case.kind == "times"}
_TYPES = {"a column has one type, of which its reader has errors": _is_wrong_type}
_FLAGS = {"on a command line every value is a text": _is_wrong_type, "an empty text is none": _is_nothing}
_FILES: dict[str, Callable[[Case], bool]] = {
    "a line of a file is a text": _is_no_line,
    "files are counted in lines": _differs_in_number,
    "a text has no labels": lambda case: "label_scheme" in case.options,
    **_FLAGS,
}


def _flag(option: Setting) -> str:
    name = f"--{option.name.replace('_', '-')}"
    return name if option.value is None else f"{name} {shlex.quote(str(option.value))}"


def _line_of(files: Mapping[str, str]) -> Callable[[int, str], str]:
    return lambda utterance, side: f"{files[side]}, line {utterance + 1}"


def _both(reference: str, prediction: str) -> dict[str, str]:
    return {"references": reference, "predictions": prediction, "": f"{reference} and {prediction}"}


_COLUMNS = _both("t.jsonl, column reference", "t.jsonl, column prediction")

SURFACES: dict[str, Surface] = {
    "score": Surface(_calls(_score), _options(segscores.score)),
    "score in pieces": Surface(
        _calls(_score_tuples), _options(segscores.score), excluded={"only lists become tuples": _is_no_list}
    ),
    "metric": Surface(_calls(_compute), _options(segscores.load().compute), excluded=_NO_TIMES),
    "metric with added examples": Surface(
        _calls(_compute_added), _options(segscores.load().compute),
        excluded={"one side alone cannot be added": _is_no_row,
         "positions are ignored when they are added": lambda case: bool(case.error) and "ignore_index" in case.options},
    ),
    "tallies": Surface(
        _calls(_add_tallies), _options(segscores.tally), _SUMS,
        excluded={**_NEEDS_SIZE, "only lists are cut": _is_no_list},
        warns=False,
    ),
    "compare": Surface(
        _calls(_compare), _options(segscores.compare),
        excluded={"counts are not compared": lambda case: "on_mismatch" in case.options,
         "an interval needs two utterances": lambda case: isinstance(case.references, list) and len(case.references) == 1},
    ),
    "score_by": Surface(_calls(_score_subset), _options(segscores.score_by)),
    "score_dataset": Surface(
        _calls(_score_dataset), _options(segscores.score_dataset),
        excluded={"a row has both sides": lambda case: _table(case) is None, **_TYPES},
    ),
    "command": Surface(
        _run_on_text, _COMMAND.keys() | _SIDES, _NOT_OF_FILES, _ADD_FLAG, _FILES, _line_of(_both("r.txt", "p.txt")), _flag,
        is_python=False,
    ),
    "command on a table": Surface(
        _run_on_table, _COMMAND.keys() | _SIDES, _NOT_OF_FILES, _ADD_FLAG,
        {"a row of JSON has both sides": _is_no_row, **_FLAGS}, _line_of(_COLUMNS), _flag, is_python=False,
    ),
    "report": Surface(
        _run_report, _REPORT.keys() | _SIDES, _NOT_OF_FILES, _ADD_FLAG, _FILES,
        _line_of(_both("r.txt", "p.txt")), _flag, is_python=False, digits=4,
    ),
    "demo": Surface(
        _answer, {*TABS["score"].controls, *_SIDES},
        {name: reason for name, reason in {**WITHOUT_CONTROL, **_NOT_OF_FILES}.items() if name in EVERY - {"scores"}},
        _ADD_CONTROL, _FILES, _line_of(_both("reference.txt", "prediction.txt")), _control, is_python=False, warns=False,
    ),
    "Trainer": Surface(
        _calls(_train), _options(segscores.as_compute_metrics),
        dict.fromkeys(EVERY - options_in(TrainerOptions).keys(), "its arrays have the options of TrainerOptions alone"),
        excluded={"a Trainer passes numbers": lambda case: case.kind not in ("text", "labels"),
         "has errors of its own": lambda case: bool(case.error),
         **_NEEDS_SIZE},
        warns=False,
    ),
    "Spark": Surface(
        _calls(_score_dataframe), _options(segscores.score_dataframe), _SUMS,
        excluded={"its errors are those of test_spark.py": lambda case: bool(case.error), **_NO_TIMES},
    ),
}  # fmt: skip


def pairs_of(cases: Mapping[str, Case]) -> list[Any]:
    """Each case on each surface that can have it, for tests with the fixture `session_of_spark`."""
    return [
        pytest.param(surface, case, id=f"{name}-{where}", marks=[pytest.mark.spark] if where == "Spark" else [])
        for name, case in cases.items()
        for where, surface in SURFACES.items()
        if where not in case.left_out and surface.reason(case) is None
    ]
