"""Numbers that papers, cards and other tools print: `data/printed_figures.json`, the published card, and a paper's table."""

import json
from typing import Any

from .official import DATA

#: What tools of neighbouring fields print for small inputs.
FIGURES: dict[str, Any] = json.loads((DATA / "printed_figures.json").read_text(encoding="utf-8"))

# The metric card of transformersegmentation/segmentation_scores; "boundary" are those without edges, five in the reference.
CARD_REFERENCE, CARD_PREDICTION = ["the dog is on the boat"], ["thedog is on the boat"]
CARD_SCORES = {
    "boundary_noedge_precision": 1.0, "boundary_noedge_recall": 0.8, "boundary_noedge_fscore": 0.89,
    "token_precision": 0.8, "token_recall": 0.67, "token_fscore": 0.73, "type_precision": 0.8, "type_recall": 0.8,
    "type_fscore": 0.8,
}  # fmt: skip
# What its text counts: "5 word boundaries (7 if you include the edge boundaries), 6 word tokens and 5 word types".
CARD_COUNTS = {"boundary_noedge": 5, "boundary_all": 7, "token": 6, "type": 5}

# Shao et al. (2017), Table 1. For each language the reference, and for each segmenter its output, TP, and P, R, F, TNR.
TABLE_1 = {
    "Chinese": (
        "约翰 喜欢 玛丽",
        {
            "T1": ("约 翰 喜 欢 玛 丽", 0, (0, 0, 0, 0.67)),
            "T2": ("约翰喜欢玛丽", 0, (0, 0, 0, 0.94)),
            "S1": ("约翰 喜欢玛丽", 1, (0.5, 0.33, 0.40, 0.94)),
            "S2": ("约翰 喜 欢 玛 丽", 1, (0.2, 0.33, 0.25, 0.77)),
            "S3": ("约翰 喜欢 玛 丽", 2, (0.5, 0.67, 0.57, 0.89)),
        },
    ),
    "English": (
        "John likes Mary",
        {
            "T1": ("J o h n l i k e s M a r y", 0, (0, 0, 0, 0.85)),
            "T2": ("JohnlikesMary", 0, (0, 0, 0, 0.99)),
            "S1": ("John likesMary", 1, (0.5, 0.33, 0.40, 0.99)),
            "S2": ("John l i k e s M a r y", 1, (0.1, 0.33, 0.15, 0.90)),
            "S3": ("John likes M a r y", 2, (0.33, 0.67, 0.44, 0.95)),
        },
    ),
}
# The one cell whose printed value is not what its own formula gives: printed, and by the formula that stands in the cell.
TABLE_1_CONTRADICTIONS = {("Chinese", "S2", "token_tnr"): (0.77, 1 - 4 / 18)}
# A cell whose two decimals hide the third, by the counts that stand in its column: P 1/10 and R 1/3.
TABLE_1_ROUNDED = {("English", "S2", "token_fscore"): (0.15, 2 / 13)}
TABLE_1_KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")
