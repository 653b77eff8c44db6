"""Saving: charts as files, and as elements of a page whose colours the page can change; no browser and no network."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from referee.errors import OptionError
from referee.report.charts.theme import FONT, THEMES, altair, extra
from referee.runtime.atomic import write_whole
from referee.runtime.safe_text import replaced_in

PAGE = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>referee</title></head>\n<body>\n{}\n</body>\n</html>\n'
FORMATS = (".svg", ".png", ".pdf", ".html", ".json")
SHARP = 3
"""Pixels of a PNG for each of the drawing: it is shown large on a slide."""
SVG = "http://www.w3.org/2000/svg"
DROPPED_ATTRIBUTES = ("role", "class", "href", "pointer-events", "style", "stroke-miterlimit")
DROPPED = ("script", "foreignObject", "style", "a", "image", "use", "title")
POINTING = re.compile(r"url\(#([^)]+)\)")
FINE = re.compile(r"-?\d+\.\d{3,}")
"""Numbers finer than a hundredth of a pixel."""


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file, whole or not at all; its ending says as what.

    Args:
        chart: an altair chart.
        path: of a .svg, .png, .pdf, .html (a page with the drawing, no script) or .json file (Vega-Lite).

    Raises:
        OptionError: if the ending is another, or vl-convert is not there.
        InputError: if the file cannot be written.
    """
    ending = _ending(path)
    spec = specified(chart)
    if ending == ".json":
        write_whole(path, json.dumps(spec, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n")
    elif ending == ".png":
        write_whole(path, _convert().vegalite_to_png(spec, _version(spec), scale=SHARP, allowed_base_urls=[]))
    elif ending == ".pdf":
        write_whole(path, _convert().vegalite_to_pdf(spec, _version(spec), allowed_base_urls=[]))
    else:
        drawn = svg(spec)
        # The drawing itself and no script: a page of scripts would run what a name has in it.
        write_whole(path, drawn if ending == ".svg" else PAGE.format(drawn))


def specified(chart: Any) -> Any:
    """Return a chart as Vega-Lite has it, without signs on which the renderer would end this process."""
    return replaced_in(chart.to_dict(validate=False))


def svg(spec: dict[str, Any]) -> Any:
    """Return the text of the SVG that Vega-Lite specifies; nothing is fetched for it."""
    return _convert().vegalite_to_svg(spec, _version(spec), allowed_base_urls=[])


def check(path: str | os.PathLike[str]) -> None:
    """Raise where a chart could not be saved to this path: before the work, not after it.

    Raises:
        OptionError: if the ending is none of those possible, or the extra `report` is not there.
    """
    if _ending(path) != ".json":
        _convert()
    altair()


def _ending(path: str | os.PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        formats = ", ".join(FORMATS)
        wrong = f"a chart is saved as {formats}; the file is {os.fspath(path)!r}"
        raise OptionError(wrong, argument="chart", value=path)
    return ending


def _convert() -> Any:
    return extra("vl_convert", "saving charts needs")


def _version(spec: dict[str, Any]) -> str | None:
    """Return the version of Vega-Lite that the chart was made for, where it can be drawn by that one."""
    version = re.search(r"/v(\d+\.\d+)", spec["$schema"])
    return version[1] if version and version[1] in _convert().get_vegalite_versions() else None


def inline(chart: Any, mark: str = "") -> str:
    """Draw a chart as an <svg> element for a page.

    Args:
        chart: that of a figure.
        mark: what the ids in it begin with; made of the drawing if left out.

    Returns:
        The element: colours are variables of the stylesheet with those of the theme to fall back on, nothing lies
        behind it, and there is no script and no address in it.
    """
    spec = specified(chart)
    theme = THEMES[spec.get("usermeta", {}).get("theme", "light")]
    names = {colour: f"var({name},{colour})" for name, colour in theme.variables().items()}
    drawn = svg(spec | {"background": "transparent"})
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    mark = mark or "c" + hashlib.sha256(drawn.encode()).hexdigest()[:10]
    _tidy(root, names, mark)
    for key in [key for key in root.attrib if key not in ("width", "height", "viewBox")]:
        del root.attrib[key]
    root.attrib |= {"font-family": FONT, "role": "img", "aria-label": str(spec.get("description", "chart"))}
    return ElementTree.tostring(root, encoding="unicode")


def _tidy(element: ElementTree.Element, names: dict[str, str], mark: str) -> None:
    """Drop what acts and what is not seen; colours become variables, and names in it become those of this drawing."""
    for child in list(element):
        tag = child.tag.rpartition("}")[2]
        if tag in DROPPED or (tag == "path" and not child.get("d")):
            element.remove(child)
        else:
            _tidy(child, names, mark)
    for key, value in list(element.attrib.items()):
        plain = key.rpartition("}")[2]
        if plain.startswith(("aria", "on")) or plain in DROPPED_ATTRIBUTES or (plain, value) == ("font-family", FONT):
            del element.attrib[key]
        elif plain in ("fill", "stroke", "stop-color"):
            element.attrib[key] = names.get(value.lower(), value)
        elif plain in ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"):
            element.attrib[key] = FINE.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
        elif plain == "id":
            element.attrib[key] = f"{mark}-{value}"
    for key, value in element.attrib.items():
        element.attrib[key] = POINTING.sub(rf"url(#{mark}-\1)", value)
