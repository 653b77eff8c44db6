"""HTML: a result as one page that needs no other file, no network and no script."""

from __future__ import annotations

import base64
import os
from typing import Any

from referee.errors import OptionError
from referee.report.pages import Page, page
from referee.version import __version__
from referee.writing import write_whole

LARGEST = 400_000
"""So many bytes a page has without the JSON; beyond, the JSON stays out."""


def report(result: Any, path: str | os.PathLike[str] | None = None) -> str:
    """Write the report of a result.

    Args:
        result: a Comparison, Comparisons, Standings or Audit.
        path: where to write it, whole or not at all; nowhere if left out.

    Returns:
        The page.

    Raises:
        OptionError: where the extra `report` is not there.
        InputError: where the file cannot be written.
    """
    check()
    written = render(page(result))
    if path is not None:
        write_whole(path, written)
    return written


def check() -> None:
    """Raise where no report can be made: before the work, not after it.

    Raises:
        OptionError: where the extra `report` is not there.
    """
    try:
        import altair  # noqa: F401
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise OptionError(f"a report needs {error.name}: pip install 'referee[report]'") from error


def render(shown: Page) -> str:
    """Write a page. Whatever comes from data is escaped; the drawings are ours and have no script."""
    import jinja2
    from markupsafe import Markup

    from referee.report import charts
    from referee.report.charts.themes import DARK, LIGHT

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("referee.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawn = [(figure, Markup(charts.inline(figure.chart))) for figure in shown.figures]
    small = len(shown.content.encode()) <= LARGEST - sum(len(svg) for _, svg in drawn)
    return environment.get_template("report.html").render(
        page=shown,
        figures=drawn,
        version=__version__,
        style=Markup(environment.get_template("report.css").render(light=LIGHT.variables(), dark=DARK.variables())),
        content=Markup(embedded(shown.content)) if small else None,
        download=base64.b64encode(shown.content.encode()).decode() if small else None,
    )


def embedded(content: str) -> str:
    r"""Make JSON safe inside a script element: no sign in it can end the element.

    >>> embedded('{"a": "</script><!--"}')
    '{"a": "\\u003c/script\\u003e\\u003c!--"}'
    """
    signs = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return "".join(signs.get(sign, sign) for sign in content)
