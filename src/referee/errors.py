"""The errors that users see: each is a RefereeError and the builtin it resembles, and knows the argument it is about.

A message names an argument as an object and not as text, so that Python, the command line and the page each spell it in
their own way.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Argument:
    """An argument that a message names, and maybe a value to give it.

    >>> str(Argument("positive")), str(Argument("missing", "drop")), str(Argument("alpha", bare=True))
    ('positive=', "missing='drop'", 'alpha')
    """

    name: str
    value: object = None
    bare: bool = False
    """Whether the sentence is about the argument, as in "alpha must be positive", and doesn't ask to give it."""
    option: str | None = None
    """The option of the command line that says the same more simply, for verbs that have it."""

    def __str__(self) -> str:
        return self.name if self.bare else f"{self.name}={'' if self.value is None else repr(self.value)}"


Part: TypeAlias = "str | Argument"
Speller: TypeAlias = Callable[[Argument], str]


class Message(str):
    """A sentence that may name arguments. As text it spells them as Python does.

    >>> message = Message("give ", Argument("positive"), ", or ", Argument("missing", "drop"))
    >>> message
    "give positive=, or missing='drop'"
    >>> spelled(message, lambda argument: f"--{argument.name}")
    'give --positive, or --missing'
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Message:
        """Join the parts; a message among them adds its own parts."""
        flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Message) else (part,)))
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = flat
        return message


def spelled(text: str, speller: Speller = str, files: Mapping[str, str] | None = None) -> str:
    """Return a text as its reader would write it.

    Args:
        text: any text; only a message knows its arguments.
        speller: how an argument is written.
        files: what the reader calls files, by the paths that stand in for them.

    >>> spelled("/tmp/x/stdin.csv is empty", files={"/tmp/x/stdin.csv": "standard input"})
    'standard input is empty'
    """
    parts = text.parts if isinstance(text, Message) else (text,)
    written = "".join(speller(part) if isinstance(part, Argument) else part for part in parts)
    for path, name in (files or {}).items():
        written = written.replace(path, name)
    return written


class RefereeError(Exception):
    """Any error that a user can cause: it says what is needed, what was given, and what to do.

    Args:
        parts: what is wrong: text, and the arguments that it names.
        argument: the name of the argument that is wrong; if left out, the first that the sentence is about (`bare`).
        value: what it was given.
        remedy: what to do, which ends the message: a text, or a `Message` that names arguments.
    """

    def __init__(self, *parts: Part, argument: str | None = None, value: Any = None, remedy: str | None = None) -> None:
        self.message = Message(*parts, "; ", remedy) if remedy else Message(*parts)
        about = (part.name for part in Message(*parts).parts if isinstance(part, Argument) and part.bare)
        self.argument, self.value, self.remedy = argument or next(about, None), value, remedy
        super().__init__(str(self.message))

    def spelled(self, speller: Speller = str, files: Mapping[str, str] | None = None) -> str:
        """Return the message as its reader would write it, as the function `spelled` does."""
        return spelled(self.message, speller, files)


class InputError(RefereeError, ValueError):
    """The data do not say what is needed."""


class NotReady(InputError):
    """Data that are not there yet, or not whole: whoever is still writing them may mend that."""


class OptionError(RefereeError, ValueError):
    """An argument has a value that it cannot take."""


class ChoiceNeeded(OptionError):
    """Something that only the user can choose; `arguments` are some that would do, for whoever shows a call to paste."""

    def __init__(self, *parts: Part, arguments: Mapping[str, str | bool] | None = None, **about: Any) -> None:
        self.arguments = dict(arguments or {})
        super().__init__(*parts, **{"argument": next(iter(self.arguments), None), **about})


class PackageMissing(OptionError):
    """A package that is not installed; the remedy installs it."""


class NameUnknown(RefereeError, LookupError):
    """A name that nothing answers to: a column, a metric, a test."""


class Misfit(RefereeError, TypeError):
    """A metric that does not fit the data, or a test that does not fit the metric."""


class NumbersNeeded(Misfit):
    """A metric of numbers, and a system whose values are text."""


class CallError(RefereeError, TypeError):
    """A call with arguments that the function does not have, or without some that it needs."""


def folded(name: str) -> str:
    r"""Return a name without what the eye overlooks: case, blanks around it, and how its accents are written.

    >>> folded(" Caf\u00e9") == folded("cafe\u0301")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).strip().casefold())


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """Return " (did you mean 'x'?)" where a known name resembles the given one, else "".

    >>> did_you_mean("mcnemer", ["mcnemar", "sign"])
    " (did you mean 'mcnemar'?)"
    """
    names = [str(name) for name in known]
    twins = [name for name in names if name != str(given) and folded(name) == folded(str(given))]
    if any(unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", str(given)) for name in twins):
        return " (one looks the same and is written with other characters, Unicode NFC against NFD)"
    # Of names as short as f1, half is a lot.
    cutoff = 0.5 if len(str(given)) <= 3 else 0.6
    begun = [name for name in names if len(str(given)) >= 3 and name.startswith(str(given))]
    close = twins[:2] or begun[:2] or difflib.get_close_matches(str(given), names, n=2, cutoff=cutoff)
    return meant(*close)


def meant(*names: str) -> str:
    """Return the question whether these names were meant; quoted, as a name may end or begin with anything.

    >>> meant("truth ", "trust"), meant()
    (" (did you mean 'truth ' or 'trust'?)", '')
    """
    return f" (did you mean {' or '.join(map(repr, names))}?)" if names else ""


def unknown(kind: str, given: object, known: Iterable[object], argument: str | None = None) -> NameUnknown:
    """Return the error for a name that is not among the known ones; the argument is called as the kind is if left out."""
    names = [str(name) for name in known]
    shown = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    message = f"there is no {kind} {str(given)!r}{did_you_mean(given, names)}"
    return NameUnknown(message, argument=argument or kind, value=given, remedy=f"there are: {shown or 'none'}")


def refusal(argument: str, needed: str, given: object, what: str | None = None) -> OptionError:
    """Return the error for a value that an argument cannot have; `what` is called something else than the argument.

    >>> str(refusal("jobs", "must be 1 or more", 0)), str(refusal("metric", "must be positive", -1, "fbeta:beta"))
    ('jobs must be 1 or more; it is 0', 'fbeta:beta must be positive; it is -1')
    """
    subject = what or Argument(argument, bare=True)
    return OptionError(subject, f" {needed}; it is {given!r}", argument=argument, value=given)


def not_installed(*parts: Part, install: str, **about: Any) -> PackageMissing:
    """Return the error for a package that something needs, and that pip installs."""
    return PackageMissing(*parts, remedy=f"install it: pip install {install}", **about)


def one_of(what: str, given: object, allowed: Iterable[object], argument: str | None = None) -> None:
    """Raise unless the given value is one of the allowed ones; `what` is the argument, or an option in its spelling."""
    choices = list(allowed)
    if given not in choices:
        subject = Argument(what, bare=True) if what.isidentifier() else what
        shown = f" must be one of {', '.join(map(str, choices))}; it is {given!r}{did_you_mean(given, choices)}"
        raise OptionError(subject, shown, argument=argument or what, value=given)
