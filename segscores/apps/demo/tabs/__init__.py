"""The tabs, one module each."""

from ..tab import Tab
from .alignment import Alignment
from .compare import Compare
from .desk import Desk
from .difficulty import Difficulty
from .learn import Learn
from .score import Score
from .threshold import Threshold
from .try_it import Try

#: The tabs that the page draws, in their order.
DRAWN: tuple[type[Tab], ...] = (Try, Desk, Learn, Threshold, Difficulty, Alignment)
#: The tabs that answer: the desk answers by Score and Compare, which programs call by their names.
_ANSWERING: tuple[type[Tab], ...] = (*DRAWN, Score, Compare)
TABS: dict[str, type[Tab]] = {tab.name: tab for tab in _ANSWERING}
