"""A real LaTeX for tests: pdflatex, where there is one."""

from __future__ import annotations

import shutil

REASON = "there is no pdflatex on the PATH: apt-get install texlive-latex-recommended installs it (as root)"


def executable():
    """Return where LaTeX is; None where there is none."""
    return shutil.which("pdflatex")
