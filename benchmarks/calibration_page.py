"""The page docs/calibration.md, written from the numbers in docs/calibration.json and from nothing else."""

from collections.abc import Iterable
from typing import Any

from benchmarks.calibration_words import few, interval_of_rates, listing, name, percent, plural, rate, shown, table

BANDS = ((0, 1), (1, 2), (2, 5), (5, 10), (10, 20), (20, None))
"""Of how many positives one model alone is expected to find in a test set."""
COLUMNS = (
    "part", "metric", "pool", "test", "groups", "null", "n", "alpha", "false_alarm", "false_alarm_error", "spread",
    "over", "power", "power_error", "coverage", "coverage_error", "categories",
)  # fmt: skip
ALPHA = 0.05
COVERS = 0.93
"""An interval of 95 % that holds the true difference in fewer test sets than this is said to be too short."""
SHARE, SLACK = 0.1, 2.0
"""A rate is kept that exceeds alpha by no more than this share of it and so many Monte-Carlo errors."""
POOLS = ("unlike, rare", "unlike, balanced", "alike, rare", "alike, balanced")
Rows = list[dict[str, Any]]
BOOTSTRAP, CENTERED = "bootstrap:replicates=4999", "bootstrap:interval=centered,replicates=999"
PLAIN, STUDENTIZED = "randomization", "randomization:studentized=true"
RESAMPLED, ABSOLUTE = "resampled-t", "absolute-bootstrap"


def keeps(row: dict[str, Any]) -> bool:
    """Say whether a false-alarm rate is no more than alpha, give or take a tenth and two Monte-Carlo errors."""
    return bool(row["false_alarm"] <= row["alpha"] * (1 + SHARE) + SLACK * row["false_alarm_error"])


class Numbers:
    """The rows of the JSON, asked by what they are of."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        self.all = numbers
        effort = numbers["effort"]
        self.categories, self.costly = (
            len(range(min(effort["first"], effort[key] - 1), effort[key], effort["every"]))
            for key in ("categories", "costly_categories")
        )
        self.rows = [dict(zip(numbers["columns"], row, strict=True)) for row in numbers["rows"]]

    def where(self, **wanted: Any) -> Rows:
        return [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]

    def of(self, metric: str, pool: str = "all", **wanted: Any) -> Rows:
        """Return the rows of all tests of a metric at 5 %, the default first, where a false alarm could be measured."""
        parts = ("default", "tests", "costly", "absolute")
        rows = self.where(metric=metric, pool=pool, alpha=ALPHA, **wanted)
        return sorted(
            (row for row in rows if row["part"] in parts and row["false_alarm"] is not None),
            key=lambda row: parts.index(row["part"]),
        )

    def shipped(self, metric: str, **wanted: Any) -> Rows:
        """Return the same of referee's own tests."""
        return [row for row in self.of(metric, **wanted) if row["test"] not in (RESAMPLED, ABSOLUTE)]


def render(numbers: dict[str, Any]) -> str:
    """Return the page."""
    found = Numbers(numbers)
    parts = [
        head(found), supports(found), reading(found),
        *(of_metric(found, metric) for metric in numbers["defaults"]),
        kinds(found), hanging(found), groups(found), peers(found), studentized(found), keller(found), how(found),
    ]  # fmt: skip
    return "\n\n".join(part.strip() for part in parts) + "\n"


def head(found: Numbers) -> str:
    return """
# Calibration: which tests keep their promise

A test at α = 5 % promises to call two equally good models different in no more than 5 of 100 test sets. This page measures
how often each test of referee does so, and how often it sees a difference that is there. `make calibration` wrote it; the
numbers are in [calibration.json](calibration.json), and `python -m benchmarks.calibration --render` writes the page from
them again."""


def supports(found: Numbers) -> str:
    out = [
        "## What it supports",
        "By default `compare` takes these tests, and this is what they did over all categories:",
    ]
    out.append("\n".join(_default_sentence(found, metric) for metric in found.all["defaults"]))
    out.append(_coverage(found))
    loose = [line for metric in found.all["defaults"] if (line := _optimistic(found, metric))]
    if not loose:
        return "\n\n".join([*out, "No test exceeded its α over all categories."])
    rates = sum(len(found.shipped(metric)) for metric in found.all["defaults"])
    told = (
        "Optimistic here: more false alarms over all categories than α, a tenth of it and two Monte-Carlo errors. Of the "
        f"{rates} rates that were looked at, some few exceed it by chance."
    )
    return "\n\n".join([*out, told, "\n".join(loose)])


