"""Document types: one package for each, with the same file names, or one module if it only has settings."""
