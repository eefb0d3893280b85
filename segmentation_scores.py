"""The metric of the package `segscores`, which `evaluate.load` takes.

`evaluate` reads the imports below: where `segscores` is missing, it names the command that installs what follows `From:`.
It would show any other comment on an import line as the name of a package.
"""

from packaging.version import Version

import segscores  # From: git+https://huggingface.co/spaces/transformersegmentation/segmentation_scores

#: The oldest version of the package that has everything that this script and its card promise.
NEEDED = "0.2.0"

if Version(segscores.__version__) < Version(NEEDED):
    raise ImportError(
        f"this script needs segscores {NEEDED} or later, and {segscores.__version__} is installed: run 'pip install --upgrade "
        f"git+https://huggingface.co/spaces/transformersegmentation/segmentation_scores'."
    )

SegmentationScores = segscores.SegmentationScores
