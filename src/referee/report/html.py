"""HTML: a result as one page that needs no other file, no network and no script."""

from __future__ import annotations

import base64
import os
from dataclasses import replace
from typing import Any

from referee.errors import OptionError
from referee.report.pages import Page, page
from referee.results.comparison import Comparison, Comparisons
from referee.runtime.atomic import write_whole
from referee.runtime.safe_text import replaced
from referee.version import __version__

LARGEST = 480_000
"""So many bytes a page may have; where there are more, the JSON stays out, then what is told of single tasks."""


def report(result: Any, path: str | os.PathLike[str] | None = None, *, examples: bool = True) -> str:
    """Write the report of a result.

    Args:
        result: a Comparison, Comparisons, Standings or Audit.
        path: where to write it, whole or not at all; nowhere if left out.
        examples: whether to list the examples on which the systems differ, where they are known.

    Returns:
        The page.

    Raises:
        OptionError: where the extra `report` is not there.
        InputError: where the file cannot be written.
    """
    check()
    written = render(page(result if examples else _blind(result)))
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


def _blind(result: Any) -> Any:
    """Return the result without its way back to the examples."""
    if isinstance(result, Comparisons):
        return replace(result, comparisons=tuple(replace(one, look=None) for one in result))
    return replace(result, look=None) if isinstance(result, Comparison) else result


def render(shown: Page) -> str:
    """Write a page, and leave out what makes it too large."""
    from markupsafe import Markup

    from referee.report import charts

    drawn = [(figure, Markup(charts.inline(figure.chart))) for figure in shown.figures]
    for page_, content in ((shown, shown.content), (shown, ""), (replace(shown, parts=()), "")):
        written = _write(page_, drawn, content)
        if len(written.encode()) <= LARGEST:
            break
    return written


def _write(shown: Page, drawn: list[tuple[Any, Any]], content: str) -> str:
    """Write a page. Whatever comes from data is escaped; the drawings are ours and have no script."""
    import jinja2
    from markupsafe import Markup

    from referee.report.charts.theme import DARK, LIGHT

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("referee.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = environment.get_template("report.css").render(light=LIGHT.variables(), dark=DARK.variables())
    written = environment.get_template("report.html").render(
        page=shown,
        figures=drawn,
        version=__version__,
        style=Markup(style),
        content=Markup(embedded(content)),
        download=base64.b64encode(content.encode()).decode(),
    )
    return replaced(written)


def embedded(content: str) -> str:
    r"""Make JSON safe inside a script element: no sign in it can end the element.

    >>> embedded('{"a": "</script><!--"}')
    '{"a": "\\u003c/script\\u003e\\u003c!--"}'
    """
    signs = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return "".join(signs.get(sign, sign) for sign in content)
