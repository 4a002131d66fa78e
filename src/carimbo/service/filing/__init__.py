"""Filings at an authority: events of documents, and inutilization of numbers."""
