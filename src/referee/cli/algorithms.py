"""`referee algorithms`: which learning algorithm is better, when the training set varies too?"""

from __future__ import annotations

import json
from typing import Any

import click

from referee.cli.options import ALTERNATIVE, MARGIN, OUTPUT, QUIET, RUNNING, Seed, Verb, formats, with_options
from referee.cli.pictures import PICTURES


def _split(text: str | None) -> list[str] | None:
    """Read names separated by commas."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


DATA = click.argument("data", metavar="[DATA]", required=False)
COLUMNS = (
    click.option("--truth", metavar="COLUMN", help="The right answers: classes, or numbers to predict."),
    click.option("--group", metavar="COLUMN", help="Examples of one group are never split between training and test."),
    click.option("--features", type=_split, metavar="A,B", help="The columns to learn from; all others if left out."),
    click.option("--drop", type=_split, metavar="A,B", help="Columns to leave out."),
    click.option("--encode", is_flag=True, help="Turn columns of text into 0/1 columns, one for each level."),
)
MODEL = click.option(
    "--model",
    multiple=True,
    metavar="NAME=MODULE:CLASS",
    help="May be repeated: 'lr=sklearn.linear_model:LogisticRegression(C=2)'; steps have ' | ' between them.",
)
METHOD = (
    click.option("--design", metavar="NAME", help="resampled (default), 5x2cv, kfold:folds=5, holdout:test=0.2, ..."),
    click.option("--metric", metavar="NAME", help="f1, error, a scorer of scikit-learn; accuracy if left out."),
    click.option("--test", metavar="NAME", help="corrected-t, 5x2cv-t, ...; that of the design if left out."),
    click.option("--positive", metavar="LABEL", help="The label that precision, recall and f1 look for."),
    click.option("--no-stratify", is_flag=True, help="Splits need not keep the proportions of the classes."),
    ALTERNATIVE,
    click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="The share of false alarms that is accepted."
    ),
    MARGIN,
    click.option("--adjust", metavar="NAME", default="holm", show_default=True, help="For the number of pairs."),
    click.option("--rng", type=Seed(), default=0, show_default=True, help="The seed: a whole number, or none."),
)
SCORES = (
    click.option("--scores", metavar="FILE", help="In place of DATA: one row per split, one column per algorithm."),
    click.option(
        "--lower-is-better/--higher-is-better", default=None, help="With --scores: they are errors or costs, or not."
    ),
    click.option("--n-train", type=int, help="With --scores: how many examples a split trains on."),
    click.option("--n-test", type=int, help="With --scores: how many it tests."),
)
ESTIMATE = click.option("--estimate", is_flag=True, help="Fit each once, and say what the whole would cost.")
FITTED = (
    "truth", "group", "features", "drop", "encode", "model", "positive", "no_stratify", "rng", "estimate", "jobs",
    "dask", "store",
)  # fmt: skip
"""The options that make sense only where something is fitted."""
GIVEN = ("lower_is_better", "n_train", "n_test")
"""The options that make sense only for scores that exist already."""
QUESTION = ("design", "metric", "positive", "rng", "jobs", "dask", "store")
"""What decides which fits are made, and where."""
JUDGING = ("test", "alternative", "alpha", "margin", "adjust")
"""What decides how the scores are judged."""
EXAMPLES = """\b
referee algorithms wine.csv --truth class --model svm=sklearn.svm:SVC --model nb=sklearn.naive_bayes:GaussianNB
referee algorithms wine.csv --truth class --design kfold:folds=5 --metric error \\
    --model 'lr=sklearn.preprocessing:StandardScaler | sklearn.linear_model:LogisticRegression(max_iter=1000)' \\
    --model forest=sklearn.ensemble:RandomForestClassifier
