"""`referee algorithms`: which learning algorithm is better, when the training set varies too?"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import open_all
from referee.cli.output import Outputs, emit
from referee.errors import Argument, Message, OptionError

table, fold_scores = partial(opt.option, section="Data"), partial(opt.option, section="Fold scores")
DATA = (
    click.argument("data", metavar="[DATA]", required=False),
    table("--truth", metavar="COLUMN", help="The right answers: classes, or numbers to predict."),
    table("--group", metavar="COLUMN", help="Examples of one group are never split between training and test."),
    table("--features", type=opt.names, metavar="A,B", help="The columns to learn from; by default all others."),
    table("--drop", type=opt.names, metavar="A,B", help="Columns to leave out."),
    table("--encode", is_flag=True, help="Turn text columns into 0/1 columns, one per level."),
)
MODEL = "'lr=sklearn.linear_model:LogisticRegression(C=2)'; may be repeated; steps are separated by ' | '."
METHOD = (
    opt.question("--model", multiple=True, metavar="NAME=MODULE:CLASS", help=MODEL),
    opt.question("--design", metavar="NAME", help="resampled (default), kfold:folds=5, ...; see referee list designs."),
    opt.question("--metric", metavar="NAME", help="f1, error, a scorer of scikit-learn; accuracy by default."),
    opt.question("--test", metavar="NAME", help="corrected-t, 5x2cv-t, ...; by default the one for the design."),
    opt.question("--positive", metavar="LABEL", help="The label that precision, recall and F1 look for."),
    opt.question("--no-stratify", is_flag=True, help="Don't keep the class proportions in each split."),
    opt.ALTERNATIVE,
    opt.ALPHA,
    opt.MARGIN,
    opt.question(
        "--adjust", metavar="NAME", default="holm", show_default=True, help="How to correct for several pairs."
    ),
    opt.RNG,
    fold_scores("--scores", metavar="FILE", help="Instead of DATA: one row per split, one column per algorithm."),
    fold_scores("--lower-is-better/--higher-is-better", default=None, help="Whether the scores are errors or costs."),
    fold_scores("--n-train", type=int, help="How many examples each split is trained on."),
    fold_scores("--n-test", type=int, help="How many examples each split is tested on."),
    opt.running("--estimate", is_flag=True, help="Fit each algorithm once, and say how long the whole run would take."),
)
FITTED = (
    "truth", "group", "features", "drop", "encode", "model", "positive", "no_stratify", "rng", "estimate", "jobs",
    "dask", "store",
)  # fmt: skip
"""The options that make sense only if something is fitted."""
GIVEN = ("lower_is_better", "n_train", "n_test")
"""The options that make sense only for existing scores."""
QUESTION = ("design", "metric", "positive", "rng", "jobs", "dask", "store")
"""What decides which fits are run, and where."""
JUDGING = ("test", "alternative", "alpha", "margin", "adjust")
"""What decides how the scores are judged."""
EXAMPLES = """\
referee algorithms wine.csv --truth class --model svm=sklearn.svm:SVC --model nb=sklearn.naive_bayes:GaussianNB
referee algorithms wine.csv --truth class --design kfold:folds=5 --metric error \\
    --model 'lr=sklearn.preprocessing:StandardScaler | sklearn.linear_model:LogisticRegression(max_iter=1000)' \\
    --model forest=sklearn.ensemble:RandomForestClassifier
