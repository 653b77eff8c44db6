"""Studies: the verbs, which put data, metrics, tests and results together."""
