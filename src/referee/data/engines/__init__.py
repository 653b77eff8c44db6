"""Engines: from arrays, frames and files to grouped rows of outcomes. No engine knows a metric or a policy."""
