"""HTML: a document as one page that needs no other file, no network and no script."""

from __future__ import annotations

import base64
import json
import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from referee.report.document import Document, Facts, Name, Notes, Paragraph, Reader, Section, Table, Text, join, plain
from referee.report.numbers import NBSP
from referee.report.phrases import begun
from referee.report.render import output_format
from referee.report.render.drawn import bar, ruler
from referee.runtime.safe_text import escaped, replaced
from referee.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup

UNBROKEN = 12
"""Words that are no longer are not broken."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""In English, whatever the language of the machine."""
TALL = 1.1
"""A drawing that is so many times as tall as wide takes the width of a sheet of paper."""
LARGEST = 480_000
"""So many bytes a page may have; where there are more, the JSON stays out, then what is told of single tasks."""


def check() -> None:
    """Raise where no report can be made: before the work, not after it.

    Raises:
        OptionError: if the extra `report` is not there.
    """
    from referee.report.charts.theme import extra

    for module in ("altair", "jinja2", "vl_convert"):
        extra(module, "a report needs")


@output_format("html")
def render(document: Document, examples: bool = True, command: str = "") -> str:
    """Write a document as a page, and leave out what makes it too large.

    Args:
        document: what to say.
        examples: whether to list the examples on which the systems differ, where they are known.
        command: the command that makes the same result again.

    Raises:
        OptionError: if the extra `report` is not there.
    """
    check()
    from markupsafe import Markup

    from referee.report.charts import inline

    content = escaped(json.dumps(document.content(), ensure_ascii=False, allow_nan=False))
    notes = document.find(Notes, Reader.PAGE)
    drawn = [block for block in document.find(Table, Reader.PAGE) if block.axis]
    blocks = {
        "notes": [begun(text) if n.word == "Warning" else f"{n.word}: {text}" for n in notes for text in n.texts],
        "context": [*document.context, _date()] if document.context else [],
        "details": join(
            document.verdict.lead or document.verdict.details, *(p.text for p in document.find(Paragraph, Reader.PAGE))
        ),
        # Where rows are drawn, a chart of the same rows says it again.
        "figures": [
            (one, [Markup(inline(panel.chart)) for panel in one.panels or (one,)])
            for one in ([] if drawn else sorted(document.figures(), key=lambda one: one.folded))
        ],
        "drawn": drawn,
        "tables": [block for block in document.find(Table, Reader.PAGE) if not block.axis],
        "facts": document.find(Facts, Reader.PAGE),
        "sections": document.sections(examples),
        "command": command,
    }
    parts = document.find(Section, Reader.PAGE)
    for data, shown in ((content, parts), ("", parts), ("", [])):
        page = _write(document, data, {**blocks, "parts": shown})
        if len(page.encode()) <= LARGEST:
            break
    return page


def _write(document: Document, content: str, blocks: dict[str, Any]) -> str:
    """Write a page. Whatever comes from data is escaped; the drawings are ours and have no script."""
    import jinja2
    from markupsafe import Markup

    from referee.report.charts.theme import DARK, LIGHT

    look: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    environment = jinja2.Environment(loader=jinja2.PackageLoader("referee.report.render"), autoescape=True, **look)
    environment.filters |= {
        "plain": plain,
        "marked_up": marked_up,
        "kind": lambda block: type(block).__name__,
        "bar": bar,
        "breakable": breakable,
        "ruler": ruler,
        "tall": tall,
    }
    style = environment.get_template("report.css").render(light=LIGHT.variables(), dark=DARK.variables())
    page = environment.get_template("report.html").render(
        **blocks,
        document=document,
        version=__version__,
        style=Markup(style),
        content=Markup(embedded(content)),
        download=base64.b64encode(content.encode()).decode(),
    )
    return replaced(page)


def _date() -> str:
    """Return today's date; that of SOURCE_DATE_EPOCH, if it is set for pages that are to be the same whenever they are made."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    today = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now()
    return NBSP.join([str(today.day), MONTHS[today.month - 1], str(today.year)])


def marked_up(text: Text) -> Markup:
    """Write a sentence with the names of systems in bold."""
    from markupsafe import Markup, escape

    parts = (text,) if isinstance(text, str) else text
    bold = Markup("<b>{}</b>")
    return Markup("").join(bold.format(part) if isinstance(part, Name) else escape(part) for part in parts)


def breakable(text: str) -> Markup:
    """Write a text whose long words may be broken: where the parts of a name meet, and anywhere in a part that is long, too.

    >>> breakable("short a_b"), breakable("mmlu_high_school_government")
    (Markup('short a_b'), Markup('mmlu_<wbr>high_<wbr>school_<wbr>government'))
    """
    from markupsafe import Markup, escape

    def broken(word: str) -> str:
        pieces = re.findall(r"[^-_/:]{1,12}[-_/:]*|[-_/:]+", word) if len(word) > UNBROKEN else [word]
        return Markup("<wbr>").join(escape(piece) for piece in pieces)

    return Markup("").join(broken(word) for word in re.split(r"(\s+)", text))


def tall(drawing: str) -> bool:
    """Say whether a drawing is taller than wide.

    >>> tall('<svg width="364" height="900">'), tall('<svg width="364" height="200">')
    (True, False)
    """
    wide, high = (float(re.search(rf'{side}="([\d.]+)"', drawing)[1]) for side in ("width", "height"))  # type: ignore[index]
    return high > TALL * wide


def embedded(content: str) -> str:
    r"""Make JSON safe inside a script element: no sign in it can end the element.

    >>> embedded('{"a": "</script><!--"}')
    '{"a": "\\u003c/script\\u003e\\u003c!--"}'
    """
    return re.sub("[<>&\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", content)
