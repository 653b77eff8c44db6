"""Populations: what trained models predicted of large corpora, as counts, from which test sets are drawn."""
