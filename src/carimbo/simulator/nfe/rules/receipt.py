"""What receipts may not say, or must: NFC-e, and the NF-e that is printed like one.

A contingency on paper (714) does not come here: the XSD knows no QR code with such a key.
"""

from collections.abc import Callable
from decimal import Decimal

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.facts import (
    NO_CONTRIBUTOR,
    NORMAL,
    WITHIN_THE_STATE,
    contribution,
    destination,
    has_foreign_id,
    is_for_consumption,
    is_outbound,
    purpose,
    references,
    refers_to_a_document,
    seller_state,
    taxpayer,
)
from carimbo.simulator.nfe.rules.scope import document_rule, in_nfce, in_receipts, item_rule
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.rule import Finding, Rule

HOMOLOGATION_ITEM = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"

_FORMATS = frozenset("45")
_DELIVERY, _OUTSIDE = "4", "5"
_PRESENCES = frozenset({"1", _DELIVERY, _OUTSIDE})
_NO_FREIGHT = "9"
_HIGHEST_ANONYMOUS = Decimal(10_000)
_SERVICE = "5933"
_GIFT, _OTHER_EXIT = "5910", "5949"
_TAXED_NOW = frozenset({"5101", "5102", "5103", "5104", "5115", _GIFT})
_TAXED_EARLIER = frozenset({"5405", "5656", "5667", _GIFT})
_CFOPS = _TAXED_NOW | _TAXED_EARLIER | {_SERVICE}
# Where the authority may take other exits, with some situations (NT 2026.002, I08-150).
_OTHER_EXITS_OF = {"RS": frozenset({"90", "900"}), "SP": frozenset({"40", "900"})}
_OTHERS, _STATE_OF_OTHERS = frozenset({"90", "900"}), "CE"
_BY_SITUATION = {
    **dict.fromkeys(("00", "20", "40", "41", "90", "102", "103", "300", "400", "900"), _TAXED_NOW),
    **dict.fromkeys(("60", "500"), _TAXED_EARLIER),
}
_CST = frozenset({"00", "20", "40", "41", "60", "61", "90"})
_CSOSN = frozenset({"102", "103", "300", "400", "500", "900"})


def entered_or_left(case: Case) -> bool:
    """NT 2026.002, B10-10."""
    return bool(case.text("ide/dhSaiEnt"))


def comes_in(case: Case) -> bool:
    """NT 2026.002, B11-10."""
    return not is_outbound(case)


def goes_far(case: Case) -> bool:
    """NT 2026.002, B11a-10."""
    return destination(case) != WITHIN_THE_STATE


def printed_on_a_page(case: Case) -> bool:
    """MOC 7.0, B21-10."""
    return case.text("ide/tpImp") not in _FORMATS


def no_sale(case: Case) -> bool:
    """NT 2026.002, B25-20."""
    return purpose(case) != NORMAL


def for_resale(case: Case) -> bool:
    """NT 2026.002, B25a-10."""
    return not is_for_consumption(case)


def at_a_distance(case: Case) -> bool:
    """NT 2026.002, B25b-20."""
    return case.text("ide/indPres") not in _PRESENCES


def place_of_the_reform_untold(case: Case) -> bool:
    """NT 2025.002, B12a-20."""
    return case.text("ide/indPres") == _OUTSIDE and not case.text("ide/cMunFGIBS")


def place_of_the_reform_out_of_place(case: Case) -> bool:
    """NT 2025.002, B12a-10."""
    return case.text("ide/indPres") != _OUTSIDE and bool(case.text("ide/cMunFGIBS"))


def refers_to_something(case: Case) -> bool:
    """NT 2026.002, BA01-10 and VC02-04."""
    return bool(references(case)) or any(map(refers_to_a_document, case.lines))


def substitute(case: Case) -> bool:
    """NT 2026.002, C18-10."""
    return bool(case.text("emit/IEST"))


def delivered_to_nobody(case: Case) -> bool:
    """NT 2026.002, E01-20."""
    return _is_delivery(case) and "dest" not in case.content.groups


def delivered_nowhere(case: Case) -> bool:
    """MOC 7.0, E05-20."""
    has_address = case.content.group("dest/enderDest") is not None
    return _is_delivery(case) and "dest" in case.content.groups and not has_address


def sold_to_oneself(case: Case) -> bool:
    """MOC 7.0, E02-20."""
    return bool(case.text("dest/CNPJ")) and case.text("dest/CNPJ") == case.text("emit/CNPJ")


def sold_to_a_contributor(case: Case) -> bool:
    """MOC 7.0, E16a-10."""
    return contribution(case) not in ("", NO_CONTRIBUTOR)


def worth_something_in_homologation(case: Case) -> bool:
    """NT 2026.002, I04-10."""
    return case.text("ide/tpAmb") == HOMOLOGATION and case.text("det/prod/xProd") != HOMOLOGATION_ITEM


def cfop_of_no_receipt(line: Line, case: Case) -> bool:
    """NT 2026.002, I08-150."""
    return line.cfop not in _CFOPS and not _is_other_exit(line, case)


