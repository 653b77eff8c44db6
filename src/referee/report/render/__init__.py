"""Renderers: any document in one form. A file here that marks its function with `output_format` is an output format."""

from __future__ import annotations

from referee.registry import discover
from referee.report.render.base import FORMATS

__all__ = ["FORMATS"]

discover(__name__)
