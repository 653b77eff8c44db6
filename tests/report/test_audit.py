"""An audit in words: the false alarms of the chosen test first, every number from the result, the signature last."""

import re
from dataclasses import replace

import pytest
from made_results import AUDITS, CATEGORIES, CLUSTERED, HOSTILE, NASTY, NO_NULL, SIZED, TIED, audit, audited

from referee.report import phrases
from referee.report.documents import document_of
from referee.report.phrases import audit as report
from referee.results.audit import alarm_verdict
from referee.studies.auditing.advice import advise


def first(r):
    return " ".join(" ".join(report.sentences(r)).split())


def told(r):
    return " ".join(" ".join([report.headline(r), *report.details(r)]).split())


def flat(r):
    return " ".join(str(r).split())


def balanced(text):
    depth = 0
    for sign in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("r", AUDITS.values(), ids=AUDITS)
def test_text_keeps_to_80_columns_and_ends_with_the_signature(r):
    lines = str(r).splitlines()
    assert lines[-1] == phrases.signature(r.signature)
    assert all(len(line) <= 80 for line in lines[:-1])
    assert flat(r).startswith(told(r))
    assert r.to_text(verbose=True).splitlines()[-1] == lines[-1]
    assert not re.search(r"\bnan\b|None|[\x00-\x09\x0b-\x1f\x7f]", "\n".join(lines))


@pytest.mark.parametrize("r", AUDITS.values(), ids=AUDITS)
def test_markdown_tables_are_whole(r):
    said = r.to_markdown()
    assert said.startswith("**")
    for block in said.split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    assert phrases.signature(r.signature) in said.splitlines()
    assert "<" not in re.sub("</?(details|summary)>", "", said.split("```text")[0])
    assert "\x1b" not in said
    assert r.to_markdown() == said


@pytest.mark.parametrize("r", AUDITS.values(), ids=AUDITS)
def test_latex_is_whole(r):
    said = r.to_latex()
    assert said.startswith("% referee")
    rest = "\n".join(line for line in said.splitlines() if not line.startswith("%"))
    rest = re.sub(r"p\{[\d.]+cm\}", "p", rest)  # a column that folds
    assert balanced(rest)
    assert len(re.findall(r"(?<!\\)\$", rest)) % 2 == 0
    assert not re.search(r"(?<!\\)[#%]|±", rest)
    columns = re.search(r"begin{tabular}{(\w+)}", rest)[1]
    body = rest[rest.index(r"\midrule") : rest.index(r"\bottomrule")].splitlines()[1:]
    assert len(body) == len(r.rows)
    assert all(len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1 for line in body)
    assert all(line.endswith(r"\\") for line in body)
    assert r.to_latex() == said


def test_one_size():
    assert first(audit()) == (
        "On data like yours, a false alarm occurs in 4.8% ± 0.5% of test sets of 1,234 examples (McNemar's test, alpha 5%). "
        "It detects a true difference of this size (1.2 points) 61% of the time (power)."
    )
    said = audit().to_text(verbose=True)
    assert "Prefer mcnemar: it keeps its false alarms (at most 4.8% at alpha 0.05)." in " ".join(said.split())
    assert "Tests of error at n\xa0=\xa01,234 and alpha 5%, in % ± Monte Carlo error:" in said
    assert (
        "test false alarms power coverage verdict McNemar's test 4.8 ± 0.5 61.3 ± 1.1 95.1 keeps "
        "unpaired z test of error rates 1.1 ± 0.5 42.0 ± 1.1 95.1 cautious"
    ) in " ".join(said.split())
    assert "rejections in the nearest world in which old and new tie" in said
    assert "2,000, drawn from week.json (1,234 examples)" in said
    assert "nearest world" not in str(audit())


