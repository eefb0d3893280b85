"""The documentation's site: `sphinx-build -W -n docs build/docs`, with the extra `docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import segscores

# evaluate, whose metrics autodoc imports, would import the pipelines of transformers for seconds, where they are installed.
sys.modules["transformers"] = None  # type: ignore[assignment]

project = "segscores"
author = "the authors of segscores"
project_copyright = author
version = release = segscores.__version__
extensions = ["generated", "myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["extensions"]
html_extra_path = ["llms.txt"]

myst_heading_anchors = 3
# The tests run the notebook; the site shows the outputs that it holds.
nb_execution_mode = "off"
# A copy button copies what a reader types.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Docstrings are written as plain text, with code in single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_numpy_docstring = False
napoleon_use_rtype = False
# Types that are not part of this site.
nitpick_ignore_regex = [("py:.*", r".*")]

html_theme = "furo"
html_title = f"segscores {release}"
html_static_path = ["_static"]
html_css_files = ["page.css"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_favicon = "_static/icon.svg"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6b4f", "color-brand-content": "#0b6b4f"},
    "dark_css_variables": {"color-brand-primary": "#5fd0a7", "color-brand-content": "#5fd0a7"},
    "footer_icons": [],
}
