"""What is seen of a result: the page and the chart that options ask for, beside what is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from referee.errors import OptionError

if TYPE_CHECKING:
    from referee.results.base import Reported

HTML = click.option("--html", metavar="FILE", help="Also write a report to look at: one page, no network.")
PICTURES = (
    HTML,
    click.option("--chart", metavar="FILE", help="Also draw it: FILE.svg, .png, .html or .json (Vega-Lite)."),
)


def possible(form: str, html: str | None, chart: str | None = None) -> None:
    """Complain of what cannot be drawn before the work and not after it.

    Raises:
        OptionError: where the extra `report` is not there, or the name of a file is none.
    """
    if html == "-":
        raise OptionError("--html needs the name of a file; the result itself goes to standard output")
    if html is not None or form == "html":
        from referee.report.render.html import check as check_report

        check_report()
    if chart is not None:
        from referee.report.charts import check

        check(chart)


def draw(result: Reported, html: str | None, chart: str | None, quiet: bool, examples: bool = True) -> None:
    """Write the page and the chart that were asked for.

    Args:
        result: what was found.
        html: the file of the page, if any.
        chart: the file of the chart, if any.
        quiet: whether to say nothing of them.
        examples: whether the page shows examples.
    """
    from referee.cli.output import talk
    from referee.cli.streams import placed

    if html is not None:
        result.to_html(placed(html), examples=examples)
        talk(f"the report is in {html}", quiet)
    if chart is not None:
        from referee.report.charts import save

        save(result.plot(), chart)