def _default_sentence(found: Numbers, metric: str) -> str:
    own = found.all["defaults"][metric]
    rows = found.where(part="default", metric=metric, pool="all")
    at = {alpha: [row for row in rows if row["alpha"] == alpha] for alpha in (0.01, 0.05, 0.1)}
    verdict = "keeps α at every size" if own["keeps"] else "**does not keep α at every size**"
    said = f"- **{metric}**: `{own['test']}` {verdict}. At 5 % it has {interval_of_rates(at[0.05])}"
    said += f"; at 1 % at most {percent(_most(at[0.01]))}, at 10 % at most {percent(_most(at[0.1]))}."
    enough = [
        row for row in found.where(part="default", metric=metric, pool="enough") if row["false_alarm"] is not None
    ]
    above = [row for row in enough if not keeps(row)]
    said += (
        f" Where at least {found.all['enough']} positives that one model alone finds are expected in a test set, it has "
        f"{interval_of_rates([row for row in enough if row['alpha'] == ALPHA])} at 5 %, and "
    )
    told = listing(f"{shown(row)} at α = {100 * row['alpha']:g} %, n = {row['n']:,}, {row['null']}" for row in above)
    said += f"exceeds α at {told}." if above else "keeps α at every size."
    pools = [(pool, row) for pool in POOLS for row in found.of(metric, pool, part="default") if not keeps(row)]
    if pools:
        told = listing(
            f"{percent(row['false_alarm'])} ({pool}, n = {row['n']:,}, {row['null']})" for pool, row in pools
        )
        said += f" Taken apart, it exceeds α among some models: {told}."
    most = own["highest"]
    said += (
        f" The most in one category are {shown(most)} (`{most['category']}`, n = {most['n']:,}, {most['null']}), where the "
        f"tie hangs on {few(most['alone'])} positives that one model alone finds."
    )
    return said + _rival(found, metric, own["test"])


def _coverage(found: Numbers) -> str:
    """Say how often the intervals of the defaults hold the true difference, on sets of 2,000."""
    metrics = list(found.all["defaults"])
    kept = [metric for metric in metrics if all(share >= COVERS for share in _held(found, [metric], "all"))]
    short = [metric for metric in metrics if metric not in kept]
    said = "A 95 % interval should hold the true difference in 95 of 100 test sets."
    if kept:
        said += f" Those of {listing(kept)} do at n = 2,000."
    if short:
        said += (
            f" **Those of {listing(short)} do not**: over all categories, half of them rare, they hold it in "
            f"{_between(_held(found, short, 'all'))} of the sets. Where at least {found.all['enough']} positives that one model "
            f"alone finds are expected in a test set, they hold it in {_between(_held(found, short, 'enough'))}. They are "
            "bootstrap intervals, and a set that has none of these positives gives one that is far too short, or has no width."
        )
    return said


def _held(found: Numbers, metrics: list[str], pool: str) -> list[float]:
    rows = [row for metric in metrics for row in found.of(metric, pool, part="default", n=2000, null="tilt")]
    return [row["coverage"] for row in rows if row["coverage"] is not None]


def _between(shares: list[float]) -> str:
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %" if shares else "an unknown share"


def _rival(found: Numbers, metric: str, own: str) -> str:
    """Say which test that keeps its promise has the most power on sets of 2,000, where that is not the default."""
    rows = found.shipped(metric, n=2000, null="tilt")
    loose = {row["test"] for row in found.shipped(metric) if not keeps(row)}
    mine = next(row for row in rows if row["test"] == own)
    able = [row for row in rows if row["test"] not in loose and row["part"] != "costly"]
    best = max(able, key=lambda row: row["power"], default=mine)
    gap = 2 * (best["power_error"] ** 2 + mine["power_error"] ** 2) ** 0.5
    said = f" Its power at n = 2,000 is {percent(mine['power'])}"
    if best["power"] - mine["power"] > max(gap, 0.01):
        return said + f"; `{name(best['test'])}` keeps α too and has {percent(best['power'])}."
    return said + ", and no test that keeps α has clearly more."


def _most(rows: Rows) -> float:
    return max(row["false_alarm"] for row in rows)


def _optimistic(found: Numbers, metric: str) -> str:
    worst: dict[str, dict[str, Any]] = {}
    for row in found.shipped(metric):
        if not keeps(row) and row["false_alarm"] > worst.get(row["test"], {"false_alarm": 0.0})["false_alarm"]:
            worst[row["test"]] = row
    told = [f"`{name(test)}` ({shown(row)} at n = {row['n']:,}, {row['null']})" for test, row in worst.items()]
    return f"- **{metric}**: {listing(told)}." if told else ""


