"""Products of the items: position, bar codes, NCM, CFOP, prices and batches."""

import pytest
from lxml import etree

from unit.simulator.mutating import Edit, after, at, both, says
from unit.simulator.rules.breaking import Breaking, Court
from unit.simulator.rules.edits import becomes, grown

IDE, PRODUCT = "infNFe/ide", "infNFe/det/prod"
NCM, CFOP, GTIN, TAXABLE_GTIN = (f"{PRODUCT}/{tag}" for tag in ("NCM", "CFOP", "cEAN", "cEANTrib"))
RIGHT, WRONG = "7891027132804", "7891027132805"
OWN_KEY = "35261011222333000181550010000000021123456824"
RETURNED = both(
    says(f"{IDE}/finNFe", "4"),
    becomes("infNFe/pag", "<pag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag></pag>"),
    grown(
        "infNFe/det/imposto",
        f"<DFeReferenciado><chaveAcesso>{OWN_KEY}</chaveAcesso><nItem>1</nItem></DFeReferenciado>",
    ),
)


def batch(made: str, good_until: str) -> Edit:
    return grown(
        f"{PRODUCT}/indTot",
        f"<rastro><nLote>1</nLote><qLote>2.000</qLote><dFab>{made}</dFab><dVal>{good_until}</dVal></rastro>",
    )


def begins_with_two(root: etree._Element) -> None:
    at(root, "infNFe/det").set("nItem", "2")


DISCOUNT = both(
    after(f"{PRODUCT}/vUnTrib", "vDesc", "71.90"),
    says("infNFe/total/ICMSTot/vDesc", "71.90"),
    says("infNFe/total/ICMSTot/vNF", "0.00"),
    says("infNFe/pag/detPag/vPag", "0.00"),
)
UNITS = both(says(f"{PRODUCT}/qTrib", "1.0000"), says(f"{PRODUCT}/vUnTrib", "71.8000000000"))

BREAKINGS = [
    Breaking("927", "nfe", begins_with_two),
    Breaking("611", "nfe", both(says(GTIN, WRONG), says(TAXABLE_GTIN, RIGHT)), detail="[nItem:1]"),
    Breaking("612", "nfe", both(says(GTIN, RIGHT), says(TAXABLE_GTIN, WRONG))),
    Breaking("883", "nfe", says(GTIN, "")),
    Breaking("888", "nfe", says(TAXABLE_GTIN, "")),
    Breaking("885", "nfe", says(GTIN, RIGHT)),
    Breaking("886", "nfe", says(TAXABLE_GTIN, RIGHT)),
    Breaking("777", "nfe", says(NCM, "69"), detail="[nItem:1]"),
    Breaking("778", "nfe", says(NCM, "69129999")),
    Breaking("778", "nfce", says(NCM, "99999999")),
    Breaking("471", "nfe", says(NCM, "00")),
    Breaking("770", "nfe", says(CFOP, "5100")),
    Breaking("518", "nfe", says(CFOP, "1102")),
    Breaking("519", "nfe", says(f"{IDE}/tpNF", "0")),
    Breaking("731", "nfe", says(CFOP, "7501")),
    Breaking("732", "nfe", says(CFOP, "6102")),
    Breaking("733", "nfe_interstate", says(CFOP, "5102")),
    Breaking("327", "nfe", RETURNED),
    Breaking("328", "nfe", says(CFOP, "5202")),
    Breaking("629", "nfe", says(f"{PRODUCT}/vUnCom", "35.9100000000"), detail="[nItem:1]"),
    Breaking("630", "nfe", says(f"{PRODUCT}/vUnTrib", "35.9100000000")),
    Breaking("483", "nfe", DISCOUNT),
    Breaking("336", "nfe", grown(f"{PRODUCT}/indTot", "<detExport><nDraw>20260001234</nDraw></detExport>")),
    Breaking("877", "nfe", batch("2026-11-15", "2027-11-15")),
    Breaking("870", "nfe", batch("2026-11-10", "2026-11-09")),
]
ALLOWED = [
    Breaking("611", "nfe", both(says(GTIN, RIGHT), says(TAXABLE_GTIN, RIGHT))),
    Breaking("629", "nfe", says(f"{PRODUCT}/vUnCom", "35.9040000000")),
    Breaking("630", "nfe", UNITS),
    Breaking("778", "nfe", says(NCM, "00000000")),
    Breaking("778", "nfe_export", says(NCM, "99999999")),
    Breaking("777", "nfe_of_a_mei", says(NCM, "69")),
    Breaking("883", "nfe_of_a_mei", both(says(GTIN, ""), says(TAXABLE_GTIN, ""))),
    Breaking("327", "nfe", both(RETURNED, says(CFOP, "5202"))),
    Breaking("327", "nfe_to_company", both(RETURNED, says(CFOP, "1949"), says(f"{IDE}/tpNF", "0"))),
    Breaking("877", "nfe", batch("2026-11-14", "2026-11-14")),
]
"""What comes near to breaking a rule."""


class TestItemRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None
