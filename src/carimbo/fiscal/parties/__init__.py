"""Parties of a document: companies, customers and recipients, and their addresses."""
