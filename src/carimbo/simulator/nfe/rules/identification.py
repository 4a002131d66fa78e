"""Rules about the key, the number, the dates and the issuer of a document."""

from datetime import datetime, timedelta

from carimbo.fiscal.tables.geography import MUNICIPALITIES, state_of_ibge
from carimbo.simulator.identifiers import is_cnpj, is_cpf
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.nfe.dialect import NFCE, NFE
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.rules.facts import document_rule, in_nfe, in_receipts
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import contingency_is_open, in_contingency
from carimbo.simulator.sefaz.rules.documents import (
    TOLERANCE,
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
_INUTILIZED_NUMBERS_COUNT = frozenset("167")
_INUTILIZED_NUMBERS_COUNT_IN_SAO_PAULO = frozenset("245")
_SAO_PAULO = "35"
LIMIT_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (RejectionRule("656", rejected_too_often),)
_LIMIT = timedelta(days=30)
_ONLINE = frozenset("167")
"""`tpEmis` of documents that are authorized before the buyer gets them."""
_JUSTIFIED = frozenset("2459")
_NORMAL = "1"
_OUTBOUND = "1"
_EXEMPT = "ISENTO"
_SERIES_ISSUED_ON_SITE = range(890, 920)


def trivial_numeric_code(invoice: JudgedInvoice) -> bool:
    """NT 2019.001, B03-10."""
    code = invoice.text("ide/cNF")
    return code in _TRIVIAL_CODES or int(code) == invoice.number


def receipt_among_invoices(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B06-30."""
    return invoice.dialect.model_at(invoice.service_path) == NFE != invoice.model


def invoice_among_receipts(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B06-40."""
    return invoice.dialect.model_at(invoice.service_path) == NFCE != invoice.model


def contingency_at_the_normal_authorizer(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B22-30; `tpEmis` 3 is now the special regime of the NFF (NT 2021.002)."""
    return invoice.emission in _EMISSION_AT.values() and not in_contingency(invoice, state_of(invoice))


def other_emission_at_the_contingency(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B22-60."""
    expected = _EMISSION_AT.get(invoice.service_path.authorizer)
    return expected is not None and invoice.emission != expected


def contingency_is_closed(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, anexo III: an SVC serves a state only while the state requests it."""
    state = state_of(invoice)
    return in_contingency(invoice, state) and not contingency_is_open(invoice, state)


def series_of_authorities(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B26-10."""
    return not _is_by_an_authority(invoice) and invoice.series not in _SERIES_OF_TAXPAYERS


def series_of_taxpayers(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B26-20."""
    return _is_by_an_authority(invoice) and invoice.series not in _SERIES_OF_AUTHORITIES


def series_of_people(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C02-30."""
    return bool(invoice.text("emit/CNPJ")) and invoice.series not in _SERIES_OF_COMPANIES


def series_of_companies(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C02a-10."""
    return bool(invoice.text("emit/CPF")) and invoice.series not in _SERIES_OF_PEOPLE


def epec_unknown(invoice: JudgedInvoice) -> bool:
    """NT 2014.001, 2AB08-40: the EPEC of the document is unknown, because the simulator accepts none."""
    return invoice.emission == _EPEC


def _is_by_an_authority(invoice: JudgedInvoice) -> bool:
    return invoice.text("ide/procEmi") in _BY_THE_AUTHORITY


KEY_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    RejectionRule("502", key_differs_from_its_fields),
    RejectionRule("226", state_of_another_authorizer),
    RejectionRule("897", trivial_numeric_code),
    RejectionRule("450", receipt_among_invoices),
    RejectionRule("775", invoice_among_receipts),
    RejectionRule("570", contingency_at_the_normal_authorizer),
    RejectionRule("713", other_emission_at_the_contingency),
    RejectionRule("114", contingency_is_closed),
    RejectionRule("253", wrong_check_digit),
    RejectionRule("252", other_environment),
    RejectionRule("244", series_of_authorities),
    RejectionRule("451", series_of_taxpayers),
    RejectionRule("503", series_of_people),
    RejectionRule("495", series_of_companies),
    RejectionRule("468", epec_unknown),
)


def inutilized_number(invoice: JudgedInvoice) -> bool:
    """NT 2020.005, 3B08-100: a document that was issued in contingency can have a voided number."""
    emission, in_sao_paulo = invoice.emission, invoice.text("ide/cUF") == _SAO_PAULO
    if emission in _INUTILIZED_NUMBERS_COUNT or (
        in_sao_paulo and emission in _INUTILIZED_NUMBERS_COUNT_IN_SAO_PAULO
    ):
        return (
            invoice.ledger.inutilization_of(invoice.service_path.environment, invoice.access_key) is not None
        )
    return False


REGISTER_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    RejectionRule("539", number_of_another_document),
    RejectionRule("204", already_held_as(DocumentStatus.AUTHORIZED)),
    RejectionRule("218", already_held_as(DocumentStatus.CANCELED)),
    RejectionRule("206", inutilized_number),
)


def leaves_too_late(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B10-20."""
    moment = _moment(invoice, "dhSaiEnt")
    return moment is not None and moment > invoice.context.now + _LIMIT


def leaves_before_it_is_issued(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B10-40."""
    moment = _moment(invoice, "dhSaiEnt")
    return moment is not None and invoice.text("ide/tpNF") == _OUTBOUND and moment < invoice.issued_at


def normal_with_contingency(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B28-10."""
    return invoice.emission == _NORMAL and _moment(invoice, "dhCont") is not None


def contingency_without_reason(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B28-20."""
    return invoice.emission in _JUSTIFIED and _moment(invoice, "dhCont") is None


def contingency_in_the_future(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B28-30."""
    moment = _moment(invoice, "dhCont")
    return moment is not None and moment > invoice.context.now + TOLERANCE


def contingency_long_before(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B28-40."""
    moment = _moment(invoice, "dhCont")
    return moment is not None and moment < invoice.issued_at - _LIMIT


def _moment(invoice: JudgedInvoice, tag: str) -> datetime | None:
    text = invoice.text(f"ide/{tag}")
    return datetime.fromisoformat(text) if text else None


DATE_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    RejectionRule("703", issued_in_the_future),
    # MOC 7.0, B09-20: a document that was issued in contingency is authorized later, with 150.
    document_rule("228", issued_before(_LIMIT, _ONLINE), in_nfe),
    # MOC 7.0, B09-40. States can apply it to receipts issued offline too; the simulator, like most states,
    # accepts them at any time, with 150 (exception 2 of the rule).
    document_rule("704", issued_before(TOLERANCE, _ONLINE), in_receipts),
    document_rule("504", leaves_too_late, in_nfe),
    document_rule("506", leaves_before_it_is_issued, in_nfe),
    RejectionRule("556", normal_with_contingency),
    RejectionRule("557", contingency_without_reason),
    RejectionRule("558", contingency_in_the_future),
    RejectionRule("569", contingency_long_before),
)


def taxable_event_in_unknown_city(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B12-10."""
    return invoice.text("ide/cMunFG") not in MUNICIPALITIES


def taxable_event_in_another_state(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B12-20."""
    return invoice.text("ide/cMunFG")[:2] != invoice.text("ide/cUF")


def wrong_company(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C02-10."""
    tax_id = invoice.text("emit/CNPJ")
    return bool(tax_id) and not is_cnpj(tax_id)


def wrong_person(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C02a-20."""
    tax_id = invoice.text("emit/CPF")
    return bool(tax_id) and not is_cpf(tax_id)


def issuer_in_unknown_city(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C10-10."""
    return invoice.text("emit/enderEmit/cMun") not in MUNICIPALITIES


def issuer_in_a_city_of_another_state(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C10-20."""
    return invoice.text("emit/enderEmit/cMun")[:2] != invoice.text("ide/cUF")


def issuer_in_another_state(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C12-10."""
    state = state_of_ibge(invoice.text("ide/cUF"))
    return state is not None and invoice.text("emit/enderEmit/UF") != state.code


def without_registration(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C17-10."""
    return not invoice.text("emit/IE").strip("0")


def exempt_from_registration(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, C17-30: allowed only for documents that are issued on the site of an authority."""
    on_site = invoice.model != NFCE and int(invoice.text("ide/serie")) in _SERIES_ISSUED_ON_SITE
    return invoice.text("emit/IE") == _EXEMPT and not on_site


ISSUER_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    RejectionRule("270", taxable_event_in_unknown_city),
    RejectionRule("271", taxable_event_in_another_state),
    RejectionRule("207", wrong_company),
    RejectionRule("401", wrong_person),
    RejectionRule("272", issuer_in_unknown_city),
    RejectionRule("273", issuer_in_a_city_of_another_state),
    RejectionRule("247", issuer_in_another_state),
    RejectionRule("229", without_registration),
    RejectionRule("554", exempt_from_registration),
)
