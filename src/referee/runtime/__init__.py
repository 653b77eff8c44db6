"""Runtime: what every job stands on and that knows nothing of statistics: streams of draws, stores, progress, processes, files written whole."""
