"""The fixtures that call the subcommand `score` on files."""

from ..command_runs import error, in_folder, piece_bytes, run, scores, skipping

__all__ = ["error", "in_folder", "piece_bytes", "run", "scores", "skipping"]
