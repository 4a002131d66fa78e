"""Rules about the key, the place, the dates and the issuer of a CT-e or CT-e OS."""

from datetime import datetime, timedelta

from carimbo.simulator.cte.judged import NORMAL, JudgedTransport
from carimbo.simulator.identifiers import KEY_MODEL
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import contingency_is_open, in_contingency
from carimbo.simulator.sefaz.rules.documents import (
    already_held_as,
    issued_before,
    issued_in_the_future,
    key_differs_from_its_fields,
    number_of_another_document,
    other_environment,
    rejected_too_often,
    state_of,
    state_of_another_authorizer,
    wrong_check_digit,
)
from carimbo.simulator.sefaz.rules.issuer import (
    issuer_in_a_city_of_another_state,
    issuer_in_another_state,
    issuer_in_unknown_city,
    issuer_not_enabled,
    registration_of_another,
    registration_unknown,
    without_registration,
    wrong_company,
    wrong_registration,
)

EMISSION_AT = {"SVRS": "7", "SVSP": "8"}
"""`tpEmis` of the documents of other states, by authority."""
OFFLINE = frozenset("245")
"""`tpEmis` of documents that are used before they are authorized."""
_EPEC = "4"
_JUSTIFIED = frozenset("25")
_ONLINE = frozenset("1378")
_LIMIT = timedelta(hours=168)
_RESERVED_SERIES = range(890, 900)

LIMIT_RULES: tuple[RejectionRule[JudgedTransport], ...] = (RejectionRule("678", rejected_too_often),)


def other_model(cte: JudgedTransport) -> bool:
    """MOC CT-e, 721 and 732."""
    return cte.access_key[KEY_MODEL] != cte.dialect.model_at(cte.service_path)


def reserved_series(cte: JudgedTransport) -> bool:
    """MOC CT-e, 670."""
    return cte.series in _RESERVED_SERIES


def contingency_at_the_normal_authorizer(cte: JudgedTransport) -> bool:
    """MOC CT-e, 515."""
    return cte.emission in EMISSION_AT.values() and not in_contingency(cte, state_of(cte))


def other_emission_at_the_contingency(cte: JudgedTransport) -> bool:
    """MOC CT-e, 516."""
    if not in_contingency(cte, state_of(cte)):
        return False
    return cte.emission != EMISSION_AT[cte.service_path.authorizer]


def correction_at_the_contingency(cte: JudgedTransport) -> bool:
    """MOC CT-e, 517: an SVC takes neither complements nor substitutions."""
    return cte.kind != NORMAL and in_contingency(cte, state_of(cte))


def contingency_is_closed(cte: JudgedTransport) -> bool:
    """MOC CT-e, 114: an SVC serves a state only while the state requests it."""
    state = state_of(cte)
    return in_contingency(cte, state) and not contingency_is_open(cte, state)


def epec_unknown(cte: JudgedTransport) -> bool:
    """MOC CT-e, 641: the EPEC of the document is unknown, because the simulator accepts none."""
    return cte.emission == _EPEC


_BEFORE_MODEL_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("252", other_environment),
    RejectionRule("410", state_of_another_authorizer),
)
_AFTER_MODEL_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("227", key_differs_from_its_fields),
    RejectionRule("253", wrong_check_digit),
    RejectionRule("670", reserved_series),
    RejectionRule("247", issuer_in_another_state),
    RejectionRule("515", contingency_at_the_normal_authorizer),
    RejectionRule("516", other_emission_at_the_contingency),
    RejectionRule("517", correction_at_the_contingency),
    RejectionRule("114", contingency_is_closed),
)
KEY_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    *_BEFORE_MODEL_RULES,
    RejectionRule("732", other_model),
    *_AFTER_MODEL_RULES,
    RejectionRule("641", epec_unknown),
)
OS_KEY_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    *_BEFORE_MODEL_RULES,
    RejectionRule("721", other_model),
    *_AFTER_MODEL_RULES,
)
"""EPEC does not exist here."""

REGISTER_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("539", number_of_another_document),
    RejectionRule("204", already_held_as(DocumentStatus.AUTHORIZED)),
    RejectionRule("218", already_held_as(DocumentStatus.CANCELED)),
)


def justified_without_contingency(cte: JudgedTransport) -> bool:
    """MOC CT-e, 586: only documents that are used before they are authorized have a reason."""
    return cte.emission not in _JUSTIFIED and _contingency_since(cte) is not None


def contingency_without_reason(cte: JudgedTransport) -> bool:
    """MOC CT-e, 587."""
    return cte.emission in _JUSTIFIED and _contingency_since(cte) is None


def contingency_after_the_issue(cte: JudgedTransport) -> bool:
    """MOC CT-e, 588."""
    since = _contingency_since(cte)
    return since is not None and since > cte.issued_at


def _contingency_since(cte: JudgedTransport) -> datetime | None:
    text = cte.text("ide/dhCont")
    return datetime.fromisoformat(text) if text else None


DATE_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("586", justified_without_contingency),
    RejectionRule("587", contingency_without_reason),
    RejectionRule("588", contingency_after_the_issue),
    RejectionRule("212", issued_in_the_future),
    RejectionRule("228", issued_before(_LIMIT, _ONLINE)),
)


def wrong_substitute_registration(cte: JudgedTransport) -> bool:
    """MOC CT-e, 614: zeros."""
    return bool(cte.text("emit/IEST")) and not cte.text("emit/IEST").strip("0")


ISSUER_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("207", wrong_company),
    RejectionRule("229", without_registration),
    RejectionRule("209", wrong_registration),
    RejectionRule("614", wrong_substitute_registration),
    RejectionRule("230", registration_unknown),
    RejectionRule("231", registration_of_another),
    RejectionRule("203", issuer_not_enabled),
    RejectionRule("712", issuer_in_a_city_of_another_state),
    RejectionRule("713", issuer_in_unknown_city),
)
