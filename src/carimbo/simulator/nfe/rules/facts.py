"""What several rules ask about the operation of a document."""

from collections.abc import Sequence

from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.simulator.group import Group
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line

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
"""What stands for the state of an address abroad."""

# Exports by law of goods that stay in the country (NT 2022.002).
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


def destination(case: Case) -> str:
    """How far the goods go (`idDest`)."""
    return case.text("ide/idDest")


def purpose(case: Case) -> str:
    """Why the document is issued (`finNFe`)."""
    return case.text("ide/finNFe")


def is_outbound(case: Case) -> bool:
    """Tell whether goods leave the issuer (`tpNF`)."""
    return case.text("ide/tpNF") == OUTBOUND


def is_for_consumption(case: Case) -> bool:
    """Tell whether the buyer is a final consumer (`indFinal`)."""
    return case.text("ide/indFinal") == "1"


def contribution(case: Case) -> str:
    """Whether the recipient contributes to the ICMS (`indIEDest`)."""
    return case.text("dest/indIEDest")


def regime(case: Case) -> str:
    """The issuer's tax regime (`CRT`)."""
    return case.text("emit/CRT")


def seller_state(case: Case) -> str:
    """Letters of the issuer's state."""
    return case.text("emit/enderEmit/UF")


def buyer_state(case: Case) -> str:
    """Letters of the recipient's state, `EX` abroad; empty without an address."""
    return case.text("dest/enderDest/UF")


def taxpayer(case: Case, party: str) -> str:
    """CNPJ or CPF of `emit`, `dest`, `retirada`…; empty if there is none."""
    return case.text(f"{party}/CNPJ") or case.text(f"{party}/CPF")


def has_foreign_id(case: Case) -> bool:
    """Tell whether the recipient has the place of a foreign document, be it empty."""
    recipient = case.content.group("dest")
    return recipient is not None and "idEstrangeiro" in recipient.texts


def references(case: Case) -> Sequence[Group]:
    """What the document as a whole refers to (`NFref`)."""
    identification = case.content.group("ide")
    return identification.all("NFref") if identification else ()


def refers_to_a_document(line: Line) -> bool:
    """Tell whether an item refers to one of another document (`DFeReferenciado`)."""
    return "DFeReferenciado" in line.item.groups


def referred_keys(case: Case) -> Sequence[str]:
    """The access keys that the document as a whole refers to (`refNFe`)."""
    return [one.texts["refNFe"] for one in references(case) if "refNFe" in one.texts]


def referred_key(line: Line) -> str:
    """The access key of the document whose item an item refers to; empty if it refers to none."""
    return line.item.text("DFeReferenciado/chaveAcesso")


def stays_in_the_country(case: Case) -> bool:
    """Tell whether something is exported to someone who is still in Brazil (NT 2022.002)."""
    return any(
        line.cfop in _EXPORTED_WITHIN_THE_COUNTRY
        or (line.cfop == _EXPORTED_FUEL and line.consumed_in == EXTERIOR)
        for line in case.lines
    )


def is_coming_back(line: Line) -> bool:
    """Tell whether goods return from where they were sent without being sold (`indRetor`)."""
    known = CFOPS.rows.get(line.cfop)
    return known is not None and known.is_coming_back


def is_petroleum(line: Line) -> bool:
    """Tell whether an item is a fuel made of petroleum."""
    fuel = line.product.text("comb/cProdANP")
    return bool(fuel) and fuel not in _NO_PETROLEUM


def pays_for_the_government(case: Case) -> bool:
    """Tell whether the document is of a payment for what was supplied before (`tpOperGov` 2)."""
    return case.text("ide/gCompraGov/tpOperGov") == "2"
