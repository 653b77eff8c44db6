from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.data.formats.base import HEAD, Choices, Opening
from referee.data.formats.conll import is_conll, read, spans
from referee.errors import InputError, OptionError
from tests.data.formats import damage

DATA = Path(__file__).parents[2] / "samples" / "conll"
NAME = "CoNLL columns"


def written(folder, text, name="x.conll"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def table(run):
    return {
        tuple(one): (truth, value)
        for one, truth, value in zip(run.rows["id"], run.rows["truth"], run.rows["value"], strict=True)
    }


def test_responses_are_what_is_gold_or_was_found():
    (run,) = read(DATA / "old.conll", Choices())
    assert run.open
    assert (run.system, run.task) == ("old", "")
    assert table(run) == {
        (1, 1, 1, 2, "PER"): (True, True),
        (1, 1, 5, 5, "LOC"): (True, False),
        (1, 2, 3, 3, "ORG"): (False, True),
        (1, 2, 3, 5, "ORG"): (True, False),
        (1, 2, 7, 7, "PER"): (False, True),
        (1, 3, 1, 1, "LOC"): (True, True),
        (2, 4, 2, 2, "LOC"): (False, True),
        (2, 4, 2, 2, "ORG"): (True, False),
        (2, 4, 5, 6, "PER"): (True, True),
        (2, 6, 1, 2, "PER"): (True, False),
        (2, 6, 2, 2, "PER"): (False, True),
        (2, 6, 4, 4, "LOC"): (True, True),
        (2, 6, 6, 6, "LOC"): (True, True),
    }


def test_two_predictions_in_one_file_are_two_systems():
    both = read(DATA / "both.conll", Choices())
    alone = [read(DATA / name, Choices())[0] for name in ("old.conll", "new.conll")]
    assert [run.system for run in both] == ["column 3", "column 4"]
    assert [table(run) for run in both] == [table(run) for run in alone]
    assert len({check for run in (*both, *alone) for check in run.rows["check"]}) == 1


@pytest.mark.parametrize(("unit", "place"), [(None, 1), ("sentence", 1), ("document", 0)])
def test_the_unit_is_the_group(unit, place):
    (run,) = read(DATA / "new.conll", Choices(unit=unit))
    assert run.rows["group"] == [one[place] for one in run.rows["id"]]


def test_responses_alone_have_no_group():
    (run,) = read(DATA / "new.conll", Choices(unit="response"))
    assert "group" not in run.rows


def test_units_that_are_none(tmp_path):
    with pytest.raises(OptionError, match="unit must be one of sentence, response, document; it is 'token'"):
        read(DATA / "new.conll", Choices(unit="token"))
    with pytest.raises(OptionError, match=r"has one document.*-DOCSTART-"):
        read(written(tmp_path, "a B-X B-X\n\nb O B-X\n"), Choices(unit="document"))


GOLD = "Ana\tB-X\tB-X\nof\tO\tO\n\nRome\tB-Y\tB-X\n"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (GOLD.replace("\tB-X\n", "\tO\n"), True),  # other predictions
        (GOLD.replace("\t", " "), True),
        (GOLD.replace("\n", "\r\n") + "\n\n", True),
        (GOLD.replace("\tB-Y", "\tI-Y"), True),  # another way to mark the same gold spans
        (GOLD.replace("Rome", "Bonn"), False),
        (GOLD.replace("of", "by"), False),
        (GOLD.replace("\n\n", "\n"), False),
        (GOLD.replace("\n\n", "\n\n-DOCSTART- O O\n\n"), False),
        (GOLD.replace("\tB-Y", "\tB-X"), False),
        (GOLD + "more O O\n", False),
    ],
)
def test_the_check_is_of_all_tokens_and_gold_spans(tmp_path, other, same):
    checks = [
        read(written(tmp_path, text), Choices(prediction="3", truth="2"))[0].rows["check"] for text in (GOLD, other)
    ]
    assert len({*checks[0]}) == len({*checks[1]}) == 1
    assert (checks[0][0] == checks[1][0]) is same


def test_sentences_and_documents_are_counted_as_they_stand(tmp_path):
    text = "\ufeff\n\na B-X B-X\n \t\n\n\nb B-X B-X\n-DOCSTART- -X- O O\nc B-X B-X"
    assert list(table(read(written(tmp_path, text), Choices())[0])) == [
        (0, 1, 1, 1, "X"),
        (0, 2, 1, 1, "X"),
        (1, 3, 1, 1, "X"),
    ]


