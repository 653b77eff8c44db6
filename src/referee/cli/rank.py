"""`referee rank`: which of any number of systems is best, and which ranks do the data support?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import added, measure, open_all
from referee.cli.output import Outputs
from referee.data.roles import OPTIONS, names_of
from referee.errors import OptionError

SYSTEMS = "The columns of the systems, or patterns: m1,m2,'m*'; by default all that look like predictions."
WINNER = "Of battles: who won each (model_a, model_b, tie, a model's name, ...); models are then rated (Bradley-Terry)."
ADJUST = "max-t and bonferroni also give intervals; romano-wolf, holm, hochberg, bh, by: p-values only; none."
NAMES = opt.option("--systems", section="Data", type=opt.names, metavar="A,B", help=SYSTEMS)
BATTLES = (
    opt.option("--winner", section="Data", metavar="COLUMN", help=WINNER),
    opt.option("--a", section="Data", metavar="COLUMN", help="Of battles: the model on side A; model_a by default."),
    opt.option("--b", section="Data", metavar="COLUMN", help="Of battles: the model on side B; model_b by default."),
)
ASKED = (
    opt.question(
        "--metric", metavar="NAME", help="f1, f1:average=macro, module:function; by default accuracy, or the mean."
    ),
    opt.question("--test", metavar="NAME", help="The test of each pair: mcnemar, ...; chosen for you by default."),
    opt.question("--baseline", metavar="NAME", help="Compare the others with this system only: fewer comparisons."),
    opt.question("--adjust", metavar="NAME", default="max-t", show_default=True, help=ADJUST),
    opt.LOWER,
    opt.THRESHOLD,
    opt.ALPHA,
    opt.RNG,
    *opt.RESULT,
)
EXAMPLES = """\
referee rank preds.csv --truth label --metric f1 --positive spam
referee rank scores.csv --systems 'gpt-*,claude-*' --group document
referee rank preds.csv --truth label --systems old,new,tuned --baseline old
referee rank battles.csv --winner winner --group judge
referee rank runs/m1.jsonl runs/m2.jsonl runs/m3.jsonl --html leaderboard.html
"""


@click.command("rank", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(opt.DATA, NAMES, *BATTLES, *opt.declared("rank"), *ASKED)
def verb(data: tuple[str, ...], **options: Any) -> None:
    """Rank any number of systems on the same examples, and say which ranks the data support.

    DATA is a table with one row per example and one column per system (CSV, TSV, JSON lines or Parquet; text formats also
    with .gz), a counts file, or - for standard input. Several DATA are runs, one per system, joined by id: tables (with
    --id), or logs, which are recognised. A long table has a row per example and system (--system). A table of battles has
    a row per battle of two models, and a column of who won (--winner).
    """
    outputs = Outputs.of(options)
    outputs.check(inputs=data, options=options)
    with outputs.working(), open_all(data) as paths:
        answer = run(paths, options, outputs)
        outputs.draw(answer)
    outputs.show(answer)


def run(paths: Sequence[str], options: dict[str, Any], outputs: Outputs) -> Any:
    """Rank what is in files, and say aloud what was assumed."""
    from referee.data.crossed_groups import unfolded
    from referee.data.engines.tables import counts_of
    from referee.data.formats.base import recognise
    from referee.data.many_systems import system_columns
    from referee.studies.ranking import rank

    options["metric"] = measure(options["metric"], options)
    reading = {name: options.pop(name) for name in names_of("reader") if name in options}
    columns = unfolded({name: options[name] for name in names_of("column") if options.get(name) is not None})
    chosen = any(value not in (None, False) for value in reading.values())
    if options["winner"] is not None:
        if len(paths) > 1:
            raise OptionError(
                f"battles are read from one table; {len(paths)} were given",
                argument="data",
                remedy="give one (a pattern in quotes reads several files as one table)",
            )
        return rank(paths[0], **options, **reading)
    counts = [known for path in paths if (known := counts_of(path)) is not None]
    if len(counts) == len(paths) and not chosen:
        return rank(added(paths, counts), **options)
    if len(paths) == 1 and not chosen and recognise(Path(paths[0]))[0] is None:
        if options["systems"] is None:
            roles = {OPTIONS[name].role or name: column for name, column in columns.items()}
            options["systems"], remarks = system_columns(paths[0], None, roles)
            for remark in remarks:
                outputs.tell(remark)
        return rank(paths[0], **options)
    return rank(list(paths), **options, **reading, tell=outputs.tell)
