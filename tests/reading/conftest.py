"""The fixtures that call the subcommand `score` on files."""

from ..command_runs import chunk_bytes, error, in_folder, run, scores, skipping

__all__ = ["chunk_bytes", "error", "in_folder", "run", "scores", "skipping"]
