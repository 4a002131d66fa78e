"""Issuing of documents: from the request to the outcome."""
