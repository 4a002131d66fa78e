"""The two environments of every authority."""

from enum import StrEnum


class Environment(StrEnum):
    """The authority's environment; documents of homologation have no fiscal validity."""

    PRODUCTION = "production"
    HOMOLOGATION = "homologation"

    @property
    def code(self) -> str:
        """`tpAmb` of every layout."""
        return "1" if self is Environment.PRODUCTION else "2"
