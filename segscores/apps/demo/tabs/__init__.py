"""The tabs, one module each."""

from ..tab import Tab
from .alignment import Alignment
from .compare import Compare
from .difficulty import Difficulty
from .learn import Learn
from .score import Score
from .threshold import Threshold
from .try_it import Try

TABS: dict[str, type[Tab]] = {tab.name: tab for tab in (Try, Score, Compare, Learn, Threshold, Difficulty, Alignment)}
