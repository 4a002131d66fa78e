"""The two environments of every authority."""

from enum import StrEnum


class Environment(StrEnum):
    """An environment of the authorities; documents of homologation have no fiscal value."""

    PRODUCTION = "production"
    HOMOLOGATION = "homologation"

    @property
    def code(self) -> str:
        """The code of the environment in every layout (`tpAmb`)."""
        return "1" if self is Environment.PRODUCTION else "2"
