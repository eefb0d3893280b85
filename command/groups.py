"""`segmentation-scores groups`: what each score group is."""

from __future__ import annotations

__all__ = ["add_parser"]

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command's parser."""
    parser = commands.add_parser("groups", help="list the score groups", allow_abbrev=False)
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> None:
    """Print every group with its keys, formula and source."""
    from ..scores import GROUPS, SELECTIONS

    for group in GROUPS.values():
        print(f"{group.name}\n  {group.definition}\n  keys:    {', '.join(group.keys)}")
        print(f"  formula: {group.formula}\n  source:  {group.source}")
    for name, keys in SELECTIONS.items():
        print(f"{name}\n  keys:    {', '.join(keys)}")
