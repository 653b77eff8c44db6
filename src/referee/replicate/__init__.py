"""One file a paper: its tables and figures again, ours beside theirs."""
