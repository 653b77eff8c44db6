"""Benchmarks: referee and its peers, side by side in one run. `make bench` runs them and writes docs/benchmarks.md."""
