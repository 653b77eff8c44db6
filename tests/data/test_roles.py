"""Columns, policies and reader options are declared once: functions, command line and page have what is declared, and no more."""

import inspect
import re
from importlib import import_module

import click
import pytest

import referee
from referee.data.policies import Policies
from referee.data.roles import COUNTED, JUDGES, LABELS, NUMBERS, SHARED, SIDES, SYSTEMS, every_option, options_of
from referee.errors import OptionError
from referee.web.app import page
from referee.web.form import FIELDS

OPTIONS = every_option()
FUNCTIONS = {"compare": referee.compare, "count": referee.count, "audit": referee.audit, "read": referee.read}
OTHERS = {"audit": {"text"}}
"""Options of a verb that have the name of a declared one and mean something else: the texts that models are trained on."""


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_functions_have_the_declared_arguments(verb):
    arguments = inspect.signature(FUNCTIONS[verb]).parameters
    declared = {option.name: option for option in options_of(verb) if verb == "read" or option.kind != "reader"}
    assert set(arguments) & set(OPTIONS) == set(declared)
    for name, option in declared.items():
        # Without files there are no epochs, whose repeats are averaged unless another policy is named.
        default = "error" if option.kind == "policy" and verb != "read" else option.default
        assert arguments[name].default == default, name
        assert arguments[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert re.search(rf"^ +{name}: ", FUNCTIONS[verb].__doc__, re.MULTILINE), name


@pytest.mark.parametrize("verb", ["compare", "count", "audit"])
def test_the_command_line_has_the_declared_options(verb):
    command = import_module(f"referee.cli.{verb}").verb
    options = {option.name: option for option in command.params if isinstance(option, click.Option)}
    declared = {option.name: option for option in options_of(verb)}
    assert set(options) & set(OPTIONS) - OTHERS.get(verb, set()) == set(declared)
    for name, option in declared.items():
        own = options[name]
        assert (own.opts, own.help, own.is_flag) == ([option.flag], option.help, not option.metavar)
        assert own.metavar == (option.metavar or None)


def test_the_page_has_the_declared_fields():
    text = page()
    for name, option in OPTIONS.items():
        assert (f'name="{name}"' in text) == (option.label is not None), name
        assert FIELDS.get(name) == option.label
        if option.label is not None:
            assert f">{option.label}</label>" in text, name


def test_policies_are_the_declared_ones():
    declared = {name: option for name, option in OPTIONS.items() if option.kind == "policy"}
    assert set(vars(Policies())) == set(declared)
    for name, option in declared.items():
        for value in option.values:
            assert getattr(Policies(**{name: value}), name) == value
        with pytest.raises(OptionError, match=rf"^{name} must be one of {', '.join(option.values)}; it is 'none'"):
            Policies(**{name: "none"})


def test_what_counts_are_made_of():
    assert (SYSTEMS, LABELS, SIDES) == (
        ("a", "b"),
        ("truth", "a", "b"),
        ("group", "crossed", "stratum", "weight", "slice"),
    )
    assert (*LABELS, *JUDGES, *SIDES, "sample", "first") == COUNTED
    assert (("truth", *SIDES), (*LABELS, *JUDGES, "weight", "multiplicity")) == (SHARED, NUMBERS)
