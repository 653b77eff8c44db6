"""Results: frozen and complete; they import the data only."""
