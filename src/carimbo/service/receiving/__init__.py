"""Receives the documents that others issue for companies: streams, the inbox, and statements about them."""
