"""The report: lines for the terminal, and the page docs/benchmarks.md."""

import inspect
import os
import platform
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from benchmarks.rows import Row

PACKAGES = (
    "referee",
    "numpy",
    "scipy",
    "pandas",
    "mlxtend",
    "statsmodels",
    "ranx",
    "numba",
    "MLstatkit",
    "scikit-learn",
)
HEAD = f"{'':66}{'referee':>10}{'peer':>12}{'ratio':>10}  target"
MET = {True: "met", False: "MISSED", None: ""}


def number(value: float | None, unit: str = "s") -> str:
    """Write a measurement with three digits and its unit."""
    if value is None:
        return ""
    if unit != "s":
        return f"{value:,.0f} MB" if unit == "MB" else f"{value:.2f}{unit}"
    for least, factor, name in ((120, 1 / 60, "min"), (1, 1, "s"), (1e-3, 1e3, "ms")):
        if value >= least:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e6:.0f} µs"


def theirs(row: Row) -> str:
    return ("~" if row.extrapolated else "") + number(row.theirs, row.unit)


def ratio(row: Row) -> str:
    return "" if row.ratio is None else f"{row.ratio:,.0f}x" if row.ratio >= 100 else f"{row.ratio:.1f}x"


def target(row: Row) -> str:
    if row.factor is not None:
        return "faster" if row.factor == 1 else f"≥ {row.factor:,.0f}x"
    return "" if row.limit is None else f"< {number(row.limit, row.unit)}"


def notes(row: Row) -> str:
    return "; ".join(filter(None, [row.extrapolated and f"~ from {row.extrapolated}", row.note]))


def line(row: Row) -> str:
    what = f"  {row.what}" + (f" / {row.peer}" if row.peer else "")
    told = f"{number(row.ours, row.unit):>10}{theirs(row):>12}{ratio(row):>10}  {target(row)} {MET[row.met]}"
    lead = f"{what:66}" if len(what) <= 66 else f"{what}\n{'':66}"
    return f"{lead}{told}".rstrip() + (f"\n      {notes(row)}" if notes(row) else "")


def summary(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row.met is not None]
    missed = [f"{row.what}{' against ' + row.peer if row.peer else ''}" for row in judged if not row.met]
    told = f"{len(judged) - len(missed)} of {len(judged)} targets met"
    return f"{told}. Missed: {'; '.join(missed)}." if missed else f"{told}."


def cpu() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return next(entry.split(":")[1].strip() for entry in text.splitlines() if entry.startswith("model name"))


def page(done: Sequence[tuple[str, ModuleType, list[Row]]], load: float, *, quick: bool) -> str:
    out = [
        "# Benchmarks",
        "`make bench` writes this page: it installs the peers into their own virtual environment, measures them and referee "
        "in the same run, and reports the results, missed targets included. A time is the best of several rounds; for calls "
        "under 20 ms, each round is the mean of several calls (start-up: the median of 5). A `~` marks a time extrapolated "
        "from the shorter run given in the notes.",
        f"{date.today().isoformat()}; {cpu()}, {os.cpu_count()} cores, load {load:.1f} at the start; "
        f"{platform.system()}; Python {platform.python_version()}; "
        + ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        + ("; a quick run, not for quoting" if quick else "")
        + ".",
        f"**{summary([row for _, _, rows in done for row in rows])}**",
    ]
    for name, module, rows in done:
        title, _, text = inspect.getdoc(module).partition("\n")
        table = ["| | referee | peer | its time | ratio | target | | notes |", "|---|--:|---|--:|--:|--:|---|---|"]
        for row in rows:
            cells = [row.what, number(row.ours, row.unit), row.peer, theirs(row), ratio(row), target(row), MET[row.met]]
            table.append("| " + " | ".join([*cells, notes(row)]) + " |")
        out += [f"## {title.rstrip('.')}", " ".join(text.split()), "\n".join(table)]
        out.append(f"Alone: `python -m benchmarks --only {name}`." + (" What was timed:" if module.TIMED else ""))
        code = "\n\n".join(inspect.getsource(f).rstrip() for f in module.TIMED)
        out.append(code and f"```python\n{code}\n```")
    return "\n\n".join(filter(None, out)) + "\n"
