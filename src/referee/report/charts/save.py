"""Saving: charts as files, with no browser and no network."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from referee.errors import OptionError
from referee.report.charts.theme import altair
from referee.runtime.atomic import write_whole
from referee.runtime.safe_text import replaced_in

PAGE = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>referee</title></head>\n<body>\n{}\n</body>\n</html>\n'
FORMATS = (".svg", ".png", ".html", ".json")


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file, whole or not at all; its ending says as what.

    Args:
        chart: an altair chart.
        path: of a .svg, .png, .html (a page with the drawing, no script) or .json file (Vega-Lite).

    Raises:
        OptionError: where the ending is another, or vl-convert is not there.
        InputError: where the file cannot be written.
    """
    ending = _ending(path)
    spec = specified(chart)
    if ending == ".json":
        write_whole(path, json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n")
    elif ending == ".png":
        write_whole(path, _convert().vegalite_to_png(spec, _version(spec), scale=2, allowed_base_urls=[]))
    else:
        drawn = svg(spec)
        # The drawing itself and no script: a page of scripts would run what a name has in it.
        write_whole(path, drawn if ending == ".svg" else PAGE.format(drawn))


def specified(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite has it, without signs on which the renderer would end this process."""
    spec: dict[str, Any] = replaced_in(chart.to_dict(validate=False))
    return spec


def svg(spec: dict[str, Any]) -> str:
    """Draw what Vega-Lite specifies as SVG; nothing is fetched for it."""
    drawn: str = _convert().vegalite_to_svg(spec, _version(spec), allowed_base_urls=[])
    return drawn


def check(path: str | os.PathLike[str]) -> None:
    """Raise where a chart could not be saved to this path: before the work, not after it.

    Raises:
        OptionError: where the ending is none of those possible, or the extra `report` is not there.
    """
    if _ending(path) != ".json":
        _convert()
    altair()


def _ending(path: str | os.PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise OptionError(f"a chart is saved as {', '.join(FORMATS)}; the file is {os.fspath(path)!r}")
    return ending


def _convert() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise OptionError("saving charts needs vl-convert: pip install 'referee[report]'") from error
    return vl_convert


def _version(spec: dict[str, Any]) -> str | None:
    """Return the version of Vega-Lite that the chart was made for, where it can be drawn by that one."""
    version = re.search(r"/v(\d+\.\d+)", spec["$schema"])
    return version[1] if version and version[1] in _convert().get_vegalite_versions() else None
