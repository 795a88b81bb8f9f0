# conf.py: how Sphinx renders these pages (cmake --build build --target docs -> build/docs/html).
project = "refrain"
author = "the refrain authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "refrain"
myst_heading_anchors = 3
# Code here is of shells, programs and drawings: one guess for all of it would colour the wrong words.
highlight_language = "none"
exclude_patterns = ["pictures"]
