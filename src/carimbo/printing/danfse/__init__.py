"""The DANFSe v2.0: the paper of a national NFS-e (NT SE/CGNFS-e 008)."""
