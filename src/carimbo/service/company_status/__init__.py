"""The status of a company: whether it can issue now, its warnings, contingency and municipality."""
