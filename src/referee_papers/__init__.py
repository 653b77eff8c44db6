"""One module or package per paper: its tables and figures, ours beside theirs."""
