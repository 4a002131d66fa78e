"""Tables of official codes, each with its source and date."""
