"""The printed form of an MDF-e, and of its events."""
