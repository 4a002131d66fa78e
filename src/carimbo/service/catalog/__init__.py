"""The catalog of a company, customers and items, and the official codes that items use."""
