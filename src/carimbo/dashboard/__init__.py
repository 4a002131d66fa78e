"""The dashboard: pages for people, at `/painel`."""
