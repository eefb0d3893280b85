"""The tabs, one module each."""

from ..tab import Tab
from . import about, alignment, compare, difficulty, learn, score, threshold

_MODULES = (score, compare, learn, threshold, difficulty, alignment, about)
TABS: dict[str, Tab] = {module.TAB.name: module.TAB for module in _MODULES}
