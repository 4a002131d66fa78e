"""Clients for webhooks and e-mail."""
