"""`referee audit`: how often tests raise a false alarm, and their power, on data like these."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import measures, open_all, outcomes
from referee.cli.output import Outputs, emit
from referee.errors import Argument, Message, OptionError, refusal

training = partial(opt.option, section="Training")
ALPHA = "The false-alarm rates that you accept."
NULL = "Where there is no difference: the nearest tie (default), answers swapped at random, or categories that tie."
PEEK = "Examples arrive in K batches, and tests look after each: how often is any look a false alarm?"
METHOD = (
    opt.NAMES,
    opt.option("--category", section="Data", metavar="COLUMN", help="Each value is a population; rates are averaged."),
    opt.question(
        "--metric", multiple=True, metavar="NAME", help="Just one: f1, error, dcf:cost_fn=10, module:function."
    ),
    opt.question("--test", multiple=True, metavar="NAME", help="May be repeated; by default all that fit."),
    opt.LOWER,
    opt.THRESHOLD,
    opt.question("--sizes", type=opt.listed(int), metavar="N,N", help="Examples per test set; by default as in DATA."),
    opt.question("--alpha", type=opt.listed(float), default="0.05", show_default=True, metavar="A,A", help=ALPHA),
    opt.ALTERNATIVE,
    opt.question("--null", type=click.Choice(["tilt", "swap", "observed"]), multiple=True, help=NULL),
    opt.question("--sets", type=int, help="Test sets to draw; 1,000, or 500 per category if there are several."),
    opt.question("--peek", type=int, default=1, metavar="K", help=PEEK),
    opt.question("--tie", type=float, default=1e-9, show_default=True, help="Differences up to this size are ties."),
    opt.question(
        "--coverage/--no-coverage", default=True, help="Check how often intervals contain the true difference."
    ),
    opt.RNG,
)
TRAINING = (
    training("--text", metavar="COLUMN", help="Train models on these texts, and audit what they predict."),
    training("--labels", metavar="COLUMN", help="With --text: the labels, separated by blanks."),
    training("--models", metavar="A,B", default="linear-svm,rbf-svm", show_default=True, help="With --text: or mlp."),
    training("--train-size", type=int, help="With --text: how many texts to train on; a tenth by default."),
)
RESULT = (*opt.RESULT, opt.result("--each", is_flag=True, help="Also one row per category (JSON)."), opt.COUNTS)
ALGORITHMS = "algorithms"
"""What is audited in place of data: the tests of learning algorithms, in simulated worlds."""
SIMULATED = {"sizes": "n"} | {name: name for name in ("alpha", "sets", "rng", "jobs", "dask", "store")}
"""The options that an audit of algorithms takes, and what `audit_algorithms` calls them."""
EXAMPLES = """\
referee audit preds.csv --truth label --a old --b new --metric f1
referee audit wordnet-linear-mlp --metric f1 --sizes 100,1000 --alpha 0.01,0.05
referee audit preds.csv --truth label --a old --b new --peek 20
referee audit algorithms --sizes 300 --sets 500
"""


@click.command("audit", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(opt.DATA, *opt.declared("audit"), *METHOD, *TRAINING, *opt.RUNNING, *RESULT)
@click.pass_context
def verb(context: click.Context, /, data: tuple[str, ...], each: bool, save_counts: str | None, **options: Any) -> None:
    """Measure how often tests raise false alarms on data like yours, and what they detect.

    DATA is a table or counts file as in compare, the name of a shipped population (`referee list populations`), a table
    of texts to train models on (with --text and --labels), or the word algorithms: simulated worlds in which learning
    algorithms tie (with --sizes, --sets, --alpha and --rng).
    """
    outputs = Outputs.of(options)
    outputs.check(save_counts, options["store"], inputs=data, options=options)
    with outputs.working():
        if data == (ALGORITHMS,):
            answer = algorithms(context, options)
        else:
            with open_all(data) as paths:
                counts = population(paths, options, outputs)
            if save_counts is not None:
                emit(counts.to_json(), save_counts)
            answer = run(counts, data, options)
            answer = answer if each else replace(answer, each=())
        outputs.draw(answer)
    outputs.show(answer)


def algorithms(context: click.Context, options: dict[str, Any]) -> Any:
    """Audit the tests of learning algorithms; complain about an option that has no meaning there."""
    from referee.studies.algorithms.simulation import audit_algorithms

    asked = [name for name in opt.given(context) if name not in ("data", "form", "output", "html", "chart", "quiet")]
    for name in asked:
        if name not in SIMULATED:
            raise OptionError("an audit of algorithms has no option ", Argument(name, bare=True), remedy="leave it out")
    return audit_algorithms(**{SIMULATED[name]: options[name] for name in asked})


def population(paths: list[str], options: dict[str, Any], outputs: Outputs) -> Any:
    """Return the counts to audit: read, shipped, or made by training models."""
    from referee.data.outcomes import count
    from referee.data.roles import every_option, names_of
    from referee.studies.auditing.population import is_shipped, shipped
    from referee.studies.prepare import read

    texts = {name: options.pop(name) for name in ("text", "labels", "models", "train_size")}
    options["by"] = options.pop("category")
    trained = texts["text"] is not None or texts["labels"] is not None
    alone = next((path for path in paths if trained or is_shipped(path)), None)
    if alone is None:
        positive = options["positive"]
        options["metric"] = tuple(measures(options["metric"], options))
        return read(count(outcomes(paths, options, outputs)), positive=positive, names=options.pop("names"))
    if len(paths) > 1:
        remedy = f"leave the others out: {', '.join(paths)}"
        raise OptionError(f"{alone} is audited by itself", argument="data", value=paths, remedy=remedy)
    roles = {name: options.pop(name) for name in every_option() if name in options}
    if trained:
        return train(alone, **texts)
    named = next((name for name in names_of("column", "reader") if roles.get(name) not in (None, False)), None)
    if named is not None:
        leave = Argument("category" if named == "by" else named)
        out = Message("leave out ", leave)
        raise OptionError(f"the population {alone} has no columns to name", argument=leave.name, remedy=out)
    return shipped(alone)


def train(path: str, text: str | None, labels: str | None, models: str, train_size: int | None) -> Any:
    """Train two models on a table of texts, and return the counts of what they predict on the rest."""
    from referee_papers.training.train import train as train_models

    if text is None or labels is None:
        both = Argument("text"), " and ", Argument("labels"), ": the columns of the texts and of their labels"
        raise OptionError("training needs both ", *both, argument="text" if text is None else "labels")
    pair = opt.names(models) or []
    if len(pair) != 2 or pair[0] == pair[1]:
        raise refusal("models", "must name two models, as linear-svm,mlp", models)
    return train_models(path, text, labels, pair, train_size)


def run(counts: Any, data: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Audit counts."""
    from referee.studies.auditing.audit import audit

    options["peeks"] = options.pop("peek")
    options |= {name: list(options[name]) or None for name in ("metric", "test", "null")}
    sources = ("standard input" if source == "-" else Path(source).name for source in data)
    return replace(audit(counts, **options), population=" and ".join(sources))
