"""Measures what every test does on data whose truth is known, and writes docs/calibration.md."""
