import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.data.formats.conll_spans import spans


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
