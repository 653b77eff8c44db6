"""McNemar's test and the intervals of a difference of paired proportions, against R (paired2x2.csv)."""

import math

import pytest

from referee.significance import intervals
from tests.golden.figures import OTHER, cases, compare, exact_p, mid_p, near, pairs, rows

TABLES = cases("paired2x2.csv", "n11", "n12", "n21", "n22")
DENORMAL = 1e-300
"""Below this a double has fewer digits, or none."""
GRAIN = 5e-323
"""Ten of the smallest steps between doubles."""


def cells(row):
    return tuple(int(row[name]) for name in ("n11", "n12", "n21", "n22"))


def found(row, test, alternative="two-sided"):
    return compare(pairs(*cells(row)), metric="mean", test=f"mcnemar:{test}", alternative=alternative)


def tiny(row):
    return float(exact_p(cells(row)[2], cells(row)[1])) < DENORMAL


def test_there_are_35_tables():
    assert len(TABLES) == 35


@pytest.mark.parametrize("row", TABLES)
def test_difference_is_second_minus_first(row):
    n11, n12, n21, n22 = cells(row)
    result = found(row, "variant=exact")
    assert result.difference == near((n21 - n12) / (n11 + n12 + n21 + n22), abs=1e-15)
    assert result.discordant == (n12, n21)


@pytest.mark.parametrize(
    ("variant", "column"),
    [
        ("uncorrected", "p_base_mcnemar"),
        ("corrected", "p_base_mcnemar_cc"),
        ("exact", "p_exact"),
        ("exact", "p_exact_exact2x2"),
        ("exact", "p_exact_binomtest"),
        ("midp", "p_midp"),
    ],
)
@pytest.mark.parametrize("row", TABLES)
def test_p_values(row, variant, column):
    # One of the p is a denormal number, in which R's own three columns agree to five digits, and one is 0 there.
    slack = {"rel": 2e-5, "abs": GRAIN} if tiny(row) else {}
    assert found(row, f"variant={variant}").p_value == near(float(row[column]), **slack)


@pytest.mark.parametrize("row", TABLES)
def test_asymptotic_columns_where_they_have_digits(row):
    # 1 - cdf loses what lies below 1e-16; at b = c the corrected one lacks its max(., 0).
    _, n12, n21, _ = cells(row)
    assert found(row, "variant=uncorrected").p_value == near(float(row["p_asym"]), abs=1e-15)
    if n12 != n21:
        assert found(row, "variant=corrected").p_value == near(float(row["p_asym_cc"]), abs=1e-15)


@pytest.mark.parametrize("row", TABLES)
def test_exact_and_mid_p_are_right_to_the_far_tail(row):
    _, n12, n21, _ = cells(row)
    for alternative in OTHER:
        for variant, true in (("exact", exact_p), ("midp", mid_p)):
            p = found(row, f"variant={variant}", alternative).p_value
            assert p == near(float(true(n21, n12, alternative)), rel=1e-11, abs=GRAIN), (alternative, variant)


@pytest.mark.parametrize("row", TABLES)
def test_chi_squares_are_right_to_the_far_tail(row):
    _, n12, n21, _ = cells(row)
    gap, size = abs(n21 - n12), n12 + n21
    for variant, square in (("uncorrected", gap**2 / size), ("corrected", max(gap - 1, 0) ** 2 / size)):
        result = found(row, f"variant={variant}")
        assert result.statistic == near(square, rel=1e-13)
        assert result.p_value == near(math.erfc(math.sqrt(square / 2)), rel=1e-11, abs=GRAIN)


@pytest.mark.parametrize("row", TABLES)
def test_one_sided_chi_squares_are_the_signed_root(row):
    _, n12, n21, _ = cells(row)
    root = math.sqrt(n12 + n21)
    for variant, shift in (("uncorrected", 0), ("corrected", 1)):
        for alternative, sign in (("greater", 1), ("less", -1)):
            z = (sign * (n21 - n12) - shift) / root
            p = found(row, f"variant={variant}", alternative).p_value
            assert p == near(math.erfc(z / math.sqrt(2)) / 2, rel=1e-11, abs=GRAIN)


