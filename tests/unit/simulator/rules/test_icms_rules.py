"""The ICMS of items: situations, rates, amounts, and the share of the buyer's state."""

import pytest

from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

IDE, PRODUCT, TAXES = "infNFe/ide", "infNFe/det/prod", "infNFe/det/imposto"
ICMS, TOTALS, CRT = f"{TAXES}/ICMS", "infNFe/total/ICMSTot", "infNFe/emit/CRT"
CFOP = f"{PRODUCT}/CFOP"
FULL, DEFERRED, SHARE = f"{ICMS}/ICMS00", f"{ICMS}/ICMS51", f"{TAXES}/ICMSUFDest"
OWN_KEY = "35261011222333000181550010000000021123456824"
RETURNED = both(
    says(f"{IDE}/finNFe", "4"),
    becomes("infNFe/pag", "<pag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag></pag>"),
    grown(TAXES, f"<DFeReferenciado><chaveAcesso>{OWN_KEY}</chaveAcesso><nItem>1</nItem></DFeReferenciado>"),
)
NOT_TAXED = both(says(f"{TOTALS}/vBC", "0.00"), says(f"{TOTALS}/vICMS", "0.00"))
WITHOUT_SHARE = both(
    without(SHARE),
    says(f"{TOTALS}/vFCPUFDest", "0.00"),
    says(f"{TOTALS}/vICMSUFDest", "0.00"),
)
SHARED = (
    "<ICMSUFDest><vBCUFDest>0.00</vBCUFDest><pICMSUFDest>18.00</pICMSUFDest><pICMSInter>12.00</pICMSInter>"
    "<pICMSInterPart>100.00</pICMSInterPart><vICMSUFDest>0.00</vICMSUFDest><vICMSUFRemet>0.00</vICMSUFRemet>"
    "</ICMSUFDest>"
)
CREDITED = (
    "<ICMS><ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.0000</pCredSN>"
    "<vCredICMSSN>0.72</vCredICMSSN></ICMSSN101></ICMS>"
)
NO_FUND_OF_SUBSTITUTION = "<vBCFCPST>0.00</vBCFCPST><pFCPST>0.0000</pFCPST><vFCPST>0.00</vFCPST>"
EXEMPTED = (
    "<ICMS40><orig>0</orig><CST>40</CST><vICMSDeson>0.00</vICMSDeson><motDesICMS>9</motDesICMS></ICMS40>"
)
OTHER_OF_THE_SIMPLES = "<ICMS><ICMSSN900><orig>0</orig><CSOSN>900</CSOSN></ICMSSN900></ICMS>"


def untaxed(icms: str) -> Edit:
    return both(becomes(ICMS, f"<ICMS>{icms}</ICMS>"), NOT_TAXED)


def suspended(cfop: str) -> Edit:
    return both(untaxed("<ICMS40><orig>0</orig><CST>50</CST></ICMS40>"), says(CFOP, cfop))


def charged(rate: str, amount: str) -> Edit:
    """Changes the rate and its amount."""
    return both(says(f"{FULL}/pICMS", rate), says(f"{FULL}/vICMS", amount), says(f"{TOTALS}/vICMS", amount))


def with_fund(rate: str, amount: str) -> Edit:
    return both(
        grown(f"{FULL}/vICMS", f"<pFCP>{rate}</pFCP><vFCP>{amount}</vFCP>"),
        says(f"{TOTALS}/vFCP", amount),
    )


SITUATIONS = [
    Violation("590", "nfe_normal", says(CRT, "1"), detail="[nItem:1]"),
    Violation("590", "nfe_normal", says(CRT, "4")),
    Violation("591", "nfe", says(CRT, "2")),
    Violation("527", "nfe_export", says(f"{ICMS}/ICMS40/CST", "40")),
    Violation("508", "nfe_normal", suspended("5101")),
    Violation("600", "nfe", becomes(ICMS, CREDITED)),
    Violation("782", "nfe_of_a_mei", says(f"{ICMS}/ICMSSN102/CSOSN", "103")),
    Violation("337", "nfe_of_a_mei", says(CFOP, "5101")),
    Violation(
        "1179", "nfe_of_a_mei", both(RETURNED, says(CFOP, "5201"), says(f"{ICMS}/ICMSSN102/CSOSN", "400"))
    ),
    Violation("806", "nfe_substituted", without(f"{PRODUCT}/CEST")),
]
AMOUNTS = [
    Violation("663", "nfe_interstate", says(f"{FULL}/orig", "1")),
    Violation("693", "nfe_interstate", charged("17.0000", "12.21")),
    Violation("528", "nfe_normal", says(f"{FULL}/pICMS", "17.0000"), detail="[nItem:1]"),
    Violation("528", "nfce_normal", says(f"{FULL}/pICMS", "17.0000")),
    Violation("351", "nfe_deferred", says(f"{DEFERRED}/pICMS", "17.0000")),
    Violation("352", "nfe_deferred", says(f"{DEFERRED}/pDif", "40.0000")),
    Violation(
        "353", "nfe_deferred", both(says(f"{DEFERRED}/vICMS", "6.00"), says(f"{TOTALS}/vICMS", "6.00"))
    ),
    Violation("880", "nfe_normal", grown(f"{FULL}/vICMS", "<pFCP>0.0000</pFCP><vFCP>0.00</vFCP>")),
    Violation("881", "nfe_substituted", grown(f"{ICMS}/ICMSSN202/vICMSST", NO_FUND_OF_SUBSTITUTION)),
    Violation("627", "nfe_normal", untaxed(EXEMPTED)),
    Violation("860", "nfe_normal", with_fund("2.0000", "5.00")),
    Violation("876", "nfe_to_consumer_elsewhere", with_fund("2.0000", "1.44")),
]
SHARES = [
    Violation("694", "nfe_to_consumer_elsewhere", WITHOUT_SHARE),
    Violation("695", "nfe_normal", grown(f"{TAXES}/COFINS", SHARED)),
    Violation("697", "nfe_to_consumer_elsewhere", says(f"{SHARE}/pICMSInter", "4.00")),
    Violation("698", "nfe_to_consumer_elsewhere", says(f"{SHARE}/pICMSInter", "7.00")),
    Violation("699", "nfe_to_consumer_elsewhere", says(f"{SHARE}/pICMSInterPart", "80.0000")),
    Violation(
        "793",
        "nfe_to_consumer_elsewhere",
        both(says(f"{SHARE}/vFCPUFDest", "5.00"), says(f"{TOTALS}/vFCPUFDest", "5.00")),
    ),
]
VIOLATIONS = [*SITUATIONS, *AMOUNTS, *SHARES]
ALLOWED = [
    Violation("508", "nfe_normal", suspended("5915")),
    Violation("600", "nfe_to_company", becomes(ICMS, CREDITED)),
    Violation("806", "nfe_to_company", becomes(ICMS, OTHER_OF_THE_SIMPLES)),
    Violation("528", "nfe_normal", both(says(f"{FULL}/vICMS", "12.93"), says(f"{TOTALS}/vICMS", "12.93"))),
    Violation("528", "nfe_normal", both(says(f"{FULL}/vICMS", "12.91"), says(f"{TOTALS}/vICMS", "12.91"))),
    Violation("860", "nfe_normal", with_fund("2.0000", "1.44")),
    Violation("694", "nfe_to_consumer_elsewhere", both(WITHOUT_SHARE, says(CFOP, "6922"))),
]
"""Documents close to breaking a rule, which are accepted."""


class TestIcmsRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None
