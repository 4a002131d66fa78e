"""The DANFSe v2.0, the printout of a national NFS-e (NT SE/CGNFS-e 008)."""
