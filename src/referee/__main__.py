"""`python -m referee` is `referee`."""

import sys

from referee.cli import main

if __name__ == "__main__":
    sys.exit(main())
