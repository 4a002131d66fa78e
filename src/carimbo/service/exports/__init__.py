"""Exports: lists as CSV files, archives of a month as ZIP files, links to these, and monthly e-mails."""
