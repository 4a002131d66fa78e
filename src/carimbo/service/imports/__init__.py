"""Imports: CSV files of customers, products and sales, stored line by line; each refusal has its reason."""
