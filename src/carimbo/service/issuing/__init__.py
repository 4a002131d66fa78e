"""A document's way from the request to its outcome, a file a step."""
