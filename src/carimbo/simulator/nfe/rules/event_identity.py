"""Who tells an event, of which document, to whom and when (MOC 7.0, table 5-35)."""

from datetime import timedelta

from carimbo.fiscal.tables.authorizers import NATIONAL, states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.nfe.answers import NATIONAL_ORGAN
from carimbo.simulator.nfe.case import NFCE
from carimbo.simulator.nfe.contingency import model_of
from carimbo.simulator.nfe.event_case import MANIFESTATIONS, EventCase
from carimbo.simulator.nfe.key_parts import ISSUER, MODEL, STATE
from carimbo.simulator.nfe.rules.asked_key import ASKED_KEY_RULES
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

TOLERANCE = timedelta(minutes=5)
"""Between the clocks of author and authority (MOC 7.0, P13-10)."""


def id_differs_from_its_fields(case: EventCase) -> bool:
    """MOC 7.0, P07-10."""
    return case.id != f"ID{case.type}{case.access_key}{case.sequence:02d}"


def organ_of_another_state(case: EventCase) -> bool:
    """MOC 7.0, P08-10."""
    if case.place.authorizer == NATIONAL:
        return False
    state = state_of_ibge(case.text("cOrgao"))
    return state is None or state.code not in states_of(model_of(case.place), case.place.authorizer)


def organ_is_not_national(case: EventCase) -> bool:
    """MOC 7.0, P08: events of recipients are told to the national environment."""
    return case.place.authorizer == NATIONAL and case.text("cOrgao") != NATIONAL_ORGAN


def other_environment(case: EventCase) -> bool:
    """MOC 7.0, P09-10."""
    return case.text("tpAmb") != case.place.environment


def wrong_company(case: EventCase) -> bool:
    """MOC 7.0, P10-10."""
    return not case.text("CPF") and not is_cnpj(case.text("CNPJ"))


def wrong_person(case: EventCase) -> bool:
    """MOC 7.0, P11-10."""
    return bool(case.text("CPF")) and not is_cpf(case.text("CPF"))


def person_of_a_receipt(case: EventCase) -> bool:
    """MOC 7.0, P11-20."""
    return bool(case.text("CPF")) and case.access_key[MODEL] == NFCE


def document_of_another_state(case: EventCase) -> bool:
    """MOC 7.0, P12-40."""
    return case.place.authorizer != NATIONAL and case.access_key[STATE] != case.text("cOrgao")


def author_is_not_the_issuer(case: EventCase) -> bool:
    """MOC 7.0, P12-44."""
    return case.type not in MANIFESTATIONS and case.author.zfill(14) != case.access_key[ISSUER]


def in_the_future(case: EventCase) -> bool:
    """MOC 7.0, P13-10."""
    return case.occurred_at > case.world.now + TOLERANCE


def before_the_issue(case: EventCase) -> bool:
    """MOC 7.0, 2P13-10."""
    return case.document is not None and case.occurred_at < case.document.issued_at


def registered_already(case: EventCase) -> Finding:
    """MOC 7.0, 3P15-10."""
    known = (one for one in case.earlier if (one.type, one.sequence) == (case.type, case.sequence))
    event = next(known, None)
    return f"[nProt:{event.protocol}]" if event else None


EVENT_IDENTITY_RULES: tuple[Rule[EventCase], ...] = (
    Rule("572", id_differs_from_its_fields),
    Rule("250", organ_of_another_state),
    Rule("657", organ_is_not_national),
    Rule("252", other_environment),
    Rule("489", wrong_company),
    Rule("490", wrong_person),
    Rule("408", person_of_a_receipt),
    *ASKED_KEY_RULES,
    Rule("249", document_of_another_state),
    Rule("574", author_is_not_the_issuer),
    Rule("578", in_the_future),
    Rule("577", before_the_issue),
    Rule("573", registered_already),
)
