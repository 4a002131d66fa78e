"""Facts about documents and items that several rules use, and rule builders."""

from collections.abc import Callable, Sequence

from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.simulator.group import Group
from carimbo.simulator.nfe.dialect import NFCE, NFE
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.rules import Finding, RejectionRule

WITHIN_THE_STATE, TO_ANOTHER_STATE, ABROAD = "1", "2", "3"
"""`idDest`."""
INBOUND, OUTBOUND = "0", "1"
"""`tpNF`."""
NORMAL, COMPLEMENT, ADJUSTMENT, RETURN, CREDIT, DEBIT = "123456"
"""`finNFe`."""
CONTRIBUTOR, EXEMPT, NO_CONTRIBUTOR = "1", "2", "9"
"""`indIEDest`."""
SIMPLES, SIMPLES_EXCESS, NORMAL_REGIME, MEI = "1234"
"""`CRT`."""
EXTERIOR = "EX"
"""The state of an address abroad."""

# Legal exports of goods that stay in the country (NT 2022.002).
_EXPORTED_WITHIN_THE_COUNTRY = frozenset({"7501", "7552"})
_EXPORTED_FUEL = "7667"
# The only fuels of the ANP that are not made of petroleum (MOC 7.0, NA01-20).
_NO_PETROLEUM = frozenset(
    {
        "820101001", "820101010", "810102001", "810102004", "810102002", "810102003", "810101002",
        "810101001", "810101003", "220101003", "220101004", "220101002", "220101001", "220101005",
        "220101006", "560101001",
    }
)  # fmt: skip
Where = Callable[[JudgedInvoice], bool]
PRINTED_AS_A_RECEIPT = "6"
"""`tpImp` of an NF-e in place of an NFC-e (NT 2026.002)."""


def destination(invoice: JudgedInvoice) -> str:
    """Returns the destination of the goods (`idDest`)."""
    return invoice.text("ide/idDest")


def purpose(invoice: JudgedInvoice) -> str:
    """Returns the purpose of the document (`finNFe`)."""
    return invoice.text("ide/finNFe")


def is_outbound(invoice: JudgedInvoice) -> bool:
    """Returns whether goods leave the issuer (`tpNF`)."""
    return invoice.text("ide/tpNF") == OUTBOUND


def is_for_consumption(invoice: JudgedInvoice) -> bool:
    """Returns whether the buyer is a final consumer (`indFinal`)."""
    return invoice.text("ide/indFinal") == "1"


def contribution(invoice: JudgedInvoice) -> str:
    """Returns whether the recipient contributes to the ICMS (`indIEDest`)."""
    return invoice.text("dest/indIEDest")


def regime(invoice: JudgedInvoice) -> str:
    """Returns the issuer's tax regime (`CRT`)."""
    return invoice.text("emit/CRT")


def seller_state(invoice: JudgedInvoice) -> str:
    """Returns the issuer's state in letters."""
    return invoice.text("emit/enderEmit/UF")


def buyer_state(invoice: JudgedInvoice) -> str:
    """Returns the recipient's state in letters, `EX` abroad; empty without an address."""
    return invoice.text("dest/enderDest/UF")


def taxpayer(invoice: JudgedInvoice, party: str) -> str:
    """Returns CNPJ or CPF of `emit`, `dest`, `retirada`…; empty if there is none."""
    return invoice.text(f"{party}/CNPJ") or invoice.text(f"{party}/CPF")


def has_foreign_id(invoice: JudgedInvoice) -> bool:
    """Returns whether the recipient has the element of a foreign document, even an empty one."""
    recipient = invoice.content.group("dest")
    return recipient is not None and "idEstrangeiro" in recipient.texts


def references(invoice: JudgedInvoice) -> Sequence[Group]:
    """Returns the references of the document as a whole (`NFref`)."""
    identification = invoice.content.group("ide")
    return identification.all("NFref") if identification else ()


def refers_to_a_document(line: JudgedLine) -> bool:
    """Returns whether an item refers to an item of another document (`DFeReferenciado`)."""
    return "DFeReferenciado" in line.item.groups


def referred_keys(invoice: JudgedInvoice) -> Sequence[str]:
    """Returns the access keys in the references of the document as a whole (`refNFe`)."""
    return [reference.texts["refNFe"] for reference in references(invoice) if "refNFe" in reference.texts]


def referred_key(line: JudgedLine) -> str:
    """Returns the access key that an item refers to; empty if there is none."""
    return line.item.text("DFeReferenciado/chaveAcesso")


def stays_in_the_country(invoice: JudgedInvoice) -> bool:
    """Returns whether goods are exported to a buyer in Brazil (NT 2022.002)."""
    return any(
        line.cfop in _EXPORTED_WITHIN_THE_COUNTRY
        or (line.cfop == _EXPORTED_FUEL and line.consumed_in == EXTERIOR)
        for line in invoice.lines
    )


def is_coming_back(line: JudgedLine) -> bool:
    """Returns whether goods return without having been sold (`indRetor`)."""
    cfop = CFOPS.rows.get(line.cfop)
    return cfop is not None and cfop.is_coming_back


def is_petroleum(line: JudgedLine) -> bool:
    """Returns whether an item is a fuel made of petroleum."""
    fuel = line.product.text("comb/cProdANP")
    return bool(fuel) and fuel not in _NO_PETROLEUM


def pays_for_the_government(invoice: JudgedInvoice) -> bool:
    """Returns whether the document is a payment for an earlier supply (`tpOperGov` 2)."""
    return invoice.text("ide/gCompraGov/tpOperGov") == "2"


def in_nfe(invoice: JudgedInvoice) -> bool:
    """Returns whether the model is 55."""
    return invoice.model == NFE


def in_nfce(invoice: JudgedInvoice) -> bool:
    """Returns whether the model is 65."""
    return invoice.model == NFCE


def in_receipts(invoice: JudgedInvoice) -> bool:
    """Returns whether it is model 65, or model 55 with the DANFE Simplificado Tipo 2 (NT 2026.002)."""
    return invoice.model == NFCE or invoice.text("ide/tpImp") == PRINTED_AS_A_RECEIPT


def has_reform_taxes(invoice: JudgedInvoice) -> bool:
    """Returns whether at least one item has IBS and CBS (NT 2025.002)."""
    return any(line.reform.tag for line in invoice.lines)


def document_rule(
    code: str, broken: Callable[[JudgedInvoice], Finding], where: Where | None = None
) -> RejectionRule[JudgedInvoice]:
    """Returns a rule about some documents."""
    return RejectionRule(code, broken, where)


def item_rule(
    code: str, broken: Callable[[JudgedLine, JudgedInvoice], bool], where: Where | None = None
) -> RejectionRule[JudgedInvoice]:
    """Returns a rule about every item of some documents; its answer has the first item that breaks it."""

    def first_wrong_item(invoice: JudgedInvoice) -> Finding:
        for line in invoice.lines:
            if broken(line, invoice):
                return f"[nItem:{line.number}]"
        return None

    return RejectionRule(code, first_wrong_item, where)
