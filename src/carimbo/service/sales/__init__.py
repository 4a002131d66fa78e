"""Sales: from the items of the catalog to the documents that invoice them."""
