"""The tax authorities on this machine: they judge for themselves, and know nothing of how we issue."""
