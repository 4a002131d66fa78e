"""The service, and where it was performed."""

import pytest

from unit.simulator.mutating import after, both, says, without
from unit.simulator.nfse.declaring import EVENT, SITE
from unit.simulator.nfse.sefin import ServiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

SERVICE, PLACE = "infDPS/serv/cServ", "infDPS/serv/locPrest/cLocPrestacao"
TRADE = "infDPS/serv/comExt"
BUILDING, EVENT_SITE = "infDPS/serv/obra/end", "infDPS/serv/atvEvento/end"
PROPERTY = "infDPS/IBSCBS/imovel/end"
COUNTRY = "<cPaisPrestacao>US</cPaisPrestacao>"
FOREIGN_SITE = (
    "<endExt><cEndPost>10001</cEndPost><xCidade>NEW YORK</xCidade><xEstProvReg>NY</xEstProvReg></endExt>"
)
FOREIGN_TRADE = (
    "<comExt><mdPrestacao>4</mdPrestacao><vincPrest>0</vincPrest><tpMoeda>220</tpMoeda>"
    "<vServMoeda>200.00</vServMoeda><mecAFComexP>01</mecAFComexP><mecAFComexT>01</mecAFComexT>"
    "<movTempBens>1</movTempBens><mdic>0</mdic></comExt>"
)
DONE_ABROAD = both(becomes(PLACE, COUNTRY), grown(SERVICE, FOREIGN_TRADE))
CODED = "<obra><cObra>123</cObra></obra>"

OF_CODES = [
    Violation("E0302", edit=says(PLACE, "3550309")),
    Violation("E0304", edit=both(DONE_ABROAD, says("infDPS/serv/locPrest/cPaisPrestacao", "BR"))),
    Violation("E0310", edit=says(f"{SERVICE}/cTribNac", "010199")),
    Violation(
        "E0312",
        "normal",
        both(says("infDPS/cLocEmi", "3509502"), says(f"{SERVICE}/cTribNac", "200101")),
    ),
    Violation("E0315", edit=after(f"{SERVICE}/cTribNac", "cTribMun", "000")),
    Violation("E0316", edit=says(f"{SERVICE}/cNBS", "199999999")),
    Violation("E0318", "export", without(f"{SERVICE}/cNBS")),
    Violation("E0322", "normal", without(f"{SERVICE}/cNBS")),
]
OF_TRADE = [
    Violation("E0330", "export", without(TRADE)),
    Violation("E0330", edit=becomes(PLACE, COUNTRY)),
    Violation("E0333", "export", says(f"{TRADE}/mdPrestacao", "0")),
    Violation("E0341", "export", says(f"{TRADE}/mecAFComexP", "00")),
    Violation("E0343", "export", says(f"{TRADE}/mecAFComexT", "00")),
    Violation("E0345", "export", says(f"{TRADE}/movTempBens", "0")),
    Violation("E0352", "export", says(f"{TRADE}/movTempBens", "2")),
    Violation("E0354", "export", after(f"{TRADE}/movTempBens", "nDI", "12")),
    Violation("E0354", "export", after(f"{TRADE}/movTempBens", "nRE", "12")),
    Violation("E0356", "export", says(f"{TRADE}/movTempBens", "3")),
]
OF_GROUPS = [
    Violation("E0370", "construction", without("infDPS/serv/obra")),
    Violation("E0372", edit=grown(SERVICE, CODED)),
    Violation("E0390", "event", without("infDPS/serv/atvEvento")),
    Violation("E0392", edit=grown(SERVICE, EVENT)),
]
OF_SITES = [
    Violation("E0380", "construction", says(f"{BUILDING}/CEP", "20040002")),
    Violation("E0382", "construction", DONE_ABROAD),
    Violation("E0384", "construction", both(DONE_ABROAD, becomes("infDPS/serv/obra", CODED))),
    Violation("E0386", "construction", becomes(f"{BUILDING}/CEP", FOREIGN_SITE)),
    Violation("E0398", "event", says(f"{EVENT_SITE}/CEP", "20040002")),
    Violation("E0400", "event", DONE_ABROAD),
    Violation("E0402", "event", both(DONE_ABROAD, becomes(EVENT_SITE, "<idAtvEvt>12</idAtvEvt>"))),
    Violation("E0404", "event", becomes(f"{EVENT_SITE}/CEP", FOREIGN_SITE)),
    Violation("E0934", "property", both(DONE_ABROAD, becomes(PROPERTY, "<cCIB>12345678</cCIB>"))),
    Violation("E0935", "property", becomes(f"{PROPERTY}/CEP", FOREIGN_SITE)),
]
VIOLATIONS = [*OF_CODES, *OF_TRADE, *OF_GROUPS, *OF_SITES]
ALLOWED = [
    Violation("E0302", edit=says(PLACE, "0000000")),
    Violation("E0304", edit=DONE_ABROAD),
    Violation("E0312", "mei", says("infDPS/cLocEmi", "3509502")),
    Violation("E0315", edit=after(f"{SERVICE}/cTribNac", "cTribMun", "001")),
    Violation(
        "E0352", "export", both(says(f"{TRADE}/movTempBens", "2"), after(f"{TRADE}/movTempBens", "nDI", "1"))
    ),
    Violation("E0372", "untaxed", grown(SERVICE, f"<obra>{SITE}</obra>")),
    Violation("E0392", "untaxed", grown(SERVICE, EVENT)),
    Violation("E0382", "construction", both(DONE_ABROAD, becomes(f"{BUILDING}/CEP", FOREIGN_SITE))),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestServiceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_declaration(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        service_tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(
        self, allowed: Violation, service_tester: ServiceRuleTester
    ) -> None:
        assert service_tester.verdict_on(service_tester.broken(allowed), allowed) == []
