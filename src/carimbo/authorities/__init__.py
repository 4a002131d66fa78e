"""How to reach the tax authorities: addresses, certificates, pauses, and what answers mean."""
