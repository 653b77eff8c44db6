"""Plans: how many examples, groups or runs it takes to detect a difference."""
