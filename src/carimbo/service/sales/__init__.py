"""Sales of the catalog: what was sold to whom, and the documents that this needs."""
