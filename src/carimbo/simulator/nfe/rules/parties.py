"""The parties: recipient, places of pick-up and delivery, who may read the document, and the carrier."""

import re
from collections.abc import Callable

from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.fiscal.tables.states import STATES
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    CONTRIBUTOR,
    EXEMPT,
    EXTERIOR,
    TO_ANOTHER_STATE,
    buyer_state,
    contribution,
    destination,
    has_foreign_id,
    is_outbound,
    taxpayer,
)
from carimbo.simulator.nfe.rules.scope import PRINTED_AS_A_RECEIPT, document_rule, in_nfe
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import base, is_cnpj, is_cpf

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


def recipient_missing(case: Case) -> bool:
    """MOC 7.0, E01-10; of an NF-e printed like a receipt only NT 2026.002, E01-20, asks for one."""
    return "dest" not in case.content.groups and case.text("ide/tpImp") != PRINTED_AS_A_RECEIPT


def name_missing(case: Case) -> bool:
    """MOC 7.0, E04-10."""
    return _has_recipient(case) and not case.text("dest/xNome")


def real_name_in_homologation(case: Case) -> bool:
    """MOC 7.0, E04-20."""
    if case.text("ide/tpAmb") != HOMOLOGATION or case.text("ide/tpEmis") == _NFF_EMISSION:
        return False
    return case.text("dest/xNome") not in ("", HOMOLOGATION_NAME)


def address_missing(case: Case) -> bool:
    """MOC 7.0, E05-10."""
    if case.text("ide/tpImp") == PRINTED_AS_A_RECEIPT:
        return False
    return _has_recipient(case) and case.content.group("dest/enderDest") is None


def _has_recipient(case: Case) -> bool:
    return "dest" in case.content.groups


def foreign_id_misspelt(case: Case) -> bool:
    """MOC 7.0, E03a-60; that letters may have accents is not written, nor that they may not."""
    return not _FOREIGN_ID.fullmatch(case.text("dest/idEstrangeiro"))


def foreigner_registered(case: Case) -> bool:
    """MOC 7.0, E03a-30."""
    return has_foreign_id(case) and bool(case.text("dest/IE"))


def city_of_brazil_abroad(case: Case) -> bool:
    """MOC 7.0, E10-30."""
    return buyer_state(case) == EXTERIOR and case.text("dest/enderDest/cMun") != _NO_CITY


def brazil_abroad(case: Case) -> bool:
    """MOC 7.0, E14-30."""
    return buyer_state(case) == EXTERIOR and case.text("dest/enderDest/cPais") == _BRAZIL


def contributor_unregistered(case: Case) -> bool:
    """MOC 7.0, E17-20."""
    return contribution(case) == CONTRIBUTOR and not case.text("dest/IE")


def exempt_registered(case: Case) -> bool:
    """MOC 7.0, E17-30."""
    return contribution(case) == EXEMPT and bool(case.text("dest/IE"))


def registered_abroad(case: Case) -> bool:
    """MOC 7.0, E17-40."""
    return buyer_state(case) == EXTERIOR and bool(case.text("dest/IE"))


def exempt_where_nobody_is(case: Case) -> bool:
    """NT 2025.001 v1.03, E16a-30."""
    if contribution(case) != EXEMPT or destination(case) == ABROAD:
        return False
    if buyer_state(case) not in _WITHOUT_EXEMPT_CONTRIBUTORS:
        return False
    return not any(
        line.situation in _UNTAXED or "vICMSST" in line.icms.texts or "vICMSSTRet" in line.icms.texts
        for line in case.lines
    )


def _wrong_cnpj_of(path: str) -> Callable[[Case], bool]:
    """Zeros, or check digits that do not fit."""
    return lambda case: bool(found := case.text(f"{path}/CNPJ")) and not is_cnpj(found)


def _wrong_cpf_of(path: str) -> Callable[[Case], bool]:
    return lambda case: bool(found := case.text(f"{path}/CPF")) and not is_cpf(found)


def _unknown_city_of(path: str) -> Callable[[Case], bool]:
    """A code that IBGE's table does not have."""

    def is_unknown(case: Case) -> bool:
        code = case.text(f"{path}/cMun")
        return bool(code) and _state_of(case, path) != EXTERIOR and municipality_of_ibge(code) is None

    return is_unknown


def _city_of_another_state_of(path: str) -> Callable[[Case], bool]:
    """A code that begins with the number of another state than the address says."""

    def is_elsewhere(case: Case) -> bool:
        code, state = case.text(f"{path}/cMun"), STATES.rows.get(_state_of(case, path))
        return bool(code) and state is not None and not code.startswith(state.ibge)

    return is_elsewhere


def _not_beyond_the_border(path: str) -> Callable[[Case], bool]:
    return lambda case: _state_of(case, path) == EXTERIOR and case.text(f"{path}/cMun") != _NO_CITY


def _state_of(case: Case, path: str) -> str:
    return case.text(f"{path}/UF")


def _wrong_reader(kind: str, is_valid: Callable[[str], bool]) -> Callable[[Case], Finding]:
    """Someone of `autXML` whose CNPJ or CPF can't be."""

    def is_wrong(case: Case) -> Finding:
        return any(kind in one.texts and not is_valid(one.texts[kind]) for one in case.content.all("autXML"))

    return is_wrong


def _recipient_among_readers(kind: str) -> Callable[[Case], Finding]:
    """The recipient reads its documents without being told."""

    def is_there(case: Case) -> Finding:
        recipient = case.text(f"dest/{kind}")
        return bool(recipient) and any(one.texts.get(kind) == recipient for one in case.content.all("autXML"))

    return is_there


def carrier_without_state(case: Case) -> bool:
    """MOC 7.0, X07-10."""
    return bool(case.text("transp/transporta/IE")) and not case.text("transp/transporta/UF")


def carrier_of_nothing(case: Case) -> bool:
    """NT 2021.004, X03-30."""
    has_carrier = case.content.group("transp/transporta") is not None
    return has_carrier and case.text("transp/modFrete") == _NO_FREIGHT


def sender_does_not_carry(case: Case) -> bool:
    """NT 2021.004, X04-30 and X04-40: whoever carries by own means is the sender."""
    return _carried_by_another(case, _OWN_OF_SENDER, "emit" if is_outbound(case) else "dest")


def receiver_does_not_carry(case: Case) -> bool:
    """NT 2021.004, X04-70 and X04-80."""
    return _carried_by_another(case, _OWN_OF_RECEIVER, "dest" if is_outbound(case) else "emit")


def _carried_by_another(case: Case, mode: str, party: str) -> bool:
    """Companies are compared by the base of the CNPJ, so any place of one may carry."""
    if case.text("transp/modFrete") != mode:
        return False
    carrier, owner = taxpayer(case, "transp/transporta"), taxpayer(case, party)
    return bool(carrier and owner) and base(carrier) != base(owner)


def vehicle_between_states(case: Case) -> bool:
    """MOC 7.0, X02-20: vehicles stand in the MDF-e."""
    transport = case.content.group("transp")
    if destination(case) != TO_ANOTHER_STATE or transport is None:
        return False
    return "veicTransp" in transport.groups or "reboque" in transport.groups


_RECIPIENT, _PICKUP, _DELIVERY, _CARRIER = "dest", "retirada", "entrega", "transp/transporta"

PARTY_RULES: tuple[Rule[Case], ...] = (
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
    document_rule("805", exempt_where_nobody_is, in_nfe),
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
"""Those of tax ids and cities: MOC 7.0, E02-10, E03-10, E10, F02, F07, G02, G07, GA02, GA03, X04 and X05."""
