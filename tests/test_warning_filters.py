"""Which warnings fail a test: ours everywhere, those of other packages only in CI (pyproject.toml and conftest.py)."""

from __future__ import annotations

import warnings

import pytest

from .conftest import CI


@pytest.mark.parametrize("category", [UserWarning, RuntimeWarning])
@pytest.mark.parametrize(
    "module", ["segscores", "segscores.support.errors", "segmentation_scores", __name__, "<string>"]
)
def test_a_warning_of_a_line_of_ours_is_an_error(module: str, category: type[Warning]) -> None:
    with pytest.raises(category, match="from here"):
        warnings.warn_explicit("from here", category, "file.py", 1, module=module)


@pytest.mark.parametrize(
    ("module", "category"),
    [
        ("numpy.core", UserWarning),
        ("numpy.core", RuntimeWarning),
        ("numpy.core", DeprecationWarning),
        ("segscores_of_others", UserWarning),
        ("segeval.tests", UserWarning),
        # A function that we call is deprecated: its package names the line of the call.
        ("segscores.scale", DeprecationWarning),
        (__name__, FutureWarning),
    ],
)
def test_a_warning_of_another_package_is_an_error_only_in_ci(module: str, category: type[Warning]) -> None:
    with warnings.catch_warnings(record=True) as shown:
        if CI:
            with pytest.raises(category, match="from there"):
                warnings.warn_explicit("from there", category, "file.py", 1, module=module)
        else:
            warnings.warn_explicit("from there", category, "file.py", 1, module=module)
    assert len(shown) <= 1
