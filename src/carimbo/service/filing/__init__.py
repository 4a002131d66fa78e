"""Statements to an authority other than documents: events, and numbers that are given up."""
