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
        """Read the inputs; a table in the box of the reference may have the systems too, as columns."""
        inputs = super().read(values)
        (_, reference), *systems = inputs.files.items()
        names: set[str] = set()
        for box_name, file in systems:
            if file.name in names:
                problem = f"two systems have the name {file.name!r}: give them different names."
                raise inputs.boxes[box_name].error(problem)
            names.add(file.name)
        files = dict(inputs.files)
        (reference_path,) = reference.paths
        if not systems and is_json(reference_path):
            # A table has the reference and the systems; the page compares as many as it has boxes.
            others = [name for name in columns_of(inputs.held["reference"].contents) if name != reference.column]
            if len(others) > len(NAMES):
                received = (
                    f"{len(others)} columns beside {reference.column}, and the page compares up to {len(NAMES)} systems"
                )
                raise inputs.boxes["reference"].error(f"{received}: leave some out, or compare them with the command.")
            for name in others:
                # No box has such a name; one may have that of the column.
                files[f"column {name}"] = replace(reference, name=name, column=name, argument="")
        keys = select_scores(inputs.explicit.get("scores", DEFAULT_SCORES))
        explicit = dict(inputs.explicit)
        # The score that a visitor chose in the table of systems, unless it is left out now.
        primary = values.get("primary", "")
        if primary in keys:
            explicit["primary"] = primary
        has_two_systems = len(files) >= 3  # with the reference
        if not has_two_systems:
            raise EmptyBoxError("Waiting for the reference and two predictions.")
        return replace(inputs, files=files, explicit=explicit)

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        reference, *systems = inputs.files.values()
        # `values` has every option of the function, with its default if the visitor chose none.
        plan, resampling, values = split_options(inputs.options_of(compare), CompareOptions)
        self._sides, self._plan = open_systems(plan, reference, *systems)
        tallies, observed = concatenate_tallies(self._sides, self._plan, with_digest=True)
        self._tallies = {file.name: tally for file, tally in zip(systems, tallies, strict=True)}
        tests = {name: values[name] for name in ("baseline", "primary", "n_trials", "margin")}
        #: The command that computes the trials that would take too long here; empty if there are none.
        self.command_of_all_trials = ""
        self.comparison = self._compare(resampling, tests)
        self.trials_wanted = values["n_trials"]
        has_fewer_trials = self.comparison.trials == _MEASURED_TRIALS and self.trials_wanted > _MEASURED_TRIALS
        if has_fewer_trials:
            self.command_of_all_trials = command_of(inputs, self.task)
            # The commands and the code below the results compute what the page shows.
            self.inputs = replace(inputs, explicit={**inputs.explicit, "n_trials": _MEASURED_TRIALS})
        self._paths = {file.name: file.argument for file in systems}
        self.scored = self.comparison.scored(self._paths)
        fields: dict[str, Any] = {"resampling": resampling, "further": self.comparison.signed}
        self.signature = sign_files([reference, *systems], self._plan, observed, inputs.text_format, **fields)

    def _compare(self, resampling: Resampling, tests: Mapping[str, Any]) -> SystemComparison:
        """Compare the systems, with fewer trials than wanted if so many would take too long."""
        # Each system has one run.
        runs = {name: [tally] for name, tally in self._tallies.items()}
        trials = tests["n_trials"]
        exchanges = trials * len(runs) * max(map(len, self._tallies.values()))
        fits_memory = trials * len(runs) <= _MOST_TRIALS
        is_quick = fits_memory and exchanges <= _QUICK
        if trials <= _MEASURED_TRIALS or is_quick:
            return compare_tallies(runs, self._plan, resampling, **tests)
        start = time.monotonic()
        comparison = compare_tallies(runs, self._plan, resampling, **{**tests, "n_trials": _MEASURED_TRIALS})
        # The time grows with the number of trials: this is the time that all would take.
        seconds = (time.monotonic() - start) * trials / _MEASURED_TRIALS
        if fits_memory and seconds <= _SECONDS:
            return compare_tallies(runs, self._plan, resampling, **tests)
        return comparison

    @property
    def paper(self) -> PaperTable:
        """The table for a paper, with a row for each system."""
        return PaperTable(self.scored, self.signature)

    def variables(self) -> dict[str, Any]:
        """Return the table of systems, the utterances in which they differ most, and the groups of scores to add."""
        primary = self.comparison.primary
        tallies = [*self._tallies.values()]
        # An utterance takes a line for each system.
        most = _DRAWN // len(tallies)
        count, utterances = differ_most(self._sides, tallies, self._plan, primary, most)
        # For each utterance its number, from 1, and for each system its name, its score and the pieces of its prediction.
        drawn = []
        for index, values, differences in utterances:
            pieces = align_pieces(differences, SEGMENTS_DRAWN)
            drawn.append((1 + index, list(zip(self._tallies, values, pieces, strict=True))))
        # The separator between the units of a word is the same in all utterances.
        joint = ""
        if utterances:
            first_utterance, *_ = utterances
            first_difference, *_ = first_utterance.differences
            joint = first_difference.separator
        # By the name of a system, the box of its prediction, for the buttons that open the system alone. Each filled box has a
        # file in `files`. A system that is a column of a table has no box.
        filled = [name for name in self.inputs.boxes if name != REFERENCE.name]
        box_of = {self.inputs.files[name].name: name for name in filled}
        return {
            "compared": Compared(self.comparison),
            "differ": count,
            "drawn": drawn,
            "joint": joint,
            "more": further(self.groups, self._plan),
            "box_of": box_of,
        }

    def result(self) -> Result:
        """Return the comparison, as the command prints it."""
        return self.comparison.result_of_files(self.inputs.names["reference"], self._paths, self.signature)

    @cached_property
    def report(self) -> Report:  # type: ignore[override]
        """The report of all systems, with the baseline first: a report compares the others with the first."""
        reference_name, *names = self.inputs.files
        files = self.inputs.files
        # The keys of `files` are names of boxes, or stand for columns; a file has the name of its system.
        of_baseline = [name for name in names if files[name].name == self.comparison.baseline]
        of_others = [name for name in names if files[name].name != self.comparison.baseline]
        ordered = {name: files[name] for name in (reference_name, *of_baseline, *of_others)}
        # The page compares with a confidence level, also if the visitor chose none.
        explicit = {"confidence": self.comparison.confidence, **self.inputs.explicit}
        return report_of(replace(self.inputs, files=ordered, explicit=explicit))

    @cached_property
    def lines(self) -> Mapping[str, str]:
        """The commands and the code that compute the same, by title; a comment where there are none."""
        # The first column is that of the reference.
        _, *columns = command_columns(self.inputs).get("columns", (None,))
        is_one_table = len(self.inputs.held) == 1  # all columns are of one file
        # The command reads one column of all files of predictions, or several columns of one table.
        if len(columns) < 2 or is_one_table:
            report_command = command_of(self.inputs, "report", output="report.html")
            lines = {"Command": command_of(self.inputs, self.task), "Command for the report": report_command}
        else:
            lines = {"Command": f"# None: it reads one column of all predictions, and these are {', '.join(columns)}."}
        code = python_of(self.inputs, self.code(), "compare")
        _, *predictions = self.inputs.files.values()
        formats = dict.fromkeys(file.format_in("") for file in predictions)
        if len(formats) > 1:
            code = f"# None: it reads all predictions in one format, and these are {', '.join(formats)}."
        return {**lines, "Python": code}

    def code(self) -> dict[str, str]:
        """Return code in which the systems are a dict, with a line for each: `'CRF': pathlib.Path('crf.txt'),`."""
        (reference_name, _), *systems = self.inputs.files.items()
        items = "".join(f"        {file.name!r}: {code_of(self.inputs, name)},\n" for name, file in systems)
        return {"references": code_of(self.inputs, reference_name), "systems": f"{{\n{items}    }}"}
