"""Contracts between the catalog and document types: sales, and filling requests from the catalog."""
