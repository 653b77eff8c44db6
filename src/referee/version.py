"""The version, in one place for all that print it."""

__version__ = "0.2.0"
