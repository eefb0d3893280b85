"""List the formats of text: the names for --text-format, what they are, and an example each, with ⇥ for a tab and ⏎ for the end
of a line.
"""

from __future__ import annotations

import argparse

from ...options.table import FORMATS
from .printing import print_result


def run(arguments: argparse.Namespace) -> None:
    from ...results.result import Column, Result, Table

    rows = [[name, example.replace("\t", "⇥").replace("\n", "⏎"), text] for name, (text, example) in FORMATS.items()]
    columns = [Column(name, is_text=True) for name in ("format", "example", "what it is")]
    print_result(Result([Table(columns, rows)]), arguments)
