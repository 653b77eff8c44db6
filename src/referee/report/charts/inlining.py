"""Inlining: a chart as an element of a page, whose colours the page can change."""

from __future__ import annotations

import hashlib
import re
from typing import Any
from xml.etree import ElementTree

from referee.report.charts.save import specified, svg
from referee.report.charts.theme import FONT, THEMES

SVG = "http://www.w3.org/2000/svg"
DROPPED_ATTRIBUTES = ("role", "class", "href", "pointer-events", "style", "stroke-miterlimit")
DROPPED = ("script", "foreignObject", "style", "a", "image", "use")
POINTING = re.compile(r"url\(#([^)]+)\)")
FINE = re.compile(r"-?\d+\.\d{3,}")
"""Numbers finer than a hundredth of a pixel."""


def inline(chart: Any) -> str:
    """Draw a chart as an <svg> element for a page.

    Args:
        chart: that of a figure.

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
    mark = "c" + hashlib.sha256(drawn.encode()).hexdigest()[:10]
    _tidy(root, names, mark)
    for key in [key for key in root.attrib if key not in ("width", "height", "viewBox")]:
        del root.attrib[key]
    root.attrib |= {"font-family": FONT, "role": "img", "aria-label": str(spec.get("description", "chart"))}
    return ElementTree.tostring(root, encoding="unicode")


def _tidy(element: ElementTree.Element, names: dict[str, str], mark: str) -> None:
    for child in list(element):
        if child.tag.rpartition("}")[2] in DROPPED or _is_empty(child):
            element.remove(child)
        else:
            _tidy(child, names, mark)
    for key, value in list(element.attrib.items()):
        plain = key.rpartition("}")[2]
        if (
            plain.startswith(("aria", "on"))
            or plain in DROPPED_ATTRIBUTES
            or (plain == "font-family" and value == FONT)
        ):
            del element.attrib[key]
        elif plain in ("fill", "stroke", "stop-color"):
            element.attrib[key] = names.get(value.lower(), value)
        elif plain in ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"):
            element.attrib[key] = FINE.sub(_rounded, value)
        elif plain == "id":
            element.attrib[key] = f"{mark}-{value}"
    for key, value in list(element.attrib.items()):
        if "url(" in value:
            element.attrib[key] = POINTING.sub(rf"url(#{mark}-\1)", value)


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _is_empty(element: ElementTree.Element) -> bool:
    """Say whether nothing of it would be seen."""
    tag = element.tag.rpartition("}")[2]
    return tag == "title" or (tag == "path" and not element.get("d"))
