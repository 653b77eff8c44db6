"""Readers: files that people already have, each recognised by its contents, become runs of a system."""
