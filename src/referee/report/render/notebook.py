"""Notebooks: the verdict in a box, the main chart, and the rest folded away; light or dark as the notebook is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING
from uuid import uuid4

from referee.errors import RefereeError
from referee.report.document import Block, Document, Facts, Notes, Paragraph, Reader, Table, Text, Tone, plain
from referee.runtime.safe_text import replaced

if TYPE_CHECKING:
    from referee.report.charts.theme import Theme

FOLDED = 40
"""Tables of more rows are folded away."""
FEW = 3
"""So many warnings are shown; more are folded."""
MARKS: dict[Tone, str] = {"good": "✓", "bad": "✕", "equal": "=", "open": "?"}
"""What says the tone where colours cannot be seen."""
TONES = {
    "light": "--good:#00694c;--good-paper:#e5f4ef;--bad:#a33200;--bad-paper:#fceee6;"
    "--open:#6b5200;--open-paper:#fbf4dc;--equal:#00548a;--equal-paper:#e6f1f9;",
    "dark": "--good:#58d3ac;--good-paper:#12312a;--bad:#ff9c6b;--bad-paper:#3a2117;"
    "--open:#e9c85a;--open-paper:#322b14;--equal:#7cc4ff;--equal-paper:#14293b;",
}
ON_LIGHT = (
    '[data-jp-theme-light="true"]', ".vscode-light", ".vscode-high-contrast-light", ".light", '[data-theme="light"]', '[theme="light"]',
)  # fmt: skip
ON_DARK = (
    '[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast:not(.vscode-high-contrast-light)", ".dark",
    '[data-theme="dark"]', '[theme="dark"]', '[data-md-color-scheme="slate"]',
)  # fmt: skip
"""What JupyterLab, VS Code, marimo, Colab and pages of documentation say of their own light, whatever the system's is."""
LOOK = """
.referee-out{background:var(--paper);color:var(--ink);font:14px/1.5 system-ui,"Liberation Sans",Arial,Helvetica,sans-serif;max-width:48rem;padding:.5rem;border-radius:.35rem;text-align:left;overflow-wrap:anywhere}
.referee-out p{margin:.35rem 0}
.referee-out .rf-box{background:var(--tone-paper);border-left:.35rem solid var(--tone);border-radius:.35rem;padding:.6rem .9rem}
.referee-out .rf-badge{display:flex;align-items:center;gap:.45rem;margin:0;font-weight:700;color:var(--tone)}
.referee-out .rf-mark{flex:none;width:1.25rem;height:1.25rem;border-radius:50%;background:var(--tone);color:var(--tone-paper);display:inline-grid;place-items:center;font-size:.8rem;line-height:1}
.referee-out .rf-headline{font-size:1.1rem;font-weight:600;margin:.3rem 0 0}
.referee-out .rf-chart{display:flex;flex-wrap:wrap;gap:0 1rem}
.referee-out .rf-chart svg{display:block;max-width:100%;height:auto;margin:.6rem 0 0}
.referee-out .rf-scroll{overflow-x:auto;margin:.5rem 0}
.referee-out table{border-collapse:collapse;font-size:13px;margin:0;color:inherit;table-layout:auto}
.referee-out caption,.referee-out .rf-note{color:var(--grey);text-align:left;font-size:13px}
.referee-out tr,.referee-out tbody tr:hover{background:none!important}
.referee-out td,.referee-out th{text-align:left;vertical-align:top;padding:.25rem 1.1rem .25rem 0;border:0;border-bottom:1px solid var(--grid);max-width:none;font-variant-numeric:tabular-nums}
.referee-out th{font-weight:600}
.referee-out thead th{color:var(--grey)}
.referee-out .rf-number{text-align:right;white-space:nowrap}
.referee-out details{margin:.5rem 0;border:0;padding:0}
.referee-out summary{cursor:pointer;font-weight:600}
.referee-out code{font-size:11.5px;color:var(--grey);background:none;white-space:normal;overflow-wrap:anywhere}
"""


def render(document: Document) -> str:
    """Write a document: the verdict, the main chart, and the rest folded away. No script, no network."""
    return framed(_parts(document, _chart(document)))


def framed(parts: Iterator[str]) -> str:
    """Put parts into a box of their own style, which follows the light of the notebook around it."""
    return replaced("\n".join(['<div class="referee-out">', f"<style>{style()}</style>", *parts, "</div>"]))


