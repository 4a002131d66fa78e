"""Use cases: what the service does, whichever door the request came through."""
