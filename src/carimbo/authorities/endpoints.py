"""Where a service of an authority is: at the official address, or at the simulator's."""

from typing import Protocol

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.registry import MODULES
from carimbo.fiscal.tables.endpoints import ENDPOINTS, services_of

# What the simulator calls the documents of a model, or of a type that has none.
_FAMILIES = {kind.model or kind.name: kind.name.lower() for kind in MODULES}
_ENVIRONMENTS = {Environment.PRODUCTION: "produção", Environment.HOMOLOGATION: "homologação"}
_PREFIXES = {Environment.PRODUCTION: "/producao", Environment.HOMOLOGATION: ""}


class UnknownPlace(LookupError):
    """There is no such service, authority or state; the message is Portuguese."""


class Endpoints(Protocol):
    """Knows where services are."""

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        """The address of a service by its official name, or UnknownPlace."""


class OfficialEndpoints:
    """The authorities' own addresses, by the table in force."""

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        """The address of a service by its official name, or UnknownPlace."""
        found = ENDPOINTS.get((model, authorizer, environment, service))
        if found is None:
            raise _unknown(model, authorizer, environment, service)
        return found.url


class SimulatorEndpoints:
    """The simulator's addresses, for the services that the authorities have."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url.rstrip("/")

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        """The address of a service by its official name, or UnknownPlace."""
        if service not in services_of(model, authorizer):
            raise _unknown(model, authorizer, environment, service)
        prefix = self._base + _PREFIXES[environment]
        return f"{prefix}/{authorizer.lower()}/{_FAMILIES[model]}/{service}"


def _unknown(model: str, authorizer: str, environment: Environment, service: str) -> UnknownPlace:
    where = f"para o modelo {model} em {_ENVIRONMENTS[environment]}"
    return UnknownPlace(f"{authorizer} não tem o serviço {service} {where}.")
