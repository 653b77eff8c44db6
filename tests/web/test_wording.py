"""Messages in the words of the page."""

import re
from pathlib import Path

import pytest

import referee.web
from referee.web.wording import ASKED, FIELDS, SETTINGS, in_page

PAGE = (Path(referee.web.__file__).parent / "page" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in ("average",)])
def test_the_page_has_a_field_of_that_label(name):
    assert re.search(rf"<label[^>]*>{re.escape(FIELDS[name])}</label>", PAGE)
    assert f'name="{name}"' in PAGE


@pytest.mark.parametrize("value", list(SETTINGS))
def test_the_page_has_the_settings(value):
    assert f">{SETTINGS[value]}</option>" in PAGE


@pytest.mark.parametrize("question", list(ASKED))
def test_the_page_has_the_questions(question):
    value = "" if question == "better" else question
    assert f'<option value="{value}">{ASKED[question]}</option>' in PAGE


@pytest.mark.parametrize(
    "said, wanted",
    [
        ("give positive=, one of 'ham', 'spam'", "give “Positive label”, one of 'ham', 'spam'"),
        ("missing='wrong' counts them as wrong", "set “Missing answers” to “count them as wrong”"),
        ("3 are missing; missing='wrong' counts them as wrong, missing='drop' leaves these examples out", "3 are missing; set “Missing answers” to “count them as wrong” or “leave them out”"),
        ("unmatched='drop' leaves such tasks out", "set “Unpaired examples” to “leave them out”"),
        ("fill it in, or leave them out with missing='drop'", "fill it in, or leave them out with “Missing answers”: leave them out"),
        ("a is column 3 and b is column 4", "A is column 3 and B is column 4"),
        ("name_a= is longer than 9 characters", "“Name of A” is longer than 9 characters"),
        ("alpha must lie between 0 and 1", "“Accepted false alarms” must lie between 0 and 1"),
        ("name one with --score", "name one with “Score”"),
        ("name two with --a and --b", "name two with “System A” and “System B”"),
        ("name its column with id= (for tables without one, by_line=True pairs", "name its column with “Example id” (for tables without one, “Example id”: none pairs"),
        ("give universe=, all the ids", "give --universe on the command line, all the ids"),
        ("f1:average=macro (or micro)", "f1:average=macro (or micro)"),
        ("the column 'a=b' is odd", "the column 'a=b' is odd"),
        ("the column alpha must be there", "the column alpha must be there"),
    ],
)  # fmt: skip
def test_words(said, wanted):
    assert in_page(said) == wanted


def test_of_two_files_systems_are_named_by_other_fields():
    said = "x.json has several systems: p, q; name one with a= and b="
    assert in_page(said, {}, 2) == (
        "x.json has several systems: p, q; write the one that is meant into “Name of A” or “Name of B”; if one file has both that "
        "you compare, remove the other file"
    )
    assert in_page("give b=", {}, 2) == "give “Name of B”"


def test_files_have_the_names_that_users_know():
    files = {"/tmp/x/0f3a": r"mine\1.csv"}
    said = "/tmp/x/0f3a.csv.gz has 3 ids; 0f3a is better; 0f3a.eval ended; /tmp/x/0f3a is a file"
    assert in_page(said, files) == r"mine\1.csv has 3 ids; mine\1 is better; mine\1.csv ended; mine\1.csv is a file"