referee algorithms --scores scores.csv --design 5x2cv
"""


@click.command("algorithms", cls=Verb, epilog=EXAMPLES)
@with_options(DATA, *COLUMNS, MODEL, *METHOD, *SCORES, ESTIMATE, *RUNNING, formats(), OUTPUT, *PICTURES, QUIET)
@click.pass_context
def verb(
    context: click.Context,
    /,
    data: str | None,
    scores: str | None,
    form: str,
    output: str | None,
    html: str | None,
    chart: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Say which learning algorithm is better, when the training set varies too.

    DATA is a table to learn from (CSV, TSV, JSON lines or Parquet, the text ones also with .gz), or - for standard
    input. Every algorithm is fitted once a split. With --scores, fold scores that exist already are compared.
    """
    from referee.cli.given import given
    from referee.cli.inputs import opened
    from referee.cli.output import emit, show
    from referee.cli.pictures import draw, possible
    from referee.cli.places import ready
    from referee.cli.progress_bar import progress
    from referee.cli.streams import reserved

    check(data, scores, [name for name in given(context) if name in options])
    ready(output, html, chart, options["store"], inputs=(data, scores))
    possible(form, html, chart)
    cost = options.pop("estimate")
    if cost and form not in ("text", "json"):
        raise click.UsageError("an estimate is text or JSON; leave --format out", context)
    if cost and (html or chart):
        raise click.UsageError("an estimate is not drawn; leave --html and --chart out", context)
    with reserved(), opened(str(data if scores is None else scores)) as path, progress(quiet):
        result = fit(path, options, cost) if scores is None else judge(path, options, context)
        if not cost:
            draw(result, html, chart, quiet)
    if cost:
        emit(json.dumps(result.to_dict(), ensure_ascii=False, indent=1) if form == "json" else str(result), output)
    else:
        show(result, form, output)


def check(data: str | None, scores: str | None, given: list[str]) -> None:
    """Refuse options that contradict each other, before anything is read.

    Raises:
        OptionError: with the option to leave out, or to give.
    """
    from referee.errors import OptionError

    if (data is None) == (scores is None):
        raise OptionError(
            "give a table to learn from, with --truth and --model, or fold scores with --scores"
            + ("; not both" if data is not None else "")
        )
    wrong = [name for name in given if name in (FITTED if scores is not None else GIVEN)]
    if wrong:
        option = f"--{wrong[0].replace('_', '-')}"
        why = "nothing is fitted where there are --scores" if scores is not None else "it is for --scores"
        raise OptionError(f"{why}; leave {option} out")
    if scores is None:
        for name, what in (("truth", "the column of right answers"), ("model", "two algorithms or more")):
            if name not in given:
                raise OptionError(f"name {what} with --{name}")


def models(given: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Build the algorithms.

    Raises:
        OptionError: where there is only one, or two have the same name.
    """
    from referee.errors import OptionError
    from referee.studies.algorithms.estimators import parse_model

    found = [parse_model(text) for text in given]
    names = [name for name, _ in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OptionError(f"two algorithms are called {twice[0]!r}; name them: --model other=module:Class")
    if len(found) < 2:
        raise OptionError(f"a comparison needs two algorithms or more; there is only {names[0]!r}; give --model again")
    return found


def fit(path: str, options: dict[str, Any], cost: bool) -> Any:
    """Compare algorithms on a table, or say what that would cost."""
    from referee.studies.algorithms.algorithms import compare_algorithms, estimate
    from referee.studies.algorithms.designs import STANDARD
    from referee.studies.algorithms.learning_tables import read_features

    algorithms = models(options.pop("model"))
    reading = {name: options.pop(name) for name in ("truth", "group", "features", "drop", "encode")}
    table = read_features(path, **{**reading, "drop": reading["drop"] or ()})
    asked = {name: options[name] for name in (*QUESTION, *(() if cost else JUDGING))}
    asked["stratify"] = False if options["no_stratify"] else None
    asked["design"] = asked["design"] or STANDARD
    return (estimate if cost else compare_algorithms)(dict(algorithms), table.X, table.y, group=table.group, **asked)


def judge(path: str, options: dict[str, Any], context: click.Context) -> Any:
    """Compare fold scores that exist already.

    Raises:
        OptionError: where they could come from several designs, with a command for each.
    """
    from referee.cli.given import command
    from referee.errors import OptionError
    from referee.studies.algorithms.algorithms import compare_scores
    from referee.studies.algorithms.folds import Undecided

    kept = {name: options[name] for name in ("design", "n_train", "n_test", *JUDGING)}
    lower = options["lower_is_better"]
    try:
        return compare_scores(
            path, metric=options["metric"] or "score", higher_is_better=None if lower is None else not lower, **kept
        )
    except Undecided as error:
        raise OptionError(error.asked(lambda design: command(context, design=design))) from error
