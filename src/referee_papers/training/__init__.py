"""Training: the models of the papers on a part of a corpus."""
