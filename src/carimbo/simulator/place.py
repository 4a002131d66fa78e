"""Where a question is put: authorizer, environment, kind of document, service, and what follows it."""

from typing import NamedTuple, Self

from carimbo.fiscal.tables.endpoints import is_authorizer

PRODUCTION, HOMOLOGATION = "1", "2"
"""`tpAmb`."""

_PRODUCTION_PREFIX = "producao"
_PARTS = 3


class Place(NamedTuple):
    """`/svrs/nfe/NFeAutorizacao4`, or with `/producao` before it, for documents that have fiscal value."""

    authorizer: str
    """`SP`, `SVRS`, `SVCAN`, `AN`…"""
    environment: str
    family: str
    """The second part of the path, such as `nfe` and `nfce`."""
    service: str
    """As the path writes it."""
    rest: str = ""
    """What follows the service: `nfse/{key}/eventos` at a REST service, nothing at others."""

    @classmethod
    def of(cls, path: str) -> Self | None:
        """The place that a path names; None if there is no such authorizer."""
        parts = path.strip("/").split("/")
        environment = HOMOLOGATION
        if parts[0].lower() == _PRODUCTION_PREFIX:
            environment, parts = PRODUCTION, parts[1:]
        if len(parts) < _PARTS:
            return None
        authorizer = parts[0].upper().replace("-", "")
        if not is_authorizer(authorizer):
            return None
        return cls(authorizer, environment, parts[1].lower(), parts[2], "/".join(parts[_PARTS:]))
