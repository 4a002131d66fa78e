"""Stored documents: queries, records, files, and the builder that makes new ones."""