@pytest.mark.parametrize("row", TABLES)
def test_exchanging_the_systems(row):
    n11, n12, n21, n22 = cells(row)
    turned = compare(pairs(n11, n21, n12, n22), metric="mean", test="mcnemar", alternative="less")
    own = found(row, "variant=midp", OTHER["less"])
    assert turned.p_value == own.p_value
    assert turned.interval == own.interval.flipped()


@pytest.mark.parametrize(
    ("method", "column", "slack"),
    [("wald", "wald", 1e-13), ("agresti-min", "agrestimin", 1e-13), ("bonett-price", "bonettprice", 1e-13), ("tango", "tango", 3e-8)],
)  # fmt: skip
@pytest.mark.parametrize("row", TABLES)
def test_intervals(row, method, column, slack):
    interval = found(row, f"interval={method}").interval
    assert interval.method == method
    assert -interval.high == pytest.approx(float(row[f"{column}_lo"]), rel=0, abs=slack)
    assert -interval.low == pytest.approx(float(row[f"{column}_hi"]), rel=0, abs=slack)


@pytest.mark.parametrize("row", TABLES)
def test_newcombe(row):
    n11, n12, n21, n22 = cells(row)
    n = n11 + n12 + n21 + n22
    interval = intervals.newcombe(n21, n12, n, 0.95, both=n11)
    assert -interval.high == pytest.approx(float(row["newcombe_lo"]), rel=0, abs=1e-13)
    assert -interval.low == pytest.approx(float(row["newcombe_hi"]), rel=0, abs=1e-13)
    # Exchanging the systems, or right and wrong, turns it around.
    for turned in (intervals.newcombe(n12, n21, n, 0.95, both=n11), intervals.newcombe(n12, n21, n, 0.95, both=n22)):
        assert (turned.low, turned.high) == pytest.approx((-interval.high, -interval.low), rel=0, abs=1e-13)


@pytest.mark.parametrize("row", TABLES)
def test_tango_ends_where_the_score_is_the_quantile(row):
    # R's ends are good to 3e-8; the defining equation holds to much more. The nuisance share is the positive root of
    # 2n·q² + B·q + C = 0 (Tango 1998, eq. 7).
    n11, n12, n21, n22 = cells(row)
    n, up, down = n11 + n12 + n21 + n22, n21, n12
    interval = found(row, "interval=tango").interval
    for end, sign in ((interval.low, 1), (interval.high, -1)):
        linear, constant = -up - down + (2 * n - up + down) * end, -down * end * (1 - end)
        share = (math.sqrt(linear**2 - 8 * n * constant) - linear) / (4 * n)
        z = (up - down - n * end) / math.sqrt(n * (2 * share + end * (1 - end)))
        assert z == pytest.approx(sign * 1.959963984540054, abs=1e-9)


@pytest.mark.parametrize("row", TABLES)
def test_the_score_law_is_tangos_interval_and_the_uncorrected_chi_squared(row):
    result = compare(pairs(*cells(row)), metric="mean", test="score", audit=False)
    assert -result.interval.high == pytest.approx(float(row["tango_lo"]), rel=0, abs=3e-8)
    assert -result.interval.low == pytest.approx(float(row["tango_hi"]), rel=0, abs=3e-8)
    assert result.p_value == near(float(row["p_asym"]), rel=1e-9, abs=1e-15)  # R's come from 1 - cdf


@pytest.mark.parametrize("variant", ["exact", "midp", "uncorrected", "corrected"])
def test_p_is_never_0(variant):
    (row,) = [row for row in rows("paired2x2.csv") if row["n21"] == "2655"]
    assert found(row, f"variant={variant}").p_value > 0
