"""Rules about the parties: recipient, pick-up and delivery, readers of the document, and carrier."""

import re
from collections.abc import Callable

from carimbo.fiscal.tables.geography import STATES, municipality_of_ibge
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.identifiers import is_cnpj, is_cpf, tax_id_base
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    CONTRIBUTOR,
    EXEMPT,
    EXTERIOR,
    PRINTED_AS_A_RECEIPT,
    TO_ANOTHER_STATE,
    buyer_state,
    contribution,
    destination,
    document_rule,
    has_foreign_id,
    in_nfe,
    is_outbound,
    taxpayer,
)
from carimbo.simulator.rules import Finding, RejectionRule

HOMOLOGATION_NAME = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"

_NO_CITY = "9999999"
_BRAZIL = "1058"
_NFF_EMISSION = "3"
_FOREIGN_ID = re.compile(r"[0-9A-Za-zÀ-ÖØ-öø-ÿ:.+\-/() ]*")
# NT 2025.001 v1.03, E16a-30.
_WITHOUT_EXEMPT_CONTRIBUTORS = frozenset(
    {"AL", "AM", "BA", "CE", "DF", "ES", "GO", "MG", "MS", "MT", "PB", "PE", "RJ", "RN", "RS", "SE", "SP"}
)
_UNTAXED = frozenset({"40", "41", "103", "300", "400"})
_OWN_OF_SENDER, _OWN_OF_RECEIVER, _NO_FREIGHT = "3", "4", "9"
_RECIPIENT, _PICKUP, _DELIVERY, _CARRIER = "dest", "retirada", "entrega", "transp/transporta"


