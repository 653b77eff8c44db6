"""`referee audit`: how often tests raise a false alarm, and what they see, on data like these."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from referee.cli.options import (
    ALTERNATIVE,
    BY,
    COLUMNS,
    DATA,
    OUTPUT,
    POLICIES,
    QUIET,
    RUNNING,
    THRESHOLD,
    Seed,
    formats,
    listed,
    with_options,
)

OWN = tuple(option for option in COLUMNS if option is not BY)
"""All columns but --by: the slices of an audit are its categories."""
METHOD = (
    click.option("--category", metavar="COLUMN", help="Each of its values is a population; rates are averaged."),
    click.option("--metric", multiple=True, metavar="NAME", help="One: f1, error, dcf:cost_fn=10, module:function."),
    click.option("--test", multiple=True, metavar="NAME", help="May be repeated; all that fit if left out."),
    THRESHOLD,
    click.option("--sizes", type=listed(int), metavar="N,N", help="Examples in a test set; those of DATA if left out."),
    click.option(
        "--alpha", type=listed(float), default="0.05", show_default=True, metavar="A,A", help="False alarms accepted."
    ),
    ALTERNATIVE,
    click.option(
        "--null",
        type=click.Choice(["tilt", "swap", "observed"]),
        multiple=True,
        help="The world without a difference: the nearest tie (default), exchangeable systems, categories that tie.",
    ),
    click.option("--sets", type=int, help="Test sets to draw; 1,000, or 500 for each of several categories."),
    click.option("--tie", type=float, default=1e-9, show_default=True, help="Differences within it are ties."),
    click.option("--coverage/--no-coverage", default=True, help="Whether to see how often intervals hold the truth."),
    click.option("--rng", type=Seed(), default=0, show_default=True, help="The seed: a whole number, or none."),
)
TRAINING = (
    click.option("--text", metavar="COLUMN", help="Train models on these texts, and audit what they predict."),
    click.option("--labels", metavar="COLUMN", help="With --text: the labels, separated by blanks."),
    click.option(
        "--models", metavar="A,B", default="linear-svm,rbf-svm", show_default=True, help="With --text: also mlp."
    ),
    click.option("--train-size", type=int, help="With --text: texts to train on; a tenth if left out."),
)
RESULT = (
    formats(),
    OUTPUT,
    click.option("--each", is_flag=True, help="Also a row for each category (JSON)."),
    click.option("--chart", metavar="FILE", help="Draw false alarms and power: FILE.svg, .png or .html."),
    click.option("--save-counts", metavar="FILE", help="Keep the population as a counts file."),
    QUIET,
)
EXAMPLES = """\b
referee audit preds.csv --truth label --a old --b new --metric f1
referee audit wordnet-linear-mlp --metric f1 --sizes 100,1000 --alpha 0.01,0.05
"""


@click.command("audit", epilog=EXAMPLES)
@with_options(DATA, *OWN, *METHOD, *TRAINING, *POLICIES, *RUNNING, *RESULT)
def verb(
    data: str,
    form: str,
    output: str | None,
    each: bool,
    chart: str | None,
    save_counts: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Say how often tests raise a false alarm, and what they see, on data like yours.

    DATA is a table or counts file as in compare, the name of a shipped population (`referee list populations`), or a
    table of texts to train models on (with --text and --labels).
    """
    from referee.cli.bar import progress
    from referee.cli.compare import render
    from referee.cli.output import emit, ready
    from referee.cli.source import opened

    ready(output, chart, save_counts, options["store"])
    if chart is not None:
        from referee.report.charts import check

        check(chart)
    with opened(data) as path, progress(quiet):
        counts = population(path, options, quiet)
        if save_counts is not None:
            emit(counts.to_json(), save_counts)
        result = run(counts, data, options)
    emit(render(result if each else replace(result, each=()), form), output)
    if chart is not None:
        from referee.report.charts import save

        save(result.plot(), chart)


def population(path: str, options: dict[str, Any], quiet: bool) -> Any:
    """Return the counts to audit: read, shipped, or made by training models."""
    from referee.auditing.shipped import is_shipped, shipped
    from referee.cli.output import talk
    from referee.cli.source import systems
    from referee.comparison import read
    from referee.errors import OptionError

    training = {name: options.pop(name) for name in ("text", "labels", "models", "train_size")}
    named = ("truth", "a", "b", "group", "stratum", "id", "positive", "threshold", "missing", "repeats", "unmatched")
    roles = {name: options.pop(name) for name in named}
    category = options.pop("category")
    if training["text"] is not None or training["labels"] is not None:
        return train(path, training)
    if is_shipped(path):
        given = [name for name in ("truth", "a", "b", "group", "stratum", "id") if roles[name] is not None]
        if given or category is not None:
            raise OptionError(f"the population {path} has no columns to name; leave out --{(given or ['category'])[0]}")
        return shipped(path)
    found = systems(path, {**roles, "by": category})
    if found:
        roles["a"], roles["b"] = found
        talk(f"a is {found[0]!r} and b is {found[1]!r}, the columns that no option names", quiet)
    return read(path, by=category, **roles)


def train(path: str, training: dict[str, Any]) -> Any:
    """Train two models on a table of texts, and return the counts of what they predict on the rest."""
    from referee.auditing.tables import from_table
    from referee.auditing.training import train as train_models
    from referee.errors import OptionError

    if training["text"] is None or training["labels"] is None:
        raise OptionError("training needs both --text and --labels: the columns of the texts and of their labels")
    models = [name.strip() for name in training["models"].split(",") if name.strip()]
    if len(models) != 2 or models[0] == models[1]:
        raise OptionError(f"--models names two models, as linear-svm,mlp; it is {training['models']!r}")
    corpus = from_table(path, training["text"], training["labels"])
    size = training["train_size"] or max(2, len(corpus.labels) // 10)
    return train_models(corpus, train_size=size, models=tuple(models)).counts(*models)


def run(counts: Any, data: str, options: dict[str, Any]) -> Any:
    """Audit counts."""
    from pathlib import Path

    from referee.audits import audit

    options["metric"] = list(options["metric"]) or None
    options["test"], options["null"] = list(options["test"]) or None, list(options["null"]) or None
    made = audit(counts, **options)
    return replace(made, population="standard input" if data == "-" else Path(data).name)
