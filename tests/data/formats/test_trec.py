import shlex
from pathlib import Path

import pytest

import referee
from referee.data.formats.base import Choices, Opening
from referee.data.formats.trec import is_trec, read
from referee.errors import InputError, NameUnknown, OptionError, RefereeError
from tests.data.formats import damage

DATA = Path(__file__).parents[2] / "samples" / "trec"


def written(folder, text, name="x.txt"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_queries_of_a_measure_without_their_average():
    (run,) = read(DATA / "new.txt", Choices(score="map"))
    assert run.system == "new"
    assert not run.ordered
    assert run.rows["id"] == ["308", "301", "303", "302", "305", "304", "307", "306"]
    assert run.rows["value"][:3] == [0.4555, 0.2544, 0.1875]
    assert run.notes == ("the score is map",)


def test_several_measures_are_a_choice():
    with pytest.raises(OptionError, match="several scores: map, P_10, num_ret; name one with score="):
        read(DATA / "old.txt", Choices())
    with pytest.raises(NameUnknown, match=r"P_1.*did you mean 'P_10'"):
        read(DATA / "old.txt", Choices(score="P_1"))


def test_one_measure_needs_no_choice_and_ids_stay_texts(tmp_path):
    path = written(
        tmp_path, "map\t007\t0.5\r\nmap  \t 8 \t  1\r\nrelstring_10\t8\t'10-'\r\n\nmap\tq\tnan\nmap\tall\t0.75\n"
    )
    assert is_trec(Opening(path))
    (run,) = read(path, Choices())
    assert dict(zip(run.rows["id"], run.rows["value"], strict=True)) == {"007": 0.5, "8": 1.0, "q": None}


def test_repeats_stay_rows_for_the_join(tmp_path):
    (run,) = read(written(tmp_path, "map\t1\t0.5\nmap\t1\t0.6\n"), Choices())
    assert run.rows == {"id": ["1", "1"], "value": [0.5, 0.6]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map\tall\t0.5\n", "run trec_eval with -q"),
        ("", "run trec_eval with -q"),
        ("map\t1\t0.5\nmap\t2\n", "line 2 of .* has 2 columns"),
        ("map\t1\t0.5\nmap\t2\t0.5\t1\n", "line 2 of .* has 4 columns"),
        ("map\t1\t0.5\nmap\t2\thigh\n", "line 2 of .*: the value is 'high'"),
        ("map\t1\t1e400\n", "line 1 of .*too large"),
        (b"map\t\xff\t1\n", "line 1 of .*UTF-8"),
    ],
)
def test_broken_lines_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, text), Choices())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ndcg_cut_10 \t1\t0.5\n", True),
        ("map 1 0.5\n", True),
        ("num_ret\tq1\t10\nmy_own\tq1\t0.3\n", True),
        ("my_own\tq1\t0.3\n", False),
        ("301\tAP\t0.25\n", False),
        ("map\t1\tB-PER\n", False),
        ("map\t1\n", False),
        ("", False),
        ("id\ta\tb\n1\t0\t1\n", False),
    ],
)
def test_recognised_by_its_measures(tmp_path, text, expected):
    assert is_trec(Opening(written(tmp_path, text))) is expected


RUN = "301 Q0 FR940202-2-00150 1 2.129 bm25\n301 Q0 FR940202-1-00001 2 -1.5e-3 bm25\n"
QRELS = "301 0 FR940202-2-00150 1\n301 0 FR940202-1-00001 -1\n"


@pytest.mark.parametrize("name", ["bm25.run", "bm25.txt", "bm 25.trec", "bm25"])
def test_a_ranking_is_scored_first(tmp_path, name):
    runs = [written(tmp_path, RUN, f"{system}-{name}") for system in ("old", "new")]
    with pytest.raises(OptionError, match="is a TREC run: a ranking without scores") as error:
        referee.read(*runs)
    assert "give the judgements with qrels= and a measure" in str(error.value)
    # Nothing is written by a shell, which would empty a run before it is read.
    assert f"trec_eval -q QRELS {shlex.quote(str(runs[0]))} and compare what it prints" in str(error.value)
    assert ">" not in str(error.value)
    scores = written(tmp_path, "map\t301\t0.5\n", "scores.txt")
    with pytest.raises(RefereeError):
        referee.read(scores, runs[0])


def test_judgements_are_no_results(tmp_path):
    paths = [written(tmp_path, QRELS.replace(" ", mark), f"qrels{place}.txt") for place, mark in enumerate(" \t")]
    with pytest.raises(InputError, match=r"holds relevance judgements .*compare two runs, with qrels='.*qrels0\.txt'"):
        referee.read(*paths)


@pytest.mark.parametrize(
    "text", ["a 0 b 1.5\n", "a b c 1 2 d\n", "a Q0 c x 2 d\n", "a Q0 c 1 x d\n", "id,a,b\n1,2,3\n"]
)
def test_what_only_resembles_them(tmp_path, text):
    assert not is_trec(Opening(written(tmp_path, text)))


def test_no_other_reader_takes_it():
    assert [damage.claimed(DATA / name) for name in ("old.txt", "new.txt")] == [["trec_eval"]] * 2


def test_damage_is_refused_or_read(tmp_path):
    read_, refused = damage.survives("trec_eval", DATA / "old.txt", Choices(score="map"), tmp_path)
    assert min(read_, refused) > 10
