"""A result of queries speaks of queries, in every form, and changes nothing that is called an example."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import referee
from referee.data.counts import Counts
from referee.errors import InputError
from referee.results.base import Reported
from referee.results.comparison import Comparison

A = [0.2, 0.5, 0.1, 0.9, 0.4, 0.3, 0.7, 0.6]
B = [0.3, 0.6, 0.1, 0.8, 0.9, 0.4, 0.7, 0.8]


def of_queries(**names: str) -> Counts:
    names = {"a": "old", "b": "new"} | names
    return Counts.of({"a": A, "b": B}, names=names, about={"score": "map", "noun": "query"})


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "junit", "html"])
def test_queries_are_called_queries_in_every_form(form):
    told = referee.compare(of_queries(), audit=False).to(form)
    told = re.sub(r"<script.*?</script>|<style.*?</style>", "", told, flags=re.DOTALL)
    assert "quer" in told and not re.search(r"(?<![#=\"])\bexamples?\b(?!\")", told)


def test_plans_and_audits_call_the_score_of_a_log_by_its_name():
    plan = referee.plan(of_queries(), difference=0.1)
    audit = referee.audit(of_queries(), test=["paired-t", "wilcoxon"], sizes=[8], sets=20)
    told = [" ".join(one.to_text().split()) for one in (plan, audit)]
    assert "a difference of 0.10 in map is detected" in told[0] and "Tests of map at n = 8" in told[1]
    assert not any("mean score" in one for one in told)


def test_what_systems_are_called_stays():
    told = referee.compare(of_queries(b="example model"), audit=False).to_text(verbose=True)
    assert '"example model" has map' in told and "example model on 5" in told and "8 queries" in told


def test_a_result_that_was_read_again_still_says_queries():
    r = referee.compare(of_queries(), audit=False)
    again = Comparison.from_dict(r.to_dict())
    assert again.noun == "query" and "8 queries" in again.to_text()


def test_every_verb_says_queries():
    counts = of_queries()
    results = [referee.rank(counts), referee.score(counts, prediction="old"), referee.plan(counts, power=0.8)]
    for r in results:
        assert "queries" in r.to_text(verbose=True), type(r)
    assert referee.rank(counts).noun == "query"


def test_without_a_noun_they_are_examples():
    r = referee.compare(replace(of_queries(), about={}), audit=False)
    assert r.noun == "example" and "8 examples" in r.to_text()


def test_no_result_is_true_or_false():
    r = referee.compare(of_queries(), audit=False)
    with pytest.raises(TypeError, match=r"neither true nor false; ask for result\.verdict"):
        bool(r)
    with pytest.raises(TypeError, match="neither true nor false"):
        assert not referee.rank(of_queries())

    def below(cls: type) -> set[type]:
        return {cls, *(deeper for own in cls.__subclasses__() for deeper in below(own))}

    assert all(cls.__bool__ is Reported.__bool__ for cls in below(Reported))


def test_missing_scores_are_those_of_queries_and_some_are_named(tmp_path):
    (tmp_path / "q.txt").write_text("".join(f"q{i} 0 d1 1\n" for i in range(5)))
    for name, queries in (("old", range(5)), ("new", range(3))):
        (tmp_path / f"{name}.run").write_text("".join(f"q{i} Q0 d1 1 2.5 {name}\n" for i in queries))
    given = {"qrels": str(tmp_path / "q.txt"), "score": "nDCG@10"}
    runs = [str(tmp_path / "old.run"), str(tmp_path / "new.run")]
    said = r"queries have no score: .*2 of new \(such as 'q3' and 'q4'\)"
    with pytest.raises(InputError, match=said):
        referee.compare(referee.read(*runs, **given), audit=False)
    with pytest.raises(InputError, match=said):
        referee.rank([*runs], **given)