def cfop_of_services(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-160 and I08-170: services have a code of their own."""
    return (line.cfop == _SERVICE) is not line.is_service


def cst_of_no_receipt(line: Line, case: Case) -> bool:
    """NT 2026.002, N12-30; CST 90 is left to the states."""
    return "CST" in line.icms.texts and line.icms.tag != "ICMSPart" and line.situation not in _CST


def csosn_of_no_receipt(line: Line, case: Case) -> bool:
    """NT 2026.002, N12a-20; CSOSN 900 is left to the states."""
    return "CSOSN" in line.icms.texts and line.situation not in _CSOSN


def cfop_of_another_cst(line: Line, case: Case) -> bool:
    """NT 2026.002, N12-40 and N12-44."""
    return "CST" in line.icms.texts and _is_unlike_its_situation(line, case)


def cfop_of_another_csosn(line: Line, case: Case) -> bool:
    """NT 2026.002, N12a-40 and N12a-44."""
    return "CSOSN" in line.icms.texts and _is_unlike_its_situation(line, case)


def _is_unlike_its_situation(line: Line, case: Case) -> bool:
    allowed = _BY_SITUATION.get(line.situation)
    if allowed is None or line.cfop not in _CFOPS or line.cfop in allowed:
        return False
    return line.situation not in _OTHERS or seller_state(case) != _STATE_OF_OTHERS


def _is_other_exit(line: Line, case: Case) -> bool:
    situations = _OTHER_EXITS_OF.get(seller_state(case), frozenset())
    return line.cfop == _OTHER_EXIT and line.situation in situations


def substitution_beside_others(line: Line, case: Case) -> bool:
    """NT 2026.002, N12-34."""
    return line.icms.tag == "ICMS90" and "modBCST" in line.icms.texts


def substitution_beside_other_simples(line: Line, case: Case) -> bool:
    """NT 2026.002, N12a-34."""
    return line.icms.tag == "ICMSSN900" and "modBCST" in line.icms.texts


def outside_the_total(line: Line, case: Case) -> bool:
    """NT 2026.002, I17b-10."""
    return line.product.text("indTot") == "0"


def anonymous_above_the_limit(case: Case) -> bool:
    """NT 2026.002, W16-40; a state may set another limit."""
    if case.content.amount("total/ICMSTot/vNF") <= _HIGHEST_ANONYMOUS:
        return False
    return not taxpayer(case, "dest") and not has_foreign_id(case)


def freight_without_delivery(case: Case) -> bool:
    """NT 2026.002, X02-10."""
    return case.text("transp/modFrete") != _NO_FREIGHT and not _is_delivery(case)


def carrier_without_delivery(case: Case) -> bool:
    """MOC 7.0, X03-10."""
    return case.content.group("transp/transporta") is not None and not _is_delivery(case)


def _is_delivery(case: Case) -> bool:
    return case.text("ide/indPres") == _DELIVERY


def _has(path: str) -> Callable[[Case], Finding]:
    """The document has a group, or a text, that receipts don't have."""
    return lambda case: case.content.group(path) is not None or bool(case.text(path))


def _item_has(tag: str) -> Callable[[Line, Case], bool]:
    """An item has a group, of its product or of its taxes, that receipts don't have."""

    def has(line: Line, case: Case) -> bool:
        around = (line.item.groups, line.product.groups, line.product.texts, line.taxes.groups)
        return line.icms.tag == tag or any(tag in names for names in around)

    return has


RECEIPT_RULES: tuple[Rule[Case], ...] = (
    document_rule("705", entered_or_left, in_receipts),
    document_rule("706", comes_in, in_receipts),
    document_rule("707", goes_far, in_receipts),
    document_rule("1005", place_of_the_reform_untold, in_nfce),
    document_rule("1000", place_of_the_reform_out_of_place, in_nfce),
    document_rule("709", printed_on_a_page, in_nfce),
    document_rule("715", no_sale, in_receipts),
    document_rule("716", for_resale, in_receipts),
    document_rule("717", at_a_distance, in_receipts),
    document_rule("1006", _has("ide/gCompraGov"), in_nfce),
    document_rule("708", refers_to_something, in_receipts),
    document_rule("718", substitute, in_receipts),
    document_rule("787", delivered_to_nobody, in_receipts),
    document_rule("220", sold_to_oneself, in_nfce),
    document_rule("788", delivered_nowhere, in_nfce),
    document_rule("789", sold_to_a_contributor, in_nfce),
    document_rule("729", _has("dest/IE"), in_nfce),
    document_rule("730", _has("dest/ISUF"), in_nfce),
    document_rule("669", _has("retirada"), in_receipts),
    document_rule("373", worth_something_in_homologation, in_receipts),
    item_rule("725", cfop_of_no_receipt, in_receipts),
    item_rule("374", cfop_of_services, in_nfce),
    item_rule("774", outside_the_total, in_receipts),
    item_rule("736", _item_has("veicProd"), in_receipts),
    item_rule("738", _item_has("arma"), in_receipts),
    item_rule("348", _item_has("nRECOPI"), in_receipts),
    item_rule("766", cst_of_no_receipt, in_receipts),
    item_rule("381", substitution_beside_others, in_receipts),
    item_rule("382", cfop_of_another_cst, in_receipts),
    item_rule("741", _item_has("ICMSPart"), in_receipts),
    item_rule("740", _item_has("ICMSST"), in_receipts),
    item_rule("383", csosn_of_no_receipt, in_receipts),
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
"""Those of groups that receipts lack: NT 2026.002, F01-10 to ZC01-10; MOC 7.0, E17-10, E18-10 and ZA01-30."""
