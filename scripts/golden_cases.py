"""The commands of the golden run, one a line, in the spelling of a shell.

`{a|b}` stands for both, one command each, a word in capitals for a part of a command (`PARTS`), `< FILE` for standard
input; what a command writes goes to `out/`. A command is run once for each format of its section ("" for that of the verb).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

PARTS = {
    "SPAM": "spam.csv --truth label --a old --b new --positive spam",
    "CLASSES": "classes.csv --truth y --a old --b new",
    "RANKS": "ranks.csv --truth y --a old --b new",
    "NUMBERS": "numbers.csv --truth y --a old --b new",
    "S01": "scores.csv --a old01 --b new01",
    "S4": "scores.csv --a old4 --b new4",
    "SX": "scores.csv --a oldx --b newx",
    "COST": "scores.csv --a oldcost --b newcost --metric mean:better=lower",
    "LABELS": "--truth label --a old --b new --positive spam",
    "PLAIN": "--truth label --a old --b new",
    "TWO": "old.csv new.csv --id id --truth label --prediction answer",
    "LONG": "long.csv --id id --system model --truth label --prediction answer",
    "LMEVAL": "logs/lm-eval/acme__small logs/lm-eval/acme__large",
    "INSPECT": "logs/inspect/2026-08-01T10-11-12+00-00_capitals_small.eval logs/inspect/2026-08-02T09-00-00+00-00_capitals_large",
    "LEARN": "learn.csv --truth label --drop site,person --jobs 1",
    "TREE": "--model 'tree=sklearn.tree:DecisionTreeClassifier(max_depth=2, random_state=0)'",
    "BAYES": "--model bayes=sklearn.naive_bayes:GaussianNB",
    "LINE": "--model 'lr=sklearn.preprocessing:StandardScaler | sklearn.linear_model:LogisticRegression(C=0.5)'",
    "MOST": "--model most=sklearn.dummy:DummyClassifier",
    "FOLDS": "--scores folds.csv",
    "QUICK": "--sets 40 --jobs 1",
    "TEXTS": "texts.csv --text text --labels topics --train-size 80 --sizes 100 --sets 20 --jobs 1 --no-coverage",
}
SECTIONS: tuple[tuple[str, str], ...] = (
    # Every metric with every test that fits it.
    (
        "json",
        """
        compare SPAM --metric {accuracy|error} --test {bootstrap|cluster-t|mcnemar|two-proportions|proportion|disagreement|randomization|score|sign|wilcoxon|skew-t|paired-t|two-sample-t} --no-audit
        compare SPAM --metric {recall|specificity} --test {bootstrap|cluster-t|mcnemar|two-proportions|disagreement|randomization|score|sign|wilcoxon|skew-t|paired-t|two-sample-t} --no-audit
        compare SPAM --metric {precision|f1|fbeta:beta=2|jaccard|hter|dcf|balanced-accuracy|kappa|mcc} --test {bootstrap|cluster-t|randomization|score|skew-t} --no-audit
        compare SPAM --metric precision --test chi2-precision --no-audit
        compare SPAM --metric dcf:cost_fn=2,p_target=0.3 --test {dcf-proportion|dcf-paired} --no-audit
        compare RANKS --metric auc --test {bootstrap|delong|delong:law=t|randomization} --no-audit
        compare RANKS --metric average-precision --test {bootstrap|randomization} --no-audit
        compare {S01|SX} --test {bootstrap|cluster-t|randomization|sign|wilcoxon|skew-t|paired-t|two-sample-t} --no-audit
        compare S01 --test {mcnemar|score|proportion|two-proportions|disagreement} --no-audit
        compare NUMBERS --metric {mse|mae} --test {bootstrap|cluster-t|randomization|sign|wilcoxon|skew-t|paired-t|two-sample-t} --no-audit
        compare NUMBERS --metric rmse --test {bootstrap|cluster-t|randomization|skew-t} --no-audit
        compare SPAM --group sender --metric {accuracy|recall} --test {bootstrap|cluster-t|mcnemar|randomization|sign|wilcoxon|paired-t} --no-audit
        compare SPAM --group sender --metric {f1|dcf|mcc} --test {bootstrap|cluster-t|randomization} --no-audit
        compare RANKS --group user --metric auc --test {bootstrap|cluster-t|randomization} --no-audit
        compare SX --group doc --test {bootstrap|cluster-t|randomization|sign|wilcoxon|paired-t} --no-audit
        compare NUMBERS --group plot --metric rmse --test {bootstrap|cluster-t|randomization} --no-audit
        """,
    ),
    # The options of tests, averages, strata, thresholds, questions.
    (
        "json",
        """
        compare SPAM --metric f1 --test {bootstrap:interval=bca|bootstrap:interval=basic|bootstrap:interval=centered|bootstrap:interval=studentized|bootstrap:interval=t|bootstrap:replicates=499|randomization:studentized=true|randomization:trials=499|score:law=sampled}
        compare SPAM --test {mcnemar:variant=exact|mcnemar:variant=uncorrected|mcnemar:variant=corrected|mcnemar:interval=wald|wilcoxon:zeros=pratt}
        compare SPAM --group sender --test {mcnemar:clustered=durkalski|mcnemar:clustered=eliasziw}
        compare CLASSES --metric {accuracy|balanced-accuracy|kappa|mcc|f1:average=micro|f1:average=weighted|precision:average=macro|recall:average=macro,labels=all|jaccard:average=weighted|hter:average=macro}
        compare CLASSES --group page --metric {f1:average=macro|mcc|kappa}
        compare CLASSES --metric {f1|precision|recall} --positive bee
        compare SPAM --stratum site --metric {accuracy|f1|mcc}
        compare SPAM --stratum site --group sender --metric {accuracy|f1}
        compare RANKS --stratum site --metric auc
        compare RANKS --threshold 0.5 --metric {accuracy|f1|mcc}
        compare RANKS --threshold 0.5 --metric auc --metric f1 --metric recall
        compare SPAM --alternative {greater|less} --metric {accuracy|f1|error} --no-audit
        compare SPAM --alpha {0.01|0.2} --metric {accuracy|f1}
        compare {SPAM|S4} --question {no-worse|equal} --margin {0.02|5pp} --no-audit
        compare SPAM --metric {f1|error} --margin {0.2|1pp}
        compare SPAM --metric f1 --group sender --question {no-worse|equal} --margin 0.05
        compare COST --margin 0.3 --question {no-worse|equal}
        compare SPAM --metric {accuracy|mcc} --audit
        compare RANKS --metric auc --audit
        compare SPAM --metric f1 --question no-worse --margin 0.05 --audit
        compare SX --group doc --audit --rng 7
        compare SPAM --metric f1 --test bootstrap:replicates=499 --rng {1|2}
        compare {S01|S4|SX|COST} --group doc
        compare SX --metric {mean:better=lower|mean:low=-10,high=40}
        compare S4 --metric mean:low=0,high=1,step=0.25
        compare S4 --metric mean:low=0,high=1 --test {skew-t|randomization}
        compare {SX|S4} --by kind --metric mean
        compare SPAM --metric own:half_f1
        compare NUMBERS --metric mse --metric mae --metric rmse --alternative less
        """,
    ),
    # What people do, in every format.
    (
        "json text markdown latex junit",
        """
        compare SPAM
        compare SPAM --metric f1 --group sender
        compare SPAM --metric accuracy --metric f1 --metric mcc --margin 0.02
        compare SPAM --by kind --metric f1
        compare SX --question no-worse --margin 0.5
        compare RANKS --metric auc
        """,
    ),
    (
        "json text",
        """
        compare {S01|S4|COST}
        compare NUMBERS --metric {mse|rmse|mae}
        compare RANKS --metric average-precision
        compare CLASSES --metric f1:average=macro
        compare SPAM --question equal --margin 1pp
        compare SPAM --question equal --margin 0.3
        compare SPAM --by sender
        compare SPAM --by kind --metric f1 --metric recall --group sender
        compare SPAM --metric f1 --audit
        compare spam.csv --truth label --a new --b old --metric error --gate
        compare SPAM --metric error --alternative less --gate
        compare SPAM --group sender --gate
        compare counted.csv --truth label --a old --b new
        compare TWO
        compare TWO --group sender --metric f1 --positive spam
        compare LONG --a gpt --b elm
        compare old.csv short.csv --id id --truth label --prediction answer --unmatched drop
        compare old.csv same-order.csv --by-line --truth label --prediction answer
        compare repeated-old.csv repeated.csv --id id --truth label --prediction answer --repeats group
        compare repeats.csv --id id --a old --b new --repeats {mean|group}
        compare gaps.csv PLAIN --missing {drop|wrong}
        compare monday.json tuesday.json
        compare monday.json --metric f1
        compare LMEVAL --filter strict-match
        compare INSPECT.eval --scorer match --missing wrong
        compare logs/promptfoo/both.json --missing drop
        compare logs/helm/old logs/helm/new --score exact_match
        compare logs/openai-evals/acme-small.jsonl logs/openai-evals/acme-large.jsonl --missing drop
        compare logs/trec/old.txt logs/trec/new.txt --score map
        compare logs/swe-bench/old.json logs/swe-bench/new.json --universe logs/swe-bench/ids.txt
        compare logs/conll/old.conll logs/conll/new.conll
        compare logs/numbers/old.txt logs/numbers/new.txt
        compare logs/columns/old.table.json logs/columns/new.table.json --id id --truth label --prediction answer
        """,
    ),
    (
        "json",
        """
        compare INSPECT.json --scorer match --missing drop
        compare INSPECT.eval --scorer match --missing wrong --group continent --repeats group
        compare logs/promptfoo/both.json --missing wrong --score success
        compare logs/trec/old.txt logs/trec/new.txt --score P_10
        compare logs/swe-bench/old.week-1.json logs/swe-bench/new.week-1.json
        compare logs/conll/both.conll --unit {response|sentence|document}
        compare logs/conll/old.conll logs/conll/new.conll --metric {precision|recall}
        compare logs/columns/{eval_results_table|split}.json --truth targets --a old --b new
        compare kinds/{t.tsv|semicolons.csv|bom.csv|t.jsonl|t.json|t.csv.gz|t.jsonl.gz|t.parquet|t.feather} LABELS --metric f1
        compare {parts|'parts/part-*.csv'} LABELS --metric f1
        compare - LABELS --metric f1 < {spam.csv|kinds/t.jsonl|kinds/t.csv.gz|kinds/t.parquet}
        compare - < monday.json
        """,
    ),
    # What else is written.
    (
        "text",
        """
        compare SPAM --metric f1 --html out/page.html --id id --text words
        compare SPAM --metric f1 --group sender --html out/page.html --no-examples --audit
        compare SPAM --metric f1 --metric accuracy --by kind --html out/page.html
        compare COST --html out/page.html --margin 0.2
        compare LMEVAL --filter strict-match --html out/page.html
        compare {SPAM|SX|RANKS --metric auc} --chart out/chart.json
        compare SPAM --metric f1 --metric accuracy --chart out/chart.json
        compare SPAM --chart out/chart.svg
        compare SPAM --by kind --group sender --save-counts out/counts.json -o out/result.txt -q
        compare RANKS --metric auc --save-counts out/counts.json
        """,
    ),
    (
        "json text",
        """
        count SPAM
        count SPAM --group sender --stratum site
        count TWO
        count counted.csv --truth label --a old --b new --multiplicity times
        count gaps.csv PLAIN --missing drop
        count LMEVAL --filter strict-match
        count monday.json tuesday.json
        count SX --by kind -o out/counts.json
        """,
    ),
    # Learning algorithms.
    (
        "json text",
        """
        algorithms LEARN BAYES MOST --design {5x2cv|kfold:folds=5}
        algorithms LEARN BAYES TREE LINE --design kfold:folds=3 --margin 0.02
        algorithms LEARN BAYES TREE --design holdout:test=0.4
        algorithms FOLDS --design kfold
        """,
    ),
    (
        "json",
        """
        algorithms LEARN BAYES TREE --design resampled:number=6 --test {corrected-t|t|correlated-bayes}
        algorithms LEARN BAYES TREE --design repeated-kfold:folds=3,repeats=2 --metric {f1|auc} --positive yes
        algorithms LEARN BAYES TREE --design kfold:folds=4 --metric mcc
        algorithms LEARN BAYES TREE --design 5x2cv --test {5x2cv-t|5x2cv-f} --rng 3
        algorithms LEARN BAYES TREE --design holdout --test {mcnemar|bootstrap}
        algorithms LEARN BAYES TREE --design kfold:folds=4 --metric error --alternative less --no-stratify
        algorithms learn.csv --truth label --group person --encode --jobs 1 BAYES TREE --design kfold:folds=4
        algorithms learn.csv --truth label --features x --jobs 1 BAYES TREE MOST --design kfold:folds=4 --adjust {bonferroni|hochberg|bh|by}
        algorithms houses.csv --truth price --jobs 1 --metric mse --design kfold:folds=4 --model line=sklearn.linear_model:LinearRegression --model most=sklearn.dummy:DummyRegressor
        algorithms LEARN BAYES TREE --metric roc_auc --design kfold:folds=4
        algorithms FOLDS --design resampled --test {corrected-t|t|correlated-bayes:region=0.02}
        algorithms FOLDS --design 5x2cv --test {5x2cv-t|5x2cv-f} --lower-is-better
        algorithms FOLDS --design kfold --margin 0.02 --alpha 0.1
        """,
    ),
    (
        "markdown latex",
        """
        algorithms LEARN BAYES TREE LINE --design kfold:folds=3
        algorithms FOLDS --design kfold
        """,
    ),
    (
        "text",
        """
        algorithms LEARN BAYES TREE LINE --design kfold:folds=3 --html out/page.html
        algorithms FOLDS --design kfold --chart out/chart.json
        algorithms LEARN BAYES TREE --estimate
        """,
    ),
    # Watches.
    (
        "json text markdown latex junit",
        """
        watch SPAM --state out/watch.json --html out/page.html --chart out/chart.json
        watch SPAM --metric f1 --margin 5pp --gate
        watch monday.json --alternative greater
        """,
    ),
    # Audits.
    (
        "json text",
        """
        audit SPAM --metric error QUICK
        audit SPAM --metric f1 --group sender QUICK
        audit monday.json QUICK --test mcnemar --test randomization
        audit wordnet-linear-rbf --metric f1 --test randomization --sizes 100 --sets 5 --jobs 1 --no-coverage
        audit algorithms --sizes 40 --sets 2 --jobs 1
        audit TEXTS --metric error --test mcnemar --null swap
        """,
    ),
    (
        "json",
        """
        audit SPAM --metric error --test mcnemar --category site --each --sizes 50,100 --alpha 0.05,0.1 --null {tilt|swap|observed} QUICK
        audit SPAM --metric f1 --alternative greater --no-coverage --stratum site QUICK
        audit RANKS --metric auc --test delong --sets 10 --jobs 1
        audit RANKS --metric f1 --threshold 0.5 --test score QUICK --rng 5
        audit {SX|S01} --test paired-t --test wilcoxon QUICK
        audit LMEVAL --filter strict-match --test sign QUICK
        audit rcv1-linear-mlp-balanced --metric error --test mcnemar --sizes 100 --sets 3 --jobs 1 --each --no-coverage
        audit SPAM --test mcnemar QUICK --store out/cells.sqlite --save-counts out/counts.json
        """,
    ),
    (
        "markdown latex",
        """
        audit SPAM --metric error QUICK
        """,
    ),
    (
        "text",
        """
        audit SPAM --metric error QUICK --html out/page.html
        audit SPAM --metric error QUICK --chart out/chart.json
        """,
    ),
    # The smaller verbs, and their help.
    ("json text", "list {|metrics|tests|designs|populations}"),
    ("json text markdown latex", "replicate yeh2000"),
    (
        "",
        """
        demo
        demo --save out/demo.csv
        replicate
        --version
        --help
        {compare|count|algorithms|audit|list|demo|replicate|serve} --help
        """,
    ),
    # What is hardly data.
    (
        "json text",
        """
        compare bad/{one-row|blanks|equal|one-class}.csv PLAIN
        compare bad/only-yes.csv PLAIN --metric {f1|mcc|specificity|auc}
        compare bad/one-class.csv PLAIN --metric mcc
        compare bad/{singles|one-group}.csv PLAIN --group g
        compare bad/nan.csv --a old --b new --missing {wrong|drop}
        """,
    ),
    # Mistakes.
    (
        "",
        """
        comprae spam.csv
        compare
        compare nowhere.csv PLAIN
        compare spam.csv
        compare spam.csv --truth label
        compare spam.csv --truth lable --a old --b new
        compare spam.csv --truth label --a old --b nwe
        compare spam.csv --truth label --a old --b old
        compare SPAM --group sendr
        compare SPAM --metric {f3|f1:beta=2|f1:average=makro|dcf:p_target=2|auc|mse|own:printing|own:nothing|nowhere:f1}
        compare SPAM --metric f1 --test {mcnemer|mcnemar|bootstrap:replicates=few|bootstrap:interval=wide|delong|corrected-t}
        compare SPAM --group sender --test {score|two-proportions}
        compare SPAM --{alpha 2|alpha 0|alternative up|question best|rng x|missing wrongly|repeats often|unmatched keep|format yaml|metrc f1}
        compare SPAM --alpha 0.1 --alpha 0.2
        compare SPAM --margin {1%|0|-0.1|2|much|nan}
        compare SPAM --question no-worse
        compare SPAM --question equal --margin 0.02 --alternative greater
        compare SPAM --question better --margin 0.02
        compare spam.csv PLAIN --metric f1
        compare spam.csv PLAIN --metric f1 --positive Spam
        compare SPAM --threshold 0.5
        compare SPAM --html spam.csv
        compare SPAM --chart out/chart.gif
        compare SPAM --html out/x --chart out/x
        compare SPAM -o nowhere/x.txt
        compare gaps.csv PLAIN
        compare bad/{empty|blank|header|ragged|twice|truthless|utf16}.csv PLAIN
        compare bad/one-class.csv PLAIN --metric {f1|specificity}
        compare bad/{nan|infinite|text-scores}.csv --a old --b new
        compare bad/infinite.csv --a old --b new --missing drop
        compare bad/mixed.jsonl --truth y --a a --b b
        compare bad/{cut.parquet|cut.csv.gz} PLAIN
        compare bad/{cut|misspelt|negative|future}.json
        compare monday.json monday.json
        compare monday.json --group sender
        compare bad/cut.eval bad/cut.eval
        compare INSPECT.eval
        compare INSPECT.eval --scorer brevty
        compare LMEVAL
        compare LMEVAL --filter strikt-match
        compare logs/helm/old logs/helm/new
        compare logs/promptfoo/both.json
        compare logs/trec/old.txt logs/trec/new.txt
        compare logs/swe-bench/old.json logs/swe-bench/new.json
        compare logs/conll/old.conll logs/conll/new.conll --metric accuracy
        compare logs/conll/old.conll logs/conll/new.conll --unit token
        compare logs/trec/old.txt logs/numbers/old.txt
        compare old.csv new.csv --truth label --prediction answer
        compare old.csv new.csv --id idd --truth label --prediction answer
        compare old.csv new.csv --id sender --truth label --prediction answer
        compare old.csv new.csv --by-line --truth label --prediction answer
        compare old.csv short.csv --id id --truth label --prediction answer
        compare old.csv repeated.csv --id id --truth label --prediction answer
        compare repeats.csv --id id --a old --b new
        compare LONG --a gpt --b claude
        compare LONG
        compare - PLAIN
        count SPAM --multiplicity sender
        count SPAM --format latex
        algorithms LEARN BAYES
        algorithms LEARN BAYES --model x=sklearn.nowhere:Thing
        algorithms LEARN BAYES --model x=nonsense
        algorithms learn.csv --truth label --jobs 1 BAYES MOST
        algorithms LEARN BAYES MOST --design {6x2cv|kfold:folds=1|kfold:folds=500}
        algorithms LEARN BAYES MOST --design 5x2cv --test corrected-t
        algorithms LEARN BAYES MOST --metric f1
        algorithms LEARN BAYES MOST --adjust none
        algorithms FOLDS --design 5x2cv --test mcnemar
        algorithms FOLDS LEARN
        algorithms --scores spam.csv
        audit SPAM QUICK --{alpha 0|alpha five|sizes 100,x|sizes 1|null none|category sendr|text label}
        audit SPAM --sets 40 --{jobs 0|dask nonsense}
        algorithms LEARN BAYES MOST --metric mcc --positive yes
        audit SPAM --sets 0
        audit SPAM QUICK --metric f1 --test mcnemar
        audit SPAM QUICK --metric f1 --metric error
        audit rcv1-linear-rfb --metric f1
        audit rcv1-linear-rbf --truth label
        audit TEXTS --models linear-svm --metric f1
        list metric
        replicate nothing1999
        """,
    ),
)


class Command(NamedTuple):
    """A command: what it is called in a folder of results, the words after `referee`, and the file it is fed."""

    name: str
    words: tuple[str, ...]
    stdin: str = ""


def commands() -> list[Command]:
    """Return every command, each once.

    Raises:
        ValueError: where two have one name.
    """
    made = [
        _command(line, form)
        for forms, text in SECTIONS
        for spelt in filter(None, map(str.strip, text.splitlines()))
        for line in _spread(spelt)
        for form in forms.split() or [""]
    ]
    twice = sorted({one.name for one in made if [other.name for other in made].count(one.name) > 1})
    if twice:
        raise ValueError(f"these commands are here twice: {', '.join(twice)}")
    return made


def _spread(spelt: str) -> Iterator[str]:
    """Yield one line for each choice of what is in braces.

    >>> list(_spread("a {b|c} {d|e}"))
    ['a b d', 'a b e', 'a c d', 'a c e']
    """
    pieces = re.split(r"\{(.*?)\}", spelt)
    for choice in product(*(piece.split("|") if place % 2 else [piece] for place, piece in enumerate(pieces))):
        yield "".join(choice)


def _command(line: str, form: str) -> Command:
    line = f"{line} --format {form}" if form else line
    call, _, stdin = line.partition(" < ")
    if " --format " in stdin:
        stdin, _, form = stdin.partition(" --format ")
        call = f"{call} --format {form}"
    name = re.sub(r"[^A-Za-z0-9.=+]+", "-", line.replace("--format", "")).strip("-")
    whole = re.sub(r"\b[A-Z][A-Z0-9]+\b", lambda found: PARTS.get(found[0], found[0]), call)
    return Command(name, tuple(shlex.split(whole)), stdin.strip())
