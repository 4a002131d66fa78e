"""The simulated authority of MDF-e (model 58), layout 3.00."""
