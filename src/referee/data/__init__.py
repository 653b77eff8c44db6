"""Data: files, frames and arrays become counts."""
