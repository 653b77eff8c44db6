"""TREC runs with judgements: the scores are those of ir_measures, and whatever does not fit is an error that says so."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

import referee
from referee.cli.main import main
from referee.data.formats import trec_run
from referee.errors import InputError, OptionError, RefereeError

pytest.importorskip("ir_measures")
FOLDER = Path(__file__).parents[2] / "samples/trec-run"
OLD, NEW, QRELS = (FOLDER / name for name in ("old.run", "new.run", "qrels.txt"))


def lines(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


def by_hand(run: Path) -> dict[str, tuple[float, float, float]]:
    """nDCG@10, AP and P@5 of each query, from their definitions."""
    judged: dict[str, dict[str, int]] = {}
    for query, _, document, grade in lines(QRELS):
        judged.setdefault(query, {})[document] = int(grade)
    found = {}
    for query, grades in judged.items():
        ranked = sorted((row for row in lines(run) if row[0] == query), key=lambda row: -float(row[4]))
        gains = [grades.get(row[2], 0) for row in ranked]
        ideal = sorted(grades.values(), reverse=True)
        ndcg, best = (sum(g / math.log2(i + 2) for i, g in enumerate(one[:10])) for one in (gains, ideal))
        hits = [g > 0 for g in gains]
        precisions = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
        ap = sum(precisions) / sum(g > 0 for g in ideal)
        found[query] = (ndcg / best, ap, sum(hits[:5]) / 5)
    return found


@pytest.mark.parametrize(("measure", "place", "old", "new"), [
    ("nDCG@10", 0, 0.7080702826141478, 0.8581987257652725), ("AP", 1, 0.5959365079365078, 0.7982063492063495), ("P@5", 2, 0.5466666666666666, 0.726666666666667),
])  # fmt: skip
def test_the_scores_are_those_of_the_definitions_and_of_ir_measures(measure, place, old, new):
    r = referee.compare(referee.read(OLD, NEW, qrels=str(QRELS), score=measure), audit=False)
    for path, score, frozen in ((OLD, r.a, old), (NEW, r.b, new)):
        values = [own[place] for own in by_hand(path).values()]
        assert score.score == pytest.approx(sum(values) / len(values), abs=1e-12)
        assert score.score == pytest.approx(frozen, abs=1e-12)
    assert (r.n, r.noun, r.higher_is_better, r.metric) == (30, "query", True, "mean:low=0,high=1")
    assert not r.warnings and f"{measure} " in r.to_text() and "30 queries" in r.to_text()


def test_metrics_of_the_command_line_are_the_measures(capsys):
    assert main(["compare", str(OLD), str(NEW), "--qrels", str(QRELS), "--metric", "nDCG@10", "--metric", "AP", "-q",
                 "--no-audit", "--margin", "1pp"]) == 0  # fmt: skip
    told = capsys.readouterr().out
    assert "both metrics" in told and "nDCG@10" in told and "Bonferroni" in told
    assert main(["rank", str(OLD), str(NEW), "--qrels", str(QRELS), "--metric", "RR", "-q"]) == 0
    assert "30 queries" in capsys.readouterr().out
    assert main(["score", str(NEW), "--qrels", str(QRELS), "--metric", "AP", "--at-least", "50%", "--gate", "-q"]) == 0
    assert "AP 79.8%" in capsys.readouterr().out


def test_several_measures_have_no_average():
    r = referee.compare(referee.read(OLD, NEW, qrels=str(QRELS), score="nDCG@10,AP"), audit=False)
    assert [c.task for c in r] == ["AP", "nDCG@10"] and r.overall == ()
    alone = referee.compare(referee.read(OLD, NEW, qrels=str(QRELS), score="AP"), audit=False)
    assert (r["AP"].difference, r["AP"].p_value) == (alone.difference, alone.p_value)


def test_beir_judgements_and_packed_runs_are_the_same(tmp_path):
    beir, packed = tmp_path / "qrels.tsv", tmp_path / "new.run.gz"
    rows = ["\t".join((query, document, grade)) for query, _, document, grade in lines(QRELS)]
    beir.write_text("query-id\tcorpus-id\tscore\n" + "\n".join(rows))
    packed.write_bytes(gzip.compress(NEW.read_bytes()))
    one = referee.compare(referee.read(OLD, NEW, qrels=str(QRELS), score="AP"), audit=False)
    other = referee.compare(referee.read(OLD, packed, qrels=str(beir), score="AP"), audit=False)
    assert (one.difference, one.p_value, other.b.name) == (other.difference, other.p_value, "new")


def test_a_query_that_a_run_lacks_is_an_error_or_a_policy(tmp_path):
    lacking = tmp_path / "lacking.run"
    lacking.write_text(
        "".join(line for line in OLD.read_text().splitlines(keepends=True) if not line.startswith(("q01 ", "q02 ")))
    )
    with pytest.raises(RefereeError, match="2 of lacking"):
        referee.compare(referee.read(lacking, NEW, qrels=str(QRELS), score="AP"))
    counted = referee.compare(referee.read(lacking, NEW, qrels=str(QRELS), score="AP", missing="wrong"), audit=False)
    dropped = referee.compare(referee.read(lacking, NEW, qrels=str(QRELS), score="AP", missing="drop"), audit=False)
    hand = by_hand(OLD)
    assert counted.a.score == pytest.approx(sum(own[1] for query, own in hand.items() if query > "q02") / 30)
    assert (counted.n, dropped.n, dropped.matched.dropped) == (30, 28, 2)
    assert "2 missing predictions of lacking" in counted.warnings[0]


def test_queries_without_judgements_are_left_out_and_counted(tmp_path):
    few = tmp_path / "few.txt"
    few.write_text(
        "".join(line for line in QRELS.read_text().splitlines(keepends=True) if line < "q21") + "q21 0 d1 0\n"
    )
    r = referee.compare(referee.read(OLD, NEW, qrels=str(few), score="AP"), audit=False)
    assert r.n == 21 and any("9 queries of old.run have no judgements, and were left out" in one for one in r.warnings)
    assert any("1 query of few.txt has no relevant document, so every run scores 0 there" in one for one in r.warnings)


def changed(tmp_path: Path, source: Path, change) -> Path:
    path = tmp_path / source.name
    path.write_text("".join(change(source.read_text().splitlines(keepends=True))))
    return path


@pytest.mark.parametrize(("which", "change", "told"), [
    ("run", lambda rows: [], "is empty"),
    ("run", lambda rows: [*rows, rows[0]], "twice; keep one of the two"),
    ("run", lambda rows: [*rows, "q01 Q0 d9 3 x\n"], "has 5 columns; a TREC run has six"),
    ("run", lambda rows: [*rows, "q01 Q0 d9 3 many x\n"], "the score is 'many', not a number"),
    ("run", lambda rows: [row.rpartition(" ")[0] + "\n" for row in rows], "give two runs of one kind"),
    ("qrels", lambda rows: [], "has no judgements"),
    ("qrels", lambda rows: ["z" + row for row in rows], "have no query in common"),
    ("qrels", lambda rows: [row[:-2] + "0\n" for row in rows], "calls no document relevant"),
    ("qrels", lambda rows: [*rows, "q01 0 d9 yes\n"], "is not a relevance judgement"),
    ("qrels", lambda rows: [*rows, rows[0][:-2] + "9\n"], "has two judgements of the document"),
    ("qrels", lambda rows: ["q01 Q0 d9 3 1.5 x\n"], "this is a run"),
])  # fmt: skip
def test_files_that_do_not_fit_are_refused(which, change, told, tmp_path, capsys):
    bad = changed(tmp_path, OLD if which == "run" else QRELS, change)
    files = (bad, NEW, QRELS) if which == "run" else (OLD, NEW, bad)
    assert main(["compare", *map(str, files[:2]), "--qrels", str(files[2]), "--metric", "AP"]) == 2
    err = capsys.readouterr().err
    assert told in err and "Traceback" not in err


@pytest.mark.parametrize(("typed", "measure"), [("ndcg@10", "nDCG@10"), ("map", "AP"), ("MRR@5", "RR@5"), ("ap(rel=2)", "AP(rel=2)")])  # fmt: skip
def test_measures_may_be_typed_in_any_case(typed, measure):
    assert referee.read(OLD, NEW, qrels=str(QRELS), score=typed).count().about["score"] == measure


@pytest.mark.parametrize(("words", "told"), [
    (["--metric", "AP"], "is a TREC run: a ranking without scores; give the judgements with --qrels"),
    (["--qrels", str(QRELS)], "none is named; give one with --metric nDCG@10"),
    (["--qrels", str(QRELS), "--metric", "nDGC@10"], "there is no measure 'nDGC@10' (did you mean 'nDCG'"),
    (["--qrels", str(QRELS), "--metric", "P"], "is not a measure that can be computed"),
    (["--qrels", str(QRELS), "--metric", "__import__('os')"], "is not a measure that can be computed"),
    (["--qrels", str(QRELS), "--metric", "NumRet"], "NumRet is a count"),
    (["--qrels", "nowhere.txt", "--metric", "AP"], "there is no file nowhere.txt"),
])  # fmt: skip
def test_what_is_asked_must_be_clear(words, told, capsys):
    assert main(["compare", str(OLD), str(NEW), *words]) == 2
    assert told in capsys.readouterr().err


def test_judgements_are_for_runs_only(capsys):
    scores = FOLDER.parent / "trec"
    assert (
        main(["compare", str(scores / "old.txt"), str(scores / "new.txt"), "--qrels", str(QRELS), "--metric", "AP"])
        == 2
    )
    assert "qrels has no meaning for trec_eval, only for a TREC run" in capsys.readouterr().err


def test_without_ir_measures_an_error_names_the_command(monkeypatch):
    def lacking(name):
        raise ImportError(name)

    monkeypatch.setattr(trec_run, "import_module", lacking)
    with pytest.raises(RefereeError, match=r"pip install 'referee\[ir\]'"):
        referee.read(OLD, NEW, qrels=str(QRELS), score="AP")


@pytest.mark.parametrize(
    "measure", ["P@0", "P@1000001", "nDCG@99999999999999999999", "AP(rel=0)", "AP(rel=9999999999)"]
)
def test_a_cut_off_that_would_abort_the_process_is_an_error(measure):
    with pytest.raises(OptionError, match=r"of '.*' must be from 1 to 1,000,000; write the measure as nDCG@10"):
        referee.read(OLD, NEW, qrels=str(QRELS), score=measure)


def test_a_gain_that_32_bits_do_not_hold_is_an_error():
    with pytest.raises(OptionError, match="is beyond 1,000,000; give smaller gains"):
        referee.read(OLD, NEW, qrels=str(QRELS), score="nDCG(gains={0:0,1:99999999999})@10")


@pytest.mark.parametrize("grade", ["1000001", "4294967297", "-2147483649", "1" + "0" * 5000])
def test_a_grade_that_32_bits_do_not_hold_is_an_error(tmp_path, grade):
    judgements = tmp_path / "qrels.txt"
    judgements.write_text(f"q1 0 d1 1\nq1 0 d2 {grade}\n")
    with pytest.raises(InputError, match=r"line 2 of .*: the relevance .* is beyond 1,000,000; grade relevance"):
        referee.read(OLD, NEW, qrels=str(judgements), score="nDCG@10")


@pytest.mark.parametrize("measures", ["nDCG@10", "nDCG@10,AP"])
def test_a_measure_is_never_turned_round(measures, capsys):
    told = ["compare", str(OLD), str(NEW), "--qrels", str(QRELS), "--metric", measures, "-q", "--no-audit"]
    assert main([*told, "--lower-is-better"]) == 2
    assert "higher is better; leave --lower-is-better out" in capsys.readouterr().err
    assert main([*told, "--higher-is-better"]) == 0


@pytest.mark.parametrize(("bad", "why"), [
    ("q01 Q0 d082 1 inf old", "line 1 of .*: the score is 'inf', not a number"),
    ("q01 Q0 d082 1 abc old", "line 1 of .*: the score is 'abc', not a number"),
    ("q01 d082 1 11.893 old", "line 1 of .* has 5 columns; a TREC run has six"),
])  # fmt: skip
def test_a_first_line_that_is_wrong_is_told_and_the_file_stays_a_run(tmp_path, bad, why):
    run = tmp_path / "bad.run"
    run.write_text("\n".join([bad, *OLD.read_text().splitlines()[1:]]))
    with pytest.raises(InputError, match=why):
        referee.read(run, NEW, qrels=str(QRELS), score="nDCG@10")


def test_a_verb_without_metrics_says_score(capsys):
    assert main(["count", str(OLD), str(NEW), "--qrels", str(QRELS), "-o", "unused.json"]) == 2
    assert "give one with --score nDCG@10" in capsys.readouterr().err
