"""The running simulator: HTTP server, dispatch to the families, journal, triggers and control API."""
