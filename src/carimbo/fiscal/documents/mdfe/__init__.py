"""MDF-e, model 58: cargo manifest."""