def test_tokens_need_not_be_utf_8(tmp_path):
    (run,) = read(written(tmp_path, b"caf\xe9 B-X B-X\n"), Choices())
    assert table(run) == {(0, 1, 1, 1, "X"): (True, True)}


def test_the_first_cell_that_is_no_tag_is_named(tmp_path):
    text = "a B-X B-X\nb O no\nc O nor\nd O none\ne O never\n"
    with pytest.raises(InputError, match=r"line 2 of .*'no' in column 3 is no tag"):
        read(written(tmp_path, text), Choices())


def test_tokens_may_have_blanks_where_tabs_divide(tmp_path):
    text = "New York\tB-X\tB-X\n\u3000\tO\tO\n\u00a0\tO\tB-X\n\tO\tO\n"
    assert list(table(read(written(tmp_path, text), Choices())[0])) == [(0, 1, 1, 1, "X"), (0, 1, 3, 3, "X")]


@pytest.mark.parametrize(
    ("line", "gold", "systems"),
    [
        ("a NN B-X B-X", 3, ["x"]),  # a part of speech
        ("a NN B-NP B-X B-X", 4, ["x"]),  # a chunk, whose types are others
        ("a B-NP B-X B-X", 3, ["x"]),
        ("a B-X O B-X", 2, ["column 3", "column 4"]),  # one that found nothing
        ("a B-X B-X O", 2, ["column 3", "column 4"]),
        ("a B-X O", 2, ["x"]),
        ("a O B-X", 2, ["x"]),
        ("a B-NP B-X", None, "types NP, and those to its right X"),
        ("a NN B-NP I-X", None, "types NP, and those to its right X"),
        ("a NN B-X", None, "'NN' in column 2 is no tag"),
        ("a B-X x", None, "line 1 of .*'x' in column 3 is no tag"),
    ],
)
def test_which_columns_are_meant(tmp_path, line, gold, systems):
    path = written(tmp_path, f"{line}\n")
    if gold is None:
        with pytest.raises(InputError, match=systems):
            read(path, Choices())
        return
    runs = read(path, Choices())
    assert [run.system for run in runs] == systems
    assert f"column {gold} holds the gold tags" in runs[0].notes


def test_columns_may_be_named_by_number(tmp_path):
    path = written(tmp_path, "a B-X B-Y B-Z\n")
    (run,) = read(path, Choices(truth="4", prediction="2"))
    assert table(run) == {(0, 1, 1, 1, "Z"): (True, False), (0, 1, 1, 1, "X"): (False, True)}
    (first, second) = read(DATA / "both.conll", Choices(truth="4"))
    assert [first.system, second.system] == ["column 2", "column 3"]
    for wrong in ("1", "5", "gold", "-2", "٢"):
        with pytest.raises(OptionError, match="number of a column, from 2 to 4"):
            read(path, Choices(truth=wrong, prediction="2"))
    with pytest.raises(OptionError, match="must be two columns"):
        read(path, Choices(truth="2", prediction="2"))


def test_a_slip_in_the_gold_column_does_not_make_a_prediction_gold(tmp_path):
    text = "a B-X B-X B-X\nb O O O\n\nc B_X B-X O\n"
    with pytest.raises(InputError, match=r"line 4 of .*'B_X' in column 2 is no tag"):
        read(written(tmp_path, text), Choices())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("-DOCSTART- O O\n\n", "is empty"),
        ("a O O\n", "has no spans"),
        ("a B-X B-X\nb O\n", "line 2 of .* has 2 columns"),
        ("a B-X B-X\n\nb O O O\n", "line 3 of .* has 4 columns, and the lines before it 3"),
        ("a B-X B-X\n\nb O Q-X\n", "line 3 of .*'Q-X' in column 3 is no tag"),
        ("a B-X B-X\nb O B-\n", "line 2 of .*'B-' in column 3"),
        (b"a B-X B-X\n\nb O O\nc O B-\xff\n", "line 4 of .* in column 3 is no tag"),
        ("a B-X B-X\n".encode("utf-16"), "line 2 of .* has 1 columns"),
    ],
)
def test_broken_lines_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, text), Choices())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a B-X O\n", True),
        ("-DOCSTART- -X- O O\n\na NN O O\n\nb NN O I-X\n", True),
        ("a O O\n" * HEAD, False),
        ("a O O\n\n" * 500 + "a O B-X\n", True),
        ("a O O\n", False),
        ("a B-X\n", False),
        ("a B-X O\nb O\n", False),
        ("token gold pred\na B-X O\n", False),
        ("map\t1\t0.5\n", False),
        ('{"a": "B-X O O"}\n', False),
        ("", False),
        ("a B-X O\n\x00", False),
    ],
)
def test_recognised_by_its_tags(tmp_path, text, expected):
    assert is_conll(Opening(written(tmp_path, text))) is expected


