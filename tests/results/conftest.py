"""The fixture that gives a test a folder of its own."""

from ..command_runs import in_folder

__all__ = ["in_folder"]
