"""Columns: which of a table of fold scores are algorithms, and which say where a score comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.errors import InputError

WORDS = {
    "run": (
        "run", "repeat", "repetition", "replicate", "replication", "rep", "trial", "iteration", "iter", "seed",
        "random_state", "random_seed", "epoch",
    ),
    "fold": ("fold", "split", "kfold", "cv", "partition"),
    "n_train": ("n_train", "ntrain", "train_size"),
    "n_test": ("n_test", "ntest", "test_size"),
    "index": ("", "index", "unnamed:_0", "level_0", "row", "id", "fit_time", "score_time", "train_time", "predict_time"),
}  # fmt: skip
"""What columns are called that are no algorithm, by what they say. Of two that say the same, the first counts."""
ABOUT = re.compile(r"(?:(?:cv|outer|data|model|test|split)_)?(.*?)s?(?:_(?:id|no|nr|num|number|index|idx))?")
"""What stands around such a word: cv_fold, seeds, run_id."""
RECORDS = ("fit_time", "score_time", "test_score")
"""What `cross_validate` returns for one algorithm: no algorithms, any of them."""


@dataclass(frozen=True)
class Given:
    """Fold scores as they were given, before anything is concluded from them."""

    scores: dict[str, Any]
    n_train: Any = None
    n_test: Any = None
    run: Any = None
    fold: Any = None
    aside: tuple[str, ...] = ()
    """The columns that were not taken for algorithms."""
    seconds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    splits: Any = None
    """The splits themselves, (train, test) for each, where they are known."""
    notes: tuple[str, ...] = ()
    """What was done to the scores on the way, in sentences."""


def role(name: str) -> str | None:
    """Return what a column says that is no algorithm; None where it is one.

    >>> role("Seed"), role("CV fold"), role("random-state"), role("run_id"), role("svm"), role("trial_2")
    ('run', 'fold', 'run', 'run', None, None)
    """
    known = {word: what for what, words in WORDS.items() for word in words}
    text = re.sub(r"[\s.-]+", "_", name.strip().lower())
    if text in known:
        return known[text]
    inner = ABOUT.fullmatch(text)
    return known.get(inner[1]) if inner and inner[1] else None


def sort_out(columns: Mapping[str, Any]) -> Given:
    """Tell the algorithms of a table from what says where their scores come from.

    Raises:
        InputError: where the columns are the record of one algorithm.
    """
    roles = {name: role(name) for name in columns}
    if "test_score" in columns and any(name in columns for name in RECORDS[:2]):
        raise InputError(
            f"these are the records of one algorithm ({', '.join(name for name in RECORDS if name in columns)}), as "
            "cross_validate returns them; give those of each: compare_scores({'old': cross_validate(...), "
            "'new': cross_validate(...)})"
        )
    found = {what: columns[name] for what in WORDS if (name := _first(what, roles)) is not None and what != "index"}
    return Given(
        {name: values for name, values in columns.items() if roles[name] is None},
        **found,
        aside=tuple(name for name in columns if roles[name] is not None),
    )


def _first(what: str, roles: Mapping[str, str | None]) -> str | None:
    """Return the column that says this, the plainest word first."""
    own = [name for name, given in roles.items() if given == what]

    def rank(name: str) -> int:
        return next((i for i, word in enumerate(WORDS[what]) if word and word in name.lower()), len(WORDS[what]))

    return min(own, key=rank, default=None)
