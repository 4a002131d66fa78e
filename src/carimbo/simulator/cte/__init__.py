"""The simulated authorities of CT-e (model 57) and CT-e OS (model 67), layout 4.00."""
