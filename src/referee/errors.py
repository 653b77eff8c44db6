"""The errors that users meet: each is a RefereeError and the builtin it resembles."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping


class RefereeError(Exception):
    """What is needed, what was given, and what to do: every error a user can cause."""


class InputError(RefereeError, ValueError):
    """The data do not say what is needed."""


class OptionError(RefereeError, ValueError):
    """An argument has a value that it cannot take."""


class ChoiceNeeded(OptionError):
    """Something that only the user can choose; `arguments` are some that would do, for whoever shows a call to paste."""

    def __init__(self, message: str, arguments: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.arguments = dict(arguments or {})


class NameUnknown(RefereeError, LookupError):
    """A name that nothing answers to: a column, a metric, a test."""


class Misfit(RefereeError, TypeError):
    """A metric that does not fit the data, or a test that does not fit the metric."""


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


def unknown(kind: str, given: object, known: Iterable[object]) -> NameUnknown:
    """Return the error for a name that is not among the known ones."""
    names = [str(name) for name in known]
    shown = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    return NameUnknown(f"there is no {kind} {str(given)!r}{did_you_mean(given, names)}; there are: {shown or 'none'}")


def one_of(what: str, given: object, allowed: Iterable[object]) -> None:
    """Raise unless the given value is one of the allowed ones."""
    choices = list(allowed)
    if given not in choices:
        shown = ", ".join(map(str, choices))
        raise OptionError(f"{what} must be one of {shown}; it is {given!r}{did_you_mean(given, choices)}")
