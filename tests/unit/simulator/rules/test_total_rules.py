"""Totals are the sums of the items, and the amount of the document is the sum of its parts."""

import pytest

from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

TOTALS, SERVICES = "infNFe/total/ICMSTot", "infNFe/total/ISSQNtot"
REFORM = "infNFe/total/IBSCBSTot"
ELSEWHERE = "nfe_to_consumer_elsewhere"
SERVICE = both(
    becomes(
        "infNFe/det/imposto/ICMS",
        "<ISSQN><vBC>71.80</vBC><vAliq>5.00</vAliq><vISSQN>3.59</vISSQN><cMunFG>3550308</cMunFG>"
        "<cListServ>14.01</cListServ><indISS>1</indISS><indIncentivo>2</indIncentivo></ISSQN>",
    ),
    says(f"{TOTALS}/vProd", "0.00"),
    grown(
        TOTALS,
        "<ISSQNtot><vServ>71.80</vServ><vBC>71.80</vBC><vISS>3.59</vISS><vPIS>0.10</vPIS><vCOFINS>0.20</vCOFINS>"
        "<dCompet>2026-11-14</dCompet></ISSQNtot>",
    ),
    says("infNFe/det/imposto/PIS/PISOutr/vPIS", "0.10"),
    says("infNFe/det/imposto/COFINS/COFINSOutr/vCOFINS", "0.20"),
)


VIOLATIONS = [
    Violation("531", "nfe_normal", says(f"{TOTALS}/vBC", "71.81")),
    Violation("531", "nfce_normal", says(f"{TOTALS}/vBC", "71.81")),
    Violation("532", "nfe_normal", says(f"{TOTALS}/vICMS", "12.93")),
    Violation("795", "nfe", says(f"{TOTALS}/vICMSDeson", "0.01")),
    Violation("861", "nfe", says(f"{TOTALS}/vFCP", "0.01")),
    Violation("798", ELSEWHERE, says(f"{TOTALS}/vFCPUFDest", "1.45")),
    Violation("799", ELSEWHERE, says(f"{TOTALS}/vICMSUFDest", "5.75")),
    Violation("800", ELSEWHERE, says(f"{TOTALS}/vICMSUFRemet", "0.01")),
    Violation("533", "nfe_substituted", says(f"{TOTALS}/vBCST", "100.01")),
    Violation("534", "nfe_substituted", says(f"{TOTALS}/vST", "5.01")),
    Violation("862", "nfe", says(f"{TOTALS}/vFCPST", "0.01")),
    Violation("859", "nfe", says(f"{TOTALS}/vFCPSTRet", "0.01")),
    Violation("967", "nfe", after(f"{TOTALS}/vFCPSTRet", "vICMSMono", "0.01")),
    Violation("968", "nfe", after(f"{TOTALS}/vFCPSTRet", "vICMSMonoReten", "0.01")),
    Violation("969", "nfe", after(f"{TOTALS}/vFCPSTRet", "vICMSMonoRet", "0.01")),
    Violation("564", "nfe", says(f"{TOTALS}/vProd", "71.81")),
    Violation("564", "nfe", says("infNFe/det/prod/indTot", "0")),
    Violation("535", "nfe", says(f"{TOTALS}/vFrete", "0.01")),
    Violation("536", "nfe", says(f"{TOTALS}/vSeg", "0.01")),
    Violation("537", "nfe", says(f"{TOTALS}/vDesc", "0.01")),
    Violation("601", "nfe", says(f"{TOTALS}/vII", "0.01")),
    Violation("538", "nfe", says(f"{TOTALS}/vIPI", "0.01")),
    Violation("863", "nfe", says(f"{TOTALS}/vIPIDevol", "0.01")),
    Violation("602", "nfe_normal", says(f"{TOTALS}/vPIS", "0.98")),
    Violation("603", "nfe_normal", says(f"{TOTALS}/vCOFINS", "4.48")),
    Violation("604", "nfe", says(f"{TOTALS}/vOutro", "0.01")),
    Violation("610", "nfe", both(says(f"{TOTALS}/vNF", "72.31"), says("infNFe/pag/detPag/vPag", "72.31"))),
    Violation("610", "nfce", both(says(f"{TOTALS}/vNF", "71.29"), says("infNFe/pag/detPag/vPag", "71.29"))),
    Violation("685", "nfe", after(f"{TOTALS}/vNF", "vTotTrib", "0.01")),
    Violation("605", "nfe", both(SERVICE, says(f"{SERVICES}/vServ", "71.81"))),
    Violation("606", "nfe", both(SERVICE, says(f"{SERVICES}/vBC", "71.81"))),
    Violation("607", "nfe", both(SERVICE, says(f"{SERVICES}/vISS", "3.60"))),
    Violation("608", "nfe", both(SERVICE, says(f"{SERVICES}/vPIS", "0.11"))),
    Violation("609", "nfe", both(SERVICE, says(f"{SERVICES}/vCOFINS", "0.21"))),
]
REFORM_TOTALS = {
    "1076": "vBCIBSCBS",
    "1077": "gIBS/gIBSUF/vDif",
    "1078": "gIBS/gIBSUF/vDevTrib",
    "1080": "gIBS/gIBSUF/vIBSUF",
    "1081": "gIBS/gIBSMun/vDif",
    "1082": "gIBS/gIBSMun/vDevTrib",
    "1084": "gIBS/gIBSMun/vIBSMun",
    "1085": "gIBS/vIBS",
    "1086": "gIBS/vCredPres",
    "1088": "gCBS/vDif",
    "1089": "gCBS/vDevTrib",
    "1091": "gCBS/vCBS",
    "1087": "gCBS/vCredPres",
}
REVERSED = "<gEstornoCred><vIBSEstCred>{}</vIBSEstCred><vCBSEstCred>{}</vCBSEstCred></gEstornoCred>"
VIOLATIONS += [
    Violation(code, "nfe_normal", says(f"{REFORM}/{path}", "99.99")) for code, path in REFORM_TOTALS.items()
]
VIOLATIONS += [
    Violation("1118", "nfe", grown(TOTALS, "<IBSCBSTot><vBCIBSCBS>0.00</vBCIBSCBS></IBSCBSTot>")),
    Violation("1119", "nfe_normal", without(REFORM)),
    Violation("1119", "nfce_normal", without(REFORM)),
    Violation("1176", "nfe_normal", grown(f"{REFORM}/gCBS", REVERSED.format("0.01", "0.00"))),
    Violation("1177", "nfe_normal", grown(f"{REFORM}/gCBS", REVERSED.format("0.00", "0.01"))),
]
ALLOWED = [
    Violation("610", "nfe", both(says(f"{TOTALS}/vNF", "72.30"), says("infNFe/pag/detPag/vPag", "72.30"))),
    Violation("605", "nfe", SERVICE),
]
"""Documents close to breaking a rule, which are accepted."""


class TestTotalRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None
