"""NFS-e: services, national standard."""
