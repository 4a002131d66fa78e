"""The authorities: which one serves a state, the addresses of their services, and consult pages."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.table import Derived, Table

NATIONAL = "AN"
"""The national environment: distribution, and events of recipients."""


@dataclass(frozen=True, slots=True)
class StateAuthorizer:
    """The authorities of a state for a model."""

    model: Annotated[str, "[0-9]{2}"]
    state: Annotated[str, "[A-Z]{2}"]
    authorizer: Annotated[str, "[A-Z]{2,5}"]
    contingency: Annotated[str, "[A-Z]{2,5}"] | None
    """None if contingency means to issue first and send later."""


AUTHORIZERS: Table[tuple[str, str], StateAuthorizer] = Table(
    "authorizers", StateAuthorizer, lambda row: (row.model, row.state)
)


def states_of(model: str, authorizer: str) -> frozenset[str]:
    """Returns the states that an authority serves, always or in contingency."""
    return _STATES.value.get((model, authorizer), frozenset())


def is_contingency(authorizer: str) -> bool:
    """Returns whether an authority only serves while others are out of service."""
    return authorizer in _CONTINGENCY_AUTHORITIES.value


def is_contingency_of(model: str, authorizer: str, state: str) -> bool:
    """Returns whether an authority serves a state (`SP`) only while the state's own is out of service.

    SVRS and SVSP always serve some states with CT-e, and others in contingency. An authority that serves no
    state otherwise is a contingency for every state.
    """
    serving = AUTHORIZERS.rows.get((model, state))
    return is_contingency(authorizer) or (serving is not None and serving.contingency == authorizer)


def serves_in_contingency(authorizer: str) -> bool:
    """Returns whether an authority serves any state in contingency, with any model."""
    return any(row.contingency == authorizer for row in AUTHORIZERS.values())


def _states() -> Mapping[tuple[str, str], frozenset[str]]:
    states: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in AUTHORIZERS.values():
        for authorizer in (row.authorizer, row.contingency):
            if authorizer:
                states[row.model, authorizer].add(row.state)
    return {authority: frozenset(codes) for authority, codes in states.items()}


_STATES = Derived(_states)
_CONTINGENCY_AUTHORITIES = Derived(
    lambda: (
        {row.contingency for row in AUTHORIZERS.values()} - {row.authorizer for row in AUTHORIZERS.values()}
    )
)


@dataclass(frozen=True, slots=True)
class AuthorityEndpoint:
    """The address of a service of an authority in an environment."""

    model: Annotated[str, "[0-9]{2}|nfse"]
    """Two digits, or the name of a document type without a model."""
    authorizer: Annotated[str, "[A-Z]{2,5}"]
    environment: Environment
    service: Annotated[str, "[A-Za-z0-9]+"]
    """The official name of the service, as in the namespace of its messages or in its path."""
    url: Annotated[str, "https://.+"]


ENDPOINTS: Table[tuple[str, str, str, str], AuthorityEndpoint] = Table(
    "endpoints", AuthorityEndpoint, lambda row: (row.model, row.authorizer, row.environment, row.service)
)


def services_of(model: str, authorizer: str) -> frozenset[str]:
    """Returns the services of an authority for a model."""
    return _SERVICES.value.get((model, authorizer), frozenset())


def is_authorizer(name: str) -> bool:
    """Returns whether an authority with this name exists."""
    return any(authorizer == name for _, authorizer in _SERVICES.value)


def _services() -> Mapping[tuple[str, str], frozenset[str]]:
    services: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for endpoint in ENDPOINTS.values():
        services[endpoint.model, endpoint.authorizer].add(endpoint.service)
    return {authority: frozenset(names) for authority, names in services.items()}


_SERVICES = Derived(_services)


@dataclass(frozen=True, slots=True)
class NfceAddresses:
    """The addresses for consulting an NFC-e, in the QR code and printed next to the key."""

    qr: str
    consult: str


@dataclass(frozen=True, slots=True)
class NfceAddressRow:
    """A form of the addresses of a state. Sources disagree for some states; the form to write comes first."""

    state: Annotated[str, "[A-Z]{2}"]
    environment: Environment
    qr: str
    consult: str


NFCE_ADDRESSES: Table[tuple[str, str, str, str], NfceAddressRow] = Table(
    "nfce_addresses", NfceAddressRow, lambda form: (form.state, form.environment, form.qr, form.consult)
)


def nfce_addresses(state: str, environment: Environment) -> NfceAddresses | None:
    """Returns the addresses for a new document."""
    return next(iter(all_nfce_addresses(state, environment)), None)


def all_nfce_addresses(state: str, environment: Environment) -> tuple[NfceAddresses, ...]:
    """Returns all forms of the addresses, for checking documents of other issuers."""
    return _BY_STATE.value.get((state, environment), ())


def _by_state() -> Mapping[tuple[str, str], tuple[NfceAddresses, ...]]:
    addresses: defaultdict[tuple[str, str], list[NfceAddresses]] = defaultdict(list)
    for form in NFCE_ADDRESSES.rows.values():
        addresses[form.state, form.environment].append(NfceAddresses(form.qr, form.consult))
    return {place: tuple(forms) for place, forms in addresses.items()}


_BY_STATE = Derived(_by_state)


@dataclass(frozen=True, slots=True)
class CteQrAddress:
    """The address in the QR code of CT-e and CT-e OS, by the authority of the issuer's state."""

    authorizer: Annotated[str, "[A-Z]{2,5}"]
    environment: Environment
    url: Annotated[str, "https?://[^?]+"]


CTE_QR_ADDRESSES: Table[tuple[str, str], CteQrAddress] = Table(
    "cte_qr_addresses",
    CteQrAddress,
    lambda row: (row.authorizer, row.environment),
    required=[
        (authorizer, environment)
        for authorizer in ("MG", "MS", "MT", "PR", "RS", "SP", "SVRS", "SVSP")
        for environment in Environment
    ],
)


def cte_qr_address(state: str, environment: Environment) -> str:
    """Returns the address for an issuer's state, which contingency does not change."""
    return CTE_QR_ADDRESSES.rows[AUTHORIZERS.rows["57", state].authorizer, environment].url


MDFE_QR_ADDRESS = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode"
"""The address in the QR code of MDF-e, the same for all states and both environments (MOC 3.00b, 9.2)."""
