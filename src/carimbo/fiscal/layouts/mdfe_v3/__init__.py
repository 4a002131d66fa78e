"""The layout of MDF-e 3.00 (model 58)."""
