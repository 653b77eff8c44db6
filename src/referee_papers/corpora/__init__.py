"""Corpora: documents with categories, and what models predict of them."""
