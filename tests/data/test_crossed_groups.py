"""Two crossed groups from tables: which rows meet, what is nested, and what is refused."""

import csv
from pathlib import Path

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.errors import InputError, OptionError, RefereeError
from referee.report.methods.paragraph import assumptions

LONG = {"system": "model", "a": "old", "b": "new", "prediction": "correct"}
BOTH = ["question", "seed"]


def rows(questions=8, seeds=3, rng=0):
    draw = np.random.default_rng(rng)
    return [
        {"model": model, "seed": seed, "question": f"q{question}", "correct": int(draw.random() < share)}
        for model, share in (("old", 0.5), ("new", 0.7))
        for seed in range(1, seeds + 1)
        for question in range(questions)
    ]


@pytest.fixture
def long(tmp_path):
    def write(content):
        path = tmp_path / "runs.csv"
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, fieldnames=list(content[0]))
            table.writeheader()
            table.writerows(content)
        return str(path)

    return write


def compared(path, group=BOTH, **options):
    return referee.compare(referee.read(path, group=group, **LONG, **options), audit=False)


def wide(content):
    cells = {}
    for row in content:
        cells.setdefault((row["question"], row["seed"]), {})[row["model"]] = row["correct"]
    keys = list(cells)
    return {
        "question": [key[0] for key in keys], "seed": [key[1] for key in keys],
        **{name: [cells[key][name] for key in keys] for name in ("old", "new")},
    }  # fmt: skip


def test_a_long_table_a_wide_one_arrays_and_counts_are_alike(long, tmp_path):
    table = wide(rows())
    r = compared(long(rows()))
    s = referee.compare(table, a="old", b="new", group=BOTH, audit=False)
    t = referee.compare(a=table["old"], b=table["new"], group=[table["question"], table["seed"]], audit=False)
    counts = referee.count(table, a="old", b="new", group=tuple(BOTH))
    counts.save(tmp_path / "counts.json")
    u = referee.compare(Counts.load(tmp_path / "counts.json"), audit=False)
    assert r.p_value == s.p_value == t.p_value == u.p_value
    assert {one.settings.crossed for one in (r, s, u)} == {(("question", 8), ("seed", 3))}
    assert "8 questions × 3 seeds" in r.to_text()


def test_the_order_of_rows_does_not_matter(long):
    content = rows()
    r = compared(long(content))
    s = compared(long([content[i] for i in np.random.default_rng(1).permutation(len(content))]))
    assert r.to_dict() == s.to_dict()


def test_nested_groups_are_recognised(long):
    nested = [{**row, "seed": f"{row['question']}-{row['seed']}"} for row in rows()]
    for group in (BOTH, BOTH[::-1]):
        r = compared(long(nested), group)
        assert (r.test, r.units) == ("cluster-t", 8)
        assert any("nested and not crossed: question is the group" in warning for warning in r.warnings)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found + found[:1], "in more than one row"),
        (lambda found: [row for row in found if row["seed"] == 1], "only one level of 'seed'"),
        (lambda found: [row for row in found if row["question"] == "q1"], "only one level of 'question'"),
        (lambda found: [r for r in found if r["model"] == "old" or r["seed"] < 3], "the same values of seed"),
        (lambda found: [{**r, "seed": r["seed"] + 9 * (r["model"] == "new")} for r in found], "the same values of seed"),
        (lambda found: [{**r, "seed": "" if i == 3 else r["seed"]} for i, r in enumerate(found)], "question or seed is missing"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(long, change, words):
    with pytest.raises(InputError, match=words):
        compared(long(change(rows())))


def test_policies_for_what_repeats_and_what_is_missing(long):
    found = rows()
    twice = [*found, {**found[0], "correct": 1 - found[0]["correct"]}, *[r for r in found if r["model"] == "new"][:1]]
    mean = compared(long(twice), repeats="mean")
    both = compared(long(twice), repeats="group")
    assert (mean.n, both.n) == (24, 25)
    assert {mean.test, both.test} == {"crossed-t"}
    less = compared(long([r for r in found if r["model"] == "old" or r["seed"] < 3]), unmatched="drop")
    assert (less.n, less.matched.a_only) == (16, 8)
    assert any("there are only 2 values of seed" in warning for warning in less.warnings)


def test_an_id_that_is_one_of_the_groups_stands_for_both():
    table = wide(rows())
    r = referee.compare(table, a="old", b="new", id="question", group=BOTH, audit=False)
    assert r.n == 24
    double = {name: [*values, values[0]] for name, values in table.items()}
    with pytest.raises(InputError, match="1 id occurs in more than one row, such as 'q0, 1'"):
        referee.compare(double, a="old", b="new", id="question", group=BOTH)
    assert referee.compare(double, a="old", b="new", id="question", group=BOTH, repeats="mean").n == 24
    assert referee.compare(double, a="old", b="new", id="question", group=BOTH, repeats="group").n == 25


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"group": ["question", "seed", "old"]}, "two groups can be crossed; these are 3"),
        ({"group": ["seed", "seed"]}, "the two groups are one column"),
        ({"group": ["question", "sed"]}, "did you mean 'seed'"),
        ({"group": BOTH, "stratum": "stratum"}, "can't be combined"),
    ],
)
def test_what_cannot_be_crossed_is_refused(options, words):
    table = {**wide(rows()), "stratum": [0] * 24}
    with pytest.raises(RefereeError, match=words):
        referee.compare(table, a="old", b="new", **options)


