"""Runtime: what every job needs, without statistics: random streams, stores, progress, processes, atomic files."""
