"""Naming: what the systems are called, where somebody says so instead of the columns or files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from referee.data.counts import Counts
from referee.errors import Argument, OptionError

if TYPE_CHECKING:
    from referee.data.outcomes import Outcomes

T = TypeVar("T", bound="Counts | Outcomes")


def renamed(given: T, names: Sequence[str] | None) -> T:
    """Return what two systems did, with the systems called by these names.

    Args:
        given: outcomes or counts.
        names: that of the first system, and that of the second; None to leave them.

    Raises:
        OptionError: unless they are two different names, and not the systems' own in the other order.
    """
    if names is None:
        return given
    first, second = checked(names)
    if [given.names.get("b"), given.names.get("a")] == [first, second]:
        raise OptionError(
            Argument("names", bare=True), f" are the systems' own in the other order: A is {second!r} and B is {first!r}",
            argument="names", value=list(names), remedy="leave them out, or exchange the systems",
        )  # fmt: skip
    renamed: T = _called(given, {"a": first, "b": second})
    return renamed


def checked(names: Any) -> tuple[str, str]:
    """Return the names of A and B.

    Raises:
        OptionError: unless they are two different names.
    """
    first, second = _checked(names, 2)
    if first == second:
        raise OptionError(
            Argument("names", bare=True), f" are both {first!r}", argument="names", value=list(names),
            remedy="give each system a name of its own",
        )  # fmt: skip
    return first, second


def renamed_one(given: Outcomes | Counts, names: str | Sequence[str] | None) -> Outcomes | Counts:
    """Return what one system did, with the system called so.

    Raises:
        OptionError: unless it is one name.
    """
    if names is None:
        return given
    (name,) = _checked([names] if isinstance(names, str) else names, 1)
    renamed: Outcomes | Counts = _called(given, {"a": name, "b": name})
    return renamed


def _called(given: Any, names: dict[str, str]) -> Any:
    if isinstance(given, Counts):
        return replace(given, names=names)
    return replace(given, names=names, counted=given.counted and replace(given.counted, names=names))


def _checked(names: Any, many: int) -> list[str]:
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    listed = list(names) if is_list else [names]
    if not is_list or len(listed) != many or not all(isinstance(one, str) and one.strip() for one in listed):
        what = "the two systems' names, that of A and that of B" if many == 2 else "the name of the system"
        raise OptionError(
            Argument("names", bare=True), f" must be {what}, as texts; given: {names!r}"[:200], argument="names", value=names
        )  # fmt: skip
    return listed