def test_several_sizes_and_alphas():
    assert first(SIZED) == (
        "On data like yours, a false alarm occurs in 4.5% ± 0.5% of test sets of 100 and 4.5% ± 0.5% of test sets of 6,000 "
        "examples (McNemar's test, alpha 5%). It detects a true difference of this size (1.2 points) 11% of the time at "
        "n = 100 and 70% at n = 6,000 (power)."
    )
    said = str(SIZED)
    assert "Tests of error, in % ± Monte Carlo error:" in said
    assert "  bootstrap test\n      100     1%     1.8 ± 0.5  11.0 ± 1.1      95.1  too few sets\n" in said
    assert "    6,000     5%     9.0 ± 0.5  70.0 ± 1.1      95.1  too many\n" in said
    assert r"bootstrap test & $6{,}000$ & $5\%$ & $9.0 \pm 0.5$ &" in SIZED.to_latex()


@pytest.mark.parametrize(
    ("rates", "headline", "tone"),
    [
        ((0.048, 0.03), "The default test is honest on data like yours: false alarms in 3.0–4.8%", "good"),
        ((0.05, 0.05), "The default test is honest on data like yours: false alarms in 5.0%", "good"),
        ((0.05, 0.12), "The default test raises too many false alarms on data like yours: in 5.0–12.0%", "bad"),
        ((0.01, 0.002), "The default test is cautious on data like yours: false alarms in only 0.2–1.0%", "good"),
    ],
)  # fmt: skip
def test_the_headline_says_whether_the_default_is_honest(rates, headline, tone):
    rows = [audited(n=n, false_alarm=rate) for n, rate in zip((100, 1000), rates, strict=True)]
    verdict = document_of(audit(rows)).verdict
    assert (verdict.headline, verdict.tone) == (f"{headline}.", tone)
    other = report.headline(audit(rows, chosen="score"))
    assert other == headline.replace("The default test", "McNemar's test") + "."


def test_several_categories():
    assert first(CATEGORIES) == (
        "Over 95 of 102 categories, a false alarm occurs in 4.8% ± 0.5% of test sets of 100 and 4.8% ± 0.5% of test sets of "
        "6,000 examples (McNemar's test, alpha 5%); from category to category it varies by ±2.1 and ±2.1 points. In the 99 "
        "categories in which the two differ, it detects that 61% of the time at n = 100 and 61% at n = 6,000 (power)."
    )
    assert "2,000 for each category, drawn from week.json (up to 1,234 examples)" in flat(CATEGORIES)
    assert "  spread  " in str(CATEGORIES)
    assert str(replace(CATEGORIES, each=())) == str(CATEGORIES)
    single = audit([audited(spread=0.021, categories={"null": 1, "different": 3})], difference=None)
    assert first(single) == (
        "Over 1 of 102 categories, a false alarm occurs in 4.8% ± 0.5% of test sets of 1,234 examples (McNemar's test, alpha "
        "5%); from category to category it varies by ±2.1 points. In the 3 categories in which the two differ, it detects that "
        "61% of the time (power)."
    )


def test_groups_ignored_come_last_and_fold():
    said = str(CLUSTERED)
    table = said[said.index("  test ") : said.index("\n\n  test sets")].splitlines()
    assert [line.split("  ")[1] for line in table if line] == [
        "test",
        "studentized randomization test",
        "bootstrap test",
        "studentized randomization test,",
        "",
        "bootstrap test, groups ignored",
    ]
    assert table[4].strip() == "groups ignored"
    assert table[2].split()[-2:] == ["unknown", "keeps"]
    assert table[3].endswith("too many")
    assert first(CLUSTERED).startswith(
        "On data like yours, a false alarm occurs in 4.8% ± 0.5% of test sets of 1,234 examples (studentized randomization test,"
    )


