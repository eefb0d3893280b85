"""Packages that only some functions need: an error says how to install one that is missing."""

from __future__ import annotations

from importlib.util import find_spec

from .messages import OptionError

#: The requirement for each module, as in the extras of pyproject.toml. The name of the extra is not enough: pip finds
#: "segscores[plot]" neither for a checkout nor for an installation from a URL.
REQUIREMENTS = {
    "evaluate": "evaluate>=0.4.0",
    "matplotlib": "matplotlib>=3.7",
    "pandas": "pandas>=2.2",
    "pycrfsuite": "python-crfsuite>=0.9.9",
    "shtab": "shtab>=1.7",
    "sentencepiece": "sentencepiece>=0.2",
    "tokenizers": "tokenizers>=0.15",
}


def require(package: str, purpose: object, *otherwise: object) -> None:
    """Check that an optional package is installed, without importing it.

    The message begins with `purpose`, which needs the package, and ends with `otherwise`: fragments that name an alternative. An
    example is "plot needs matplotlib, which is not installed: pip install "matplotlib>=3.7"".
    """
    if find_spec(package) is None:
        requirement = REQUIREMENTS[package]
        project, _, _ = requirement.partition(">")
        problem = f' needs {project}, which is not installed: pip install "{requirement}"'
        raise OptionError(purpose, problem, *otherwise)
