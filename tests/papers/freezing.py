"""The numbers of every replication, frozen: `python -m tests.papers.freezing` writes the files in frozen/ again.

They hold `ours`, and what the tables print, as they were before the defaults of `compare` changed. A paper is repeated by
the tests that the paper used, so no default of ours may move a number: write the files again only for an erratum that
is named in docs/errata.md, and say so in the message of the commit.

What is long runs in a short form, on the shipped populations all the same; the full runs are docs/replication/*.json.
numpy does not promise the same draws in every version (2.5 draws other large multinomials than 2.4), so the files say
which draws they were made with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from referee.results.replication import Replication, Table
from referee_papers import bizarre, keller2005, wine, yeh2000
from referee_papers.keller2005.panels import read_populations
from referee_papers.wine import runs as wine_runs

FOLDER = Path(__file__).parent / "frozen"
SHORT = replace(keller2005.FULL, sizes=(100, 1000), sets=40, categories=4)
"""Keller's panels in seconds."""
SEEDED = ("table 4: error of LR", "table 4: error of SVM", "table 5: LR vs. SVM")
"""Whose numbers hang on no chance: liblinear and libsvm. Forests and boosted trees differ by version and machine."""
DRAWN = ("bizarre", "keller2005")
"""Replications on test sets that are drawn by numpy's multinomial."""
Frozen = dict[str, Any]


def _yeh2000() -> Frozen:
    return _ours(yeh2000.run())


def _bizarre(corpus: str) -> Frozen:
    made = bizarre.run(corpus=corpus, fast=True, jobs=1)
    return _ours(made) | {"tables": _printed(made.tables)}


def _keller2005(corpus: str) -> Frozen:
    made = keller2005.replicate(read_populations(corpus, SHORT), SHORT, corpus, jobs=1)
    return _ours(made) | {"tables": _printed(table for table in made.tables if "null" in table.about)}


def _wine() -> Frozen:
    """The whole protocol, its tests included, with models that no library trains, and without what a clock says."""
    with mock.patch.object(wine_runs, "make_classifiers", _centres):
        own, others = wine_runs.measure(wine_runs.Plan(forests=3, seeds=2), "xgboost", jobs=1)
    made = wine.judge(own, others, "xgboost")
    return _ours(made, lambda what: not what.startswith("table 6")) | {"tables": _printed(made.tables[:3])}


def _wine_seeded() -> Frozen:
    """The paper's own models, those of which the training leaves nothing to chance."""
    trained = {
        name: model for name, model in wine_runs.make_classifiers("scikit-learn").items() if name in ("LR", "SVM")
    }
    with mock.patch.object(wine_runs, "make_classifiers", lambda *given: _centres(*given) | trained):
        own, others = wine_runs.measure(wine_runs.Plan(forests=1, seeds=1), "xgboost", jobs=1)
    made = wine.judge(own, others, "xgboost")
    return _ours(made, lambda what: what.startswith(SEEDED))


PAPERS: dict[str, Callable[[], Frozen]] = {
    "yeh2000": _yeh2000,
    "bizarre-rcv1": lambda: _bizarre("rcv1"),
    "bizarre-wordnet": lambda: _bizarre("wordnet"),
    "keller2005-rcv1": lambda: _keller2005("rcv1"),
    "keller2005-wordnet": lambda: _keller2005("wordnet"),
    "wine": _wine,
    "wine-seeded": _wine_seeded,
}
"""What is frozen, and how it is made again."""


def _ours(made: Replication, kept: Callable[[str], bool] = lambda what: True) -> Frozen:
    return {"ours": {row["what"]: row["ours"] for row in made.rows if kept(row["what"])}}


def _printed(tables: Iterable[Table]) -> list[list[list[str]]]:
    return [[list(line) for line in table.body] for table in tables]


def draws() -> str:
    """Return a short text that tells this numpy's draws from those of another."""
    drawn = np.random.default_rng(0).multinomial(2000, [0.3, 0.02, 0.28, 0.02, 0.03, 0.05, 0.13, 0.17], size=2000)
    return hashlib.sha256(drawn.astype("<i8").tobytes()).hexdigest()[:12]


def _centres(boosts: str, forests: int = 1) -> dict[str, Any]:
    """Return models in place of the paper's: the class whose mean is nearest, each by other columns of the wines."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Centre(ClassifierMixin, BaseEstimator):
        def __init__(self, columns: tuple[int, ...] = ()) -> None:
            self.columns = columns

        def fit(self, features: Any, truth: Any) -> Any:
            seen = np.asarray(features)[:, self.columns]
            self.classes_, self.scale_ = np.unique(truth), seen.std(axis=0)
            self.centres_ = np.array([seen[truth == label].mean(axis=0) for label in self.classes_])
            return self

        def predict(self, features: Any) -> Any:
            away = (np.asarray(features)[:, None, self.columns] - self.centres_) / self.scale_
            return self.classes_[(away**2).sum(axis=2).argmin(axis=1)]

    forest = {f"RF {i}": Centre((0, 6, 9, i)) for i in range(1, forests + 1)}
    return {"XGB": Centre((0, 6, 11)), "LR": Centre((9, 12)), "SVM": Centre((0, 9)), **forest}


def text(frozen: Frozen) -> str:
    """Write what is frozen, a line for each number and each line of a table."""
    parts = [f'"draws": {_json(frozen["draws"])}'] if "draws" in frozen else []
    parts += [f'"ours": {{\n{_lines(f"{_json(what)}: {_json(ours)}" for what, ours in frozen["ours"].items())}\n}}']
    if "tables" in frozen:
        tables = (f"[\n{_lines(map(_json, table))}\n]" for table in frozen["tables"])
        parts.append(f'"tables": [\n{_lines(tables)}\n]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lines(parts: Iterable[str]) -> str:
    return ",\n".join(parts)


def file(name: str) -> Path:
    """Return where the numbers of a replication are kept."""
    return FOLDER / f"{name}.json"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in PAPERS.items():
        drawn = {"draws": draws()} if name.startswith(DRAWN) else {}
        file(name).write_text(text(drawn | make()), encoding="utf-8")
