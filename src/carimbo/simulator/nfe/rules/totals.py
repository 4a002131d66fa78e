"""Rules about totals: they are the sums of the items, and the document's amount is the sum of its parts."""

from collections.abc import Callable, Iterator
from decimal import Decimal

from carimbo.simulator.group import Group
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import Where, document_rule, in_nfe
from carimbo.simulator.rules import RejectionRule

Amount = Callable[[JudgedLine], Decimal]

_ZERO = Decimal(0)
_TOLERANCE = Decimal("0.50")
"""Of the document's amount (MOC 7.0, anexo I, note 3); totals have none."""
_IN_TOTAL = "1"
_YES = "1"
_IMPORT = "3"
_INVOICED_DIRECTLY = "2"
_CHARGED = (
    *("vProd", "vST", "vFCPST", "vICMSMonoReten", "vFrete", "vSeg", "vOutro"),
    *("vII", "vIPI", "vIPIDevol"),
)


def has_services(invoice: JudgedInvoice) -> bool:
    """Returns whether the document has services taxed by a city, or their totals."""
    return invoice.content.group("total/ISSQNtot") is not None or any(
        line.is_service for line in invoice.lines
    )


def _of_product(tag: str) -> Amount:
    return lambda line: line.product.amount(tag) if tag in line.product.texts else _ZERO


def _of_icms(tag: str) -> Amount:
    return lambda line: line.icms.amount(tag) if tag in line.icms.texts else _ZERO


def _of_taxes(path: str) -> Amount:
    return lambda line: line.taxes.amount(path)


def _pis_of_goods(line: JudgedLine) -> Decimal:
    return line.pis.amount("vPIS") if line.icms.tag else _ZERO


def _cofins_of_goods(line: JudgedLine) -> Decimal:
    return line.cofins.amount("vCOFINS") if line.icms.tag else _ZERO


def _pis_of_services(line: JudgedLine) -> Decimal:
    return line.pis.amount("vPIS") if line.is_service else _ZERO


def _cofins_of_services(line: JudgedLine) -> Decimal:
    return line.cofins.amount("vCOFINS") if line.is_service else _ZERO


def _returned_ipi(line: JudgedLine) -> Decimal:
    return line.item.amount("impostoDevol/IPI/vIPIDevol")


def _price_of_goods(line: JudgedLine) -> Decimal:
    """MOC 7.0, W07-10: only the price of an item can be left out of the total."""
    is_counted = line.product.text("indTot") == _IN_TOTAL and not line.is_service
    return line.product.amount("vProd") if is_counted else _ZERO


def _price_of_services(line: JudgedLine) -> Decimal:
    return line.product.amount("vProd") if line.is_service else _ZERO


def _sum_rule(
    code: str, path: str, amount: Amount, where: Where | None = None
) -> RejectionRule[JudgedInvoice]:
    """Returns the rule that a total is the sum of the items; a missing total is zero."""

    total_path = f"total/{path}"

    def is_wrong(invoice: JudgedInvoice) -> bool:
        return invoice.content.amount(total_path) != sum(map(amount, invoice.lines), _ZERO)

    return document_rule(code, is_wrong, where)


def wrong_document_amount(invoice: JudgedInvoice) -> bool:
    """NT 2023.004, W16-10; imports are not checked, and deducting a benefit is optional."""
    if any(line.cfop.startswith(_IMPORT) for line in invoice.lines):
        return False
    amount = invoice.content.amount("total/ICMSTot/vNF")
    return all(abs(amount - expected) > _TOLERANCE for expected in _valid_amounts(invoice))


def _valid_amounts(invoice: JudgedInvoice) -> Iterator[Decimal]:
    totals = invoice.content.group("total/ICMSTot") or Group("")
    whole = _charged(invoice, totals) + invoice.content.amount("total/ISSQNtot/vServ")
    left_out = sum(map(totals.amount, ("vST", "vFCPST", "vIPIDevol")), _ZERO)
    are_vehicles = any(line.product.text("veicProd/tpOp") == _INVOICED_DIRECTLY for line in invoice.lines)
    for benefit in (_ZERO, totals.amount("vICMSDeson"), sum(map(_deducted, invoice.lines), _ZERO)):
        yield whole - benefit
        if are_vehicles:
            yield whole - benefit - left_out


