"""Draws the choice of a test as a chart, docs/assets/which-test.svg: `python scripts/draw_choice.py` writes it again.

The steps are those of src/referee/significance/test_choice.py; tests/significance/test_test_choice.py checks them, the chart and the page against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap

CHART = Path(__file__).resolve().parents[1] / "docs" / "assets" / "which-test.svg"
WIDTH, EDGE, RAIL, INDENT = 400, 8, 26, 82
"""Narrow, so that the letters keep their size on a phone: the chart's width, its margin, the rail of no, the branches."""
QUESTION, LINE_OF_NAMES, BRANCH, GAP = 38, 17, 34, 30
"""Heights: of a question without its metrics, of each line of them, of a branch, and below."""
LETTERS_OF_NAMES = 64
"""How many letters of the names of metrics fit on a line."""
INK, GREY, PAPER, LINE, BOX, LEAF, LETTERS = (
    "var(--drawing-ink, #222222)",
    "var(--drawing-grey, #555555)",
    "var(--drawing-paper, #ffffff)",
    "var(--drawing-line, #8a8a8a)",
    "var(--drawing-box, #eef2f6)",
    "var(--drawing-leaf, #1f3b57)",
    "var(--drawing-letters, #ffffff)",
)
"""The colours of the page that it is put into, or these where it stands alone."""


@dataclass(frozen=True)
class Branch:
    """A way out of the ladder: if this holds, that test is taken."""

    where: str
    test: str


@dataclass(frozen=True)
class Step:
    """A question; if the answer is yes, one of its branches is taken, else the next step."""

    question: str
    metrics: str
    branches: tuple[Branch, ...]


LADDER = (
    Step(
        "Does the metric rank scores?",
        "auc, average-precision",
        (
            Branch("auc, no groups", "delong:law=t"),
            Branch("auc, with groups", "cluster-t"),
            Branch("average-precision", "bootstrap:interval=t"),
        ),
    ),
    Step(
        "Is it computed from labels?",
        "accuracy, error, balanced-accuracy, precision, recall, specificity, f1, fbeta, jaccard, mcc, kappa, dcf, hter, "
        "subset-accuracy, your own",
        (Branch("no groups", "score"), Branch("with groups", "cluster-t")),
    ),
    Step(
        "Every other metric averages or sums numbers",
        "mean, mse, rmse, mae, win-rate, pinball, log-loss, brier, r2, bleu, chrf, ter, wer, cer, multilabel-f1, "
        "multilabel-precision, multilabel-recall, multilabel-errors",
        (
            Branch("0/1, or a declared scale, no groups", "score"),
            Branch("no declared scale, no groups", "skew-t"),
            Branch("with groups", "cluster-t"),
        ),
    ),
)
"""The choice, asked from the top; the last step is no question."""


def draw(ladder: tuple[Step, ...] = LADDER) -> str:
    """Return the chart as SVG."""
    parts: list[str] = []
    top = EDGE
    for step in ladder:
        last = step is ladder[-1]
        parts.append(_question(step, top))
        bottom = top + _height(step)
        for place, branch in enumerate(step.branches):
            parts.append(_branch(branch, bottom + BRANCH * place, "yes" if not last and place == 0 else ""))
        top = bottom + BRANCH * len(step.branches) + GAP
        if not last:
            parts.append(_rail(bottom, top))
    height = top - GAP + EDGE + 4
    said = "A ladder of questions about the metric and the data, each with the test that is taken; the list below says the same."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="which-title which-said" '
            'font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="13">',
            '<title id="which-title">Which test is taken</title>',
            f'<desc id="which-said">{escape(said)}</desc>',
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{PAPER}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _names(step: Step) -> list[str]:
    """Return the metrics of a step as lines; a hyphen inside a name does not end one."""
    return wrap(step.metrics, LETTERS_OF_NAMES, break_on_hyphens=False)


def _height(step: Step) -> int:
    return QUESTION + LINE_OF_NAMES * len(_names(step))


def _question(step: Step, top: int) -> str:
    middle = EDGE + 14
    names = "".join(
        f'<text x="{middle}" y="{top + 42 + LINE_OF_NAMES * place}" fill="{GREY}">{escape(line)}</text>'
        for place, line in enumerate(_names(step))
    )
    return (
        f'<rect x="{EDGE}" y="{top}" width="{WIDTH - 2 * EDGE}" height="{_height(step)}" rx="6" fill="{BOX}" stroke="{LINE}"/>'
        f'<text x="{middle}" y="{top + 23}" font-size="15" font-weight="bold" fill="{INK}">{escape(step.question)}</text>{names}'
    )


def _branch(branch: Branch, top: int, answer: str) -> str:
    """Draw the condition, and the test in a box of its own, with a line between them."""
    base, wide = top + BRANCH - 9, 18 + round(6.9 * len(branch.test))
    left, end = WIDTH - EDGE - wide, INDENT + 8 + round(6.4 * len(branch.where))
    line = f'<path d="M{end} {base - 4}H{left - 4}" stroke="{LINE}" stroke-dasharray="1 4"/>' if end < left - 8 else ""
    yes = f'<text x="{INDENT - 30}" y="{base}" font-weight="bold" fill="{INK}">{answer}</text>' if answer else ""
    return (
        f'{yes}<text x="{INDENT}" y="{base}" fill="{INK}">{escape(branch.where)}</text>{line}'
        f'<rect x="{left}" y="{base - 17}" width="{wide}" height="25" rx="12.5" fill="{LEAF}"/>'
        f'<text x="{left + wide / 2:g}" y="{base}" font-family="Liberation Mono, Consolas, Menlo, monospace" font-size="11.5" '
        f'text-anchor="middle" fill="{LETTERS}">{escape(branch.test)}</text>'
    )


def _rail(top: int, bottom: int) -> str:
    """Draw the way down to the next question, for the answer no."""
    return (
        f'<path d="M{RAIL} {top}V{bottom - 1}m-4 -6l4 6l4 -6" fill="none" stroke="{LINE}" stroke-width="1.6"/>'
        f'<text x="{RAIL + 8}" y="{bottom - 11}" font-weight="bold" fill="{INK}">no</text>'
    )


if __name__ == "__main__":
    CHART.write_text(draw(), encoding="utf-8")
