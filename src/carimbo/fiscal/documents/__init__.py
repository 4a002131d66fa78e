"""One folder a document type, each with the same files."""
