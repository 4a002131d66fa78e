"""Where the services of the authorities are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.table import Derived, Table


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of one service of one authority in one environment."""

    model: Annotated[str, "[0-9]{2}|nfse"]
    """Two digits, or the name of a type that has no model."""
    authorizer: Annotated[str, "[A-Z]{2,5}"]
    environment: Environment
    service: Annotated[str, "[A-Za-z0-9]+"]
    """Its official name, as in the namespace of its messages or in its path."""
    url: Annotated[str, "https://.+"]


ENDPOINTS: Table[tuple[str, str, str, str], Endpoint] = Table(
    "endpoints", Endpoint, lambda one: (one.model, one.authorizer, one.environment, one.service)
)


def services_of(model: str, authorizer: str) -> frozenset[str]:
    """The services that an authority has for a model."""
    return _SERVICES.value.get((model, authorizer), frozenset())


def is_authorizer(name: str) -> bool:
    """Tell whether there is an authority of this name."""
    return any(authorizer == name for _, authorizer in _SERVICES.value)


def _services() -> Mapping[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for one in ENDPOINTS.values():
        found.setdefault((one.model, one.authorizer), set()).add(one.service)
    return {place: frozenset(services) for place, services in found.items()}


_SERVICES = Derived(_services)
