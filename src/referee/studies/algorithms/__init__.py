"""Learning algorithms compared: designs of splits, fits, and tests on the scores of the splits."""
