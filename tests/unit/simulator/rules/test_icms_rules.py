"""The ICMS of items: situations, rates, amounts, and the share of the buyer's state."""

import pytest

from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.rules.breaking import Breaking, Court
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
    """Another rate with its amount."""
    return both(says(f"{FULL}/pICMS", rate), says(f"{FULL}/vICMS", amount), says(f"{TOTALS}/vICMS", amount))


def with_fund(rate: str, amount: str) -> Edit:
    return both(
        grown(f"{FULL}/vICMS", f"<pFCP>{rate}</pFCP><vFCP>{amount}</vFCP>"),
        says(f"{TOTALS}/vFCP", amount),
    )


SITUATIONS = [
    Breaking("590", "nfe_normal", says(CRT, "1"), detail="[nItem:1]"),
    Breaking("590", "nfe_normal", says(CRT, "4")),
    Breaking("591", "nfe", says(CRT, "2")),
    Breaking("527", "nfe_export", says(f"{ICMS}/ICMS40/CST", "40")),
    Breaking("508", "nfe_normal", suspended("5101")),
    Breaking("600", "nfe", becomes(ICMS, CREDITED)),
    Breaking("782", "nfe_of_a_mei", says(f"{ICMS}/ICMSSN102/CSOSN", "103")),
    Breaking("337", "nfe_of_a_mei", says(CFOP, "5101")),
    Breaking(
        "1179", "nfe_of_a_mei", both(RETURNED, says(CFOP, "5201"), says(f"{ICMS}/ICMSSN102/CSOSN", "400"))
    ),
    Breaking("806", "nfe_substituted", without(f"{PRODUCT}/CEST")),
]
AMOUNTS = [
    Breaking("663", "nfe_interstate", says(f"{FULL}/orig", "1")),
    Breaking("693", "nfe_interstate", charged("17.0000", "12.21")),
    Breaking("528", "nfe_normal", says(f"{FULL}/pICMS", "17.0000"), detail="[nItem:1]"),
    Breaking("528", "nfce_normal", says(f"{FULL}/pICMS", "17.0000")),
    Breaking("351", "nfe_deferred", says(f"{DEFERRED}/pICMS", "17.0000")),
    Breaking("352", "nfe_deferred", says(f"{DEFERRED}/pDif", "40.0000")),
    Breaking("353", "nfe_deferred", both(says(f"{DEFERRED}/vICMS", "6.00"), says(f"{TOTALS}/vICMS", "6.00"))),
    Breaking("880", "nfe_normal", grown(f"{FULL}/vICMS", "<pFCP>0.0000</pFCP><vFCP>0.00</vFCP>")),
    Breaking("881", "nfe_substituted", grown(f"{ICMS}/ICMSSN202/vICMSST", NO_FUND_OF_SUBSTITUTION)),
    Breaking("627", "nfe_normal", untaxed(EXEMPTED)),
    Breaking("860", "nfe_normal", with_fund("2.0000", "5.00")),
    Breaking("876", "nfe_to_consumer_elsewhere", with_fund("2.0000", "1.44")),
]
SHARES = [
    Breaking("694", "nfe_to_consumer_elsewhere", WITHOUT_SHARE),
    Breaking("695", "nfe_normal", grown(f"{TAXES}/COFINS", SHARED)),
    Breaking("697", "nfe_to_consumer_elsewhere", says(f"{SHARE}/pICMSInter", "4.00")),
    Breaking("698", "nfe_to_consumer_elsewhere", says(f"{SHARE}/pICMSInter", "7.00")),
    Breaking("699", "nfe_to_consumer_elsewhere", says(f"{SHARE}/pICMSInterPart", "80.0000")),
    Breaking(
        "793",
        "nfe_to_consumer_elsewhere",
        both(says(f"{SHARE}/vFCPUFDest", "5.00"), says(f"{TOTALS}/vFCPUFDest", "5.00")),
    ),
]
BREAKINGS = [*SITUATIONS, *AMOUNTS, *SHARES]
ALLOWED = [
    Breaking("508", "nfe_normal", suspended("5915")),
    Breaking("600", "nfe_to_company", becomes(ICMS, CREDITED)),
    Breaking("806", "nfe_to_company", becomes(ICMS, OTHER_OF_THE_SIMPLES)),
    Breaking("528", "nfe_normal", both(says(f"{FULL}/vICMS", "12.93"), says(f"{TOTALS}/vICMS", "12.93"))),
    Breaking("528", "nfe_normal", both(says(f"{FULL}/vICMS", "12.91"), says(f"{TOTALS}/vICMS", "12.91"))),
    Breaking("860", "nfe_normal", with_fund("2.0000", "1.44")),
    Breaking("694", "nfe_to_consumer_elsewhere", both(WITHOUT_SHARE, says(CFOP, "6922"))),
]
"""What comes near to breaking a rule."""


class TestIcmsRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None
