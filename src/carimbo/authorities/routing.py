"""Which authority a question goes to."""

from carimbo.authorities.endpoints import UnknownPlace
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.tables.authorizers import AUTHORIZERS
from carimbo.fiscal.tables.states import State, state_of_ibge

# The emission type (tpEmis) names the contingency authority, whatever the state's is by now.
_CONTINGENCIES = {
    ("55", "6"): "SVCAN",
    ("55", "7"): "SVCRS",
    ("57", "7"): "SVRS",
    ("57", "8"): "SVSP",
    ("67", "7"): "SVRS",
    ("67", "8"): "SVSP",
}


def authorizer_of(model: str, state: str) -> str:
    """The authority that serves the issuers of a state in normal times."""
    serving = AUTHORIZERS.get((model, state))
    if serving is None:
        raise UnknownPlace(f"Nenhuma autoridade autoriza o modelo {model} para {state}.")
    return serving.authorizer


def authorizer_of_key(access_key: AccessKey) -> str:
    """The authority that a document was or will be sent to, which its key tells."""
    contingency = _CONTINGENCIES.get((access_key.model, access_key.emission_type))
    return contingency or home_of_key(access_key)


def home_of_key(access_key: AccessKey) -> str:
    """The authority of the issuer's state in normal times, which in the end has every document."""
    return authorizer_of(access_key.model, state_of_code(access_key.state_code).code)


def state_of_code(code: str) -> State:
    """The state of a two-digit IBGE code."""
    state = state_of_ibge(code)
    if state is None:
        raise UnknownPlace(f"Nenhuma UF tem o código {code}.")
    return state
