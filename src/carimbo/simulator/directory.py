"""What can be reached where: the authorizers of the official table, and their services."""

from collections.abc import Mapping, Sequence

from carimbo.fiscal.tables.endpoints import ENDPOINTS
from carimbo.simulator.family import Family
from carimbo.simulator.place import HOMOLOGATION, Place

Directory = Mapping[str, Mapping[str, Sequence[str]]]
"""By authorizer and by name of the family, the services."""


def directory_of(families: Sequence[Family]) -> Directory:
    """Ask every family for every service that an authorizer has for whatever model."""
    listed = {authorizer: _services_of(authorizer, families) for authorizer in _authorizers()}
    return {authorizer: services for authorizer, services in listed.items() if services}


def _authorizers() -> list[str]:
    return sorted({one.authorizer for one in ENDPOINTS.values()})


def _services_of(authorizer: str, families: Sequence[Family]) -> dict[str, Sequence[str]]:
    names = sorted({one.service for one in ENDPOINTS.values() if one.authorizer == authorizer})
    listed = {
        family.name: [
            name for name in names if family.describe(Place(authorizer, HOMOLOGATION, family.name, name), "")
        ]
        for family in families
    }
    return {family: services for family, services in listed.items() if services}


def told(directory: Directory) -> str:
    """The directory as a text for people."""
    lines = [
        f"/{authorizer.lower()}/{family}: {', '.join(services)}"
        for authorizer, families in directory.items()
        for family, services in families.items()
    ]
    return "\n".join(
        (
            "Não há nenhum serviço neste endereço.",
            "Homologação: /autorizador/família/Serviço. Produção: /producao/autorizador/família/Serviço.",
            "",
            *lines,
            "",
        )
    )
