"""The page of the Bayesian side has the numbers that were measured."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from scipy.stats import chi2

from referee_papers.keller2005.posterior import BANDS, FULL, TESTS

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "posterior.md").read_text(encoding="utf-8")
MEASURED = json.loads((DOCS / "posterior.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", MEASURED["prior"], ids=lambda row: row["metric"])
def test_probabilities_are_right_on_worlds_from_the_prior(row):
    assert row["chi2"] < chi2(len(row["tenths"]) - 1).ppf(0.99)
    for level, share in row["covered"].items():
        error = (float(level) * (1 - float(level)) / row["worlds"]) ** 0.5
        assert abs(share - float(level)) < 3 * error
    told = " | ".join(f"{100 * share:.1f}%" for share in row["covered"].values())
    assert f"| {told} | {row['chi2']:.1f} |" in PAGE


@pytest.mark.parametrize("row", MEASURED["bootstrap"], ids=lambda row: f"{row['n']} {row['kind']}")
def test_the_page_has_the_coverage_of_the_bayesian_bootstrap(row):
    assert f"| {row['n']} | {100 * row['covered']:.1f}% ± {100 * row['error']:.1f} |" in PAGE


def test_draws_cost_the_same_at_any_size():
    assert max(row["milliseconds"] for row in MEASURED["cost"]) < 20
    assert f"{MEASURED['cost'][-1]['milliseconds']:.1f} ms with a billion" in PAGE


def test_the_page_has_the_comparison_of_posteriors():
    frozen = json.loads((DOCS / "replication" / "keller2005-posterior-rcv1.json").read_text(encoding="utf-8"))
    ours, lines = {row["what"]: row["ours"] for row in frozen["rows"]}, list(TESTS)
    for n in FULL.sizes:
        rates = ("false alarms", "power", "coverage of 95% intervals")
        cells = [" / ".join(f"{100 * ours[f'{what} at n = {n:,}: {line}']:.1f}" for line in lines) for what in rates]
        assert f"| {n:,} | {' | '.join(cells)} |" in PAGE
    for low, high in pairwise(BANDS):
        band = f"{100 * low:g}% to {100 * high:g}%"
        cells = [f"{100 * ours[f'right when it says {band}: {line}']:.1f}%" for line in lines]
        assert f"| {band} | {' | '.join(cells)} |" in PAGE


def test_what_is_said_of_wordnet_is_frozen():
    frozen = json.loads((DOCS / "replication" / "keller2005-posterior-wordnet.json").read_text(encoding="utf-8"))
    ours = {row["what"]: row["ours"] for row in frozen["rows"]}
    said = PAGE[PAGE.index("**On WordNet**") :].partition("\n\n")[0]
    for what in (
        "right when it says 90% to 95%: bayes",
        "false alarms at n = 6,000: bayes",
        "false alarms at n = 6,000: bootstrap",
    ):
        assert f"{100 * ours[what]:.1f}%" in said
    for n in ("100", "6,000"):
        assert f"{100 * ours[f'coverage of 95% intervals at n = {n}: bootstrap']:.0f}%" in said
