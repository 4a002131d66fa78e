"""The program that issues, as the national layout has room for its name (verAplic)."""

from carimbo.fiscal.software import Software

_LONGEST = 20


def application_version(software: Software) -> str:
    """Its name, cut to what fits."""
    return software.name[:_LONGEST]
