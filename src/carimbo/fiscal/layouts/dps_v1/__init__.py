"""The national NFS-e, layout 1.01: groups of the DPS and of the issued note, events, and answers."""
