"""Compare: the scores of several systems on one text, the best system, significance, and the largest differences."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from ....analysis.differences import align_pieces, differ_most
from ....analysis.drawing import SEGMENTS_DRAWN
from ....options.keywords import CompareOptions
from ....reading.sources.names import is_json
from ....results.result import Result
from ....scoring.measures.registry import DEFAULT_SCORES, select_scores
from ....scoring.passes import concatenate_tallies, open_systems
from ....statistics.comparison_results import SystemComparison
from ....statistics.resampling import Resampling, split_options
from ....statistics.signing import sign_files
from ....statistics.system_comparison import compare, compare_tallies
from ...report.page import Compared, Report
from ..board import further
from ..boxes import PREDICTION, REFERENCE, EmptyBoxError, Inputs, columns_of
from ..paper import PaperTable
from ..tab import Tab, controls_of, report_of
from ..takeaway import code_of, command_columns, command_of, python_of
from .score import LETTERS, NAMES, Score

_PREDICTION = replace(PREDICTION, argument="systems", is_required=False, is_named=True,
                      placeholder="The same text as a system segments it.")  # fmt: skip
#: The number of drawn lines of all systems.
_DRAWN = 200
#: The exchanges, of utterances × systems × trials, that take a few seconds. Of more, the time is measured.
_QUICK = 1_000_000_000
#: The trials whose time is measured, and the seconds that all trials may take.
_MEASURED_TRIALS = 1_000
_SECONDS = 12
#: The most trials of all systems together, which take memory too.
_MOST_TRIALS = 1_000_000


class Compare(Tab):
    name = "compare"
    label = "Compare"
    lead = ("Which system is best, and is the difference more than chance? Give the predictions of two to ten systems for one "
            "text; several files can be dropped at once.")  # fmt: skip
    boxes = (
        replace(REFERENCE, placeholder="One utterance a line; or JSON lines with a column for each system too."),
        *(
            replace(_PREDICTION, name=name, label=f"Prediction {letter}")
            for letter, name in zip(LETTERS, NAMES, strict=True)
        ),
    )
    task = function = "compare"
    controls = controls_of("compare", "scores")
    groups = Score.groups
    exports = (*Tab.exports, "html")

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        inputs = super().read(values)
        (_, reference), *systems = inputs.files.items()
        names = [file.name for _, file in systems]
        for number, (box, file) in enumerate(systems):
            if file.name in names[:number]:
                problem = f"two systems have the name {file.name!r}: give them different names."
                raise inputs.boxes[box].error(problem)
        files = dict(inputs.files)
        if not systems and is_json(reference.paths[0]):
            # A table has the reference and the systems.
            others = [name for name in columns_of(inputs.held["reference"].contents) if name != reference.column]
            files |= {name: replace(reference, name=name, column=name, argument="") for name in others[: len(NAMES)]}
        keys = select_scores(inputs.explicit.get("scores", DEFAULT_SCORES))
        primary = values.get("primary", "")
        explicit = dict(inputs.explicit)
        if primary in keys:
            explicit["primary"] = primary
        if len(files) < 3:
            raise EmptyBoxError("Waiting for the reference and two predictions.")
        return replace(inputs, files=files, explicit=explicit)

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        reference, *systems = inputs.files.values()
        plan, resampling, values = split_options(inputs.options_of(compare), CompareOptions)
        self._sides, self._plan = open_systems(plan, reference, *systems)
        tallies, observed = concatenate_tallies(self._sides, self._plan, with_digest=True)
        self._tallies = {file.name: tally for file, tally in zip(systems, tallies, strict=True)}
        tests = {name: values[name] for name in ("baseline", "primary", "n_trials", "margin")}
        #: The command that computes the trials that would take too long here; empty if there are none.
        self.command_of_all_trials = ""
        self.comparison = self._compare(resampling, tests)
        self.trials_wanted = values["n_trials"]
        if self.comparison.trials == _MEASURED_TRIALS < self.trials_wanted:
            self.command_of_all_trials = command_of(inputs, self.task)
            self.inputs = replace(inputs, explicit={**inputs.explicit, "n_trials": _MEASURED_TRIALS})
        self._paths = {file.name: file.argument for file in systems}
        self.scored = self.comparison.scored(self._paths)
        fields: dict[str, Any] = {"resampling": resampling, "further": self.comparison.signed}
        self.signature = sign_files([reference, *systems], self._plan, observed, inputs.text_format, **fields)

    def _compare(self, resampling: Resampling, tests: Mapping[str, Any]) -> SystemComparison:
        """Compare the systems, with fewer trials than wanted if so many would take too long."""
        runs = {name: [tally] for name, tally in self._tallies.items()}
        trials = tests["n_trials"]
        exchanges = trials * len(runs) * max(map(len, self._tallies.values()))
        fits_memory = trials * len(runs) <= _MOST_TRIALS
        if trials <= _MEASURED_TRIALS or (fits_memory and exchanges <= _QUICK):
            return compare_tallies(runs, self._plan, resampling, **tests)
        start = time.monotonic()
        comparison = compare_tallies(runs, self._plan, resampling, **{**tests, "n_trials": _MEASURED_TRIALS})
        seconds = (time.monotonic() - start) * trials / _MEASURED_TRIALS
        if fits_memory and seconds <= _SECONDS:
            return compare_tallies(runs, self._plan, resampling, **tests)
        return comparison

    @property
    def paper(self) -> PaperTable:
        return PaperTable(self.scored, self.signature)

    def variables(self) -> dict[str, Any]:
        primary = self.comparison.primary
        tallies = [*self._tallies.values()]
        count, utterances = differ_most(self._sides, tallies, self._plan, primary, _DRAWN // len(tallies))
        # For each utterance its number, and for each system its name, its score and the pieces of its prediction.
        drawn = []
        for index, values, differences in utterances:
            pieces = align_pieces(differences, SEGMENTS_DRAWN)
            drawn.append((1 + index, list(zip(self._tallies, values, pieces, strict=True))))
        joint = ""
        if utterances:
            joint = utterances[0].differences[0].separator
        return {
            "compared": Compared(self.comparison),
            "differ": count,
            "drawn": drawn,
            "joint": joint,
            "more": further(self.groups, self._plan),
            # The columns of a table have no boxes.
            "box_of": {self.inputs.files[name].name: name for name in self.inputs.boxes if name != REFERENCE.name},
        }

    def result(self) -> Result:
        return self.comparison.result_of_files(self.inputs.names["reference"], self._paths, self.signature)

    @cached_property
    def report(self) -> Report:  # type: ignore[override]
        (box, reference), *systems = self.inputs.files.items()
        systems.sort(key=lambda item: item[1].name != self.comparison.baseline)
        explicit = {"confidence": self.comparison.confidence, **self.inputs.explicit}
        return report_of(replace(self.inputs, files={box: reference, **dict(systems)}, explicit=explicit))

    @cached_property
    def lines(self) -> Mapping[str, str]:
        columns = command_columns(self.inputs).get("columns", ())[1:]
        lines = {"Command": f"# None: it reads one column of all predictions, and these are {', '.join(columns)}."}
        if len(columns) < 2 or len(self.inputs.held) == 1:
            report_command = command_of(self.inputs, "report", output="report.html")
            lines = {"Command": command_of(self.inputs, self.task), "Command for the report": report_command}
        code = python_of(self.inputs, self.code(), "compare")
        _, *predictions = self.inputs.files.values()
        formats = dict.fromkeys(file.format_in("") for file in predictions)
        if len(formats) > 1:
            code = f"# None: it reads all predictions in one format, and these are {', '.join(formats)}."
        return {**lines, "Python": code}

    def code(self) -> dict[str, str]:
        (box, _), *systems = self.inputs.files.items()
        items = "".join(f"        {file.name!r}: {code_of(self.inputs, name)},\n" for name, file in systems)
        return {"references": code_of(self.inputs, box), "systems": f"{{\n{items}    }}"}