def style() -> str:
    """Return the stylesheet of an output: all of it is about what is inside the box."""
    from referee.report.charts.theme import DARK, LIGHT

    def colours(theme: Theme, tones: str) -> str:
        return "{" + "".join(f"{name}:{colour};" for name, colour in theme.variables().items()) + tones + "}"

    light, dark = colours(LIGHT, TONES["light"]), colours(DARK, TONES["dark"])
    inside = [",".join(f"{outer} .referee-out" for outer in outside) for outside in (ON_LIGHT, ON_DARK)]
    tones = [f".referee-out .rf-{tone}{{--tone:var(--{tone});--tone-paper:var(--{tone}-paper)}}" for tone in MARKS]
    rules = [
        f".referee-out{light}",
        f"@media (prefers-color-scheme:dark){{.referee-out{dark}}}",
        f"{inside[0]}{light}",
        f"{inside[1]}{dark}",
        # On paper everything is light.
        f"@media print{{.referee-out.referee-out.referee-out{light}}}",
    ]
    return "\n".join([*rules, *tones]) + LOOK


def _chart(document: Document) -> str:
    """Draw the most telling picture; nothing without the extra `report`, or where there is nothing to draw."""
    try:
        figure = document.picture()
        if figure is None:
            return ""
        from referee.report.charts.save import inline

        # The same result may be shown twice on one page; panels stand below each other where there is little room.
        return "\n".join(inline(one.chart, f"r{uuid4().hex[:10]}") for one in figure.panels or (figure,))
    except RefereeError:
        return ""


def _parts(document: Document, chart: str) -> Iterator[str]:
    verdict = document.verdict
    yield f'<div class="rf-box rf-{verdict.tone}"><p class="rf-badge"><span class="rf-mark">{MARKS[verdict.tone]}</span> {escape(verdict.badge)}</p>'
    yield f'<p class="rf-headline" dir="auto">{escape(plain(verdict.below_badge))}</p></div>'
    yield from _notes(document)
    if chart:
        yield f'<div class="rf-chart">{chart}</div>'
    tables = [_table(block) for block in document.find(Table, Reader.VERBOSE)]
    if not chart:
        yield from tables
    folded = [*_sentences(document), *(tables if chart else []), *_behind(document)]
    if folded:
        yield "\n".join(["<details><summary>Details</summary>", *folded, "</details>"])


def _notes(document: Document) -> Iterator[str]:
    notes = document.find(Notes, Reader.VERBOSE)
    told = [f"{block.word}: {text}" for block in notes for text in block.texts]
    lines = [f'<p dir="auto"><em>{escape(text)}</em></p>' for text in told]
    if len(lines) > FEW:
        lines = [f"<details><summary>{len(lines)} warnings and remarks</summary>", *lines, "</details>"]
    yield from lines


def _sentences(document: Document) -> Iterator[str]:
    texts = [document.verdict.details, *(block.text for block in document.find(Paragraph, Reader.VERBOSE))]
    yield from (f'<p dir="auto">{escape(plain(text))}</p>' for text in texts if text)


def _behind(document: Document) -> Iterator[str]:
    for block in document.find(Block, Reader.VERBOSE):
        if isinstance(block, Facts) and block.rows:
            yield rows(block.rows)
    yield from (f"<p><code>{escape(line)}</code></p>" for line in document.signatures)


def rows(facts: Sequence[tuple[str, str]]) -> str:
    """Write labels, each with what there is to say."""
    told = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in facts)
    return f'<div class="rf-scroll"><table><tbody>{told}</tbody></table></div>'


def _table(block: Table) -> str:
    body = "".join(_row("td", row, block) for row in block.rows)
    head = _row("th", [column.name for column in block.columns], block)
    folded = len(block.rows) > FOLDED
    title = f"<caption>{escape(block.title)}</caption>" if block.announced and not folded else ""
    table = f'<div class="rf-scroll"><table>{title}<thead>{head}</thead><tbody>{body}</tbody></table></div>'
    return f"<details><summary>{escape(block.title)}</summary>{table}</details>" if folded else table


def _row(tag: str, cells: Sequence[Text], block: Table) -> str:
    looks = [' class="rf-number"' if column.right else "" for column in block.columns]
    pairs = zip(looks, cells, strict=True)
    # A head without words would be read out as an empty one.
    cells_of_row = [(tag if plain(cell) else "td", look, escape(plain(cell))) for look, cell in pairs]
    return f"<tr>{''.join(f'<{kind}{look}>{text}</{kind}>' for kind, look, text in cells_of_row)}</tr>"
