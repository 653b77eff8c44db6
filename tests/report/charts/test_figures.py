"""Figures: what is drawn is what the result says, in every theme and script, and nothing in it can act."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from made_results import ALL, AUDITS, LOWER, NASTY, NO_WORSE, SEVERAL, UNKNOWN, audit, audited, comparison, ranking
from made_results import interval as made_interval

import referee
from referee.data.counts import Counts, from_events
from referee.errors import OptionError
from referee.report import charts, numbers, phrases
from referee.report.charts import canvas, evidence, spreads, tasks
from referee.results.algorithms import Algorithm, Pair, Standings
from referee.results.comparison import Comparisons, Score
from referee.results.ranking import Rankings
from referee.results.settings import Settings

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

LONG = "a system with a very long name, sixty signs and more of it, v"
NAMES = [
    ("old", "new"),
    ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'),
    (f"{LONG}1", f"{LONG}2"),
    ("מערכת ישנה 🚀 ארוכה מאוד עם הרבה מילים", "نظام جديد 👩‍🔬 طويل جدا مع كلمات كثيرة"),
    ("模型一号的一个非常长的名称在这里没有尽头", "𝓂ℴ𝒹ℯ𝓁 𝓉𝓌ℴ 𝒾𝓃 𝓈𝒸𝓇𝒾𝓅𝓉 𝓁ℯ𝓉𝓉ℯ𝓇𝓈 🎉🎉🎉🎉🎉"),
    ("{{datum.x}}", "datum['a'] + signal"),
    (NASTY, NASTY),
]
EVENTS = [61, 14, 9, 21, 6, 11, 5, 873]


@cache
def compared(a="old", b="new", **options):
    return referee.compare(from_events(EVENTS, a=a, b=b), **{"metric": "f1", **options})


def grouped():
    rng = np.random.default_rng(0)
    truth = rng.choice(list("abcdefghijklmnop"), 600)
    a, b = (np.where(rng.random(600) < share, truth, "a") for share in (0.7, 0.8))
    group = [f"document <b>{i}</b>" for i in rng.integers(0, 30, 600)]
    return referee.compare(Counts.of({"truth": truth, "a": a, "b": b, "group": group}), metric="accuracy")


def algorithm(name, score, gap=0.003):
    scores = tuple(None if score is None else score + gap * (i - 4.5) for i in range(10))
    return Algorithm(name=name, score=score, spread=0.01, scores=scores)


def standings(scores, best, wins=(), **changes):
    """Return standings in which each pair of `wins` is settled for its first."""
    names = list(scores)
    pairs = [
        Pair(
            a=a,
            b=b,
            difference=None if None in (scores[a], scores[b]) else scores[b] - scores[a],
            interval=None,
            test="5x2cv-f",
            statistic=2.0,
            p_value=0.01,
            p_adjusted=0.02,
            verdict="a better" if (a, b) in wins else "b better" if (b, a) in wins else "too close to call",
            **changes.get("sure", {}),
        )
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    return Standings(
        design="5x2cv", metric=changes.get("metric", "accuracy"), higher_is_better=changes.get("higher", True),
        test="5x2cv-f", reason="", alternative="two-sided", alpha=0.05, margin=None, adjust="holm", fits=10, splits=10,
        n=100, n_train=50.0, n_test=50.0, algorithms=tuple(algorithm(name, score) for name, score in scores.items()),
        pairs=tuple(pairs), best=tuple(best),
    )  # fmt: skip


FOUR = {"forest": 0.87, "lr": 0.85, "svm": 0.841, "bayes": 0.79}
ONE_BEST = standings(FOUR, ["forest"], [("forest", "lr"), ("forest", "svm"), ("forest", "bayes")])
NOBODY = standings(FOUR, FOUR)
MANY = standings({f"m{i}": 0.9 - i / 100 for i in range(30)}, ["m0"], [("m0", "m2")])


def watched(n=160, a="old", b="new", right=0.95, **asked):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    old, new = (np.where(rng.random(n) < share, truth, 1 - truth) for share in (0.75, right))
    return referee.watch(truth=truth, a=old, b=new, names=(a, b), **asked)


WATCHES = {
    "stop": watched(),
    "worse": watched(right=0.4, margin=0.1),
    "open": watched(right=0.75, metric="error"),
    "no worse": watched(question="no-worse", margin="5pp"),
    "one look": referee.watch(from_events([30, 12, 9, 9, 6, 4, 8, 124]), margin=0.01),
    "hostile": watched(40, f"{NASTY * 3}", f"{NASTY * 3}🚀"),
}
STANDINGS = {
    "one best": ONE_BEST,
    "nobody": NOBODY,
    "failed": standings({**FOUR, "broken": None}, ["forest"]),
    "bayesian": standings(FOUR, ["forest"], sure={"probabilities": {"a": 0.2, "equal": 0.1, "b": 0.7}}),
    "error": standings({"a": 0.1, "b": 0.2}, ["a"], [("a", "b")], metric="error", higher=False),
    "many": MANY,
    "hostile": standings({f"{NASTY * 3}{i}🚀": 0.8 for i in range(2)}, [], metric=NASTY),
}
FIFTY = ranking([0.9 - i / 200 for i in range(50)], wins=[(i, j) for i in range(50) for j in range(i + 12, 50)])
RESULTS = {
    **ALL,
    "counts": compared(),
    "margin": compared(metric="accuracy", margin=0.02, alternative="greater"),
    "no worse by": compared(metric="f1", question="no-worse", margin=0.08),
    "equal within": compared(metric="error", question="equal", margin="3pp"),
    "bootstrap": compared(test="bootstrap"),
    "grouped data": grouped(),
    "huge": referee.compare(from_events([10**9, 10**6, 10**5, 10**8, 10**7, 10**5, 10**6, 10**9]), metric="f1"),
    "one apart": referee.compare(from_events([10, 1, 0, 5, 3, 0, 0, 7]), metric="f1"),
    "the same": referee.compare(from_events([10, 0, 0, 5, 3, 0, 0, 7]), metric="f1"),
    "scores": referee.compare(a=np.arange(40.0) % 7 + 0.5, b=np.arange(40.0) % 5 + 0.25, metric="mean"),
    "tiny numbers": referee.compare(a=np.arange(40.0) % 7 * 1e-9, b=np.arange(40.0) % 5 * 1e-9, metric="mean"),
    "large numbers": referee.compare(a=np.arange(40.0) % 7 * 1e9, b=np.arange(40.0) % 5 * 1e9, metric="mean"),
    "several": SEVERAL,
    "ranking": ranking(),
    "ranking hostile": ranking(names=(NASTY * 3, f"{NASTY * 3}🚀", "模型一号的一个非常长的名称"), metric=NASTY),
    "ranking of fifty": FIFTY,
    "ranking against one": ranking(baseline="m2", wins=((0, 1), (1, 2))),
    "rankings": Rankings((ranking(slice="en"), ranking(slice=NASTY))),
    **{f"standings {name}": r for name, r in STANDINGS.items()},
    **{f"audit {name}": r for name, r in AUDITS.items()},
    **{f"watch {name}": r for name, r in WATCHES.items()},
}


DRAWN = {}
"""Drawings by the chart that they are of, which is kept: what several tests look at is drawn once."""


def inlined(chart):
    if id(chart) not in DRAWN:
        DRAWN[id(chart)] = chart, charts.inline(chart)
    return DRAWN[id(chart)][1]


def parsed(figure):
    return ET.fromstring(inlined(figure.chart))


def words_of(figure):
    return [element.text for element in parsed(figure).iter() if element.tag.endswith("text") and element.text]


FIGURES = {}


def figures(r, theme="light"):
    """Return the figures of a result, drawn once for all tests; the result is kept, so that no other has its id."""
    if (id(r), theme) not in FIGURES:
        FIGURES[id(r), theme] = r, charts.figures(r, theme)
    return FIGURES[id(r), theme][1]


def every(r, theme="light"):
    """Return the figures, and instead of one that has panels those."""
    return [panel for one in figures(r, theme) for panel in one.panels or (one,)]


def figure_of(r, key, theme="light"):
    return next(one for one in every(r, theme) if one.key == key)


def marks(figure):
    """Return every row that is drawn, with the mark it is drawn as."""
    spec = figure.chart.to_dict()
    return [(layer["mark"]["type"], row) for layer in spec["layer"] for row in spec["datasets"][layer["data"]["name"]]]


@pytest.mark.parametrize("r", RESULTS.values(), ids=RESULTS)
def test_every_figure_can_stand_in_a_page(r):
    found = figures(r)
    assert len({figure.key for figure in found}) == len(found)
    for figure in every(r):
        figure.chart.to_dict()  # is valid Vega-Lite
        drawn = inlined(figure.chart)
        assert drawn == charts.inline(figure.chart)
        assert len(drawn) < 40_000
        assert "NaN" not in drawn
        root = ET.fromstring(drawn)
        assert root.get("role") == "img"
        assert root.get("aria-label") == figure.caption
        # A phone, and numbers that stick out of an axis; a chart of tasks is as wide as a page.
        assert float(root.get("width")) <= 32 + (figure.wide if r is SEVERAL else canvas.WIDTH)
        assert figure.caption.endswith(".")
        assert not re.search(r"\bNone\b|nan", figure.caption)
        check_harmless(root)


def check_harmless(root):
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "path", "text", "tspan", "rect", "line", "defs", "clipPath"}
    for element in root.iter():
        for key, value in element.attrib.items():
            plain = key.rpartition("}")[2]
            assert not plain.startswith("on")
            assert plain not in ("href", "src", "style", "class")
            if plain in ("fill", "stroke"):
                assert value in ("none", "transparent") or re.fullmatch(r"var\(--[a-z0-9-]+,#[0-9a-f]{6}\)", value), (
                    value
                )


@pytest.mark.parametrize("theme", charts.THEMES)
@pytest.mark.parametrize(("a", "b"), NAMES)
def test_names_are_shown_and_do_nothing(a, b, theme):
    r = replace(compared(a, b, metric="accuracy", margin=0.01), counts=from_events(EVENTS, a=a, b=b))
    found = every(r, theme)
    assert {figure.key for figure in found} >= {"difference", "luck", "scores", "outcomes", "dots"}
    for figure in found:
        drawn = inlined(figure.chart)
        assert "<script" not in drawn
        assert "<img" not in drawn
        assert float(ET.fromstring(drawn).get("width")) <= 372
        check_harmless(ET.fromstring(drawn))
        text = " ".join(words_of(figure))
        assert all(clean[:3] in text or clean[-2:] in text for clean in phrases.names(r))


def test_names_of_one_beginning_are_told_apart():
    shown = words_of(figure_of(compared(f"{LONG}1", f"{LONG}2"), "scores"))
    assert not any(text.endswith("v") for text in shown)
    assert len({text for text in shown if text.endswith("v1")}) == len({t for t in shown if t.endswith("v2")}) == 1


def test_no_two_labels_of_different_things_are_the_same():
    llama = [f"meta-llama/Llama-3.1-{size}B-Instruct" for size in (8, 70)]
    for figure in every(compared(*llama)):
        named = [text for text in words_of(figure) if "nstr" in text or "…" in text]
        assert sorted(set(named)) == sorted(named)
    pages = [f"https://example.org/documents/2024/report-{i}-final.html" for i in range(9)]
    shown = canvas.fitted_apart(pages, 90, 12)
    assert len(set(shown)) == 9


@pytest.mark.parametrize("text", [NASTY, *(name for names in NAMES for name in names), "é" * 80, "👩‍👩‍👧‍👦" * 20])
def test_cut_words_are_no_wider_than_allowed(text):
    for pixels in (40, 90, 300):
        found = canvas.fitted(text, pixels, 12)
        assert canvas.width(found, 12) <= pixels
        assert found == text or "…" in found
        found.encode("utf-8")


@pytest.mark.parametrize("theme", charts.THEMES.values(), ids=charts.THEMES)
def test_colours_can_be_read(theme):
    named = theme.variables()
    assert len(set(named.values())) == len(named)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in named.values())
    on_paper = {"ink": 7, "grey": 4.5, "tail": 4.5, "a": 3, "b": 3}
    assert all(contrast(getattr(theme, part), theme.paper) >= least for part, least in on_paper.items())
    pairs = [(theme.on_a, theme.a), (theme.on_b, theme.b), (theme.ink, theme.both), (theme.ink, theme.neither), (theme.ink, theme.band)]  # fmt: skip
    assert all(contrast(*pair) >= 4.5 for pair in pairs)
    # Without colour: neighbours in a bar, and the shaded bars among the others.
    apart = [(theme.both, theme.a), (theme.a, theme.b), (theme.b, theme.neither), (theme.bar, theme.tail)]
    assert all(contrast(*pair) >= 1.35 for pair in apart)
    assert set(charts.LIGHT.variables()) == set(charts.DARK.variables())


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_page_can_change_the_colours():
    light, dark = (charts.inline(figure_of(compared(), "outcomes", theme).chart) for theme in ("light", "dark"))
    assert f"var(--a,{charts.LIGHT.a})" in light
    assert f"var(--a,{charts.DARK.a})" in dark
    assert re.sub(r",#[0-9a-f]{6}\)", ")", light) == re.sub(r",#[0-9a-f]{6}\)", ")", dark)


def test_a_name_that_is_a_colour_stays_a_name():
    drawn = charts.inline(figure_of(compared(charts.LIGHT.ink, "url(#clip0)"), "scores").chart)
    assert f">{charts.LIGHT.ink}<" in drawn
    assert ">url(#clip0)<" in drawn


def test_an_unknown_theme_is_named():
    for draw in (charts.figures, charts.plot):
        with pytest.raises(OptionError, match="light"):
            draw(compared(), "sepia")


@pytest.mark.parametrize("theme", charts.THEMES)
@pytest.mark.parametrize("name", ["counts", "grouped data", "unknown", "several", "standings one best", "audit sized"])
def test_one_chart_of_all(name, theme, tmp_path):
    r = RESULTS[name]
    charts.save(charts.plot(r, theme), tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert charts.THEMES[theme].paper in drawn
    for figure in every(r, theme):
        assert (figure.title in drawn) == (not figure.folded)
    assert name != "unknown" or "nothing to draw" in drawn


def test_the_difference_is_where_it_is():
    r = compared(metric="accuracy", margin=0.02)
    rows = marks(figure_of(r, "difference"))
    spot = next(row for mark, row in rows if mark == "point" and row["shape"] == "circle")
    assert spot["x"] == pytest.approx(r.difference)
    lines = [(row["x"], row["x2"]) for mark, row in rows if mark == "rule" and row["y"] == row["y2"]]
    # The whole bar, and its thick part: the interval that is held against the margin.
    held = [(pytest.approx(one.low), pytest.approx(one.high)) for one in (r.interval, r.margin_interval)]
    assert lines == held
    side, band = [(row["x"], row["x2"]) for mark, row in rows if mark == "rect"]
    assert side[0] == 0.0 < side[1]
    assert band == (-0.02, 0.02)


@pytest.mark.parametrize(
    ("r", "ends"), [(RESULTS["no worse by"], (-0.08, 0.0)), (RESULTS["equal within"], (-0.03, 0.03))]
)
def test_the_band_of_a_margin_is_where_it_matters(r, ends):
    rows = marks(figure_of(r, "difference"))
    (band,) = [(row["x"], row["x2"]) for mark, row in rows if mark == "rect" and row["fill"] == charts.LIGHT.band]
    assert band == ends


def test_p_has_one_form_in_charts_and_tables():
    found = figure_of(ONE_BEST, "pairs")
    shown = words_of(found)
    assert "0.020" in shown
    assert not any(re.fullmatch(r"p .*e-\d+|p 0\.\d{3}", text) for text in shown)
    tiny = replace(ONE_BEST.pairs[0], p_value=1e-9, p_adjusted=1e-9)
    assert canvas.short_p(tiny, 0.05) == "<0.0001"


def test_names_break_at_words_and_are_shortened_only_if_they_must():
    name = "the service as deployed in production since March"
    (lines,) = canvas.in_lines([name], 180, most=3)
    assert " ".join(lines) == name
    (lines,) = canvas.in_lines(["science_of_measurement"], 110)
    assert lines == ["science_of_", "measurement"]
    a, b = canvas.fitted_apart(["org/model-base-temperature-0", "org/model-dpo-temperature-0", "nb"], 80)[:2]
    assert "base" in a
    assert "dpo" in b


def test_the_side_on_which_b_is_better_is_shaded():
    for r, low in ((ALL["b better"], False), (LOWER, True)):
        rows = marks(figure_of(r, "difference"))
        side = next(row for mark, row in rows if mark == "rect" and row["fill"] == charts.LIGHT.better)
        assert (side["x"] < 0.0 == side["x2"]) if low else (side["x"] == 0.0 < side["x2"])
        label = next(row for mark, row in rows if mark == "text" and row["fill"] == charts.LIGHT.on_better)
        assert label["text"].strip("← →") == "new better"


def test_scores_are_in_percent_and_differences_in_points():
    scores, gap, luck = (words_of(figure_of(compared(), key)) for key in ("scores", "difference", "dots"))
    assert {"old", "new", "75.3%", "76.1%", "75%", "F1 of each"} <= set(scores)
    assert {"+0.9\xa0points", "95%: −6.1 to +8.1", "0", "+4", "−4", "difference, new − old, in points"} <= set(gap)
    assert {"points of F1 (new − old)", "what you saw: +0.9\xa0points", "+5"} <= set(luck)
    plain = words_of(figure_of(RESULTS["scores"], "difference"))
    assert not [text for text in plain if "%" in text.replace("95%", "") or "point" in text]


def test_an_open_interval_ends_in_an_arrow():
    r = comparison(interval=made_interval(0.0041, float("inf")))
    shapes = [row["shape"] for mark, row in marks(figure_of(r, "difference")) if mark == "point"]
    assert shapes == ["triangle-right", "circle"]
    assert "95%: at least +0.4" in words_of(figure_of(r, "difference"))


@pytest.mark.parametrize(("r", "left", "right"), [(NO_WORSE, "old", "new"), (LOWER, "new", "old")])
def test_sides_are_named_after_who_is_better_there(r, left, right):
    shown = words_of(figure_of(r, "difference"))
    assert f"← {left} better" in shown
    assert f"{right} better →" in shown


def test_lower_is_better_is_said():
    assert "Lower is better" in figure_of(LOWER, "difference").caption
    assert "lower is better" in figure_of(LOWER, "scores").caption


DOTTED = {
    "two-sided": compared(),
    "greater": compared(alternative="greater"),
    "less": compared(alternative="less"),
    "exact": compared(metric="accuracy", test="mcnemar:variant=exact"),
    "mid-p": compared(metric="accuracy", test="mcnemar"),
    "wins": compared(metric="accuracy", test="sign"),
    "few": referee.compare(from_events([10, 3, 0, 5, 3, 0, 1, 7]), metric="accuracy", test="randomization"),
    "group": grouped(),
}


@pytest.mark.parametrize("name", ["no worse by", "equal within"])
def test_p_of_a_margin_is_not_what_luck_does(name):
    found = {figure.key: figure for figure in figures(RESULTS[name])}
    assert "dots" not in found
    assert (found["luck"].title, found["luck"].folded) == ("If the difference were just the margin", True)


@pytest.mark.parametrize("r", DOTTED.values(), ids=DOTTED)
def test_of_100_dots_as_many_are_in_colour_as_p_says(r):
    found = {figure.key: figure for figure in figures(r)}
    if r.p_value < 0.01:
        assert "dots" not in found
        assert found["luck"].title == "Could luck do this? Less than once in 100 times."
        assert not found["luck"].folded
        return
    rows = [row for mark, row in marks(found["dots"]) if mark == "point"]
    extreme = int(100 * r.p_value + 0.5)
    assert len(rows) == 100
    assert len({(row["x"], row["y"]) for row in rows}) == 100
    assert [row["fill"] for row in rows].count(charts.LIGHT.tail) == extreme
    assert all((row["fill"] == charts.LIGHT.tail) == (row["shape"] == "diamond") for row in rows)
    assert found["dots"].title == f"Could luck do this? About {extreme} times in 100."
    assert found["luck"].folded
    assert min(row["y"] for row in rows) > 30


def test_the_dots_in_colour_lie_beyond_what_was_seen():
    r = compared(alternative="greater")
    rows = [row for mark, row in marks(figure_of(r, "dots")) if mark == "point"]
    assert all((row["x"] > r.difference) == (row["shape"] == "diamond") for row in rows)
    both = [
        row["x"] for mark, row in marks(figure_of(compared(), "dots")) if mark == "point" and row["shape"] == "diamond"
    ]
    assert abs(sum(x > 0 for x in both) - sum(x < 0 for x in both)) <= 1
    assert all(abs(x) > compared().difference for x in both)


def test_luck_of_what_is_drawn_again_has_no_dots():
    assert "dots" not in {figure.key for figure in figures(compared(test="bootstrap"))}


@pytest.mark.parametrize("options", [{}, {"metric": "accuracy"}, {"test": "bootstrap"}, {"alternative": "less"}])
def test_what_is_shaded_is_p(options):
    r = compared(**options)
    rows = [row for mark, row in marks(figure_of(r, "luck")) if mark == "rect"]
    shaded, plain = (
        sum(row["y"] - row["y2"] for row in rows if row["fill"] == fill)
        for fill in (charts.LIGHT.tail, charts.LIGHT.bar)
    )
    law = r.plot_data().luck
    assert law.times * shaded / plain == pytest.approx(r.p_value, abs=3e-4)
    assert charts.LIGHT.tail in charts.inline(figure_of(r, "luck").chart)


def test_luck_says_what_its_law_is():
    assert "normal curve" in figure_of(compared(), "luck").caption
    studentized = compared(test="randomization:studentized=true")
    assert "multiplied by the observed one" in figure_of(studentized, "luck").caption
    assert "ties counted half" in figure_of(compared(metric="accuracy", test="mcnemar"), "luck").caption
    assert "drawn again" in figure_of(compared(test="bootstrap"), "luck").title
    assert "twice their share" in figure_of(compared(test="bootstrap"), "luck").caption
    assert "corrected" in figure_of(compared(test="bootstrap:interval=bca"), "luck").caption
    assert "counts wins, whatever their size" in figure_of(compared(metric="accuracy", test="sign"), "luck").caption
    assert "ranks" in figure_of(compared(metric="accuracy", test="wilcoxon"), "luck").caption
    assert "normal curve" in figure_of(compared(metric="accuracy", test="disagreement"), "luck").caption
    assert "at least as low" in figure_of(compared(alternative="less"), "luck").caption
    assert "p\xa0= " in " ".join(words_of(figure_of(compared(), "luck"))).replace("=\xa0", "= ")
    skewed = referee.compare(a=[0.0] * 50, b=[*range(0, -25, -1), *([16.0] * 25)], audit=False)
    assert skewed.test == "skew-t"
    assert "Student's t curve" in figure_of(skewed, "luck").caption
    assert "less the correction for skewness" in figure_of(skewed, "luck").caption


def test_luck_at_a_margin_is_that_of_the_question():
    worse, equal = (figure_of(RESULTS[name], "luck") for name in ("no worse by", "equal within"))
    # What dots show is folded away under another title.
    titles = {True: "If the difference were just the margin", False: "Could luck do this? Less than once in 100 times."}
    assert [worse.title, equal.title] == [titles[one.folded] for one in (worse, equal)]
    p = numbers.p_equation(RESULTS["no worse by"].p_value)
    assert worse.caption == (
        "How the difference would vary if new were worse than old by exactly the margin: the normal curve that this test uses "
        "as an approximation. The shaded part, at least as high as observed, is p."
    )
    assert f"shaded: {p}" in words_of(worse)
    assert "if old and new differed by exactly the margin" in equal.caption
    assert "at least as low as observed" in equal.caption
    zeros = [row["x"] for mark, row in marks(worse) if mark == "rule" and row["x"] == row["x2"] == -0.08]
    assert zeros
    # A test without a law at the margin has no such picture, and none of a tie in its place.
    bootstrap = compared(question="no-worse", margin=0.08, test="bootstrap:replicates=999", audit=False)
    assert "luck" not in {figure.key for figure in figures(bootstrap)}


def test_the_bar_of_a_question_is_what_is_held_against_its_margin():
    caption = figure_of(RESULTS["no worse by"], "difference").caption
    assert "The bar is its 90% confidence interval" in caption
    assert "which is compared with the margin." in caption
    assert "The thick part of the bar" not in caption
    assert "The thick part of the bar" in figure_of(compared(margin=0.08, audit=False), "difference").caption


def test_a_spike_is_seen():
    rows = [row for mark, row in marks(figure_of(RESULTS["huge"], "luck")) if mark == "rect"]
    assert {row["fill"] for row in rows} == {charts.LIGHT.grey}


def test_outcomes_are_as_long_as_they_are_many():
    rows = [row for mark, row in marks(figure_of(compared(), "outcomes")) if mark == "rect"]
    cells = {charts.LIGHT.both: (873, 61), charts.LIGHT.neither: (6, 21)}
    for fill, counts in cells.items():
        lengths = [row["x2"] - row["x"] for row in rows if row["fill"] == fill and row["y2"] - row["y"] == 16]
        wanted = [lengths[0] * (count / n) / (counts[0] / 895) for count, n in zip(counts, (895, 105), strict=True)]
        assert lengths[:2] == pytest.approx(wanted)
    shown = words_of(figure_of(compared(), "outcomes"))
    assert {"873", "61", "14", "9", "11", "5", "only old", "only new", "both right", "both wrong"} <= set(shown)


def test_few_disagreements_are_still_seen():
    r = referee.compare(from_events([10**6, 30, 10, 10**5, 10**5, 1, 2, 10**7]), metric="accuracy")
    rows = [row for mark, row in marks(figure_of(r, "outcomes")) if mark == "rect"]
    longest = max(abs(row["x2"] - row["x"]) for row in rows if row["fill"] == charts.LIGHT.b)
    assert longest > 60


def grouped_in(many, differs=lambda group: group % 3):
    """Return a comparison of so many groups of eight; B is better in some, A in others."""
    group = np.repeat(np.arange(many), 8)
    a = np.array([int(differs(one) != 1) for one in group])
    b = np.array([int(differs(one) != 2) for one in group])
    return referee.compare(truth=np.ones(8 * many, int), a=a, b=b, group=[f"g{one}" for one in group], audit=False)


def test_few_groups_have_a_row_each():
    r = grouped_in(12)
    figure = figure_of(r, "forest")
    spots = [row for mark, row in marks(figure) if mark == "point"]
    assert len(spots) == 13
    assert (spots[-1]["shape"], spots[-1]["x"]) == ("diamond", pytest.approx(r.difference))
    values = [row["x"] for row in spots[:-1]]
    assert values == sorted(values, reverse=True)
    assert "Of 12 groups, B is ahead in 4, A in 4; in 4 they are level." in figure.caption
    assert {"all together", *(f"g{one}" for one in range(12))} <= set(words_of(figure))


def test_many_groups_are_a_swarm_of_all_of_them():
    r = grouped_in(90)
    figure = figure_of(r, "swarm")
    (spot,) = [row for mark, row in marks(figure) if mark == "point"]
    assert (spot["shape"], spot["x"]) == ("diamond", pytest.approx(r.difference))
    # Three values only: a bar for each, where it is, with how many groups have it.
    bars = [row for mark, row in marks(figure) if mark == "rect" and row["fill"] != charts.LIGHT.paper]
    middles = {row["fill"]: (row["x"] + row["x2"]) / 2 for row in bars}
    assert middles == {
        charts.LIGHT.a: pytest.approx(-1.0), charts.LIGHT.grey: pytest.approx(0.0), charts.LIGHT.b: pytest.approx(1.0),
    }  # fmt: skip
    assert words_of(figure).count("30") == 3
    assert figure.caption.startswith("Each bar shows how many groups have this difference. ")
    assert "Of 90 groups, B is ahead in 30, A in 30; in 30 they are level." in figure.caption


@pytest.mark.parametrize("xs", [[5.0] * 300, sorted(np.random.default_rng(0).normal(170, 9, 300).tolist())])
def test_dots_of_a_swarm_stay_where_they_belong(xs):
    shown, size, ys = spreads.swarm(xs, 60.0)
    places = np.array([(xs[place], y) for place, y in zip(shown, ys, strict=True)])
    apart = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    assert np.min(apart[~np.eye(len(shown), dtype=bool)]) >= size - 0.01
    assert np.abs(places[:, 1]).max() <= 30
    assert (shown[0], shown[-1]) == (0, 299)
    assert len(shown) == len(set(shown)) < 300


def test_no_dot_is_moved_along_the_axis():
    rng = np.random.default_rng(4)
    a = rng.normal(200, 10, 400)
    b = a + np.append(rng.normal(0, 4, 396), [150, -120, 90, 60])
    r = referee.compare(a=a, b=b, lower_is_better=True, audit=False)
    figure = figure_of(r, "examples")
    spots = [row for mark, row in marks(figure) if mark == "point"][:-1]
    places = np.array([row["x"] for row in spots])
    assert np.abs(places[:, None] - (b - a)[None, :]).min(axis=1).max() < 1e-6
    assert {row["fill"] for row in spots if row["x"] < 0} == {charts.LIGHT.b}
    assert {row["fill"] for row in spots if row["x"] > 0} == {charts.LIGHT.a}
    assert f"The dots are {len(spots)} of 400 examples, evenly apart by rank." in figure.caption


def test_scores_are_a_raincloud():
    rng = np.random.default_rng(1)
    a = rng.normal(50, 10, 700)
    r = referee.compare(a=a, b=a + rng.normal(2, 5, 700), lower_is_better=False, audit=False)
    figure = figure_of(r, "examples")
    spots = [row["x"] for mark, row in marks(figure) if mark == "point"]
    drawn = len(spots) - 1
    assert 200 < drawn <= 400
    found = np.sort(r.counts["b"] - r.counts["a"])
    (box,) = (row for mark, row in marks(figure) if mark == "rect" and row["fill"] == charts.LIGHT.both)
    assert (box["x"], box["x2"]) == pytest.approx(tuple(np.quantile(found, (0.25, 0.75))), abs=0.2)
    assert (min(spots), max(spots)) == pytest.approx((found[0], found[-1]))
    assert f"The dots are {drawn} of 700 examples, evenly apart by rank." in figure.caption
    marks_only = referee.compare(a=[1, 0, 1, 1] * 9, b=[1, 1, 0, 1] * 9, audit=False)
    assert "examples" not in {one.key for one in figures(marks_only)}


def test_an_average_over_classes_has_a_dumbbell_for_each():
    rng = np.random.default_rng(2)
    truth = rng.choice(["x", "y", "z"], 300)
    a, b = (np.where(rng.random(300) < share, truth, "x") for share in (0.7, 0.85))
    r = referee.compare(truth=truth, a=a, b=b, metric="f1:average=macro", audit=False)
    figure = figure_of(r, "classes")
    assert figure.title == "F1 of each class"
    rows = r.plot_data().classes
    for row in rows:
        own = referee.compare(truth=truth == row.label, a=a == row.label, b=b == row.label, metric="f1", positive=True)
        assert (row.a, row.b, row.n) == (
            pytest.approx(own.a.score),
            pytest.approx(own.b.score),
            int((truth == row.label).sum()),
        )
    assert np.mean([row.b for row in rows]) == pytest.approx(r.b.score)
    spots = [row["x"] for mark, row in marks(figure) if mark == "point" and row["shape"] == "square"]
    assert spots[1:] == [*(pytest.approx(row.b) for row in rows), pytest.approx(r.b.score)]
    keys = [one.key for one in figures(r)]
    assert keys.index("classes") < min(keys.index(key) for key in ("dots", "luck") if key in keys)
    recalls = referee.compare(truth=truth, a=a, b=b, metric="balanced-accuracy", audit=False)
    assert figure_of(recalls, "classes").title == "Recall of each class"
    assert np.mean([row.a for row in recalls.plot_data().classes]) == pytest.approx(recalls.a.score)
    assert "classes" not in {one.key for one in figures(compared())}


def test_lines_of_an_audit_have_their_names_at_their_ends():
    shown = words_of(figure_of(AUDITS["sized"], "false-alarms"))
    assert shown.count("bootstrap test") == 2  # once for each alpha
    tests = ("mcnemar", "proportion", "sign", "wilcoxon", "paired-t", "bootstrap", "randomization", "score")
    rows = [
        audited(test, n=n, false_alarm=0.11 if test == "proportion" else 0.05) for test in tests for n in (100, 900)
    ]
    many = figure_of(audit(rows), "false-alarms")
    assert {"McNemar's test", "unpaired z test of error", "rates", "sign test"} <= set(words_of(many))
    assert "Named are" not in many.caption
    crowd = [
        {**audited("score", n=n, false_alarm=0.11 if i in (3, 4) else 0.05), "test": f"posterior:draws={100 + i}"}
        for i in range(20)
        for n in (100, 900)
    ]
    many = figure_of(audit(crowd), "false-alarms")
    assert "those with too many false alarms; the thin grey lines are the " in many.caption


def task(name, verdict="too close to call", **changes):
    return comparison(task=name, p_adjusted=0.5, verdict=verdict, **changes)


def test_a_forest_of_tasks_has_a_panel_for_each_metric():
    rs = Comparisons(
        (
            task("en f1", settings=Settings(slice="en"), verdict="b better"),
            task("de f1", settings=Settings(slice="de"), verdict="a better", difference=-0.02),
            task(
                "en error",
                settings=Settings(slice="en"),
                verdict="b better",
                metric="error",
                higher_is_better=False,
                difference=-0.02,
            ),
            task("nothing", difference=None, interval=None),
        )
    )
    (figure,) = charts.figures(rs)
    assert figure.wide == tasks.WIDE
    spec = figure.chart.to_dict()
    rows = [row for layer in spec["layer"] for row in spec["datasets"][layer["data"]["name"]] if "shape" in row]
    # In the colours of a page: what is welcome, what isn't, and what is open.
    theme = charts.LIGHT
    assert [row["fill"] for row in rows] == [theme.on_better, theme.on_better, theme.tail, theme.grey][: len(rows)]
    shown = words_of(figure)
    assert {"A old", "B new", "n", "A, %", "B, %", "B − A", "B is", "▲ better", "▼ worse"} <= {
        " ".join(text.split()) for text in shown
    }
    assert not any(re.search(r"e-\d|1\.000", text) for text in shown)


def test_a_chart_of_tasks_has_both_intervals():
    near, far = made_interval(0.01, 0.05), made_interval(-0.01, 0.07)
    rs = Comparisons(tuple(task(f"t{i}", difference=0.03, interval=near, interval_adjusted=far) for i in range(3)))
    (figure,) = charts.figures(rs)
    bars = [(row["x"], row["x2"]) for mark, row in marks(figure) if mark == "rule"]
    assert bars.count((0.01, 0.05)) == bars.count((-0.01, 0.07)) == 3
    assert any(text.startswith("Thick: the interval of") and "widened for 3 " in text for text in words_of(figure))


def test_too_many_tasks_are_cut_and_told():
    (figure,) = charts.figures(Comparisons(tuple(task(f"t{i}") for i in range(100))))
    assert "60 more rows, those with the largest p, are not shown" in figure.caption
    assert len([row for mark, row in marks(figure) if mark == "point"]) == 40
    assert charts.figures(Comparisons((UNKNOWN,))) == ()


def test_algorithms_have_ranges_of_ranks():
    ranked = replace(
        ONE_BEST,
        algorithms=tuple(
            replace(one, rank_low=low, rank_high=high)
            for one, (low, high) in zip(ONE_BEST.algorithms, [(1, 1), (2, 4), (2, 4), (2, 4)], strict=True)
        ),
    )
    figure = charts.figures(ranked)[0]
    assert figure.key == "ranks"
    bars = [(row["x"], row["x2"]) for mark, row in marks(figure) if mark == "rule"]
    assert bars == [(0.7, 1.3)] + [(1.7, 4.3)] * 3
    assert [row["x"] for mark, row in marks(figure) if mark == "point"] == [1, 2, 3, 4]
    assert "ranks" not in {one.key for one in figures(ONE_BEST)}


def test_fold_scores():
    figure = figure_of(ONE_BEST, "folds")
    spots = [row["x"] for mark, row in marks(figure) if mark == "point"]
    assert sorted(spots) == pytest.approx(sorted(score for one in ONE_BEST.algorithms for score in one.scores))
    assert "* forest" in words_of(figure)
    assert "A star marks" in figure.caption
    assert not any(text.startswith("*") for text in words_of(figure_of(NOBODY, "folds")))
    assert "5 with the worst mean are not shown" in figure_of(MANY, "folds").caption
    lengths = [row["x2"] - row["x"] for mark, row in marks(figure_of(MANY, "folds")) if mark == "rule"]
    assert max(lengths) == pytest.approx(9 * 0.003)


def test_pairs_are_told_with_their_sign():
    figure = figure_of(ONE_BEST, "pairs")
    cells = {}
    for mark, row in marks(figure):
        if mark == "rect":
            cells[row["x"], row["y"]] = row["fill"]
    fills = list(cells.values())
    assert fills.count(charts.LIGHT.a) == fills.count(charts.LIGHT.b) == 3
    first_row = min(y for _, y in cells)
    assert {fill for (_, y), fill in cells.items() if y == first_row} == {charts.LIGHT.a}
    shown = words_of(figure)
    for one in ONE_BEST.pairs:
        size = f"{abs(one.difference):.4f}"
        assert {f"+{size}", f"−{size}"} <= set(shown)
    assert {"1", "2", "3", "4"} <= set(shown)
    assert "Only the first 12 are shown" in figure_of(MANY, "pairs").caption


def test_an_audit_has_its_figures():
    assert [figure.key for figure in figures(AUDITS["sized"])] == ["false-alarms", "power"]
    assert [figure.key for figure in figures(AUDITS["tied"])] == ["false-alarms"]
    shown = words_of(figure_of(AUDITS["clustered"], "false-alarms"))
    assert "bootstrap test, groups ignored (too many)" in shown
    spots = [row for mark, row in marks(figure_of(AUDITS["clustered"], "false-alarms")) if mark == "point"]
    assert [row["shape"] for row in spots] == ["circle", "circle", "triangle-up", "triangle-up"]
    assert [row["x"] for row in spots] == [0.048, 0.048, 0.36, 0.31]


def test_what_is_unknown_has_no_figure():
    assert charts.figures(UNKNOWN) == ()
    half = comparison(a=Score(name="old", score=None))
    assert [figure.key for figure in every(half)] == ["scores", "difference"]


def test_a_sheet_knows_where_a_value_stands():
    page = canvas.Canvas(charts.LIGHT, -1.0, 3.0, 100, 300)
    assert page.pixel(1.0) == 200
    assert page.at(page.pixel(0.37)) == pytest.approx(0.37)
    assert canvas.around([None, 1.0, 2.0], 0.1) == (0.9, 2.1)
    assert canvas.around([]) == pytest.approx((-0.08, 1.08))


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_the_side_of_a_group_is_that_of_the_better_system(metric):
    # In the first group B is better, in the second A, whichever way the metric points.
    truth, group = [1] * 80, ["first"] * 40 + ["second"] * 40
    a = [1] * 20 + [0] * 20 + [1] * 40
    b = [1] * 40 + [1] * 30 + [0] * 10
    figure = figure_of(referee.compare(truth=truth, a=a, b=b, group=group, metric=metric), "forest")
    spots = [row for mark, row in marks(figure) if mark == "point" and row["shape"] == "circle"]
    sign = 1 if metric == "accuracy" else -1
    assert {row["fill"]: row["x"] * sign > 0 for row in spots} == {charts.LIGHT.b: True, charts.LIGHT.a: False}
    assert "B is ahead in 1, A in 1" in figure.caption
    assert next(text for text in words_of(figure) if text.startswith("←")) == (
        "← A better" if metric == "accuracy" else "← B better"
    )


def test_what_one_alone_gets_right_has_its_colour():
    truth, a, b = [1] * 60, [1] * 50 + [0] * 10, [1] * 30 + [0] * 20 + [1] * 10
    rows = [row for mark, row in marks(figure_of(referee.compare(truth=truth, a=a, b=b), "outcomes")) if mark == "rect"]
    wide = {
        fill: max(row["x2"] - row["x"] for row in rows if row["fill"] == fill)
        for fill in (charts.LIGHT.a, charts.LIGHT.b)
    }
    # Only A is right on 20, only B on 10.
    assert wide[charts.LIGHT.a] == pytest.approx(2 * wide[charts.LIGHT.b], rel=0.3)


def test_ranges_of_ranks_are_drawn_from_the_best_to_the_worst():
    figure = figure_of(RESULTS["ranking"], "ranks")
    bars = [row for mark, row in marks(figure) if mark == "rule"]
    assert [(bar["x"], bar["x2"]) for bar in bars] == [(0.7, 2.3), (0.7, 3.3), (1.7, 3.3)]
    assert [row["x"] for mark, row in marks(figure) if mark == "point"] == [1, 2, 3]
    assert [name for name in words_of(figure) if name.startswith("* ")] == ["* m1", "* m2"]
    assert "can't be ruled out as best" in figure.caption
    everybody = figure_of(ranking(wins=()), "ranks")
    assert not [name for name in words_of(everybody) if name.startswith("* ")]


def test_the_matrix_says_who_is_told_apart():
    figure = figure_of(RESULTS["ranking"], "pairs")
    signs = [word for word in words_of(figure) if word in "+−·"]
    assert sorted(signs) == sorted("·+··−·")
    assert charts.figures(ranking((0.8, 0.7), wins=()))[-1].key == "ranks"


def test_a_large_matrix_has_few_rectangles_and_no_names():
    figure = figure_of(FIFTY, "pairs")
    boxes = [row for mark, row in marks(figure) if mark == "rect"]
    assert len(boxes) < 50 * 5
    covered = sum((box["x2"] - box["x"]) * (box["y2"] - box["y"]) for box in boxes)
    side = max(box["x2"] for box in boxes) - min(box["x"] for box in boxes)
    assert covered == pytest.approx(side * side * (1 - 1 / 50), rel=1e-6)
    assert "m1" not in words_of(figure)
    assert [row for mark, row in marks(figure_of(FIFTY, "ranks")) if mark == "rule"]


def test_of_very_many_systems_the_last_are_not_drawn():
    figure = charts.figures(ranking([0.9 - i / 1000 for i in range(170)], wins=((0, 169),)))[0]
    assert "The last 10 are not shown." in figure.caption


def test_against_a_baseline_the_differences_are_drawn():
    (figure,) = figures(RESULTS["ranking against one"])
    assert figure.title == "Against m2"
    assert "difference in accuracy from m2" in words_of(figure)
    shapes = [row["shape"] for mark, row in marks(figure) if mark == "point"]
    assert shapes == ["triangle-right", "triangle-left"]
    assert charts.figures(ranking((None, None, None), wins=(), baseline="m1")) == ()


def test_every_slice_has_a_picture_of_its_own():
    assert [figure.key for figure in figures(RESULTS["rankings"])] == ["ranks-1", "ranks-2"]


def test_the_power_curve_marks_the_plan_and_the_pilot():
    pilot = from_events([30, 12, 4, 9, 6, 4, 11, 124], a="<b>old</b>", b="new")
    made = referee.plan(pilot, metric="f1", n=400, difference=0.1, sizes=[200, 400, 800])
    (drawn,) = charts.figures(made)
    assert "the square the pilot (200 examples)." in drawn.caption
    for theme in charts.THEMES:
        (one,) = charts.figures(made, theme)
        assert "pilot: 200" in one.chart.to_json()
        assert "plan: 400" in one.chart.to_json()
    (alone,) = charts.figures(referee.plan(difference=0.1, between=0.5))
    assert "pilot" not in alone.chart.to_json() + alone.caption
    assert "80%" in alone.caption


def test_evidence_and_its_crossing_are_where_they_are():
    r = WATCHES["stop"]
    odds = figure_of(r, "odds")
    lines = [row for kind, row in marks(odds) if kind == "line"]
    up = {row["n"]: row["log"] for row in lines if row["log"] > 0}
    most = max(up.values())  # where it is far more than enough, the line leaves the drawing
    shown = [look for look in r.looks if 0 < look.log_evidence_b < most * np.log(10)]
    assert r.stopped_at.n in [look.n for look in shown]
    assert len(r.looks) > len(shown)
    for look in shown:
        assert up[look.n] == pytest.approx(look.log_evidence_b / np.log(10), rel=1e-4)
    (diamond,) = [row for kind, row in marks(odds) if kind == "point" and "text" in row]
    assert (diamond["n"], diamond["text"]) == (r.stopped_at.n, f"stop: example {r.stopped_at.n}")
    assert diamond["log"] >= np.log10(40)
    stops = [row["at"] for kind, row in marks(odds) if kind == "rule" and row["at"]]
    assert sorted(stops) == pytest.approx([-np.log10(40), np.log10(40)])
    assert "diamond" not in figure_of(WATCHES["open"], "odds").caption
    worse = [row for kind, row in marks(figure_of(WATCHES["worse"], "odds")) if kind == "point" and "text" in row]
    assert worse[0]["log"] <= -np.log10(40)


def test_a_line_that_leaves_the_drawing_is_cut_there():
    rows = [{"n": float(n), "y": y} for n, y in enumerate([0.0, 1.0, 3.0, 3.0, 1.0, 1.0, -2.0])]
    cut = [(row["n"], row["y"], row["part"]) for row in evidence._inside(rows, "y", 0.0, 2.0)]
    assert cut == [(0, 0, 1), (1, 1, 1), (1.5, 2, 1), (3.5, 2, 2), (4, 1, 2), (5, 1, 2), (pytest.approx(5.33333), 0, 2)]


def test_the_interval_narrows_around_the_difference():
    r = WATCHES["no worse"]
    narrowing = figure_of(r, "narrowing")
    band = [row for kind, row in marks(narrowing) if kind == "area"]
    told = {look.n: look for look in r.looks if look.low is not None}
    assert {row["n"] for row in band} == set(told)
    edge = min(row["low"] for row in band)
    assert all(row["low"] == pytest.approx(max(100 * told[row["n"]].low, edge), rel=1e-4) for row in band)
    assert band[-1]["high"] == pytest.approx(100 * r.looks[-1].high, rel=1e-4)
    assert [row["low"] for kind, row in marks(narrowing) if kind == "rect"] == [-5.0]
    (one,) = [row for kind, row in marks(figure_of(WATCHES["one look"], "narrowing")) if kind == "point"]
    assert one["difference"] == pytest.approx(100 * WATCHES["one look"].comparison.difference, rel=1e-4)


def test_an_interval_that_leaves_out_0_is_drawn_whole():
    wide = comparison(task="wide", difference=0.18, interval=made_interval(0.11, 0.28), verdict="b better")
    rest = [comparison(task=f"t{i}", difference=0.0, interval=made_interval(-0.05, 0.05)) for i in range(6)]
    figure = figure_of(Comparisons((*rest, wide)), "forest")
    bars = [(row["x"], row["x2"]) for mark, row in marks(figure) if mark == "rule"]
    assert (0.11, 0.28) in bars
    assert words_of(figure).index("wide") < words_of(figure).index("t0")


def test_no_axis_is_shorter_than_the_library_can_divide(capfd):
    """Numbers at the end of what a computer holds are drawn without a word from the library."""
    for b in ([2e-320, 0] * 5, [2e-320] * 10):
        referee.compare(a=[1e-320] * 10, b=b).to("html")
    shown = capfd.readouterr()
    assert "RangeError" not in shown.out + shown.err
