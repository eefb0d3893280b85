"""Gone: what was removed, by its name, and what takes its place."""

from __future__ import annotations

#: Formats of the command.
FORMATS = {"badge": "the guide docs/how-to/ci.md has a line that makes a badge from --format json"}