def reading(found: Numbers) -> str:
    effort = found.all["effort"]
    return f"""
## How to read the tables

Test sets are drawn from a population taken as the truth, in a world in which the two models tie: `tilt` is the nearest such
world (the models stay different in kind and only tie), `swap` the one in which they are exchangeable. Each entry is the
share of test sets with p ≤ 5 %, under tilt / under swap, ± one Monte-Carlo error; it is bold where it exceeds 5 % by more
than a tenth and two errors. Over: the share of categories, at n = 2,000 under tilt, that exceed it in the same way, each by
its own error. Spread: the standard deviation over categories of the false alarms there, noise of the draws included. Power:
the share of test sets of 2,000 in which the true difference is seen. Coverage: how often a 95 % interval of the test holds
the true difference at n = 2,000. Rare categories have few positives in a small test set, and no test says much there; this
pulls the averages at n = 100 down. The bootstraps other than the percentile were run on {plural(found.costly, "category", "categories")} of a population
and {effort["costly_sets"]} sets, the others on {found.categories} and {effort["sets"]} (the defaults {effort["default_sets"]}): their power is of other categories and cannot be
compared to the digit."""


def of_metric(found: Numbers, metric: str) -> str:
    rows = found.shipped(metric)
    names = list(dict.fromkeys(row["test"] for row in rows))
    lines = []
    for test in names:
        mine = [row for row in rows if row["test"] == test]
        at = next(row for row in mine if row["n"] == 2000 and row["null"] == "tilt")
        lines.append([
            f"`{name(test)}`" + (" (default)" if at["part"] == "default" else ""),
            *(_both(mine, n) for n in (100, 500, 2000)),
            rate(at["over"]), rate(at["spread"]), rate(at["power"], at["power_error"]),
            rate(at["coverage"], at["coverage_error"]),
        ])  # fmt: skip
    heads = ["test", "n = 100", "n = 500", "n = 2,000", "over", "spread", "power", "coverage"]
    own = found.where(part="default", metric=metric, pool="all")
    sizes = sorted({row["n"] for row in own})
    smaller = [
        [f"{100 * alpha:g} %", *(_both([row for row in own if row["alpha"] == alpha], n) for n in sizes)]
        for alpha in (0.01, 0.05, 0.1)
    ]
    return "\n\n".join([
        f"## {metric}",
        f"False alarms at 5 %, in percent, tilt / swap, over {found.all['sampled'][metric]} categories:",
        table(heads, lines),
        f"The default, `{own[0]['test']}`, at other α:",
        table(["α", *(f"n = {n:,}" for n in sizes)], smaller),
    ])  # fmt: skip


def _both(rows: Rows, n: int, nulls: tuple[str, ...] = ("tilt", "swap")) -> str:
    """Write the false alarms at a size under each null; bold where they exceed alpha."""
    found = []
    for null in nulls:
        row = next((row for row in rows if row["n"] == n and row["null"] == null), None)
        if row is None or row["false_alarm"] is None:
            found.append("–")
            continue
        told = rate(row["false_alarm"], row["false_alarm_error"])
        found.append(told if keeps(row) else f"**{told}**")
    return " / ".join(found)


def hanging(found: Numbers) -> str:
    """Show what is left of every test's promise where a tie hangs on one or two examples."""
    tests = {"default": None, "bootstrap:replicates=4999": "bootstrap", "randomization": "randomization"}
    rows = []
    for metric in ("f1", "precision", "mcc"):
        for test, called in tests.items():
            part = "default" if called is None else "tests"
            wanted = found.all["defaults"][metric]["test"] if called is None else test
            cells = []
            for low, _ in BANDS:
                mine = found.where(part=part, metric=metric, pool=f"alone {low}", test=wanted)
                cells.append(
                    f"{shown(mine[0])}" if mine and keeps(mine[0]) else f"**{shown(mine[0])}**" if mine else "–"
                )
            rows.append((metric, f"`{called or wanted}`", *cells))
    heads = [f"{low} to {high}" if high else f"{low} or more" for low, high in BANDS]
    return "\n\n".join(
        [
            "## Where a tie hangs on a few positives",
            "A ratio such as F1 moves most with the positives that one model finds and the other does not. By how many of them "
            "are expected in a test set, over all categories and sizes: false alarms at 5 % under tilt, in percent. Where only "
            "one or two are, a set that happens to have none of them looks like a clear difference, and single categories reach "
            "what is told above. `compare` warns where a verdict rests on fewer than 5. This line was drawn after the failures "
            "had been seen. Where 2 to 20 are expected, the percentile bootstrap has more false alarms than the default, which is "
            "why the default is not the bootstrap.",
            table(("metric", "test", *heads), rows),
        ]
    )


