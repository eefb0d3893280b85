"""Paper: a narrow table of systems, and a sentence for the section on methods.

The package's tables have all scores; a column of a paper has room for precision, recall and F-score of some groups.
"""

from __future__ import annotations

from collections.abc import Sequence

from ... import __version__
from ...kernel.record import record
from ...results.rendering import LATEX, rounded
from ...results.scored import Scored

#: The groups of the table, with their headings, and the columns of each.
_GROUPS = {"boundary_noedge": "Boundaries", "token": "Words", "type": "Word types"}
_COLUMNS = {"precision": "P", "recall": "R", "fscore": "F"}


@record
class PaperTable:
    """The table, a row for each system."""

    scored: Sequence[Scored]
    signature: str

    @property
    def groups(self) -> dict[str, str]:
        """The headings of the groups that are scored, by the names of groups."""
        first_system, *_ = self.scored
        keys = {*first_system.scores}
        # A group without one of the three scores would leave a column empty.
        return {name: heading for name, heading in _GROUPS.items() if keys.issuperset(_keys_of(name))}

    @property
    def columns(self) -> list[str]:
        """The heading of each column of numbers."""
        return [*_COLUMNS.values()] * len(self.groups)

    @property
    def rows(self) -> dict[str, list[str]]:
        """The scores of each system with three digits, by its name."""
        keys: list[str] = []
        for group in self.groups:
            keys += _keys_of(group)
        return {scored.prediction: [rounded(scored.score_of(key), ".3f") for key in keys] for scored in self.scored}

    @property
    def latex(self) -> str:
        """The table in LaTeX, with the package that it needs and the signature as comments.

        >>> scores = {"token_precision": 0.5, "token_recall": 0.25, "token_fscore": 1 / 3}
        >>> print(PaperTable([Scored.of("a_b", scores, [*scores])], "segscores|text:words").latex)
        % Needs \\usepackage{booktabs}.
        \\begin{tabular}{lrrr}
        \\toprule
         & \\multicolumn{3}{c}{Words} \\\\
        System & P & R & F \\\\
        \\midrule
        a\\_b & 0.500 & 0.250 & 0.333 \\\\
        \\bottomrule
        \\end{tabular}
        % signature: segscores|text:words
        """
        headings = "".join(f" & \\multicolumn{{3}}{{c}}{{{heading}}}" for heading in self.groups.values())
        lines = ["% Needs \\usepackage{booktabs}.", f"\\begin{{tabular}}{{l{'r' * len(self.columns)}}}", "\\toprule"]
        lines += [f"{headings} \\\\", f"System & {' & '.join(self.columns)} \\\\", "\\midrule"]
        lines += [f"{_escaped(name)} & {' & '.join(values)} \\\\" for name, values in self.rows.items()]
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", f"% signature: {self.signature}"])

    @property
    def sentence(self) -> str:
        """The sentence for the section on methods, in LaTeX."""
        software = f"segscores {__version__} \\citep{{segscores}}"
        return f"All scores are computed by {software}, with the signature \\texttt{{{_escaped(self.signature)}}}."


def _keys_of(group: str) -> list[str]:
    """Return the scores in the columns of a group: `token_precision`, `token_recall` and `token_fscore`."""
    return [f"{group}_{column}" for column in _COLUMNS]


def _escaped(text: str) -> str:
    """Return a text as LaTeX prints it; braces keep a first bracket from being an argument of the row before it."""
    escaped = "".join(LATEX.get(letter, letter) for letter in text)
    if escaped.startswith(("[", "*")):
        return f"{{{escaped[:1]}}}{escaped[1:]}"
    return escaped
