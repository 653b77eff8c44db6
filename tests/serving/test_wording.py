"""Messages in the words of the page."""

import re
from pathlib import Path

import pytest

import referee.serving
from referee.serving.wording import FIELDS, SETTINGS, in_page

PAGE = (Path(referee.serving.__file__).parent / "page" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in ("average",)])
def test_the_page_has_a_field_of_that_label(name):
    assert re.search(rf"<label[^>]*>{re.escape(FIELDS[name])}</label>", PAGE)
    assert f'name="{name}"' in PAGE


@pytest.mark.parametrize("value", list(SETTINGS))
def test_the_page_has_the_settings(value):
    assert f">{SETTINGS[value]}</option>" in PAGE


@pytest.mark.parametrize(
    "said, wanted",
    [
        ("give positive=, one of 'ham', 'spam'", "give “Positive label”, one of 'ham', 'spam'"),
        ("missing='wrong' counts them", "“Missing answers”: count them as wrong counts them"),
        ("name one with --score", "name one with “Score”"),
        ("name two with --a and --b", "name two with “System A” and “System B”"),
        ("name its column with id= (for tables without one, by_line=True pairs", "name its column with “Example id” (for tables without one, “Example id”: none pairs"),
        ("give universe=, all the ids", "give --universe on the command line, all the ids"),
        ("f1:average=macro (or micro)", "f1:average=macro (or micro)"),
        ("the column 'a=b' is odd", "the column 'a=b' is odd"),
        ("alpha must be between 0 and 1", "alpha must be between 0 and 1"),
    ],
)  # fmt: skip
def test_words(said, wanted):
    assert in_page(said) == wanted


def test_files_have_the_names_that_users_know():
    files = {"/tmp/x/0f3a": r"mine\1.csv"}
    said = "/tmp/x/0f3a.csv.gz has 3 ids; 0f3a is better; 0f3a.eval ended; /tmp/x/0f3a is a file"
    assert in_page(said, files) == r"mine\1.csv has 3 ids; mine\1 is better; mine\1.csv ended; mine\1.csv is a file"
