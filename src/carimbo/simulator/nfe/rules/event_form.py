"""The form of an event: its type, its version and its XSD (MOC 7.0, D04 to D06)."""

import re
from copy import deepcopy

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.tables.authorizers import NATIONAL, is_contingency
from carimbo.simulator.nfe.answers import NAMESPACE
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.case import NFCE, NFE
from carimbo.simulator.nfe.contingency import model_of
from carimbo.simulator.nfe.event_case import (
    ACKNOWLEDGED,
    CANCELLATION,
    CANCELLATIONS,
    CONCLUSIVE,
    CORRECTION,
    MANIFESTATIONS,
    SCHEMAS,
    SUBSTITUTION,
    EventCase,
)
from carimbo.simulator.nfe.rules.message import misformed
from carimbo.simulator.rule import Finding, Rule

_BY_ISSUERS = {NFE: frozenset({CANCELLATION, CORRECTION}), NFCE: CANCELLATIONS | {CORRECTION}}
_VERSION = "1.00"
_LONGEST_SEQUENCES = {
    CORRECTION: 20,
    ACKNOWLEDGED: 1,
    **dict.fromkeys(CANCELLATIONS, 1),
    # A recipient may change its mind once (NT 2020.001).
    **dict.fromkeys(CONCLUSIVE, 2),
}
_DETAIL = "detEvento"
# e110112_v1.00.xsd (NT 2018.004), which no package at hand has.
_SUBSTITUTION = {
    "descEvento": r"Cancelamento por substitui(?:cao|ção)",
    "cOrgaoAutor": r"[0-9]{2}",
    "tpAutor": r"[0-9]",
    "verAplic": r"\S.{0,18}\S|\S",
    "nProt": r"[0-9]{15}(?:[0-9]{2})?",
    "xJust": r"[!-ÿ][ -ÿ]{13,253}[!-ÿ]",
    "chNFeRef": r"[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
}
_PLAIN_CANCELLATION = (
    f'<detEvento xmlns="{NAMESPACE}" versao="1.00"><descEvento>Cancelamento</descEvento>'
    f"<nProt>{'0' * 15}</nProt><xJust>{'x' * 15}</xJust></detEvento>"
)


def type_not_taken_here(case: EventCase) -> bool:
    """MOC 7.0, D04: the national environment takes those of recipients, the others those of issuers."""
    if case.place.authorizer == NATIONAL:
        return case.type not in MANIFESTATIONS
    return case.type not in _BY_ISSUERS[model_of(case.place)]


def not_offered_in_contingency(case: EventCase) -> bool:
    """MOC 7.0, anexo III, 2.1.3.4: an SVC takes cancellations alone."""
    return is_contingency(case.place.authorizer) and case.type == CORRECTION


def other_version(case: EventCase) -> bool:
    """MOC 7.0, D05."""
    return case.text("verEvento") != _VERSION


def sequence_too_high(case: EventCase) -> bool:
    """MOC 7.0, P15-10, GA03 and H02."""
    return case.sequence > _LONGEST_SEQUENCES.get(case.type, 1)


def misformed_event(case: EventCase) -> Finding:
    """MOC 7.0, D01: the part that all events share."""
    found = _fault(case)
    return found if found and f"/{_DETAIL}" not in found else None


def misformed_detail(case: EventCase) -> Finding:
    """MOC 7.0, D06: the part that each type has for itself."""
    found = _fault(case)
    return found if found and f"/{_DETAIL}" in found else None


def _fault(case: EventCase) -> str:
    if case.type == SUBSTITUTION:
        return _checked(_as_cancellation(case.element), Schema.NFE_CANCELLATION, case) or _substitution(case)
    schema = SCHEMAS.get(case.type)
    return _checked(case.element, schema, case) if schema else ""


def _checked(element: etree._Element, schema: Schema, case: EventCase) -> str:
    call = Call(root=element, text=b"", schema=schema, sender=None, place=case.place, world=case.world)
    return str(misformed(call) or "")


def _as_cancellation(event: etree._Element) -> etree._Element:
    """The event with the detail of a plain cancellation, whose XSD knows what the two types share."""
    plain = deepcopy(event)
    for told in plain.iterchildren("{*}infEvento"):
        for child in told.iterchildren("{*}tpEvento"):
            child.text = CANCELLATION
        for child in told.iterchildren(f"{{*}}{_DETAIL}"):
            told.replace(child, etree.fromstring(_PLAIN_CANCELLATION))
    return plain


def _substitution(case: EventCase) -> str:
    """What is wrong with the detail of a cancellation by substitution."""
    found = case.told.group(_DETAIL)
    texts = dict(found.texts) if found else {}
    if found is None or list(texts) != list(_SUBSTITUTION) or found.attributes.get("versao") != _VERSION:
        return f"[evento/infEvento/{_DETAIL}: elemento inesperado, repetido ou ausente]"
    wrong = (tag for tag, pattern in _SUBSTITUTION.items() if not re.fullmatch(pattern, texts[tag]))
    tag = next(wrong, "")
    return f"[evento/infEvento/{_DETAIL}/{tag}: formato inválido]" if tag else ""


EVENT_FORM_RULES: tuple[Rule[EventCase], ...] = (
    Rule("491", type_not_taken_here),
    Rule("586", not_offered_in_contingency),
    Rule("492", other_version),
    Rule("594", sequence_too_high),
    Rule("215", misformed_event),
    Rule("493", misformed_detail),
)
