"""Renderers: any document in one form. A file here that marks its function with `output_format` is an output format."""

from __future__ import annotations

import importlib
import pkgutil

from referee.report.render.base import FORMATS

__all__ = ["FORMATS"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
