"""NF-e, model 55: goods."""
