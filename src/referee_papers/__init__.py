"""One module or package per paper: its tables and figures again, ours beside theirs."""
