"""Which authority handles a request, and the URL of its service, official or in the simulator."""

from typing import Protocol

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.tables.authorities import AUTHORIZERS, ENDPOINTS, services_of
from carimbo.fiscal.tables.geography import State, state_of_ibge

# The path of a family in the simulator, by model, or by type name for a type without a model.
_FAMILIES = {
    document_type.model or document_type.name: document_type.name.lower() for document_type in DOCUMENT_TYPES
}
_ENVIRONMENTS = {Environment.PRODUCTION: "produção", Environment.HOMOLOGATION: "homologação"}
_PREFIXES = {Environment.PRODUCTION: "/producao", Environment.HOMOLOGATION: ""}


class UnknownEndpoint(LookupError):
    """No such service, authority or state; the message is Portuguese."""


class Endpoints(Protocol):
    """Finds the URLs of services."""

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        """Returns the URL of a service, given by its official name. Raises UnknownEndpoint."""


class OfficialEndpoints:
    """The official URLs, from the current table."""

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        """Returns the URL of a service, given by its official name. Raises UnknownEndpoint."""
        endpoint = ENDPOINTS.get((model, authorizer, environment, service))
        if endpoint is None:
            raise _unknown(model, authorizer, environment, service)
        return endpoint.url


class SimulatorEndpoints:
    """The URLs in the simulator, for the services that the authorities really have."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url.rstrip("/")

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        """Returns the URL of a service, given by its official name. Raises UnknownEndpoint."""
        if service not in services_of(model, authorizer):
            raise _unknown(model, authorizer, environment, service)
        prefix = self._base + _PREFIXES[environment]
        return f"{prefix}/{authorizer.lower()}/{_FAMILIES[model]}/{service}"


def _unknown(model: str, authorizer: str, environment: Environment, service: str) -> UnknownEndpoint:
    where = f"para o modelo {model} em {_ENVIRONMENTS[environment]}"
    return UnknownEndpoint(f"{authorizer} não tem o serviço {service} {where}.")


# The emission type (tpEmis) decides the contingency authority, even if the state uses another one by now.
_CONTINGENCIES = {
    ("55", "6"): "SVCAN",
    ("55", "7"): "SVCRS",
    ("57", "7"): "SVRS",
    ("57", "8"): "SVSP",
    ("67", "7"): "SVRS",
    ("67", "8"): "SVSP",
}


def authorizer_of(model: str, state: str) -> str:
    """Returns the normal authority of a state. Raises UnknownEndpoint."""
    serving = AUTHORIZERS.get((model, state))
    if serving is None:
        raise UnknownEndpoint(f"Nenhuma autoridade autoriza o modelo {model} para {state}.")
    return serving.authorizer


def authorizer_of_key(access_key: AccessKey) -> str:
    """Returns the authority that a document is sent to, as its access key says."""
    contingency = _CONTINGENCIES.get((access_key.model, access_key.emission_type))
    return contingency or home_of_key(access_key)


def home_of_key(access_key: AccessKey) -> str:
    """Returns the normal authority of the issuer's state, which eventually receives every document."""
    return authorizer_of(access_key.model, state_of_code(access_key.state_code).code)


def state_of_code(code: str) -> State:
    """Returns the state of a two-digit IBGE code. Raises UnknownEndpoint."""
    state = state_of_ibge(code)
    if state is None:
        raise UnknownEndpoint(f"Nenhuma UF tem o código {code}.")
    return state
