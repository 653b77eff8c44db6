"""The page docs/calibration.md, written from the numbers in docs/calibration.json and from nothing else."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.calibration.bars import ALPHAS, AT, Bar, bars
from benchmarks.calibration.charts import charts, picture
from benchmarks.calibration.plan import AGAIN
from benchmarks.calibration.words import folded, listing, name, percent, points, rate, table

Row = dict[str, Any]
NULLS = ("tilt", "swap", "tie", "unlike")
SPELT = {"tilt": "nearest tie", "swap": "exchangeable", "tie": "tie", "unlike": "unlike tie"}


class Numbers:
    """The rows of the JSON, asked by what they are of."""

    def __init__(self, numbers: Row) -> None:
        self.all, self.rows = numbers, numbers["rows"]
        self.metrics = list(numbers["defaults"])
        self.charts = {chart.file: chart for chart in charts(numbers)}

    def where(self, **wanted: Any) -> list[Row]:
        return [row for row in self.rows if all(row.get(key) == value for key, value in wanted.items())]

    def show(self, *files: str) -> str:
        return "\n\n".join(picture(self.charts[file]) for file in files)


def render(numbers: Row) -> str:
    """Return the page."""
    found = Numbers(numbers)
    parts = [
        head(found), judged(found), defaults(found), others(found), means(found), groups(found), strata(found),
        classes(found), ranks(found), unequal(found), tables(found), how(found),
    ]  # fmt: skip
    return "\n\n".join(part.strip() for part in parts) + "\n"


def head(found: Numbers) -> str:
    return f"""
# Calibration: which tests keep their promise

A test at α = 5% promises to call two equally good systems different in at most 5 of 100 test sets, and a 95% confidence
interval promises to contain the true difference in at least 95 of 100. This page measures both, and power, on data whose
truth is known. `make calibration` writes it; the numbers are in [calibration.json](calibration.json).

{found.show("coverage", "false-alarms")}