def test_verbs_without_a_form_for_crossed_groups_say_so():
    table = wide(rows())
    with pytest.raises(OptionError, match="an audit draws test sets"):
        referee.audit(table, a="old", b="new", group=BOTH)
    with pytest.raises(OptionError, match="two samples"):
        referee.compare((table, table), a="old", b="new", group=BOTH, paired=False)


def test_scores_and_rankings_over_crossed_groups():
    table = wide(rows())
    r = referee.compare(table, a="old", b="new", group=BOTH, audit=False)
    one = referee.score(table, prediction="new", group=BOTH)
    assert (one.interval.low, one.interval.high) == pytest.approx((r.b.interval.low, r.b.interval.high))
    ranked = referee.rank({**table, "third": table["new"][::-1]}, systems=["old", "new", "third"], group=BOTH)
    assert ranked.adjust == "bonferroni"
    pair = next(pair for pair in ranked.pairs if {pair.a, pair.b} == {"old", "new"})
    assert pair.p_value == pytest.approx(r.p_value)


def test_every_form_of_the_result_works():
    table = wide(rows())
    r = referee.compare(table, a="old", b="new", group=BOTH, audit=False)
    again = type(r).from_dict(r.to_dict())
    assert again.to_dict() == r.to_dict()
    for form in ("text", "markdown", "latex", "junit"):
        assert "seed" in r.to(form)
    assert sum(part.variance for part in r.variance.parts) == pytest.approx(r.variance.variance)
    assert sum(part.share for part in r.variance.parts) == pytest.approx(1)


def test_several_metrics_and_slices_are_adjusted_by_bonferroni():
    table = {**wide(rows()), "half": [i // 12 for i in range(24)]}
    r = referee.compare(table, a="old", b="new", group=BOTH[::-1], by="half", audit=False)
    assert r.adjust == "bonferroni"
    assert [one.kind for one in r.overall] == ["pooled"]
    for one in r:
        assert (one.p_adjusted is None) == (one.interval_adjusted is None)


def test_what_is_taken_for_granted_names_both_groups():
    r = referee.compare(wide(rows()), a="old", b="new", group=BOTH, audit=False)
    told = " ".join(assumptions(r))
    assert "The 8 questions and the 3 seeds are random samples" in told
    assert "about other levels of both groups" in told
    assert "not about retraining" not in told


def test_repeats_of_questions_split_the_variance():
    draw = np.random.default_rng(0)
    y = draw.normal(0, 1, (30, 1)) + draw.normal(0, 2, (30, 4))
    r = referee.compare(a=np.zeros(120), b=y.ravel(), group=np.repeat(np.arange(30), 4))
    between, within = 4 * y.mean(axis=1).var(ddof=1), y.var(axis=1, ddof=1).mean()
    group, row = r.variance.parts
    assert (group.component, row.component) == pytest.approx((max((between - within) / 4, 0), within))
    assert r.variance.icc == pytest.approx(group.component / (group.component + within))
    assert r.variance.variance == pytest.approx(between / 120)


def test_a_long_table_of_repeats_needs_only_its_group(long):
    path = long(rows())
    r, named = compared(path, "question"), compared(path, None, id="question", repeats="group")
    assert r.units == 8
    assert r.p_value == named.p_value
    assert r.signature == named.signature
    assert referee.read(path, group="question", **LONG).count().n == 24
    assert compared(path, "question", repeats="mean").n == 8
    with pytest.raises(InputError, match="in more than one row"):
        compared(path, "question", repeats="error")


def test_the_advice_for_a_single_seed_works(long, capsys):
    from referee.cli import main

    path = long(rows(seeds=1))
    command = ["compare", path, "--system", "model", "--a", "old", "--b", "new", "--prediction", "correct"]
    assert main([*command, "--group", "question", "--group", "seed"]) == 2
    assert "give --group question alone" in " ".join(capsys.readouterr().err.split())
    assert main([*command, "--group", "question"]) == 0
    assert "8 examples" in capsys.readouterr().out


def test_two_tables_of_repeats_say_what_to_write(long, tmp_path, capsys):
    from referee.cli import main

    content = rows()
    paths = []
    for name in ("old", "new"):
        paths.append(tmp_path / f"{name}.csv")
        Path(long([row for row in content if row["model"] == name])).rename(paths[-1])
    command = ["compare", *map(str, paths), "--prediction", "correct"]
    assert main([*command, "--group", "question"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "if rows of one 'question' are repeats, give --id question and --repeats group instead of --group" in told
    assert main([*command, "--id", "question", "--repeats", "group"]) == 0


def test_columns_whose_names_are_no_words_are_named_as_they_are():
    table = wide(rows())
    table["s"] = table.pop("seed")
    told = " ".join(referee.compare(table, a="old", b="new", group=["question", "s"], audit=False).to_text().split())
    assert "8 questions × 3 values of s" in told


def test_a_missing_level_of_the_second_group_is_called_so():
    table = wide(rows())
    table["seed"] = [None, *table["seed"][1:]]
    with pytest.raises(InputError, match="the second group is missing in 1 example;") as caught:
        referee.compare(table, a="old", b="new", group=BOTH)
    assert caught.value.argument == "group"