def kinds(found: Numbers) -> str:
    """F1 by how alike the models are, and by prevalence."""
    lines = []
    for test in (STUDENTIZED, PLAIN, BOOTSTRAP, CENTERED):
        for pool in POOLS:
            mine = [row for row in found.of("f1", pool) if row["test"] == test]
            power = next(row for row in mine if row["n"] == 2000)
            lines.append([
                f"`{name(test)}`", pool, *(_both(mine, n) for n in (100, 500, 2000)),
                rate(power["power"], power["power_error"]),
            ])  # fmt: skip
    pooled = {pool: found.of("f1", pool, test=BOOTSTRAP, n=100, null="tilt")[0] for pool in POOLS}
    low, high = (choose(pooled.values(), key=lambda row: row["false_alarm"]) for choose in (min, max))
    said = (
        f"At n = 100 the percentile bootstrap has from {shown(low)} ({low['pool']}) to {shown(high)} ({high['pool']}) false "
        f"alarms under tilt."
    )
    return "\n\n".join([
        "## F1 by kind of models and by balance",
        "Unlike: a linear SVM against an MLP. Alike: a linear against a Gaussian SVM. Rare: the categories as they are. "
        "Balanced: unions of categories near balance. False alarms at 5 %, in percent, tilt / swap:",
        table(["test", "models, categories", "n = 100", "n = 500", "n = 2,000", "power"], lines),
        said,
    ])  # fmt: skip


def groups(found: Numbers) -> str:
    """What ignoring groups costs."""
    rows = found.where(part="groups")
    levels = sorted({row["pool"] for row in rows}, key=float)
    n = rows[0]["n"]
    lines = []
    for metric, test in dict.fromkeys((row["metric"], row["test"]) for row in rows):
        for kept in ("whole", "ignored"):
            mine = [row for row in rows if (row["metric"], row["test"], row["groups"]) == (metric, test, kept)]
            entries = [_both([row for row in mine if row["pool"] == level], n, ("tilt",)) for level in levels]
            lines.append([metric, f"`{name(test)}`", kept, *entries])
    apart = {
        kept: [row for row in rows if row["groups"] == kept and row["pool"] == levels[-1]]
        for kept in ("whole", "ignored")
    }
    low = {
        kept: [row for row in rows if row["groups"] == kept and row["pool"] == levels[0]]
        for kept in ("whole", "ignored")
    }
    over = [row for row in rows if row["groups"] == "whole" and not keeps(row)]
    said = (
        f"With groups ignored, false alarms are {interval_of_rates(low['ignored'])} at a correlation of {levels[0]}, and "
        f"{interval_of_rates(apart['ignored'])} at {levels[-1]}. With groups whole they are "
        f"{interval_of_rates([row for row in rows if row['groups'] == 'whole'])} at every correlation"
    )
    if over:
        told = listing(f"`{name(row['test'])}` on {row['metric']} with {shown(row)} at {row['pool']}" for row in over)
        said += f"; above α is {told}"
    return "\n\n".join([
        "## Examples that depend on each other",
        f"Groups of 10 examples, {n // 10} groups to a test set (n = {n}), on {rows[0]['categories']} balanced categories: any two "
        "examples of a group have the correlation of the column. The same tests with groups whole, and as if there were no "
        "groups. False alarms at 5 % under tilt, in percent:",
        table(["metric", "test", "groups", *(f"correlation {level}" for level in levels)], lines),
        said + ".",
    ])  # fmt: skip


