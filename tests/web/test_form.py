"""Messages in the words of the page."""

import json
import re

import pytest

from referee.errors import Argument, Message
from referee.web.app import page
from referee.web.form import FIELDS, OPTIONS, QUESTIONS, from_parts, in_page, to_parts

PAGE = page()
VALUES = [(option, value) for option in OPTIONS.values() if option.label is not None for value in option.values]


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in ("average",)])
def test_the_page_has_a_field_of_that_label(name):
    assert re.search(rf"<(label|legend)[^>]*>{re.escape(FIELDS[name])}</\1>", PAGE)
    assert f'name="{name}"' in PAGE or f'id="{name}"' in PAGE


@pytest.mark.parametrize("option, value", VALUES)
def test_the_page_has_the_values(option, value):
    given = "" if value == next(iter(option.values)) else value
    (select,) = re.findall(rf'<select id="{option.name}".*?</select>', PAGE, re.DOTALL)
    assert f'<option value="{given}">{option.values[value].words}</option>' in select


@pytest.mark.parametrize("question", list(QUESTIONS))
def test_the_page_has_the_questions(question):
    value = "" if question == "better" else question
    assert f'<option value="{value}">{QUESTIONS[question]}</option>' in PAGE


@pytest.mark.parametrize(
    "argument, wanted",
    [
        (Argument("positive"), "“Positive label”"),
        (Argument("missing", "drop"), "“Missing answers”: “leave them out”"),
        (Argument("unmatched", "drop"), "“Unpaired examples”: “leave them out”"),
        (Argument("alpha", bare=True), "“Accepted false alarms”"),
        (Argument("margin", "1pp"), "“Margin”: “1pp”"),
        (Argument("question", "no-worse"), "“Is B no worse than A?”"),
        (Argument("question"), "“Question”"),
        (Argument("by_line", True), "“Example id”: none"),
        (Argument("a"), "“System A”"),
        (Argument("universe"), "--universe on the command line"),
        (Argument("system", "model"), "--system model on the command line"),
    ],
)
def test_arguments_are_fields(argument, wanted):
    assert in_page(Message("give ", argument, ", and more")) == f"give {wanted}, and more"


def test_text_is_shown_as_it_is():
    assert in_page("f1:average=macro needs positive=") == "f1:average=macro needs positive="


def test_of_two_files_systems_are_named_by_other_fields():
    assert in_page(Message("name ", Argument("a"), " or ", Argument("b")), 2) == "name “Name of A” or “Name of B”"


def test_a_message_goes_to_another_process_and_back():
    message = Message("give ", Argument("missing", "drop"), " or ", Argument("alpha", bare=True))
    there = json.loads(json.dumps(to_parts(message)))
    assert from_parts(there).parts == message.parts
    assert from_parts(to_parts("plain")) == "plain"
