"""`referee rank-datasets`: which systems differ over many datasets?"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import open_all
from referee.cli.output import Outputs

table = partial(opt.option, section="Data")
TESTS = ("wilcoxon-holm", "nemenyi", "bayes")
DATA = (
    click.argument("scores", metavar="SCORES"),
    table("--dataset", metavar="COLUMN", help="The names of the datasets; found by its name or its text if left out."),
    table("--systems", type=opt.names, metavar="A,B", help="The systems, also patterns such as 'm*'; by default all."),
    table("--system", metavar="COLUMN", help="In a long table (dataset, system, score): the names of the systems."),
    table("--score", metavar="COLUMN", help="In a long table: the scores."),
)
METHOD = (
    opt.question(
        "--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="How pairs are told apart."
    ),
    opt.question("--metric", metavar="NAME", help="What the scores are: accuracy, error, ..."),
    opt.LOWER,
    opt.question("--baseline", metavar="SYSTEM", help="Compare the others with this one only."),
    opt.ALPHA,
    opt.question(
        "--rope",
        type=float,
        help="With --test bayes: the largest difference that doesn't matter; by default 0.01 for scores between 0 and 1.",
    ),
    opt.RNG,
    opt.option(
        "--missing",
        section="Dirty data",
        metavar="POLICY",
        default="error",
        show_default=True,
        help="What to do with datasets that lack a score: error or drop.",
    ),
)
EXAMPLES = """\
referee rank-datasets scores.csv
referee rank-datasets scores.csv --dataset name --test nemenyi --chart diagram.svg
referee rank-datasets errors.csv --lower-is-better --baseline old
referee rank-datasets long.csv --dataset task --system model --score f1 --test bayes --rope 0.005
"""


@click.command("rank-datasets", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(*DATA, *METHOD, *opt.RESULT)
def verb(scores: str, **options: Any) -> None:
    """Say which systems differ over many datasets, from a table of scores.

    SCORES is a table (CSV, TSV, JSON lines or Parquet; text formats also with .gz), or - for standard input: one row per dataset
    and one column per system, or one row per score with the columns dataset, system and score. Each dataset counts once.
    """
    from referee.studies.dataset_ranking import rank_datasets

    outputs = Outputs.of(options)
    outputs.check(inputs=(scores,))
    with outputs.working(), open_all([scores]) as [path]:
        result = rank_datasets(path, **options)
        outputs.draw(result)
    outputs.show(result)
