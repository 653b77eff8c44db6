"""Readers: files that people already have, each recognised by what is in it, become runs of a system."""
