"""Class ids with the tags of a model's config, as configs and data sets name them."""

from __future__ import annotations

from typing import Any

import pytest

import segscores

#: The units a b c d are the words abc and d; predicted a, bc and d: 1 of 3 predicted and of 2 words, F = 2/5.
CONFIGS: dict[str, tuple[list[int], list[int], Any]] = {
    "B and I": ([0, 1, 1, 0], [0, 0, 1, 0], {0: "B", 1: "I"}),
    "keys of JSON": ([0, 1, 1, 0], [0, 0, 1, 0], {"0": "B", "1": "I"}),
    "with a type": ([0, 1, 1, 0], [0, 0, 1, 0], {0: "B-WORD", 1: "I-WORD"}),
    "BMES": ([0, 1, 2, 3], [3, 0, 2, 3], {0: "B", 1: "M", 2: "E", 3: "S"}),
    "BIES, in another order": ([1, 2, 3, 0], [0, 1, 3, 0], {0: "S", 1: "B", 2: "I", 3: "E"}),
    "BILOU without O": ([0, 1, 2, 3], [3, 0, 2, 3], {0: "B", 1: "I", 2: "L", 3: "U"}),
    "BILOU with types and O": ([1, 2, 3, 4], [4, 1, 3, 4], {0: "O", 1: "B-W", 2: "I-W", 3: "L-W", 4: "U-W"}),
}  # fmt: skip


@pytest.mark.parametrize("config", CONFIGS)
def test_tags_of_a_config_are_read(config: str) -> None:
    reference, prediction, id2label = CONFIGS[config]
    found = segscores.score([reference], [prediction], id2label=id2label, scores="token_fscore")
    assert found == {"token_fscore": pytest.approx(2 / 5)}


@pytest.mark.parametrize("names", [["LABEL_0", "LABEL_1"], ["B", "O"], ["B", "I", "X"], ["NOT_WORD", "WORD"]])
def test_names_that_are_no_tags_are_refused(names: list[str]) -> None:
    with pytest.raises(ValueError, match="id2label has "):
        segscores.score([[0, 1, 1]], [[0, 0, 1]], id2label=names, scores="token")
