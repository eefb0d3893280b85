"""Each test of files is in a folder of its own."""

import pytest


@pytest.fixture(autouse=True)
def _in_folder(in_folder: object) -> None:
    """See `in_folder`."""
