"""NFS-e of the national standard, layout 1.01: one module per part of the DPS, and what is made of it."""