def test_no_other_reader_takes_it():
    assert [damage.claimed(path) for path in sorted(DATA.iterdir())] == [[NAME]] * 3


@pytest.mark.parametrize("name", ["old.conll", "both.conll"])
def test_damage_is_refused_or_read(tmp_path, name):
    read_, refused = damage.survives(NAME, DATA / name, None, tmp_path)
    assert min(read_, refused) > 10


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("", []),
        ("O O", []),
        ("B-PER I-PER O", [(1, 2, "PER")]),
        ("B-PER B-PER", [(1, 1, "PER"), (2, 2, "PER")]),
        # An I without a B begins a span.
        ("O I-PER I-PER O", [(2, 3, "PER")]),
        ("I-PER", [(1, 1, "PER")]),
        # Another type ends a span, and begins one.
        ("B-PER I-LOC I-LOC", [(1, 1, "PER"), (2, 3, "LOC")]),
        ("I-PER I-LOC I-PER", [(1, 1, "PER"), (2, 2, "LOC"), (3, 3, "PER")]),
        # IOB1: a B only between neighbours of a type.
        ("I-PER I-PER B-PER I-PER", [(1, 2, "PER"), (3, 4, "PER")]),
        # BIOES, BILOU.
        ("B-PER I-PER E-PER S-PER O S-LOC", [(1, 3, "PER"), (4, 4, "PER"), (6, 6, "LOC")]),
        ("B-PER L-PER U-PER B-LOC I-LOC L-LOC", [(1, 2, "PER"), (3, 3, "PER"), (4, 6, "LOC")]),
        ("E-PER I-PER", [(1, 1, "PER"), (2, 2, "PER")]),
        ("B-PER E-PER B-PER E-PER", [(1, 2, "PER"), (3, 4, "PER")]),
        ("B-PER S-PER I-PER", [(1, 1, "PER"), (2, 2, "PER"), (3, 3, "PER")]),
        ("E-PER E-PER", [(1, 1, "PER"), (2, 2, "PER")]),
        # A type may have a hyphen, or there may be none.
        ("B-per-son I-per-son", [(1, 2, "per-son")]),
        ("B I O I", [(1, 2, ""), (4, 4, "")]),
    ],
)
def test_spans_as_conlleval_counts_them(tags, expected):
    assert sorted(spans(tags.split())) == expected


def pairwise(tags):
    """The same rules, said of two neighbours at a time: does one end, does one begin between them?"""
    ends = {"BB", "BO", "BS", "IB", "IO", "IS", "EB", "EI", "EE", "EO", "ES", "SB", "SI", "SE", "SO", "SS"}
    begins = {"BB", "IB", "OB", "EB", "SB", "OI", "OE", "EI", "EE", "SI", "SE", "OS", "BS", "IS", "ES", "SS"}
    found, start = [], None
    for place, (one, two) in enumerate(zip(["O", *tags], [*tags, "O"], strict=True), 1):
        change = "O" not in (one, two) and one[2:] != two[2:]
        if start is not None and (one[0] + two[0] in ends or change):
            found.append((start, place - 1, one[2:]))
            start = None
        if one[0] + two[0] in begins or change:
            start = place
    return found


@given(st.lists(st.sampled_from(["O", *(f"{mark}-{kind}" for mark in "BIES" for kind in ("X", "Y"))]), max_size=12))
def test_spans_are_those_of_the_pairwise_rules(tags):
    assert sorted(spans(tags)) == pairwise(tags)
    assert spans([tag.replace("E-", "L-").replace("S-", "U-") for tag in tags]) == spans(tags)
