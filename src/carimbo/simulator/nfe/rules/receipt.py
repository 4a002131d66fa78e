"""Rules about receipts: NFC-e, and the NF-e that is printed like one.

Contingency on paper (714) does not get here: the XSD has no QR code with such a key.
"""

from collections.abc import Callable
from decimal import Decimal

from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    NO_CONTRIBUTOR,
    NORMAL,
    WITHIN_THE_STATE,
    contribution,
    destination,
    document_rule,
    has_foreign_id,
    in_nfce,
    in_receipts,
    is_for_consumption,
    is_outbound,
    item_rule,
    purpose,
    references,
    refers_to_a_document,
    seller_state,
    taxpayer,
)
from carimbo.simulator.rules import Finding, RejectionRule

HOMOLOGATION_ITEM = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"

_FORMATS = frozenset("45")
_DELIVERY, _OUTSIDE = "4", "5"
_PRESENCES = frozenset({"1", _DELIVERY, _OUTSIDE})
_NO_FREIGHT = "9"
_MAX_ANONYMOUS_AMOUNT = Decimal(10_000)
_SERVICE = "5933"
_GIFT, _OTHER_EXIT = "5910", "5949"
_TAXED_NOW = frozenset({"5101", "5102", "5103", "5104", "5115", _GIFT})
_TAXED_EARLIER = frozenset({"5405", "5656", "5667", _GIFT})
_CFOPS = _TAXED_NOW | _TAXED_EARLIER | {_SERVICE}
# States that accept other exits with some tax situations (NT 2026.002, I08-150).
_OTHER_EXITS_OF = {"RS": frozenset({"90", "900"}), "SP": frozenset({"40", "900"})}
_OTHERS, _STATE_OF_OTHERS = frozenset({"90", "900"}), "CE"
_BY_SITUATION = {
    **dict.fromkeys(("00", "20", "40", "41", "90", "102", "103", "300", "400", "900"), _TAXED_NOW),
    **dict.fromkeys(("60", "500"), _TAXED_EARLIER),
}
_CST = frozenset({"00", "20", "40", "41", "60", "61", "90"})
_CSOSN = frozenset({"102", "103", "300", "400", "500", "900"})


