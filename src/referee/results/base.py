"""What every result can do: print itself, and become JSON, a data frame, Markdown, LaTeX, a page, test cases and charts."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import reduce
from typing import Any, ClassVar

from referee.data.columns import frame_of
from referee.errors import Misfit
from referee.results.settings import EXAMPLE

HIDDEN = {"key": None}
"""The metadata of a field that the JSON does not have."""
SCORES = {"a": "a.name", "b": "b.name", "score_a": "a.score", "score_b": "b.score"}
BELIEVED = (
    "probability_b_better", "probability_a_better", "probability_within_margin", "expected_loss_a", "expected_loss_b",
)  # fmt: skip
"""What a data frame of comparisons holds of a posterior."""
PLACES = {
    **SCORES,
    "low": "interval.low",
    "high": "interval.high",
    **{name: f"posterior.{name}" for name in BELIEVED},
}
"""Where a result has the columns of a data frame that are not called as its fields are."""


def number(value: float | None) -> float | None:
    """Return a finite number or None: what cannot be known is null."""
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(value)


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it: numbers finite or null, tuples as lists."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, tuple):
        return [as_json(one) for one in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def written(result: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as the JSON contract has them.

    The metadata of a field may have another "key", or None for a field that is left out, and the "names" of a pair, which is
    then an object. What does not make two results differ is no part of them.
    """
    content = {}
    for one in fields(result):
        key, names, value = one.metadata.get("key", one.name), one.metadata.get("names"), getattr(result, one.name)
        if key is not None and one.compare:
            content[key] = dict(zip(names, value, strict=True)) if names and value else as_json(value)
    return content


class Written:
    """What is written as JSON by its fields."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as the JSON contract has it."""
        return written(self)


class Reported(Written):
    """A result; a report is made when somebody asks for one, so that a result imports none."""

    SCHEMA: ClassVar[str]

    @property
    def noun(self) -> str:
        """What one of the examples is called; "example" where the data do not say."""
        return EXAMPLE

    def __bool__(self) -> bool:
        """Refuse to be true or false: `if compare(...)` would hold whatever the data say."""
        remedy = (
            "ask for result.verdict, or result.gate == 0" if hasattr(type(self), "gate") else "ask for a field of it"
        )
        raise Misfit("a result is neither true nor false", remedy=remedy)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the JSON contract has it that its schema names."""
        return {"schema": self.SCHEMA, **written(self)}

    def to_json(self) -> str:
        """Return the JSON text of the result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the result as a data frame, a row for each thing that was judged.

        Args:
            backend: the first there is of pandas, polars and pyarrow if left out.
        """
        return frame_of(self._columns(), backend)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns of the data frame."""
        raise NotImplementedError

    def to_text(self, verbose: bool = False) -> str:
        """Return the result as plain text, as `print` shows it.

        Args:
            verbose: whether to tell what is much the same every time, too.
        """
        return self.to("text", verbose=verbose)

    def to_markdown(self) -> str:
        """Return the result as Markdown."""
        return self.to("markdown")

    def to_latex(self) -> str:
        """Return the result as LaTeX: sentences for the paper, and tables that need the booktabs package."""
        return self.to("latex")

    def to_junit(self) -> str:
        """Return the result as JUnit's XML: one test case per verdict, which passes if a gate would."""
        return self.to("junit")

    def to_html(self, path: str | os.PathLike[str] | None = None, *, examples: bool = True, command: str = "") -> str:
        """Return the report as one page that needs no other file and no network.

        Args:
            path: where to write it, whole or not at all; nowhere if left out.
            examples: whether to list the examples on which the systems differ, where the data have ids or texts.
            command: the command that makes this result again, for those who look at the page.

        Raises:
            OptionError: if the extra `report` is not there.
            InputError: if the file cannot be written.
        """
        from referee.runtime.atomic import write_whole

        page = self.to("html", examples=examples, command=command)
        if path is not None:
            write_whole(path, page)
        return page

    def to(self, form: str, **options: Any) -> str:
        """Return the result in a form, one of those that `referee compare --format` offers.

        Raises:
            NameUnknown: if there is no such form.
        """
        from referee.report.documents import document_of
        from referee.report.render import FORMATS

        return FORMATS[form](document_of(self), **options)

    def plot(self, theme: str = "light", *, figure: str = "all") -> Any:
        """Return charts of the result (an altair chart; needs the extra `report`).

        Args:
            theme: light or dark.
            figure: all of them side by side, or one with the verdict above it: "main", or its key, such as "luck".

        Raises:
            OptionError: if there is no such theme or figure, or the extra `report` is not there.
        """
        from referee.report import charts, slide

        return charts.plot(self, theme) if figure == slide.ALL else slide.slide(self, figure, theme)

    def __str__(self) -> str:
        return self.to("text")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A dataclass writes its own, with every field, unless the class has one; and IPython prefers that of the class itself.
        cls.__repr__ = Reported.__repr__  # type: ignore[method-assign]
        cls._repr_pretty_ = Reported._repr_pretty_  # type: ignore[method-assign]

    def __repr__(self) -> str:
        from referee.report.short import two_lines

        try:
            return two_lines(self)
        except Exception:  # a debugger also shows what is half made
            return object.__repr__(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the text where IPython shows a result itself, and two lines where it is inside of something else."""
        printer.text(repr(self) if cycle or len(printer.stack) > 1 else str(self))

    def _repr_html_(self) -> str:
        from referee.report.documents import document_of
        from referee.report.render.notebook import render

        return render(document_of(self))


def transposed(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns; they have those of the first."""
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}


def columns_of(results: Sequence[Any], columns: Sequence[str]) -> dict[str, list[Any]]:
    """Return the columns of results that have two sides; what is not there is None."""
    paths = {column: PLACES.get(column, column).split(".") for column in columns}
    return {
        column: [as_json(reduce(lambda part, name: getattr(part, name, None), path, result)) for result in results]
        for column, path in paths.items()
    }
