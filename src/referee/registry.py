"""Names and spellings: `name:key=value,key=value` is what is typed, printed and parsed back."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Generic, TypeVar

from referee.errors import NameUnknown, OptionError, RefereeError, did_you_mean, unknown

T = TypeVar("T")


def spell(name: str, options: Mapping[str, Any]) -> str:
    """Write a name and its options as one word.

    >>> spell("dcf", {"cost_fn": 10.0, "p_target": 0.01})
    'dcf:cost_fn=10,p_target=0.01'
    """
    return name + (":" if options else "") + ",".join(f"{key}={_write(value)}" for key, value in options.items())


def _write(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Take a spelling apart, the values still text.

    >>> parse("bootstrap:replicates=20000,interval=bca")
    ('bootstrap', {'replicates': '20000', 'interval': 'bca'})
    """
    name, _, rest = text.strip().partition(":")
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or key.strip() in options:
            raise OptionError(f"options are spelt name:key=value,key=value; {text!r} is not (at {part!r})")
        options[key.strip()] = value.strip()
    return name.strip(), options


def convert(owner: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Give each option the type of its default, and refuse those that nobody declared."""
    out: dict[str, Any] = {}
    for key, value in options.items():
        if key not in defaults:
            known = ", ".join(defaults) or "none"
            raise OptionError(f"{owner} has no option {key!r}{did_you_mean(key, defaults)}; its options: {known}")
        out[key] = _cast(f"{owner}:{key}", value, defaults[key])
    return out


def _cast(what: str, value: Any, default: Any) -> Any:
    if default is None or isinstance(default, str):
        return value
    if isinstance(default, bool):
        if str(value).lower() in ("true", "1", "yes"):
            return True
        if str(value).lower() in ("false", "0", "no"):
            return False
        raise OptionError(f"{what} must be true or false; it is {value!r}")
    number = number_of(what, value)
    if isinstance(default, int):
        if number != int(number):
            raise OptionError(f"{what} must be a whole number; it is {value!r}")
        return int(number)
    return number


def number_of(what: str, value: Any) -> float:
    """Return the number that a value is, or is the text of.

    Raises:
        OptionError: where it is none, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise OptionError(f"{what} must be a number; it is {value!r}")
    try:
        number = float(value)
    except ValueError:
        raise OptionError(f"{what} must be a number; it is {value!r}") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise OptionError(f"{what} must be a finite number; it is {value!r}")
    return number


class Registry(Generic[T]):
    """What exists under a name; the list, the messages, the CLI and the conformance tests are read from it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> None:
        """Register an entry; the later definition of a name wins, as in a notebook cell run twice."""
        self._entries[name] = entry

    def remove(self, name: str) -> None:
        """Forget an entry."""
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise unknown(self.kind, name, self._entries)
        return self._entries[name]

    def items(self) -> list[tuple[str, T]]:
        """Return the names with their entries, in the order in which they were defined."""
        return list(self._entries.items())


def build(registry: Registry[type[T]], given: object, kind: type[T], example: str) -> T:
    """Return what is given, or make what its spelling says: the entry of that name, a dataclass, with its options.

    Args:
        registry: where the names are.
        given: one that is made, or the spelling of one.
        kind: what all entries are.
        example: a name, for the message where it is neither.
    """
    if isinstance(given, kind):
        return given
    if not isinstance(given, str):
        raise OptionError(f"a {registry.kind.split()[0]} is a name such as {example}; it is {given!r}")
    name, options = parse(given)
    cls: Any = registry[name]
    made: T = cls(**convert(name, options, {field.name: field.default for field in fields(cls)}))
    return made


def load(text: str, accept: Callable[[object], bool], kind: str) -> object:
    """Import `module:attribute`, the spelling of something a user wrote.

    The current folder is searched too, as `python -m` would.
    """
    import sys

    module, _, attribute = text.partition(":")
    if (
        not module
        or not attribute
        or not all(part.isidentifier() for part in [*module.split("."), *attribute.split(".")])
    ):
        raise NameUnknown(f"there is no {kind} {text!r}; your own is named module:function")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except RefereeError:
        raise
    except Exception as error:
        raise NameUnknown(f"there is no {kind} {text!r}: {type(error).__name__}: {error}") from error
    if not accept(found):
        raise NameUnknown(f"{text!r} is a {type(found).__name__}, not a {kind}; decorate it with @referee.{kind}")
    return found