def recipient_missing(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E01-10; for an NF-e printed like a receipt see NT 2026.002, E01-20."""
    return "dest" not in invoice.content.groups and invoice.text("ide/tpImp") != PRINTED_AS_A_RECEIPT


def name_missing(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E04-10."""
    return _has_recipient(invoice) and not invoice.text("dest/xNome")


def real_name_in_homologation(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E04-20."""
    if invoice.text("ide/tpAmb") != HOMOLOGATION or invoice.text("ide/tpEmis") == _NFF_EMISSION:
        return False
    return invoice.text("dest/xNome") not in ("", HOMOLOGATION_NAME)


def address_missing(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E05-10."""
    if invoice.text("ide/tpImp") == PRINTED_AS_A_RECEIPT:
        return False
    return _has_recipient(invoice) and invoice.content.group("dest/enderDest") is None


def _has_recipient(invoice: JudgedInvoice) -> bool:
    return "dest" in invoice.content.groups


def foreign_id_misspelt(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E03a-60; it does not say whether letters can have accents, so they can."""
    return not _FOREIGN_ID.fullmatch(invoice.text("dest/idEstrangeiro"))


def foreigner_registered(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E03a-30."""
    return has_foreign_id(invoice) and bool(invoice.text("dest/IE"))


def city_of_brazil_abroad(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E10-30."""
    return buyer_state(invoice) == EXTERIOR and invoice.text("dest/enderDest/cMun") != _NO_CITY


def brazil_abroad(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E14-30."""
    return buyer_state(invoice) == EXTERIOR and invoice.text("dest/enderDest/cPais") == _BRAZIL


def contributor_unregistered(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E17-20."""
    return contribution(invoice) == CONTRIBUTOR and not invoice.text("dest/IE")


def exempt_registered(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E17-30."""
    return contribution(invoice) == EXEMPT and bool(invoice.text("dest/IE"))


def registered_abroad(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E17-40."""
    return buyer_state(invoice) == EXTERIOR and bool(invoice.text("dest/IE"))


def exempt_in_state_without_exemption(invoice: JudgedInvoice) -> bool:
    """NT 2025.001 v1.03, E16a-30."""
    if contribution(invoice) != EXEMPT or destination(invoice) == ABROAD:
        return False
    if buyer_state(invoice) not in _WITHOUT_EXEMPT_CONTRIBUTORS:
        return False
    return not any(
        line.situation in _UNTAXED or "vICMSST" in line.icms.texts or "vICMSSTRet" in line.icms.texts
        for line in invoice.lines
    )


def _wrong_cnpj_of(path: str) -> Callable[[JudgedInvoice], bool]:
    """Zeros, or wrong check digits."""
    return lambda invoice: bool(cnpj := invoice.text(f"{path}/CNPJ")) and not is_cnpj(cnpj)


def _wrong_cpf_of(path: str) -> Callable[[JudgedInvoice], bool]:
    return lambda invoice: bool(cpf := invoice.text(f"{path}/CPF")) and not is_cpf(cpf)


def _unknown_city_of(path: str) -> Callable[[JudgedInvoice], bool]:
    """A code that is not in IBGE's table."""

    def is_unknown(invoice: JudgedInvoice) -> bool:
        code = invoice.text(f"{path}/cMun")
        return bool(code) and _state_of(invoice, path) != EXTERIOR and municipality_of_ibge(code) is None

    return is_unknown


def _city_of_another_state_of(path: str) -> Callable[[JudgedInvoice], bool]:
    """A code with the prefix of another state than that of the address."""

    def is_elsewhere(invoice: JudgedInvoice) -> bool:
        code, state = invoice.text(f"{path}/cMun"), STATES.rows.get(_state_of(invoice, path))
        return bool(code) and state is not None and not code.startswith(state.ibge)

    return is_elsewhere


def _not_beyond_the_border(path: str) -> Callable[[JudgedInvoice], bool]:
    return lambda invoice: _state_of(invoice, path) == EXTERIOR and invoice.text(f"{path}/cMun") != _NO_CITY


def _state_of(invoice: JudgedInvoice, path: str) -> str:
    return invoice.text(f"{path}/UF")


def _wrong_reader(tag: str, is_valid: Callable[[str], bool]) -> Callable[[JudgedInvoice], Finding]:
    """A reader (`autXML`) with an invalid CNPJ or CPF."""

    def is_wrong(invoice: JudgedInvoice) -> Finding:
        return any(
            tag in reader.texts and not is_valid(reader.texts[tag])
            for reader in invoice.content.all("autXML")
        )

    return is_wrong


def _recipient_among_readers(tag: str) -> Callable[[JudgedInvoice], Finding]:
    """The recipient reads its documents anyway."""

    def is_there(invoice: JudgedInvoice) -> Finding:
        recipient = invoice.text(f"dest/{tag}")
        return bool(recipient) and any(
            reader.texts.get(tag) == recipient for reader in invoice.content.all("autXML")
        )

    return is_there


def carrier_without_state(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, X07-10."""
    return bool(invoice.text("transp/transporta/IE")) and not invoice.text("transp/transporta/UF")


def carrier_of_nothing(invoice: JudgedInvoice) -> bool:
    """NT 2021.004, X03-30."""
    has_carrier = invoice.content.group("transp/transporta") is not None
    return has_carrier and invoice.text("transp/modFrete") == _NO_FREIGHT


def sender_does_not_carry(invoice: JudgedInvoice) -> bool:
    """NT 2021.004, X04-30 and X04-40: with own transport of the sender, the sender is the carrier."""
    return _carried_by_another(invoice, _OWN_OF_SENDER, "emit" if is_outbound(invoice) else "dest")


def receiver_does_not_carry(invoice: JudgedInvoice) -> bool:
    """NT 2021.004, X04-70 and X04-80."""
    return _carried_by_another(invoice, _OWN_OF_RECEIVER, "dest" if is_outbound(invoice) else "emit")


def _carried_by_another(invoice: JudgedInvoice, mode: str, party: str) -> bool:
    """Companies are compared by the base of the CNPJ: every branch can carry."""
    if invoice.text("transp/modFrete") != mode:
        return False
    carrier, owner = taxpayer(invoice, "transp/transporta"), taxpayer(invoice, party)
    return bool(carrier and owner) and tax_id_base(carrier) != tax_id_base(owner)


def vehicle_between_states(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, X02-20: vehicles belong in the MDF-e."""
    transport = invoice.content.group("transp")
    if destination(invoice) != TO_ANOTHER_STATE or transport is None:
        return False
    return "veicTransp" in transport.groups or "reboque" in transport.groups


PARTY_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    document_rule("719", recipient_missing, in_nfe),
    document_rule("208", _wrong_cnpj_of(_RECIPIENT)),
    document_rule("237", _wrong_cpf_of(_RECIPIENT)),
    document_rule("925", foreigner_registered),
    document_rule("372", foreign_id_misspelt),
    document_rule("724", name_missing, in_nfe),
    document_rule("598", real_name_in_homologation),
    document_rule("726", address_missing, in_nfe),
    document_rule("274", _unknown_city_of("dest/enderDest")),
    document_rule("275", _city_of_another_state_of("dest/enderDest")),
    document_rule("509", city_of_brazil_abroad, in_nfe),
    document_rule("926", brazil_abroad),
    document_rule("805", exempt_in_state_without_exemption, in_nfe),
    document_rule("728", contributor_unregistered, in_nfe),
    document_rule("791", exempt_registered, in_nfe),
    document_rule("792", registered_abroad, in_nfe),
    document_rule("512", _wrong_cnpj_of(_PICKUP)),
    document_rule("540", _wrong_cpf_of(_PICKUP)),
    document_rule("513", _not_beyond_the_border(_PICKUP)),
    document_rule("276", _unknown_city_of(_PICKUP)),
    document_rule("277", _city_of_another_state_of(_PICKUP)),
    document_rule("514", _wrong_cnpj_of(_DELIVERY)),
    document_rule("541", _wrong_cpf_of(_DELIVERY)),
    document_rule("515", _not_beyond_the_border(_DELIVERY)),
    document_rule("278", _unknown_city_of(_DELIVERY)),
    document_rule("279", _city_of_another_state_of(_DELIVERY)),
    document_rule("323", _wrong_reader("CNPJ", is_cnpj)),
    document_rule("324", _recipient_among_readers("CNPJ")),
    document_rule("325", _wrong_reader("CPF", is_cpf)),
    document_rule("326", _recipient_among_readers("CPF")),
    document_rule("542", _wrong_cnpj_of(_CARRIER)),
    document_rule("543", _wrong_cpf_of(_CARRIER)),
    document_rule("559", carrier_without_state),
    document_rule("845", carrier_of_nothing, in_nfe),
    document_rule("846", sender_does_not_carry, in_nfe),
    document_rule("848", receiver_does_not_carry, in_nfe),
    document_rule("868", vehicle_between_states, in_nfe),
    document_rule("440", _wrong_cnpj_of("infIntermed"), in_nfe),
)
"""Tax ids and cities: MOC 7.0, E02-10, E03-10, E10, F02, F07, G02, G07, GA02, GA03, X04 and X05."""
