"""The DANFE, the printout of an NF-e on A4 paper (MOC 7.0, Anexo II; NT 2026.010)."""
