"""The layout 4.00 of CT-e and its events."""
