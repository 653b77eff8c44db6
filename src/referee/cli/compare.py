"""`referee compare`: is system B really better than system A?"""

from __future__ import annotations

from typing import Any

import click

from referee.cli.options import (
    ALTERNATIVE,
    COLUMNS,
    DATA,
    OUTPUT,
    POLICIES,
    QUIET,
    THRESHOLD,
    Seed,
    formats,
    with_options,
)

METHOD = (
    click.option(
        "--metric",
        multiple=True,
        metavar="NAME",
        help="f1, f1:average=macro, dcf:cost_fn=10, module:function; may be repeated.",
    ),
    click.option(
        "--test", metavar="NAME", help="mcnemar, bootstrap:replicates=20000, ...; chosen by the data if left out."
    ),
    THRESHOLD,
    ALTERNATIVE,
    click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="The share of false alarms that is accepted."
    ),
    click.option("--margin", type=float, help="The largest difference that does not matter."),
    click.option(
        "--audit", is_flag=True, help="Also measure how often this test raises a false alarm on data like these."
    ),
    click.option("--rng", type=Seed(), default=0, show_default=True, help="The seed: a whole number, or none."),
)
RESULT = (
    formats(),
    OUTPUT,
    click.option(
        "--gate", is_flag=True, help="Exit with 0: b better, equal or no worse; 1: b worse; 3: the data cannot tell."
    ),
    click.option("--save-counts", metavar="FILE", help="Keep the counts: all that another comparison needs."),
    QUIET,
)
EXAMPLES = """\b
referee compare preds.csv --truth label --a old --b new --metric f1 --positive spam
referee compare scores.csv --a old --b new --group document
"""
NAMED = ("truth", "a", "b", "group", "stratum", "by", "id", "positive", "missing", "repeats", "unmatched")


@click.command("compare", epilog=EXAMPLES)
@with_options(DATA, *COLUMNS, *METHOD, *POLICIES, *RESULT)
@click.pass_context
def verb(
    context: click.Context,
    /,
    data: str,
    form: str,
    output: str | None,
    gate: bool,
    save_counts: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Say whether system B is really better than system A.

    DATA is a table (CSV, TSV, JSON lines or Parquet, the text ones also with .gz), a pattern of several, a counts file,
    or - for standard input.
    """
    from referee.cli.bar import progress
    from referee.cli.output import emit, ready
    from referee.cli.source import opened

    ready(output, save_counts)
    with opened(data) as path, progress(quiet):
        result = run(path, options, save_counts, quiet)
    emit(render(result, form), output, getattr(result, "verdict", "several") if form == "text" else None)
    if gate:
        context.exit(result.gate)


def run(path: str, options: dict[str, Any], save_counts: str | None, quiet: bool) -> Any:
    """Compare what is in a file, after finding the two systems and keeping the counts if asked."""
    from referee.cli.output import emit, talk
    from referee.cli.source import systems
    from referee.comparison import compare

    chosen = list(options.pop("metric"))
    metric = None if not chosen else chosen[0] if len(chosen) == 1 else chosen
    found = systems(path, options)
    if found:
        options["a"], options["b"] = found
        talk(f"a is {found[0]!r} and b is {found[1]!r}, the columns that no option names", quiet)
    if save_counts is None:
        return compare(path, metric=metric, **options)
    from referee.outcomes import count

    counts = count(path, **{name: options.pop(name) for name in NAMED})
    result = compare(counts, metric=metric, **options)
    emit(counts.to_json(), save_counts)
    talk(f"the counts are in {save_counts}", quiet)
    return result


def render(result: Any, form: str) -> str:
    """Write a result in a form."""
    if form == "text":
        return str(result)
    written: str = {"json": "to_json", "markdown": "to_markdown", "latex": "to_latex"}[form]
    return str(getattr(result, written)())
