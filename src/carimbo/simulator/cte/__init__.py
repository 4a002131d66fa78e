"""The simulated authorities of CT-e (model 57, layout 4.00)."""
