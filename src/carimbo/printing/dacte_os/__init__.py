"""The DACTE OS, the printed form of a CT-e OS; what it shares with the DACTE is in `dacte`."""
