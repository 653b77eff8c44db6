"""Settings: what else is needed to get the same numbers again, and the words that code matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from referee.data.roles import OPTIONS
from referee.data.value_text import EXAMPLE as EXAMPLE
from referee.data.value_text import plural as plural
from referee.version import __version__

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Question: TypeAlias = Literal["better", "no-worse", "equal"]
Verdict: TypeAlias = Literal["b better", "a better", "practically equal", "no worse", "too close to call"]
SIGNED = ("truth", "group", "crossed", "stratum", "weight")
"""The columns that a signature names."""
ASKED_FOR = "asked for"
"""The reason for a test that was not chosen here."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a result came about; a report reads it here and never in the signature, which is written from it."""

    version: str = __version__
    seed: int | None = None
    positive: Any = None
    """The positive label, if it was named."""
    positive_class: Any = None
    """The label that the metric counts as positive, named or found; None if it has none."""
    threshold: float | None = None
    missing: str | None = None
    """What became of missing values, if they are no error."""
    averaged: bool = False
    """Whether the rows of an example that has several were averaged."""
    open: bool = False
    """Whether examples are responses, which have no true negatives."""
    slice: str | None = None
    tasks: str | None = None
    """What the slices are, if not all that is of interest: "random" of a sample of tasks."""
    roles: tuple[str, ...] = ()
    """Which of truth, groups, stratum and weight there are."""
    strata: int | None = None
    crossed: tuple[tuple[str, int], ...] = ()
    """What two crossed groups are called, and how many levels each has; nothing if there are none."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What the data were made of: the columns by role, the score that was chosen from a log, the policies."""
    files: tuple[str, ...] = ()
    """What the files are called that the data were read from, without their folders; for those who read a page, and no part
    of the signature."""
    digest: str = ""
    """The fingerprint of the data."""
    adjust: str | None = None
    """How p was adjusted, if the comparison is one of several, and how many they are."""
    comparisons: int | None = None

    @property
    def on_the_way(self) -> dict[str, object]:
        """What changed the data on their way to the metric."""
        parts = {"threshold": self.threshold, "missing": self.missing, "slice": self.slice}
        return {name: value for name, value in parts.items() if value is not None}

    def missing_counted_as(self, scores: bool) -> str:
        """Return what missing predictions counted as, here or when the data were counted; nothing unless they were filled in."""
        values = [OPTIONS["missing"].values.get(policy or "") for policy in (self.missing, self.about.get("missing"))]
        return next((value.score if scores else value.label for value in values if value and value.label), "")


def signature(settings: Settings, parts: Mapping[str, object]) -> str:
    """Write in one line what it takes to get the same numbers again; what is None is left out."""
    line = [f"{key}:{value}" for key, value in parts.items() if value is not None]
    return "|".join([f"referee {settings.version}", *line])


def signature_of_all(settings: Settings, every: Sequence[Mapping[str, str]]) -> str:
    """Write one line for several results of the same data: what all have in common once, the rest as a list or a sum."""
    told, sliced = dict[str, str](), any("slice" in parts for parts in every)
    for key in dict.fromkeys(key for parts in every for key in parts):
        values = [parts.get(key, "") for parts in every]
        if key in ("n", "units") and sliced:
            told[key] = str(sum({parts["slice"]: int(parts[key]) for parts in every if "slice" in parts}.values()))
        elif key == "slice":
            told["slices"] = str(len(set(values)))
        elif len(set(values)) == 1:
            told[key] = values[0]
        elif key == "data":
            told[key] = sha256("".join(values).encode()).hexdigest()[:8]
        else:
            told[key] = " ".join(dict.fromkeys(filter(None, values)))
    return signature(settings, told)