def peers(found: Numbers) -> str:
    """What the procedures of others cost."""
    halves, absolute = (RESAMPLED, "t on 30 random halves"), (ABSOLUTE, "sacrebleu's bootstrap")
    centered = (CENTERED, "the same, two-sided")
    wanted = {
        "error": (
            ("mcnemar", "the default"),
            ("two-proportions", "unpaired z, as lm-eval's"),
            absolute,
            centered,
            halves,
        ),
        "f1": ((STUDENTIZED, "the default"), absolute, centered, halves),
    }
    lines = []
    for metric, tests in wanted.items():
        for test, what in tests:
            mine = found.of(metric, test=test)
            at = next(row for row in mine if row["n"] == 2000 and row["null"] == "tilt")
            entries = [_both(mine, n) for n in (100, 500, 2000)]
            lines.append([metric, f"`{name(test)}`", what, *entries, rate(at["power"], at["power_error"])])
    return "\n\n".join([
        "## What the procedures of others cost",
        "False alarms at 5 %, in percent, tilt / swap. `resampled-t` and `absolute-bootstrap` are not shipped, only measured "
        "here. The first draws 30 random halves of the test set and takes their differences as independent, as "
        "`mlxtend.evaluate.paired_ttest_resampled` takes 30 splits. The second is `sacrebleu --paired-bs` on counts: the share "
        "of draws whose |d\\*|, less the mean of all |d\\*|, exceeds |d|. `bootstrap:interval=centered` takes |d\\* − mean|, in "
        "both directions.",
        table(["metric", "test", "what it is", "n = 100", "n = 500", "n = 2,000", "power"], lines),
        " ".join(_peer_sentences(found)),
    ])  # fmt: skip


def _peer_sentences(found: Numbers) -> list[str]:
    wrong = found.of("error", test=RESAMPLED, null="tilt", n=2000)[0]
    loose, right = (found.of("error", test=test, null="tilt", n=2000)[0] for test in ("two-proportions", "mcnemar"))
    balanced = {n: found.of("f1", "balanced", test=ABSOLUTE, null="tilt", n=n)[0] for n in (100, 2000)}
    rare = found.of("f1", "rare", test=ABSOLUTE, null="tilt", n=100)[0]
    return [
        f"Random halves of one test set agree with each other, since they share examples; a t test takes their agreement for "
        f"evidence and calls equal models different in {shown(wrong)} of test sets of 2,000 (error, tilt).",
        f"The unpaired z test forgets that both models saw the same examples: {shown(loose)} false alarms where McNemar's test "
        f"has {shown(right)}, and a power of {percent(loose['power'])} instead of {percent(right['power'])}.",
        f"sacrebleu's bootstrap looks in one direction, so its p is about half of a two-sided one: on the F1 of balanced "
        f"categories {shown(balanced[2000])} at n = 2,000. It also calls a model different from itself, which happens in small "
        f"sets of rare categories: {shown(rare)} at n = 100.",
    ]


def studentized(found: Numbers) -> str:
    lines = []
    for metric in ("precision", "f1"):
        for test in (PLAIN, STUDENTIZED):
            mine = [row for row in found.of(metric) if row["test"] == test]
            at = next(row for row in mine if row["n"] == 2000 and row["null"] == "tilt")
            entries = [_both(mine, n) for n in (100, 500, 2000)]
            lines.append([metric, f"`{name(test)}`", *entries, rate(at["over"]), rate(at["power"], at["power_error"])])
    case = found.where(part="case")
    sizes = sorted({row["n"] for row in case})
    extreme = [
        [metric, f"`{name(test)}`", *(_both([row for row in case if (row["metric"], row["test"]) == (metric, test)], n, ("tilt",)) for n in sizes)]
        for metric in ("precision", "f1")
        for test in (PLAIN, STUDENTIZED, BOOTSTRAP)
    ]  # fmt: skip
    plain = found.of("precision", test=PLAIN, null="tilt")
    other = found.of("precision", test=STUDENTIZED, null="tilt", n=2000)
    last = plain[-1] if plain[-1]["n"] == 2000 else max(plain, key=lambda row: row["n"])
    far = {
        test: found.where(part="case", metric="precision", test=test, n=sizes[-1])[0] for test in (PLAIN, STUDENTIZED)
    }
    said = (
        f"On the shipped populations, whose models answer about equally often, the plain test on precision has {shown(last)} "
        f"false alarms at n = 2,000 under tilt, and the studentized one {shown(other[0])}. Where one model answers nine times "
        f"as often as the other, the plain test has {shown(far[PLAIN])} at n = {sizes[-1]:,}, and the studentized one "
        f"{shown(far[STUDENTIZED])}."
    )
    return "\n\n".join([
        "## Plain and studentized randomization",
        "On the shipped populations. False alarms at 5 %, in percent, tilt / swap:",
        table(["metric", "test", "n = 100", "n = 500", "n = 2,000", "over", "power"], lines),
        "And in the case of [where the plain randomization test fails](studentized.md), under tilt:",
        table(["metric", "test", *(f"n = {n:,}" for n in sizes)], extreme),
        said,
    ])  # fmt: skip


