"""Names and spellings: `name:key=value,key=value`, as typed, printed and parsed back."""

from __future__ import annotations

import importlib
import math
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, cast

from referee.errors import NameUnknown, OptionError, RefereeError, did_you_mean, refusal, unknown

TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
T = TypeVar("T")
S = TypeVar("S", bound="Spelt")
C = TypeVar("C", bound=type)


def spell(name: str, options: Mapping[str, Any]) -> str:
    """Write a name and its options as one word.

    >>> spell("dcf", {"cost_fn": 10.0, "p_target": 0.01})
    'dcf:cost_fn=10,p_target=0.01'
    """
    return name + (":" if options else "") + ",".join(f"{key}={_write(value)}" for key, value in options.items())


def _write(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse(text: str, argument: str | None = None) -> tuple[str, dict[str, str]]:
    """Take a spelling apart, the values still text; the argument is where somebody gave it.

    >>> parse("bootstrap:replicates=20000,interval=bca")
    ('bootstrap', {'replicates': '20000', 'interval': 'bca'})
    """
    name, _, rest = text.strip().partition(":")
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or key.strip() in options:
            wrong = f"options are spelt name:key=value,key=value; {text!r} is not (at {part!r})"
            raise OptionError(wrong, argument=argument, value=text)
        options[key.strip()] = value.strip()
    return name.strip(), options


def convert(argument: str, owner: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Give each option of what an argument names the type of its default, and refuse those that nobody declared."""
    out: dict[str, Any] = {}
    for key, value in options.items():
        if key not in defaults:
            strange = f"{owner} has no option {key!r}{did_you_mean(key, defaults)}"
            known = f"its options: {', '.join(defaults) or 'none'}"
            raise OptionError(strange, argument=argument, value=key, remedy=known)
        out[key] = typed(argument, value, defaults[key], f"{owner}:{key}")
    return out


def typed(argument: str, value: Any, default: Any, what: str | None = None) -> Any:
    """Return the value of an option with the type of its default, if that is a truth value or a number.

    Raises:
        OptionError: if it has none of that type.

    >>> typed("skip", "2", 0), typed("strict", "yes", False), typed("name", "2", None)
    (2, True, '2')
    """
    if default is None or isinstance(default, str):
        return value
    if isinstance(default, bool):
        if str(value).lower() not in TRUTHS:
            raise refusal(argument, "must be true or false", value, what)
        return TRUTHS[str(value).lower()]
    number = number_of(argument, value, what)
    if not isinstance(default, int):
        return number
    if number != int(number):
        raise refusal(argument, "must be a whole number", value, what)
    return int(number)


def number_of(argument: str, value: Any, what: str | None = None) -> float:
    """Return the number that a value is, or is the text of.

    Raises:
        OptionError: if it is none, or not finite.
    """
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except ValueError:
        number = None
    if number is None or not math.isfinite(number):
        raise refusal(argument, f"must be a {'' if number is None else 'finite '}number", value, what)
    return number


def check_between(argument: str, what: str, value: float, least: float, most: int) -> None:
    """Raise unless an option lies within its bounds."""
    if not least <= value <= most:
        raise refusal(argument, f"must be at least {least} and at most {most:,}", value, what)


class Registry(Generic[T]):
    """What exists under a name; the list, the messages, the CLI and the conformance tests are read from it."""

    def __init__(self, kind: str) -> None:
        self.kind, self.argument = kind, kind.split()[0]
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> None:
        """Register an entry; the later definition of a name wins, as in a notebook cell run twice."""
        self._entries[name] = entry

    def remove(self, name: str) -> None:
        """Forget an entry."""
        del self._entries[name]

    def put_first(self, *names: str) -> None:
        """Let these entries come before the others in lists, in this order."""
        self._entries = {name: self._entries[name] for name in (*names, *self._entries)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise unknown(self.kind, name, self._entries, self.argument)
        return self._entries[name]

    def items(self) -> list[tuple[str, T]]:
        """Return the names with their entries, in the order in which they were defined."""
        return list(self._entries.items())


@dataclass(frozen=True, kw_only=True)
class Spelt:
    """Something with a name, a frozen dataclass whose fields are its options: `str()` is its spelling."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    """The first line of its docstring."""

    def __str__(self) -> str:
        changed = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return spell(self.name, changed)


class Family(Registry[type[S]]):
    """Classes of one kind: each is registered by a decorator, and made from the spelling of its name and options."""

    def __init__(self, kind: str, base: type[S], example: str) -> None:
        """Begin without members.

        Args:
            kind: what they are called in messages.
            base: what all of them are.
            example: the name of one, for messages.
        """
        super().__init__(kind)
        self.base, self.example = base, example

    def define(self, name: str, **about: Any) -> Callable[[C], C]:
        """Return the decorator that makes a class a frozen dataclass and registers it; what is declared becomes its attributes.

        It raises OptionError if a field has no default: an option has the type of its default, and may be left out.
        """

        def register(cls: C) -> C:
            if "__dataclass_fields__" not in vars(cls):
                dataclass(frozen=True, kw_only=True)(cls)
            for option in fields(cls):
                if option.default is MISSING:
                    lacking = f"the option {option.name} of the {self.kind} {name} has no default"
                    remedy = f"write it as `{option.name}: int = 10`; it has the type of its default"
                    raise OptionError(lacking, argument=option.name, remedy=remedy)
            for key, value in {"name": name, "summary": (cls.__doc__ or name).splitlines()[0], **about}.items():
                if not hasattr(cls, key):
                    raise TypeError(f"{name}: nothing called {key} can be declared of a {self.kind}")
                setattr(cls, key, value)
            self.add(name, cast("type[S]", cls))
            return cls

        return register

    def resolve(self, spelling: str | S) -> S:
        """Return what a spelling says, the member of that name with its options; one that is made already is returned as it is.

        Raises:
            NameUnknown: if there is none of that name.
            OptionError: if it has no such option, or this is neither.
        """
        if isinstance(spelling, self.base):
            return spelling
        if not isinstance(spelling, str):
            raise refusal(self.argument, f"is a name such as {self.example}", spelling, f"a {self.argument}")
        name, options = parse(spelling, self.argument)
        cls = self[name]
        return cls(**convert(self.argument, name, options, {field.name: field.default for field in fields(cls)}))


def discover(package: str, without: tuple[str, ...] = ()) -> None:
    """Import every module of a package, so that what is defined in a file of its own is registered without a list of them.

    Args:
        package: its name.
        without: modules that define nothing of the kind, and are slow to import.
    """
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if module.name not in without:
            importlib.import_module(f"{package}.{module.name}")


def load(text: str, accept: Callable[[object], bool], kind: str) -> object:
    """Import `module:attribute`, the spelling of something a user wrote.

    The current folder is searched too, as `python -m` would.
    """
    about = {"argument": kind, "value": text}
    module, _, attribute = text.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *attribute.split(".")]):
        raise NameUnknown(f"there is no {kind} {text!r}", **about, remedy="your own is named module:function")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except RefereeError:
        raise
    except AttributeError as error:
        where = sys.modules.get(module)
        if where is None or hasattr(where, attribute.partition(".")[0]):
            raise NameUnknown(f"there is no {kind} {text!r}: {type(error).__name__}: {error}", **about) from error
        own = [name for name in dir(where) if not name.startswith("_")]
        told = f"there is no {attribute!r} in {module}{did_you_mean(attribute, own)}"
        raise NameUnknown(told, **about, remedy=f"name a {kind} that it defines") from error
    except Exception as error:
        raise NameUnknown(f"there is no {kind} {text!r}: {type(error).__name__}: {error}", **about) from error
    if not accept(found):
        other, remedy = f"{text!r} is a {type(found).__name__}, not a {kind}", f"decorate it with @referee.{kind}"
        raise NameUnknown(other, **about, remedy=remedy)
    return found
