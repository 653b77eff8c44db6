"""Populations: what trained models predicted on large corpora, as counts, from which test sets are drawn."""