def keller(found: Numbers) -> str:
    """Is the bootstrap on dF1 optimistic for unlike models?"""
    sizes = (100, 500, 2000)
    lines = []
    for pool in ("unlike, rare", "unlike, balanced", "unlike"):
        mine = [row for row in found.of("f1", pool) if row["test"] == BOOTSTRAP]
        lines.append([pool, *(_both(mine, n) for n in sizes)])
    ties = found.where(part="ties")
    all_sizes = sorted({row["n"] for row in ties})
    levels = sorted({row["pool"] for row in ties}, key=float)
    wide = []
    for level in levels:
        mine = [row for row in ties if row["pool"] == level]
        called = "exactly 0" if float(level) < 1e-6 else f"at most {level}"
        count = next(row["categories"] for row in mine)
        wide.append([called, f"{count}", *(_both(mine, n, ("observed",)) for n in all_sizes)])
    mine = found.of("f1", "unlike", test=BOOTSTRAP)
    exceeding = [row for row in mine if not keeps(row)]
    if exceeding:
        told = listing(f"{shown(row)} at n = {row['n']:,} ({row['null']})" for row in exceeding)
        said = f"Where the models tie exactly, it is optimistic here: {told}."
    else:
        said = (
            f"Where the models tie exactly, it is not: over the categories of unlike models its false alarms at 5 % are "
            f"{interval_of_rates(mine)}, and the smaller the set, the fewer."
            if _grows(mine)
            else f"Where the models tie exactly, it is not: over the categories of unlike models its false alarms at 5 % are "
            f"{interval_of_rates(mine)}."
        )
    loose = [row for row in ties if float(row["pool"]) > 1e-6 and row["false_alarm"] is not None and not keeps(row)]
    if loose:
        least = min(loose, key=lambda row: (float(row["pool"]), row["n"]))
        most = max(loose, key=lambda row: row["false_alarm"])
        said += (
            f" But call a difference of at most {most['pool']} in F1 no difference, and the same test has {shown(most)} "
            f"“false alarms” at n = {most['n']:,}: it sees differences that are there. This begins at a tie of "
            f"{least['pool']} (n = {least['n']:,}). Optimism measured against such a null is power under another name, and it "
            f"grows with the size of the set."
        )
    else:
        said += " Nor does calling small differences “no difference” make it so here."
    return "\n\n".join([
        "## Is the bootstrap on F1 optimistic for unlike models?",
        "Keller, Bengio and Wong (2005) found it so. The percentile bootstrap of the F1 difference of a linear SVM and an MLP; "
        "false alarms at 5 %, in percent, tilt / swap:",
        table(["categories", *(f"n = {n:,}" for n in sizes)], lines),
        "The same populations as they are, all their categories, where a difference of F1 in the population of at most so "
        "much is called no difference (the null `observed`):",
        table(["called a tie", "categories", *(f"n = {n:,}" for n in all_sizes)], wide),
        said,
    ])  # fmt: skip


def _grows(rows: Iterable[dict[str, Any]]) -> bool:
    """Say whether rates rise with the size under every null."""
    for null in ("tilt", "swap"):
        mine = [row["false_alarm"] for row in sorted(rows, key=lambda row: row["n"]) if row["null"] == null]
        if mine != sorted(mine):
            return False
    return True


def how(found: Numbers) -> str:
    effort, populations = found.all["effort"], found.all["populations"]
    told = listing(f"`{title}` ({count} categories)" for title, count in populations.items())
    return f"""
## How it was measured

Populations that come with referee (`referee list populations`): {told}. Of each {plural(found.categories, "category", "categories")}, evenly spread
over the ranks of their prevalence among those that have a nearest tie by the metric; a category without one is left out,
which leaves out categories where one model makes only the errors of the other and more. {plural(effort["default_sets"], "set", "sets")} of each size and
world for the default tests, {effort["sets"]} for the others, {effort["costly_sets"]} on {plural(found.costly, "category", "categories")} of each for the bootstraps that need more draws,
{effort["group_sets"]} for groups, {effort["case_sets"]:,} for the case of unequal answers, {effort["tie_sets"]} for the ties. Bootstraps have 4,999 replicates, `bca` and
`centered` 999; decisions stop early where more draws could hardly change them (a different decision has a probability of at
most 1 in 10,000). Every test sees the same sets. Errors are of the draws only: other categories would give other averages, as
the spread says. referee {found.all["referee"]}, seed 0."""