def _charged(invoice: JudgedInvoice, totals: Group) -> Decimal:
    substituted = sum(map(_substituted_contributions, invoice.lines), _ZERO)
    return sum(map(totals.amount, _CHARGED), substituted) - totals.amount("vDesc")


def _substituted_contributions(line: JudgedLine) -> Decimal:
    """PIS and COFINS of substitution that are added to the amount."""
    return sum(
        (
            line.taxes.amount(f"{tax}ST/v{tax}")
            for tax in ("PIS", "COFINS")
            if line.taxes.text(f"{tax}ST/indSoma{tax}ST") == _YES
        ),
        _ZERO,
    )


def _deducted(line: JudgedLine) -> Decimal:
    return line.icms.amount("vICMSDeson") if line.icms.text("indDeduzDeson") == _YES else _ZERO


TOTAL_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    _sum_rule("531", "ICMSTot/vBC", _of_icms("vBC")),
    _sum_rule("532", "ICMSTot/vICMS", _of_icms("vICMS")),
    _sum_rule("795", "ICMSTot/vICMSDeson", _of_icms("vICMSDeson")),
    _sum_rule("861", "ICMSTot/vFCP", _of_icms("vFCP")),
    _sum_rule("798", "ICMSTot/vFCPUFDest", _of_taxes("ICMSUFDest/vFCPUFDest"), in_nfe),
    _sum_rule("799", "ICMSTot/vICMSUFDest", _of_taxes("ICMSUFDest/vICMSUFDest"), in_nfe),
    _sum_rule("800", "ICMSTot/vICMSUFRemet", _of_taxes("ICMSUFDest/vICMSUFRemet"), in_nfe),
    _sum_rule("533", "ICMSTot/vBCST", _of_icms("vBCST")),
    _sum_rule("534", "ICMSTot/vST", _of_icms("vICMSST")),
    _sum_rule("862", "ICMSTot/vFCPST", _of_icms("vFCPST"), in_nfe),
    _sum_rule("859", "ICMSTot/vFCPSTRet", _of_icms("vFCPSTRet"), in_nfe),
    _sum_rule("967", "ICMSTot/vICMSMono", _of_icms("vICMSMono")),
    _sum_rule("968", "ICMSTot/vICMSMonoReten", _of_icms("vICMSMonoReten")),
    _sum_rule("969", "ICMSTot/vICMSMonoRet", _of_icms("vICMSMonoRet")),
    _sum_rule("564", "ICMSTot/vProd", _price_of_goods),
    _sum_rule("535", "ICMSTot/vFrete", _of_product("vFrete")),
    _sum_rule("536", "ICMSTot/vSeg", _of_product("vSeg")),
    _sum_rule("537", "ICMSTot/vDesc", _of_product("vDesc")),
    _sum_rule("601", "ICMSTot/vII", _of_taxes("II/vII"), in_nfe),
    _sum_rule("538", "ICMSTot/vIPI", _of_taxes("IPI/IPITrib/vIPI"), in_nfe),
    _sum_rule("863", "ICMSTot/vIPIDevol", _returned_ipi, in_nfe),
    _sum_rule("602", "ICMSTot/vPIS", _pis_of_goods),
    _sum_rule("603", "ICMSTot/vCOFINS", _cofins_of_goods),
    _sum_rule("604", "ICMSTot/vOutro", _of_product("vOutro")),
    document_rule("610", wrong_document_amount),
    _sum_rule("685", "ICMSTot/vTotTrib", _of_taxes("vTotTrib")),
    _sum_rule("605", "ISSQNtot/vServ", _price_of_services, has_services),
    _sum_rule("606", "ISSQNtot/vBC", _of_taxes("ISSQN/vBC"), has_services),
    _sum_rule("607", "ISSQNtot/vISS", _of_taxes("ISSQN/vISSQN"), has_services),
    _sum_rule("608", "ISSQNtot/vPIS", _pis_of_services, has_services),
    _sum_rule("609", "ISSQNtot/vCOFINS", _cofins_of_services, has_services),
)
"""MOC 7.0, W03-10 to W22-10."""
