"""The fixtures that call the subcommand `score`."""

from ..command_runs import error, run, run_apart

__all__ = ["error", "run", "run_apart"]
