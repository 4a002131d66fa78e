"""Rules about the key, the dates, the issuer and earlier documents of an MDF-e."""

from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.identifiers import KEY_STATE, KEY_YEAR
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.mdfe.dialect import CANCELLATION, CLOSING
from carimbo.simulator.mdfe.judged import OWN_CARGO, JudgedMdfe
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.dialect import JudgedEventType
from carimbo.simulator.sefaz.rules.documents import (
    already_held_as,
    issued_before,
    issued_in_the_future,
    key_differs_from_its_fields,
    number_of_another_document,
    other_environment,
    rejected_too_often,
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
    wrong_person,
    wrong_registration,
)

FIRST_YEAR = "12"
"""Of a key: MDF-e began in 2012."""
_NORMAL, _CONTINGENCY = "12"
"""`tpEmis`."""
_LIMIT, _LIMIT_IN_CONTINGENCY = timedelta(hours=24), timedelta(hours=168)
_SERIES_OF_PERSONS = range(920, 970)

LIMIT_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (RejectionRule("678", rejected_too_often),)


def state_differs_from_the_key(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 226: SVRS serves every state, so that only the key can be of another one."""
    return mdfe.text("ide/cUF") != mdfe.access_key[KEY_STATE]


def impossible_year(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 666."""
    return mdfe.access_key[KEY_YEAR] < FIRST_YEAR


KEY_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("252", other_environment),
    RejectionRule("226", state_differs_from_the_key),
    RejectionRule("247", issuer_in_another_state),
    RejectionRule("227", key_differs_from_its_fields),
    RejectionRule("253", wrong_check_digit),
    RejectionRule("666", impossible_year),
)
DATE_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("212", issued_in_the_future),
    RejectionRule("228", issued_before(_LIMIT, _NORMAL)),
    RejectionRule("228", issued_before(_LIMIT_IN_CONTINGENCY, _CONTINGENCY)),
)


def company_in_a_series_of_persons(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 232."""
    return bool(mdfe.text("emit/CNPJ")) and mdfe.series in _SERIES_OF_PERSONS


def person_in_a_series_of_companies(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 233."""
    return bool(mdfe.text("emit/CPF")) and mdfe.series not in _SERIES_OF_PERSONS


def person_with_cargo_of_others(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 234."""
    return bool(mdfe.text("emit/CPF")) and mdfe.issuer_type != OWN_CARGO


ISSUER_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("207", wrong_company),
    RejectionRule("232", company_in_a_series_of_persons),
    RejectionRule("210", wrong_person),
    RejectionRule("233", person_in_a_series_of_companies),
    RejectionRule("234", person_with_cargo_of_others),
    RejectionRule("229", without_registration),
    RejectionRule("209", wrong_registration),
    RejectionRule("203", issuer_not_enabled),
    RejectionRule("230", registration_unknown),
    RejectionRule("231", registration_of_another),
    RejectionRule("407", issuer_in_a_city_of_another_state),
    RejectionRule("408", issuer_in_unknown_city),
)


def ended_by(
    event_type: JudgedEventType, status: DocumentStatus, tag: str
) -> Callable[[JudgedMdfe], Finding]:
    """Returns a rule: an event has ended the stored document; the answer has its protocol and its time."""

    def has_ended(mdfe: JudgedMdfe) -> Finding:
        stored = mdfe.stored
        if stored is None or stored.status is not status:
            return None
        state = state_of_ibge(stored.access_key[KEY_STATE])
        for event in mdfe.ledger.events(stored.environment, stored.access_key):
            if event.type == event_type.code:
                moment = event.registered_at.astimezone(ZoneInfo(state.zone) if state else None)
                return f"[nProt:{event.protocol}][{tag}:{moment.isoformat(timespec='seconds')}]"
        return True

    return has_ended


REGISTER_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("539", number_of_another_document),
    RejectionRule("204", already_held_as(DocumentStatus.AUTHORIZED)),
    RejectionRule("218", ended_by(CANCELLATION, DocumentStatus.CANCELED, "dhCanc")),
    RejectionRule("609", ended_by(CLOSING, DocumentStatus.CLOSED, "dhEnc")),
)
