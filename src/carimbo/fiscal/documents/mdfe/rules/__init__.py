"""The rules of the authority for MDF-e, in books by subject."""