def entered_or_left(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B10-10."""
    return bool(invoice.text("ide/dhSaiEnt"))


def is_inbound(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B11-10."""
    return not is_outbound(invoice)


def leaves_the_state(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B11a-10."""
    return destination(invoice) != WITHIN_THE_STATE


def printed_on_a_page(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B21-10."""
    return invoice.text("ide/tpImp") not in _FORMATS


def not_a_sale(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B25-20."""
    return purpose(invoice) != NORMAL


def for_resale(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B25a-10."""
    return not is_for_consumption(invoice)


def at_a_distance(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B25b-20."""
    return invoice.text("ide/indPres") not in _PRESENCES


def ibs_city_missing(invoice: JudgedInvoice) -> bool:
    """NT 2025.002, B12a-20."""
    return invoice.text("ide/indPres") == _OUTSIDE and not invoice.text("ide/cMunFGIBS")


def ibs_city_out_of_place(invoice: JudgedInvoice) -> bool:
    """NT 2025.002, B12a-10."""
    return invoice.text("ide/indPres") != _OUTSIDE and bool(invoice.text("ide/cMunFGIBS"))


def refers_to_something(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, BA01-10 and VC02-04."""
    return bool(references(invoice)) or any(map(refers_to_a_document, invoice.lines))


def substitute(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, C18-10."""
    return bool(invoice.text("emit/IEST"))


def delivery_without_recipient(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, E01-20."""
    return _is_delivery(invoice) and "dest" not in invoice.content.groups


def delivery_without_address(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E05-20."""
    has_address = invoice.content.group("dest/enderDest") is not None
    return _is_delivery(invoice) and "dest" in invoice.content.groups and not has_address


def sold_to_oneself(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E02-20."""
    return bool(invoice.text("dest/CNPJ")) and invoice.text("dest/CNPJ") == invoice.text("emit/CNPJ")


def sold_to_a_contributor(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E16a-10."""
    return contribution(invoice) not in ("", NO_CONTRIBUTOR)


def real_item_in_homologation(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, I04-10."""
    return invoice.text("ide/tpAmb") == HOMOLOGATION and invoice.text("det/prod/xProd") != HOMOLOGATION_ITEM


def cfop_not_for_receipts(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, I08-150."""
    other_exits = _OTHER_EXITS_OF.get(seller_state(invoice), frozenset())
    is_other_exit = line.cfop == _OTHER_EXIT and line.situation in other_exits
    return line.cfop not in _CFOPS and not is_other_exit


def cfop_of_services(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-160 and I08-170: services have their own code."""
    return (line.cfop == _SERVICE) is not line.is_service


def cst_not_for_receipts(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, N12-30; states decide on CST 90."""
    return "CST" in line.icms.texts and line.icms.tag != "ICMSPart" and line.situation not in _CST


def csosn_not_for_receipts(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, N12a-20; states decide on CSOSN 900."""
    return "CSOSN" in line.icms.texts and line.situation not in _CSOSN


def cfop_of_another_cst(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, N12-40 and N12-44."""
    return "CST" in line.icms.texts and _does_not_match_situation(line, invoice)


def cfop_of_another_csosn(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, N12a-40 and N12a-44."""
    return "CSOSN" in line.icms.texts and _does_not_match_situation(line, invoice)


def _does_not_match_situation(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    allowed = _BY_SITUATION.get(line.situation)
    if allowed is None or line.cfop not in _CFOPS or line.cfop in allowed:
        return False
    return line.situation not in _OTHERS or seller_state(invoice) != _STATE_OF_OTHERS


def substitution_beside_others(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, N12-34."""
    return line.icms.tag == "ICMS90" and "modBCST" in line.icms.texts


def substitution_beside_other_simples(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, N12a-34."""
    return line.icms.tag == "ICMSSN900" and "modBCST" in line.icms.texts


def outside_the_total(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, I17b-10."""
    return line.product.text("indTot") == "0"


def anonymous_above_the_limit(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, W16-40; states can set another limit."""
    if invoice.content.amount("total/ICMSTot/vNF") <= _MAX_ANONYMOUS_AMOUNT:
        return False
    return not taxpayer(invoice, "dest") and not has_foreign_id(invoice)


def freight_without_delivery(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, X02-10."""
    return invoice.text("transp/modFrete") != _NO_FREIGHT and not _is_delivery(invoice)


def carrier_without_delivery(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, X03-10."""
    return invoice.content.group("transp/transporta") is not None and not _is_delivery(invoice)


def _is_delivery(invoice: JudgedInvoice) -> bool:
    return invoice.text("ide/indPres") == _DELIVERY


def _has(path: str) -> Callable[[JudgedInvoice], Finding]:
    """Returns a check for a group or a text that receipts cannot have."""
    return lambda invoice: invoice.content.group(path) is not None or bool(invoice.text(path))


def _item_has(tag: str) -> Callable[[JudgedLine, JudgedInvoice], bool]:
    """Returns a check for a group of an item that receipts cannot have."""

    def has(line: JudgedLine, invoice: JudgedInvoice) -> bool:
        around = (line.item.groups, line.product.groups, line.product.texts, line.taxes.groups)
        return line.icms.tag == tag or any(tag in names for names in around)

    return has


RECEIPT_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    document_rule("705", entered_or_left, in_receipts),
    document_rule("706", is_inbound, in_receipts),
    document_rule("707", leaves_the_state, in_receipts),
    document_rule("1005", ibs_city_missing, in_nfce),
    document_rule("1000", ibs_city_out_of_place, in_nfce),
    document_rule("709", printed_on_a_page, in_nfce),
    document_rule("715", not_a_sale, in_receipts),
    document_rule("716", for_resale, in_receipts),
    document_rule("717", at_a_distance, in_receipts),
    document_rule("1006", _has("ide/gCompraGov"), in_nfce),
    document_rule("708", refers_to_something, in_receipts),
    document_rule("718", substitute, in_receipts),
    document_rule("787", delivery_without_recipient, in_receipts),
    document_rule("220", sold_to_oneself, in_nfce),
    document_rule("788", delivery_without_address, in_nfce),
    document_rule("789", sold_to_a_contributor, in_nfce),
    document_rule("729", _has("dest/IE"), in_nfce),
    document_rule("730", _has("dest/ISUF"), in_nfce),
    document_rule("669", _has("retirada"), in_receipts),
    document_rule("373", real_item_in_homologation, in_receipts),
    item_rule("725", cfop_not_for_receipts, in_receipts),
    item_rule("374", cfop_of_services, in_nfce),
    item_rule("774", outside_the_total, in_receipts),
    item_rule("736", _item_has("veicProd"), in_receipts),
    item_rule("738", _item_has("arma"), in_receipts),
    item_rule("348", _item_has("nRECOPI"), in_receipts),
    item_rule("766", cst_not_for_receipts, in_receipts),
    item_rule("381", substitution_beside_others, in_receipts),
    item_rule("382", cfop_of_another_cst, in_receipts),
    item_rule("741", _item_has("ICMSPart"), in_receipts),
    item_rule("740", _item_has("ICMSST"), in_receipts),
    item_rule("383", csosn_not_for_receipts, in_receipts),
    item_rule("385", substitution_beside_other_simples, in_receipts),
    item_rule("386", cfop_of_another_csosn, in_receipts),
    item_rule("807", _item_has("ICMSUFDest"), in_receipts),
    item_rule("742", _item_has("IPI"), in_receipts),
    item_rule("743", _item_has("II"), in_receipts),
    item_rule("746", _item_has("PISST"), in_receipts),
    item_rule("749", _item_has("COFINSST"), in_receipts),
    item_rule("390", _item_has("impostoDevol"), in_receipts),
    document_rule("750", anonymous_above_the_limit, in_nfce),
    document_rule("753", freight_without_delivery, in_receipts),
    document_rule("754", carrier_without_delivery, in_nfce),
    document_rule("755", _has("transp/retTransp"), in_receipts),
    document_rule("756", _has("transp/veicTransp"), in_receipts),
    document_rule("757", _has("transp/reboque"), in_receipts),
    document_rule("758", _has("transp/vagao"), in_receipts),
    document_rule("759", _has("transp/balsa"), in_receipts),
    document_rule("760", _has("cobr"), in_receipts),
    document_rule("814", _has("exporta"), in_nfce),
    document_rule("762", _has("compra"), in_receipts),
    document_rule("763", _has("cana"), in_receipts),
)
"""Groups that receipts cannot have: NT 2026.002, F01-10 to ZC01-10; MOC 7.0, E17-10, E18-10 and ZA01-30."""
