"""Writing the page and its charts."""

from pathlib import Path
from typing import Any

from benchmarks.calibration import charts
from benchmarks.calibration.page import render


def write(numbers: dict[str, Any], folder: Path) -> None:
    """Write calibration.md and the charts beside it."""
    (folder / "calibration.md").write_text(render(numbers), encoding="utf-8")
    charts.write(charts.charts(numbers), folder / "calibration")
