"""What SEFAZ checks, a concern a file; each rule is a value with its official code."""
