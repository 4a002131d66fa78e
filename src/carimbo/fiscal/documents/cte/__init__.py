"""CT-e, model 57: freight."""