Both charts show the tests that `compare` chooses, on all {sum(found.all["populations"].values())} categories of the shipped
populations. The error bars are two Monte Carlo errors."""


def judged(found: Numbers) -> str:
    """Say which bars hold."""
    every = bars(found.all)
    failed = [bar for bar in every if bar.verdict == "no"]
    near = [bar for bar in every if bar.verdict == "within sampling error"]
    said = f"{len(every) - len(failed)} of {len(every)} hold, {len(near)} of them within sampling error." + (
        " These do not; the sections below say what to do about them:" if failed else ""
    )
    broken = [f"- **{bar.promise}**: {_number(bar)} ({bar.worst.where})" for bar in failed]
    lines = [[_bold(bar, bar.promise), _bold(bar, bar.verdict), _number(bar), bar.worst.where] for bar in every]
    return "\n\n".join([
        "## What it supports",
        f"The default tests must meet these bars, each judged by its worst number. {said}",
        *(["\n".join(broken)] if broken else []),
        folded(f"All {len(every)} bars", table(["bar", "holds", "worst", "where"], lines, 4)),
        "A bar counts as broken if a number is beyond its limit by more than three Monte Carlo errors. "
        + _unknown(found),
    ])  # fmt: skip


def _bold(bar: Bar, text: str) -> str:
    return f"**{text}**" if bar.verdict == "no" else text


def _number(bar: Bar) -> str:
    if bar.promise.startswith("Power"):
        return f"{points(bar.worst.share)} ± {100 * bar.worst.error:.1f}".replace(" ", "\u00a0")
    return f"{100 * bar.worst.share:.1f}%\u00a0±\u00a0{100 * bar.worst.error:.1f}"


def _unknown(found: Numbers) -> str:
    """Say how often a default has no p-value."""
    some = {metric: share for metric, share in found.all["unknown"].items() if share > 0}
    if not some:
        return "Every test set got a p-value."
    told = listing(f"{100 * share:.2f}% for {metric}" for metric, share in some.items())
    return f"A test set without a p-value counts as not significant; the share of these is {told}, and 0 for the other metrics."


def defaults(found: Numbers) -> str:
    lines = []
    for metric in found.metrics:
        for kind in ("rare", "balanced"):
            mine = sorted(found.where(part="categories", metric=metric, kind=kind), key=lambda row: row["n"])
            lines.append([metric, kind, *(rate(row["coverage"][AT]) for row in mine)])
    sizes = _sizes(found.where(part="categories", kind="all"))
    lowest = [row for row in found.all["extremes"] if row["what"] == "coverage"]
    worst = min(lowest, key=lambda row: row["share"])
    bands = [row for row in found.where(part="categories", n=None) if row["metric"] in ("f1", "precision", "mcc")]
    return "\n\n".join([
        "## The defaults on all categories",
        "Test sets are drawn from a population that counts as the truth: a linear SVM against an MLP and against a Gaussian SVM, on "
        "WordNet glosses and on Reuters documents. **Rare**: the categories as they are, most of them rare. **Balanced**: unions "
        "of categories near balance. The null hypothesis is either the **nearest tie** (`tilt`: the models tie but otherwise stay "
        "different) or **exchangeable** models (`swap`).",
        folded(
            "How often the 95% interval contains the true difference (coverage), in percent",
            table(["metric", "categories", *sizes], lines, 2),
        ),
        f"The lowest coverage in any category, on new test sets from the categories that looked worst, is {percent(worst['share'])} ± "
        f"{100 * worst['error']:.1f} ({worst['metric']}, `{worst['category']}`, n = {worst['n']:,}).",
        "A ratio such as F1 depends most on the positives that one model finds and the other misses. With few of them the tests are "
        "cautious: they raise fewer false alarms than 5%.",
        folded(
            "False alarms at α = 5%, in percent, under the nearest tie, by the expected number of such positives",
            table(
                ["metric", *_bands(bands)],
                [
                    [metric, *(rate(row["tilt"][AT]) for row in bands if row["metric"] == metric)]
                    for metric in dict.fromkeys(row["metric"] for row in bands)
                ],
            ),
        ),
    ])  # fmt: skip


def _bands(rows: Sequence[Row]) -> list[str]:
    lows = list(dict.fromkeys(int(row["kind"].split()[1]) for row in rows))
    return [f"{low} to {high}" for low, high in pairwise(lows)] + [f"{lows[-1]} or more"]


def others(found: Numbers) -> str:
    own, peer = (
        next(iter(found.where(part="tests", kind="rare", metric="f1", n=2000, test=test)))
        for test in ("score", "bootstrap:replicates=999")
    )
    halves = found.where(part="tests", kind="all", metric="error", n=2000, test="resampled-t")[0]
    unpaired, paired = (
        found.where(part="tests", kind="all", metric="error", n=2000, test=test)[0]
        for test in ("two-proportions", "score")
    )
    lines = [
        [metric, *(points(gap) for gap in _gaps(found, metric))] for metric in found.metrics if _gaps(found, metric)
    ]
    return "\n\n".join([
        "## The defaults beside other tests",
        found.show("tests-coverage", "tests-false-alarms"),
        f"In rare categories at n = 2,000 the percentile bootstrap's interval of F1 contains the true difference in "
        f"{percent(peer['coverage'][AT][0])} of test sets, the score interval in {percent(own['coverage'][AT][0])}: if no positive "
        "was found by just one system, the bootstrap interval is far too short, or has no width.",
        folded(
            "Power of the score test minus that of the studentized randomization test on the same sets, if at least 5 positives "
            "found by just one system are expected",
            table(["metric", "least", "mean", "most"], lines),
        ),
        "### What other procedures cost",
        f"A t test on random halves of one test set (`mlxtend.evaluate.paired_ttest_resampled`) treats the agreement of halves "
        f"that share examples as evidence: {percent(halves['tilt'][AT][0])} false alarms for the error rate at n = 2,000. An unpaired z test "
        f"(like lm-eval's) ignores that both systems answered the same examples: {percent(unpaired['tilt'][AT][0])} false alarms and a power of "
        f"{percent(unpaired['power'][AT][0])}, against {percent(paired['tilt'][AT][0])} and {percent(paired['power'][AT][0])} for the "
        "default. The bootstrap of sacrebleu (`absolute-bootstrap` in the tables) looks in one direction only, so its p-value is about "
        "half of a two-sided one, and it calls a system different from itself.",
    ])  # fmt: skip


def _gaps(found: Numbers, metric: str) -> list[float]:
    mine = found.where(part="tests", kind="enough", metric=metric)
    own = {row["n"]: row["power"][AT][0] for row in mine if row["test"] == "score"}
    gaps = [
        own[row["n"]] - row["power"][AT][0]
        for row in mine
        if row["test"] == "randomization:studentized=true" and row["n"] in own
    ]
    return [min(gaps), sum(gaps) / len(gaps), max(gaps)] if gaps else []


def means(found: Numbers) -> str:
    rows = found.where(part="means")
    least = min(row["n"] for row in rows)
    bad = [row for row in rows if row["test"] == "skew-t" and row["tie"][AT][0] > 0.1]
    told = listing(f"{percent(row['tie'][AT][0])} for {row['kind']} at n = {row['n']}" for row in bad)
    warned = (
        f" Without a declared scale no test can know how large a loss is possible (Bahadur and Savage 1956): the false-alarm rate of `skew-t` is {told}. "
        "**Declare the scale if there is one** (`mean:low=1,high=5,step=1`)."
        if bad
        else ""
    )
    return "\n\n".join([
        "## Means",
        found.show("means"),
        "Ratings from 1 to 5 at the ceiling: A mostly gives 5 and rarely 1, B often 4. Shares of 5 runs: A occasionally "
        "fails all of them, B often fails one. Rare losses: B often gains a point and rarely loses 8. In each world the two "
        "means are equal. With a declared scale the default is `score`, otherwise `skew-t`.",
        f"At n = {least} with a declared scale the score test has at most "
        f"{percent(max(row['tie'][AT][0] for row in rows if row['test'] == 'score' and row['n'] == least))} false alarms." + warned,
        folded("False alarms at α = 5%, in percent", by_size(rows, ["tie", "swap"], "false alarms")),
    ])  # fmt: skip


def groups(found: Numbers) -> str:
    rows = [row for row in found.where(part="groups") if row["kind"] != "equal, ignored"]
    ignored = found.where(part="groups", kind="equal, ignored")
    alarms = [row["tilt"][AT][0] for row in ignored]
    return "\n\n".join([
        "## Groups",
        found.show("groups"),
        "Whole groups are drawn from a population of 1,000 groups. **Equal**: 12 examples each. **Unequal**: 1 to 120. "
        "**Linked**: 20 examples if B wins, 12 if neither does, 8 if A wins. **Strongly linked**: 30, 12 and 6. If a few groups "
        "carry most of B's gains, a test set of 6 or 10 groups often has none of them, and no test can know that: with fewer "
        "than 20 groups whose size may depend on the result, expect intervals to be too short. `bell-mccaffrey` is the standard "
        "error of `cluster-t` on the full Satterthwaite degrees of freedom, `classical-cluster-t` the usual one on G − 1.",
        folded("Coverage, in percent", by_size(rows, ["coverage"], "")),
        "### Examples that depend on each other",
        f"The same equal groups, whose examples are correlated by 0.3 (F1) and 0.5 (mean), with a test that treats them as "
        f"independent: false alarms are {percent(min(alarms))} to {percent(max(alarms))} at α = 5%, and more groups do not help.",
        folded("False alarms if groups are ignored, in percent", by_size(ignored, ["tilt"], "false alarms")),
    ])  # fmt: skip


def strata(found: Numbers) -> str:
    return "\n\n".join([
        "## Strata",
        found.show("strata"),
        "120 examples in strata of 1 to 20, each stratum with its own share of positives; the sizes of the strata are fixed. An "
        "example that is alone in its stratum says nothing about how much such examples vary, so strata of one are merged, as "
        "`compare` does.",
        folded(
            "False alarms and coverage, in percent; a dash means that a test has no answer",
            by_size(found.where(part="strata"), ["swap", "coverage"], "false alarms"),
        ),
    ])  # fmt: skip


def classes(found: Numbers) -> str:
    return "\n\n".join([
        "## Several classes",
        found.show("classes"),
        "Each class is two thirds as frequent as the one before; with 10 classes the rarest has 1% of the examples.",
        folded(
            "False alarms and coverage, in percent",
            by_size(found.where(part="classes"), ["tilt", "swap", "coverage"], "false alarms"),
        ),
    ])  # fmt: skip


def ranks(found: Numbers) -> str:
    return "\n\n".join([
        "## Ranks with few positives",
        found.show("ranks"),
        "150 negatives and 5 to 50 positives. Unlike: B's scores of positives vary twice as much, but the areas under the curve are "
        "equal.",
        folded(
            "False alarms, in percent, by the number of positives",
            by_size(found.where(part="ranks"), ["swap", "unlike"], "false alarms"),
        ),
    ])  # fmt: skip


def unequal(found: Numbers) -> str:
    return "\n\n".join([
        "## Plain and studentized randomization",
        found.show("unequal"),
        "Two systems with equal precision, one of which answers nine times as often "
        "([where the plain randomization test fails](studentized.md)).",
        folded("False alarms, in percent", by_size(found.where(part="unequal"), ["tilt"], "false alarms")),
    ])  # fmt: skip


def tables(found: Numbers) -> str:
    parts = ["## All tests, metric by metric"]
    parts.append(
        "False alarms at α = 5% under the nearest tie / under exchangeable systems, power and coverage, in percent, over the sampled "
        "categories, with the default first; then the default on all categories at each α."
    )
    for metric in found.metrics:
        parts += [
            f"### {metric}",
            folded("All tests, and the default at each α", every_test(found, metric), every_alpha(found, metric)),
        ]
    return "\n\n".join(parts)


def every_test(found: Numbers, metric: str) -> str:
    rows = found.where(part="tests", kind="all", metric=metric)
    sizes = sorted({row["n"] for row in rows})
    last = sizes[-1]
    lines = []
    for test in dict.fromkeys(row["test"] for row in rows):
        mine = {row["n"]: row for row in rows if row["test"] == test}
        entries = [f"{_short(mine.get(n), 'tilt')} / {_short(mine.get(n), 'swap')}" for n in sizes]
        power, coverage = ([_short(mine.get(n), what) for n in sizes] for what in ("power", "coverage"))
        lines.append([f"`{name(test)}`", *entries, power[-1], *coverage])
    heads = [f"n = {n:,}" for n in sizes]
    return table(["test", *heads, f"power, {last:,}", *(f"coverage, {n:,}" for n in sizes)], lines)


def _short(row: Row | None, what: str) -> str:
    return "–" if row is None or what not in row or row[what][AT][0] is None else f"{100 * row[what][AT][0]:.1f}"


def every_alpha(found: Numbers, metric: str) -> str:
    rows = sorted(found.where(part="categories", kind="all", metric=metric), key=lambda row: row["n"])
    lines = [
        [percent(alpha), what, *(rate(row[key][i]) for row in rows)]
        for i, alpha in enumerate(ALPHAS)
        for key, what in (
            ("tilt", "nearest tie"),
            ("swap", "exchangeable"),
            ("power", "power"),
            ("coverage", "coverage"),
        )
    ]
    return table(["α", "`" + rows[0]["test"] + "`", *_sizes(rows)], lines, 2)


def by_size(rows: Iterable[Row], what: Sequence[str], called: str) -> str:
    """Write a table of shares at 5%: a line for each kind, metric, test and share, a column for each size."""
    rows = list(rows)
    sizes = sorted({row["n"] for row in rows})
    lines = []
    for key in dict.fromkeys((row["kind"], row["metric"], row["test"]) for row in rows):
        mine = {row["n"]: row for row in rows if (row["kind"], row["metric"], row["test"]) == key}
        for one in what:
            if any(one in row for row in mine.values()):
                told = [rate(mine[n][one][AT]) if n in mine and one in mine[n] else "–" for n in sizes]
                lines.append([key[0], f"`{key[1]}`", f"`{name(key[2])}`", _called(one, called), *told])
    return table(["", "metric", "test", "", *(f"{n:,}" for n in sizes)], lines, 4)


def _called(what: str, called: str) -> str:
    return f"{called}, {SPELT[what]}" if what in SPELT else what


def _sizes(rows: Iterable[Row]) -> list[str]:
    return [f"n = {n:,}" for n in sorted({row["n"] for row in rows})]


def how(found: Numbers) -> str:
    numbers = found.all
    populations = listing(f"`{title}` ({count})" for title, count in numbers["populations"].items())
    sets = listing(f"{count} for {metric}" for metric, count in numbers["sets"].items())
    ties = listing(f"{count} by {metric}" for metric, count in numbers["ties"].items())
    return f"""
## How it was measured

Populations, with their numbers of categories: {populations}. Not all of these {sum(numbers["populations"].values())} categories have
a nearest tie, since one model may make all the errors of the other and more. The number that do: {ties}. Test sets per category, size
and world: {sets}. The worst categories of each metric and size were measured again with {AGAIN} times as many new sets, and the
extremes on this page come from those. Every other test was tried on a sample of the categories, evenly spread over their
prevalence; bootstraps have 999 replicates (average precision: 499), and decisions stop early once more draws could hardly change
them. All tests get the same sets. Coverage counts only intervals that exist: a bootstrap interval of no width around a difference
does not count as one. The errors allow for the random draws only: other categories would give other averages. The number of sets
was {numbers["effort"]:g} times the usual one (`--effort`), with referee {numbers["referee"]}."""