def test_no_false_alarm():
    assert first(NO_NULL) == (
        "On data like yours, no false alarm could be measured (McNemar's test, alpha 5%); the warnings say why. It detects a "
        "true difference of this size (1.2 points) 61% of the time (power)."
    )
    assert first(replace(NO_NULL, warnings=())).startswith(
        "On data like yours, no false alarm could be measured (McNemar's test, alpha 5%). It detects"
    )
    said = NO_NULL.to_text(verbose=True)
    assert said.count("Warning: no false alarm can be measured: the systems do not tie.") == 1
    assert re.search(r"McNemar's test +unknown +61.3 ± 1.1 +95.1  unknown", said)
    assert "rejections in the categories in which old and new tie" in said


def test_a_tie_has_no_power():
    assert first(TIED) == (
        "On data like yours, a false alarm occurs in 4.8% ± 0.5% of test sets of 1,234 examples (McNemar's test, alpha 5%). "
        "There is no difference for it to detect: old and new tie."
    )
    said = TIED.to_text(verbose=True)
    assert not re.search("power|coverage", said)
    assert "rejections in a world in which old and new are exchangeable" in said
    assert "old and new tie in every category" in first(replace(TIED, difference=None, categories=2))


@pytest.mark.parametrize(
    ("power", "shown"),
    [(1.0, "100%"), (0.998, "over 99%"), (0.0, "0.0%"), (0.0312, "3.1%"), (0.0996, "10%")],
)
def test_power_in_words(power, shown):
    assert f"(1.2 points) {shown} of the time" in first(audit([audited(power=power)]))


def test_what_is_known_at_one_size_only():
    r = audit([audited(n=100, power=None, power_error=None), audited(n=200)])
    assert "unknown of the time at n = 100 and 61% at n = 200" in first(r)
    assert re.search(r"100 +4.8 ± 0.5 +unknown", str(r))


@pytest.mark.parametrize(
    ("rate", "error", "said"),
    [
        (0.065, 0.005, "keeps"),
        (0.0651, 0.005, "too many"),
        (0.0151, 0.005, "keeps"),
        (0.0149, 0.005, "cautious"),
        (0.095, 0.021, "too few sets"),
        (0.07, 0.018, "too few sets"),
        (0.065, 0.0125, "keeps"),
        (0.02, 0.0175, "keeps"),
        (0.1, 0.021, "too many"),
        (0.06, None, "too many"),
        (None, None, "unknown"),
        (float("nan"), 0.1, "unknown"),
    ],
)
def test_verdicts(rate, error, said):
    assert alarm_verdict(audited(false_alarm=rate, false_alarm_error=error)) == said


def test_small_errors_get_a_decimal_more():
    assert "in 4.80% ± 0.02% of test sets" in first(audit([audited(false_alarm_error=0.0002)]))


def test_names_from_data_cannot_do_harm():
    said = HOSTILE.to_text(verbose=True)
    assert NASTY not in said
    assert "\x1b" not in said + HOSTILE.to_latex()
    assert "(A)" in said
    assert "rejections in {odd}" in said
    assert "A and B" in audit(names=("", "")).to_text(verbose=True)
    wide = str(audit([audited("x" * 60, groups="ignored"), audited()]))
    assert all(len(line) <= 80 for line in wide.splitlines())


def test_too_few_sets_are_not_called_honest():
    """200 sets, 9.5% ± 2.1%: clearly above alpha, but not by two errors; a green tag would be wrong, and so would a red one."""
    r = audit([audited(false_alarm=0.095, false_alarm_error=0.021, sets=200)])
    verdict = document_of(r).verdict
    assert (verdict.badge, verdict.tone) == ("can't tell", "open")
    assert verdict.headline == "Too few test sets (200) to call the default test honest: false alarms in 9.5%."
    assert verdict.next == "Draw more test sets: --sets 1000 (in Python: sets=1000)."
    assert verdict.next in told(r)
    assert not any(case.passed for case in document_of(r).cases())
    advice = advise(r.rows, r.rows[0]["test"], 0.05)[1]
    assert "its false-alarm rate may stay within 5% (9.5%, too few test sets to tell)" in advice
