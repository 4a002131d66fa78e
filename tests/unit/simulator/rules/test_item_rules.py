"""Products of the items: position, bar codes, NCM, CFOP, prices and batches."""

import pytest
from lxml import etree

from unit.simulator.mutating import Edit, after, at, both, says
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
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


def batch(produced_on: str, good_until: str) -> Edit:
    return grown(
        f"{PRODUCT}/indTot",
        f"<rastro><nLote>1</nLote><qLote>2.000</qLote><dFab>{produced_on}</dFab><dVal>{good_until}</dVal></rastro>",
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

VIOLATIONS = [
    Violation("927", "nfe", begins_with_two),
    Violation("611", "nfe", both(says(GTIN, WRONG), says(TAXABLE_GTIN, RIGHT)), detail="[nItem:1]"),
    Violation("612", "nfe", both(says(GTIN, RIGHT), says(TAXABLE_GTIN, WRONG))),
    Violation("883", "nfe", says(GTIN, "")),
    Violation("888", "nfe", says(TAXABLE_GTIN, "")),
    Violation("885", "nfe", says(GTIN, RIGHT)),
    Violation("886", "nfe", says(TAXABLE_GTIN, RIGHT)),
    Violation("777", "nfe", says(NCM, "69"), detail="[nItem:1]"),
    Violation("778", "nfe", says(NCM, "69129999")),
    Violation("778", "nfce", says(NCM, "99999999")),
    Violation("471", "nfe", says(NCM, "00")),
    Violation("770", "nfe", says(CFOP, "5100")),
    Violation("518", "nfe", says(CFOP, "1102")),
    Violation("519", "nfe", says(f"{IDE}/tpNF", "0")),
    Violation("731", "nfe", says(CFOP, "7501")),
    Violation("732", "nfe", says(CFOP, "6102")),
    Violation("733", "nfe_interstate", says(CFOP, "5102")),
    Violation("327", "nfe", RETURNED),
    Violation("328", "nfe", says(CFOP, "5202")),
    Violation("629", "nfe", says(f"{PRODUCT}/vUnCom", "35.9100000000"), detail="[nItem:1]"),
    Violation("630", "nfe", says(f"{PRODUCT}/vUnTrib", "35.9100000000")),
    Violation("483", "nfe", DISCOUNT),
    Violation("336", "nfe", grown(f"{PRODUCT}/indTot", "<detExport><nDraw>20260001234</nDraw></detExport>")),
    Violation("877", "nfe", batch("2026-11-15", "2027-11-15")),
    Violation("870", "nfe", batch("2026-11-10", "2026-11-09")),
]
ALLOWED = [
    Violation("611", "nfe", both(says(GTIN, RIGHT), says(TAXABLE_GTIN, RIGHT))),
    Violation("629", "nfe", says(f"{PRODUCT}/vUnCom", "35.9040000000")),
    Violation("630", "nfe", UNITS),
    Violation("778", "nfe", says(NCM, "00000000")),
    Violation("778", "nfe_export", says(NCM, "99999999")),
    Violation("777", "nfe_of_a_mei", says(NCM, "69")),
    Violation("883", "nfe_of_a_mei", both(says(GTIN, ""), says(TAXABLE_GTIN, ""))),
    Violation("327", "nfe", both(RETURNED, says(CFOP, "5202"))),
    Violation("327", "nfe_to_company", both(RETURNED, says(CFOP, "1949"), says(f"{IDE}/tpNF", "0"))),
    Violation("877", "nfe", batch("2026-11-14", "2026-11-14")),
]
"""Documents close to breaking a rule, which are accepted."""


class TestItemRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None
