"""The simulated Sefin Nacional and its data environment, which issue NFS-e (DPS and NFS-e 1.01)."""
