"""Rankings in words: who scores highest, who can't be ruled out, who is worse; every number from the result."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from made_results import NASTY, interval, ranking

import referee
from referee.report.document import Reader, Table, plain
from referee.report.documents import document_of
from referee.report.methods import paragraph as methods
from referee.report.phrases import ranking as words
from referee.report.phrases import slices
from referee.report.render.text import plain_text
from referee.results.ranking import Rankings

ALL_WORSE = ((0, 1), (0, 2), (0, 3))
FOUR = (0.82, 0.81, 0.7, 0.6)


@pytest.mark.parametrize(
    ("r", "said"),
    [
        (
            ranking(),
            '"m1" scores highest (accuracy 82.0%); 1 of the other 2 can\'t be ruled out as best; 1 is significantly worse than '
            "another.",
        ),
        (ranking(wins=()), 'None of the 3 systems can be ruled out as best; "m1" scores highest (accuracy 82.0%).'),
        (ranking(FOUR, wins=ALL_WORSE), '"m1" is best (accuracy 82.0%): all of the other 3 are significantly worse.'),
        (
            ranking(FOUR, wins=((0, 1), (1, 2), (1, 3))),
            '"m1" is best (accuracy 82.0%): all of the other 3 are significantly worse than another.',
        ),
        (ranking((0.5, 0.5, 0.5), wins=()), "All 3 systems have the same accuracy, 50.0%: nothing tells them apart."),
        (
            ranking((0.8, 0.8, 0.5)),
            '"m1" and "m2" score highest (accuracy 80.0% each); 1 is significantly worse than another.',
        ),
        (
            ranking((0.8,) * 6 + (0.5,), wins=((0, 6),)),
            "6 systems score highest (accuracy 80.0% each); 1 is significantly worse than another.",
        ),
        (
            ranking((0.1, 0.2, 0.4), metric="error", higher_is_better=False),
            '"m1" scores lowest (error 10.0%, lower is better); 1 of the other 2 can\'t be ruled out as best; 1 is significantly '
            "worse than another.",
        ),
        (ranking((None, None, None), wins=()), "Nobody can be ranked: none of the 3 systems has a score."),
        (
            ranking((0.8, 0.7, None), wins=()),
            '"m1" scores highest (accuracy 80.0%); 1 of the other 2 can\'t be ruled out as best; 1 system without a score.',
        ),
        (
            ranking((0.8, 0.7), wins=((0, 1),)),
            '"m1" is better than "m2": accuracy 80.0% against 70.0% (10.0\xa0points, p\xa0=\xa00.010).',
        ),
        (
            ranking((0.8, 0.7), wins=()),
            'Too close to call: "m2" has accuracy 70.0%, "m1" 80.0% (−10.0\xa0points, p\xa0=\xa00.010).',
        ),
        (ranking((0.8, 0.8), wins=()), 'Too close to call: "m2" and "m1" have the same accuracy, 80.0%.'),
        (
            ranking(FOUR, baseline="m2", wins=((0, 1), (1, 3))),
            '1 of the other 3 systems is significantly better than "m2" (accuracy 81.0%); 1 is significantly worse; 1 can\'t be '
            "told apart from it.",
        ),
        (
            ranking(FOUR, baseline="m2", wins=((1, 3),)),
            'None of the other 3 systems is significantly better than "m2" (accuracy 81.0%); 1 is significantly worse; 2 can\'t be '
            "told apart from it.",
        ),
        (
            ranking(FOUR, baseline="m1", wins=ALL_WORSE),
            'All 3 other systems are significantly worse than "m1" (accuracy 82.0%).',
        ),
        (
            ranking(FOUR, baseline="m4", wins=((0, 3), (1, 3), (2, 3))),
            'All 3 other systems are significantly better than "m4" (accuracy 60.0%).',
        ),
        (
            ranking(FOUR, baseline="m1", wins=()),
            'None of the other 3 systems can be told apart from "m1" (accuracy 82.0%).',
        ),
    ],
)  # fmt: skip
def test_the_headline_says_who_is_best_and_who_is_not(r, said):
    assert plain(words.headline(r)) == said
    assert str(r).replace("\n", " ").startswith(said[:60])


def test_the_set_of_the_best_is_promised_only_by_adjustments_that_keep_it():
    said = 'Not ruled out as best besides the top scorer: "m2". With 95% confidence the truly best system is among these 2.'
    assert plain(words.details(ranking())) == said
    assert "confidence" not in plain(words.details(ranking(adjust="bh")))
    assert "at most 5% are false" in words.adjusted(ranking(adjust="bh"))
    assert "any false claim among them is at most 5%" in words.adjusted(ranking(adjust="holm"))
    assert words.adjusted(ranking(adjust="none")).startswith("no: each pair")
    assert words.adjusted(ranking((0.8, 0.7), wins=())) == ""
    best = ranking(FOUR, wins=ALL_WORSE)
    assert plain(words.details(best)) == "With 95% confidence no other system is truly better."


def test_many_are_counted_and_few_are_named():
    many = ranking([0.9 - i / 100 for i in range(12)], wins=((0, 11),))
    assert plain(words.details(many)) == "With 95% confidence the truly best system is among these 11."
    against = ranking(FOUR, baseline="m2", wins=((0, 1), (1, 3)))
    assert plain(words.details(against)) == 'Better: "m1". Worse: "m4". Not told apart: "m3".'


def test_the_leaderboard_has_ranks_ranges_scores_and_standings():
    table = document_of(ranking()).find(Table, Reader.BRIEF)[0]
    heads = [column.name for column in table.columns]
    assert heads == ["rank", "range of ranks", "system", "accuracy", "95% interval", "standing"]
    assert [*map(list, table.rows)] == [
        ["1", "1–2", "m1", "82.0%", "[79.0, 85.0]", "top scorer"],
        ["2", "1–3", "m2", "81.0%", "[78.0, 84.0]", "not ruled out"],
        ["3", "2–3", "m3", "60.0%", "[57.0, 63.0]", "worse than 1"],
    ]
    against = document_of(ranking(baseline="m2", wins=((1, 2),))).find(Table, Reader.BRIEF)[0]
    assert [row[-1] for row in against.rows] == ["can't tell", "baseline", "worse"]
    assert "range of ranks" not in [column.name for column in against.columns]


def test_a_long_leaderboard_is_cut_in_lines_of_text_and_nowhere_else():
    many = ranking([0.9 - i / 1000 for i in range(60)], wins=((0, 59),))
    assert "20 more systems are not shown; --verbose lists them all." in many.to_text()
    assert "m60" not in many.to_text().split("\n\n")[2]
    assert re.search(r"\b60 +2–60 +m60\b", many.to_text(verbose=True))
    assert "m60" in many.to_html()
    assert "m60" in many.to_latex()


def test_pairs_are_shown_if_they_are_few_or_somebody_asks():
    few, many = ranking(), ranking([0.9 - i / 100 for i in range(7)], wins=((0, 6),))
    assert "All 3 pairs, in points; p adjusted for 3 comparisons (max-T):" in few.to_text()
    assert "All 21 pairs" not in many.to_text()
    assert "All 21 pairs" in many.to_text(verbose=True)
    assert '<summary dir="auto">All 21 pairs' in many.to_html()
    lots = ranking([0.9 - i / 100 for i in range(25)], wins=((0, 24),))
    assert "100 more pairs are not shown; to_json() or --format json has them all." in " ".join(
        lots.to_text(verbose=True).split()
    )
    assert "<details><summary>All 300 pairs" in lots._repr_html_()


def test_the_interval_of_a_pair_is_called_simultaneous():
    r = ranking()
    pairs = tuple(replace(pair, interval=interval(-0.2, 0.1, 0.999, "score")) for pair in r.pairs)
    assert words.heading(replace(r, pairs=pairs)).startswith("All 3 pairs, in points; simultaneous 95% intervals;")
    alone = words.heading(replace(r, pairs=pairs, adjust="none"))
    assert alone == "All 3 pairs, in points; 95% intervals"


def test_groups_of_neighbours_are_listed():
    r = ranking(FOUR, wins=((0, 2), (0, 3), (1, 3)), together=(("m1", "m2"), ("m2", "m3")))
    text = r.to_text()
    assert "Neighbours on the leaderboard that can't be told apart from each other:" in text
    assert re.search(r"1–2 +2 +m1 +m2\n +2–3 +2 +m2 +m3", text)
    everybody = replace(r, together=(("m1", "m2", "m3", "m4"),))
    assert "Neighbours" not in everybody.to_text()
    many = tuple((f"m{i}", f"m{i + 1}") for i in range(1, 20))
    long = ranking([0.9 - i / 100 for i in range(21)], wins=((0, 20),), together=many)
    assert "11 more such groups begin further down." in long.to_text()


def test_cochrans_q_is_told_in_a_line():
    overall = {"statistic": 51.23, "df": 2.0, "p_value": 1e-9}
    said = "51.2 on 2 degrees of freedom, p\xa0<\xa00.0001: not all systems are equally good"
    assert words.cochran(ranking(overall=overall)) == said
    same = words.cochran(ranking(overall={**overall, "p_value": 0.5}))
    assert same.endswith("these data don't show that any two systems differ")
    assert words.cochran(ranking()) == ""


def test_the_caution_about_intervals_is_always_there():
    assert "not for comparing systems" in " ".join(ranking().to_text().split())


def test_slices_have_a_row_each():
    rs = Rankings((ranking(slice="en"), ranking(slice="de"), ranking(names=("m2", "m1", "m3"), slice="fr")))
    assert plain(slices.headline_of_several(rs)) == '"m1" scores highest in 2 of 3 slices; "m2" in 1.'
    assert plain(slices.details_of_several(rs)).startswith(
        '"m1" and "m2" can\'t be ruled out as best in any slice. Each slice'
    )
    table = document_of(rs).find(Table, Reader.BRIEF)[0]
    assert list(table.rows[0]) == ["en", "400", "m1", "82.0%", "2", "1"]
    text = rs.to_text(verbose=True)
    assert text.count("top scorer\n") == 3
    assert rs["de"].slice == "de"
    alike = Rankings(tuple(ranking(slice=name) for name in ("en", "de")))
    assert plain(slices.headline_of_several(alike)) == '"m1" scores highest in both slices.'
    against = Rankings(tuple(ranking(slice=s, baseline="m2", wins=((0, 1),)) for s in ("en", "de")))
    assert plain(slices.headline_of_several(against)) == '"m1" is significantly better than "m2" in both slices.'
    none = Rankings(tuple(ranking(slice=s, baseline="m2", wins=()) for s in ("en", "de")))
    assert plain(slices.headline_of_several(none)) == 'No system is significantly better than "m2" in any of 2 slices.'


def test_each_warning_of_slices_is_told_once_with_its_slices():
    rs = Rankings((ranking(slice="en", warnings=("few groups", "odd")), ranking(slice="de", warnings=("odd",))))
    assert slices.warnings(rs) == ["en: few groups.", "odd."]


def test_names_are_folded_where_lines_are_short_and_never_cut():
    names = [f"{'x' * 70}{i}" for i in range(3)]
    r = ranking(names=names)
    assert len({words.label(r, name) for name in names}) == 3
    head, *lines = leaderboard_of(r, 80).splitlines()
    column = slice(head.index("system"), head.index("score"))
    folded = "".join(line[column].strip() for line in lines)
    assert "..." not in folded and all(name in folded for name in names)
    ends = ["meta-llama/Meta-Llama-3.1-70B-Instruct-base-temperature-0.0-bf16", "20250522_tools_claude-4-opus", "m3"]
    assert "meta-llama/Meta-Llama-3.1-70B-Instruct-base-temperature-0.0-bf16  " in leaderboard_of(
        ranking(names=ends), 120
    )
    short = leaderboard_of(ranking(names=ends), 80)
    assert "  20250522_tools_claude-4-opus" in short and max(map(len, short.splitlines())) <= 80
    assert "..." not in short and "-bf16" in short


def leaderboard_of(r, width):
    return "  rank  ranks" + plain_text(document_of(r), width).partition("  rank  ranks")[2].partition("\n\n")[0]


def test_nothing_in_a_name_acts():
    r = ranking(names=(NASTY, "b", "c"), metric="accuracy")
    assert "\x1b" not in str(r) + r.to_latex() + r.to_markdown() + r.to_html()


def test_the_paragraph_names_the_method_and_cites_it():
    overall = {"statistic": 51.23, "df": 2.0, "p_value": 1e-9}
    said = methods.paragraph(ranking(overall=overall))
    assert "on the same 400 examples by accuracy" in said
    assert (
        "adjusted by the single-step max-T method, with random draws that all comparisons share (Westfall and Young, 1993)"
        in said
    )
    assert "Cochran, 1950" in said
    assert "Mogstad et al., 2024" in said
    assert "romano2005" in methods.bibtex(ranking(adjust="romano-wolf"))
    against = methods.paragraph(ranking(baseline="m2"))
    assert "Each system was compared with the baseline m2" in against
    premises = methods.assumptions(ranking(adjust="bh", dropped=3))
    assert any("picked by their scores" in one for one in premises)
    assert any("left out (3)" in one for one in premises)
    assert any("Benjamini and Hochberg assumes" in one for one in premises)


def test_a_real_ranking_says_what_its_numbers_say():
    truth = [i % 2 for i in range(200)]
    systems = {f"m{k}": [t if i % (3 + 3 * k) else 1 - t for i, t in enumerate(truth)] for k in range(4)}
    r = referee.rank(truth=truth, systems=systems)
    text = r.to_text(verbose=True)
    assert text.startswith(f'"{r.systems[0].name}" scores highest (accuracy {100 * r.systems[0].score:.1f}%')
    assert r.to_dict()["schema"] == "referee.ranking/1"
    assert all(one.name in text for one in r.systems)
    assert "simultaneous 95% intervals" in " ".join(text.split())
