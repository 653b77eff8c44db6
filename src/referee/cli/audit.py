"""`referee audit`: how often tests raise a false alarm, and what they see, on data like these."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from referee.cli.options import (
    ALTERNATIVE,
    DATA,
    OUTPUT,
    QUIET,
    RUNNING,
    THRESHOLD,
    Seed,
    Verb,
    declared,
    formats,
    listed,
    with_options,
)
from referee.cli.pictures import PICTURES

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
    *PICTURES,
    click.option("--save-counts", metavar="FILE", help="Keep the population as a counts file."),
    QUIET,
)
ALGORITHMS = "algorithms"
"""What is audited in place of data: the tests of learning algorithms, in simulated worlds."""
EXAMPLES = """\b
referee audit preds.csv --truth label --a old --b new --metric f1
referee audit wordnet-linear-mlp --metric f1 --sizes 100,1000 --alpha 0.01,0.05
referee audit algorithms --sizes 300 --sets 500
"""


@click.command("audit", cls=Verb, epilog=EXAMPLES)
@with_options(
    DATA,
    *declared("audit", "Data", "Logs"),
    *METHOD,
    *TRAINING,
    *declared("audit", "Question", "Dirty data"),
    *RUNNING,
    *RESULT,
)
@click.pass_context
def verb(
    context: click.Context,
    /,
    data: tuple[str, ...],
    form: str,
    output: str | None,
    each: bool,
    html: str | None,
    chart: str | None,
    save_counts: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Say how often tests raise a false alarm, and what they see, on data like yours.

    DATA is a table or counts file as in compare, the name of a shipped population (`referee list populations`), a table
    of texts to train models on (with --text and --labels), or the word algorithms: simulated worlds in which learning
    algorithms tie (with --sizes, --sets, --alpha and --rng).
    """
    from referee.cli.inputs import opened_all
    from referee.cli.output import emit, show
    from referee.cli.pictures import draw, possible
    from referee.cli.places import ready
    from referee.cli.progress_bar import progress
    from referee.cli.streams import reserved

    ready(output, save_counts, html, chart, options["store"], inputs=(*data, options["universe"]))
    possible(form, html, chart)
    if data == (ALGORITHMS,):
        with reserved(), progress(quiet):
            result = algorithms(context, options)
            draw(result, html, chart, quiet)
        show(result, form, output)
        return
    with reserved(), opened_all(data) as paths, progress(quiet):
        counts = population(paths, options, quiet)
        if save_counts is not None:
            emit(counts.to_json(), save_counts)
        result = run(counts, data, options)
        shown = result if each else replace(result, each=())
        draw(shown, html, chart, quiet)
    show(shown, form, output)


def algorithms(context: click.Context, options: dict[str, Any]) -> Any:
    """Audit the tests of learning algorithms; complain of an option that has no meaning there."""
    from referee.cli.given import given
    from referee.errors import OptionError
    from referee.studies.algorithms.simulation import audit_algorithms

    takes = {
        "sizes": "n",
        "alpha": "alpha",
        "sets": "sets",
        "rng": "rng",
        "jobs": "jobs",
        "dask": "dask",
        "store": "store",
    }
    asked = [name for name in given(context) if name not in ("data", "form", "output", "html", "chart", "quiet")]
    for name in asked:
        if name not in takes:
            raise OptionError(f"an audit of algorithms has no option --{name.replace('_', '-')}; leave it out")
    return audit_algorithms(**{takes[name]: options[name] for name in asked})


def population(paths: list[str], options: dict[str, Any], quiet: bool) -> Any:
    """Return the counts to audit: read, shipped, or made by training models."""
    from referee.cli import inputs
    from referee.data.roles import every_option, names_of
    from referee.errors import OptionError
    from referee.studies.auditing.shipped import is_shipped, shipped
    from referee.studies.prepare import read

    training = {name: options.pop(name) for name in ("text", "labels", "models", "train_size")}
    options["by"] = options.pop("category")
    trained = training["text"] is not None or training["labels"] is not None
    alone = next((path for path in paths if trained or is_shipped(path)), None)
    if alone is not None and len(paths) > 1:
        raise OptionError(f"{alone} is audited by itself; leave the others out: {', '.join(paths)}")
    if alone is not None:
        said = {name: options.pop(name) for name in every_option() if name in options}
        if trained:
            return train(paths[0], training)
        given = [name for name in names_of("column", "reader") if said.get(name) not in (None, False)]
        if given:
            spelt = "category" if given[0] == "by" else given[0]
            raise OptionError(f"the population {paths[0]} has no columns to name; leave out --{spelt}")
        return shipped(paths[0])
    positive = options["positive"]
    return read(inputs.counted(paths, options, quiet), positive=positive)


def train(path: str, training: dict[str, Any]) -> Any:
    """Train two models on a table of texts, and return the counts of what they predict on the rest."""
    from referee.errors import OptionError
    from referee_papers.corpora.text_tables import from_table
    from referee_papers.training.train import train as train_models

    if training["text"] is None or training["labels"] is None:
        raise OptionError("training needs both --text and --labels: the columns of the texts and of their labels")
    models = [name.strip() for name in training["models"].split(",") if name.strip()]
    if len(models) != 2 or models[0] == models[1]:
        raise OptionError(f"--models names two models, as linear-svm,mlp; it is {training['models']!r}")
    corpus = from_table(path, training["text"], training["labels"])
    size = training["train_size"] or max(2, len(corpus.labels) // 10)
    return train_models(corpus, train_size=size, models=tuple(models)).counts(*models)


def run(counts: Any, data: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Audit counts."""
    from pathlib import Path

    from referee.studies.auditing.audit import audit

    options["metric"] = list(options["metric"]) or None
    options["test"], options["null"] = list(options["test"]) or None, list(options["null"]) or None
    made = audit(counts, **options)
    names = ["standard input" if source == "-" else Path(source).name for source in data]
    return replace(made, population=" and ".join(names))
