"""Gone: what was removed, by its name, and what takes its place."""

from __future__ import annotations

_HALVES = "it was removed, and the guide docs/how-to/compare-systems.md has code that gives the same numbers."

#: Output formats of the command.
FORMATS = {"badge": "the guide docs/how-to/ci.md has a line that makes a badge from --format json"}
#: Subcommands.
SUBCOMMANDS = {"halves": _HALVES}
#: Names of the package.
NAMES = {"split_half": _HALVES, "HalfAgreement": _HALVES}
