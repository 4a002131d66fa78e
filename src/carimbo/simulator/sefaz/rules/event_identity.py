"""The author of an event, its document, its authority and its moment (MOC 7.0, table 5-35)."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from carimbo.fiscal.tables.authorizers import NATIONAL, states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.sefaz.event import JudgedEvent
from carimbo.simulator.sefaz.event_type import EventType
from carimbo.simulator.sefaz.key_parts import EMISSION, ISSUER, STATE
from carimbo.simulator.sefaz.protocols import NATIONAL_ORGAN
from carimbo.simulator.sefaz.rules.dates import TOLERANCE
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

EventT = TypeVar("EventT", bound=JudgedEvent)
_NORMAL = "1"


def event_rule(code: str, broken: Callable[[EventT], Finding], types: Collection[EventType]) -> Rule[EventT]:
    """Makes a rule about some types of events; every other type passes it."""
    codes = frozenset(event_type.code for event_type in types)
    return Rule(code, lambda event: event.type.code in codes and broken(event))


def state_rules(types: Iterable[EventType]) -> tuple[Rule[JudgedEvent], ...]:
    """Makes the rules about the states of documents that events of some types are refused in."""
    codes = {code: None for event_type in types for code in event_type.refused_in.values()}

    def refused_with(code: str) -> Callable[[JudgedEvent], Finding]:
        return lambda event: (
            event.document is not None and event.type.refused_in.get(event.document.status) == code
        )

    return tuple(Rule(code, refused_with(code)) for code in codes)


def id_differs_from_its_fields(event: JudgedEvent) -> bool:
    """MOC 7.0, P07-10."""
    sequence = str(event.sequence).zfill(event.dialect.sequence_digits)
    return event.id != f"ID{event.type.code}{event.access_key}{sequence}"


def organ_of_another_state(event: JudgedEvent) -> bool:
    """MOC 7.0, P08-10."""
    if event.place.authorizer == NATIONAL:
        return False
    state, model = state_of_ibge(event.text("cOrgao")), event.dialect.model_at(event.place)
    return state is None or state.code not in states_of(model, event.place.authorizer)


def organ_is_not_national(event: JudgedEvent) -> bool:
    """MOC 7.0, P08: events of recipients are sent to the national environment."""
    return event.place.authorizer == NATIONAL and event.text("cOrgao") != NATIONAL_ORGAN


def other_environment(event: JudgedEvent) -> bool:
    """MOC 7.0, P09-10."""
    return event.text("tpAmb") != event.place.environment


def wrong_company(event: JudgedEvent) -> bool:
    """MOC 7.0, P10-10."""
    return not event.text("CPF") and not is_cnpj(event.text("CNPJ"))


def wrong_person(event: JudgedEvent) -> bool:
    """MOC 7.0, P11-10."""
    return bool(event.text("CPF")) and not is_cpf(event.text("CPF"))


def document_of_another_state(event: JudgedEvent) -> bool:
    """MOC 7.0, P12-40."""
    return event.place.authorizer != NATIONAL and event.access_key[STATE] != event.text("cOrgao")


def author_is_not_the_issuer(event: JudgedEvent) -> bool:
    """MOC 7.0, P12-44."""
    return event.type.by_issuer and event.author.zfill(14) != event.access_key[ISSUER]


def in_the_future(event: JudgedEvent) -> bool:
    """MOC 7.0, P13-10."""
    return event.occurred_at > event.world.now + TOLERANCE


def before_the_issue(event: JudgedEvent) -> bool:
    """MOC 7.0, 2P13-10."""
    return event.document is not None and event.occurred_at < event.document.issued_at


def registered_already(event: JudgedEvent) -> Finding:
    """MOC 7.0, 3P15-10."""
    same = (event.type.code, event.sequence)
    known = next((earlier for earlier in event.earlier if (earlier.type, earlier.sequence) == same), None)
    return f"[nProt:{known.protocol}]" if known else None


def document_unknown(event: JudgedEvent) -> Finding:
    """MOC 7.0, 2P12-10: if the number has another key, the issuer is told which."""
    if event.document or not event.type.is_bound:
        return None
    number_id = event.dialect.number_id(event.access_key)
    holder = event.ledger.holder_of_number(event.place.environment, number_id)
    if holder and holder.access_key != event.access_key:
        return f"[{event.dialect.key_tag}:{holder.access_key}]"
    return True


def before_the_authorization(event: JudgedEvent) -> bool:
    """MOC 7.0, 2P13-14: of a document that was not issued in contingency."""
    document = event.document
    if document is None or event.access_key[EMISSION] != _NORMAL:
        return False
    return document.issued_at <= event.occurred_at < document.received_at - TOLERANCE


def other_protocol(event: JudgedEvent) -> bool:
    """MOC 7.0, 2P23-10: the event names another protocol than that of the document."""
    return event.document is not None and event.detail.text("nProt") != event.document.protocol