referee algorithms --scores scores.csv --design 5x2cv
"""


@click.command("algorithms", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(*DATA, *METHOD, *opt.RUNNING, *opt.RESULT)
@click.pass_context
def verb(context: click.Context, /, data: str | None, scores: str | None, estimate: bool, **options: Any) -> None:
    """Say which learning algorithm is better, when the training set varies too.

    DATA is a table to learn from (CSV, TSV, JSON lines or Parquet; text formats also with .gz), or - for standard input.
    Every algorithm is fitted once per split. With --scores, existing fold scores are compared instead.
    """
    outputs = Outputs.of(options)
    check(data, scores, opt.given(context))
    outputs.check(options["store"], inputs=[one for one in (data, scores) if one is not None])
    if estimate and outputs.form not in ("text", "json"):
        raise click.UsageError("an estimate is text or JSON; leave --format out", context)
    if estimate and (outputs.html or outputs.chart):
        raise click.UsageError("an estimate is not drawn; leave --html and --chart out", context)
    with outputs.working(), open_all([str(data if scores is None else scores)]) as [path]:
        answer = fit(path, options, estimate) if scores is None else judge(path, options, context)
        if not estimate:
            outputs.draw(answer)
    if estimate:
        text = json.dumps(answer.to_dict(), ensure_ascii=False, indent=1) if outputs.form == "json" else str(answer)
        emit(text, outputs.output)
    else:
        outputs.show(answer)


def check(data: str | None, scores: str | None, options: list[str]) -> None:
    """Refuse options that contradict each other, before anything is read.

    Raises:
        OptionError: with the option to leave out, or to give.
    """
    if (data is None) == (scores is None):
        table = "give a table to learn from, with ", Argument("truth"), " and ", Argument("model")
        not_both = "; not both" if data is not None else ""
        raise OptionError(*table, ", or fold scores with ", Argument("scores"), not_both, argument="data", value=data)
    wrong = next((name for name in options if name in (FITTED if scores is not None else GIVEN)), None)
    if wrong is not None:
        why = "it is for " if scores is None else "nothing is fitted with "
        raise OptionError(why, Argument("scores"), argument=wrong, remedy=Message("leave ", Argument(wrong), " out"))
    if scores is None:
        for name, what in (("truth", "the column of right answers"), ("model", "two algorithms or more")):
            if name not in options:
                raise OptionError(f"name {what} with ", Argument(name), argument=name)


def models(spellings: tuple[str, ...]) -> dict[str, Any]:
    """Build the algorithms, by name.

    Raises:
        OptionError: if there is only one, or two have the same name.
    """
    from referee.studies.algorithms.estimators import parse_model

    algorithms: dict[str, Any] = {}
    for spelling in spellings:
        name, model = parse_model(spelling)
        if name in algorithms:
            remedy = Message("name them: ", Argument("model", "other=module:Class"))
            raise OptionError(f"two algorithms are called {name!r}", argument="model", value=spelling, remedy=remedy)
        algorithms[name] = model
    if len(algorithms) < 2:
        few = f"a comparison needs two algorithms or more; there is only {name!r}"
        again = Message("give ", Argument("model"), " again")
        raise OptionError(few, argument="model", value=spellings, remedy=again)
    return algorithms


def fit(path: str, options: dict[str, Any], cost: bool) -> Any:
    """Compare algorithms on a table, or say how long that would take."""
    from referee.data.engines.files import called_files
    from referee.results.settings import Settings
    from referee.studies.algorithms.algorithms import compare_algorithms, estimate
    from referee.studies.algorithms.designs import STANDARD
    from referee.studies.algorithms.learning_tables import read_features

    algorithms = models(options.pop("model"))
    reading = {name: options.pop(name) for name in ("truth", "group", "features", "drop", "encode")}
    table = read_features(path, **{**reading, "drop": reading["drop"] or ()})
    asked = {name: options[name] for name in (*QUESTION, *(() if cost else JUDGING))}
    asked |= {"stratify": False if options["no_stratify"] else None, "design": asked["design"] or STANDARD}
    if cost:
        return estimate(algorithms, table.X, table.y, group=table.group, **asked)
    made = compare_algorithms(algorithms, table.X, table.y, group=table.group, **asked)
    return replace(made, settings=replace(made.settings or Settings(), files=called_files([path])))


def judge(path: str, options: dict[str, Any], context: click.Context) -> Any:
    """Compare existing fold scores.

    Raises:
        OptionError: if they could come from several designs, with a command for each.
    """
    from referee.studies.algorithms.algorithms import compare_scores
    from referee.studies.algorithms.folds import Undecided

    asked = {name: options[name] for name in ("design", *GIVEN, *JUDGING)}
    asked |= {"metric": options["metric"] or "score"}
    try:
        return compare_scores(path, **asked)
    except Undecided as error:
        remedy = error.asked(lambda design: opt.command(context, design=design))
        raise OptionError(error.why, argument="design", remedy=remedy) from error
