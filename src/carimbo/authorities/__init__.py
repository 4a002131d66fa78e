"""Clients of the tax authorities: SOAP services of SEFAZ, and the national NFS-e environment over REST."""
