"""The access key and what it is made of, and whether this is the place to send the document to."""

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.contingency import contingency_is_open
from carimbo.simulator.sefaz.rules.key import (
    key_differs_from_its_fields,
    other_environment,
    state_of,
    state_of_another_authorizer,
    wrong_check_digit,
)

_DIGITS = "0123456789"
_TRIVIAL_CODES = frozenset(
    {digit * 8 for digit in _DIGITS} | {(_DIGITS * 2)[start:][:8] for start in range(len(_DIGITS))}
)
_EMISSION_AT = {"SVCAN": "6", "SVCRS": "7"}
"""`tpEmis` by contingency authority."""
_EPEC = "4"
_BY_THE_AUTHORITY = frozenset("12")
"""`procEmi` of documents that are issued on the site of an authority."""
_SERIES_OF_AUTHORITIES = range(890, 920)
_SERIES_OF_TAXPAYERS = frozenset((*range(890), *range(920, 970)))
_SERIES_OF_COMPANIES = range(910)
_SERIES_OF_PEOPLE = frozenset((*range(890, 900), *range(910, 970)))


def trivial_numeric_code(case: Case) -> bool:
    """NT 2019.001, B03-10."""
    code = case.text("ide/cNF")
    return code in _TRIVIAL_CODES or int(code) == case.number


def receipt_among_invoices(case: Case) -> bool:
    """MOC 7.0, B06-30."""
    return case.dialect.model_at(case.place) == NFE != case.model


def invoice_among_receipts(case: Case) -> bool:
    """MOC 7.0, B06-40."""
    return case.dialect.model_at(case.place) == NFCE != case.model


def contingency_at_the_normal_authorizer(case: Case) -> bool:
    """MOC 7.0, B22-30; 3 has become the special regime of the NFF (NT 2021.002)."""
    return not is_contingency(case.place.authorizer) and case.emission in _EMISSION_AT.values()


def other_emission_at_the_contingency(case: Case) -> bool:
    """MOC 7.0, B22-60."""
    expected = _EMISSION_AT.get(case.place.authorizer)
    return expected is not None and case.emission != expected


def contingency_is_closed(case: Case) -> bool:
    """MOC 7.0, anexo III: an SVC works for a state from when the state asks for it until it ends it."""
    at_contingency = is_contingency(case.place.authorizer)
    return at_contingency and not contingency_is_open(case, state_of(case))


def series_of_authorities(case: Case) -> bool:
    """MOC 7.0, B26-10."""
    return not _is_by_an_authority(case) and case.series not in _SERIES_OF_TAXPAYERS


def series_of_taxpayers(case: Case) -> bool:
    """MOC 7.0, B26-20."""
    return _is_by_an_authority(case) and case.series not in _SERIES_OF_AUTHORITIES


def series_of_people(case: Case) -> bool:
    """MOC 7.0, C02-30."""
    return bool(case.text("emit/CNPJ")) and case.series not in _SERIES_OF_COMPANIES


def series_of_companies(case: Case) -> bool:
    """MOC 7.0, C02a-10."""
    return bool(case.text("emit/CPF")) and case.series not in _SERIES_OF_PEOPLE


def announced_nowhere(case: Case) -> bool:
    """NT 2014.001, 2AB08-40: no EPEC of the document is known, as the simulator takes none."""
    return case.emission == _EPEC


def _is_by_an_authority(case: Case) -> bool:
    return case.text("ide/procEmi") in _BY_THE_AUTHORITY


KEY_RULES: tuple[Rule[Case], ...] = (
    Rule("502", key_differs_from_its_fields),
    Rule("226", state_of_another_authorizer),
    Rule("897", trivial_numeric_code),
    Rule("450", receipt_among_invoices),
    Rule("775", invoice_among_receipts),
    Rule("570", contingency_at_the_normal_authorizer),
    Rule("713", other_emission_at_the_contingency),
    Rule("114", contingency_is_closed),
    Rule("253", wrong_check_digit),
    Rule("252", other_environment),
    Rule("244", series_of_authorities),
    Rule("451", series_of_taxpayers),
    Rule("503", series_of_people),
    Rule("495", series_of_companies),
    Rule("468", announced_nowhere),
)
