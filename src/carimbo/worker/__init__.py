"""Does the queued work."""
