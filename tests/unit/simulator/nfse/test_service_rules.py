"""What was done, and where."""

import pytest

from unit.simulator.mutating import after, both, says, without
from unit.simulator.nfse.declaring import EVENT, SITE
from unit.simulator.nfse.sefin import Breaking, ServiceCourt
from unit.simulator.rules.edits import becomes, grown

SERVICE, PLACE = "infDPS/serv/cServ", "infDPS/serv/locPrest/cLocPrestacao"
TRADE = "infDPS/serv/comExt"
BUILDING, EVENT_SITE = "infDPS/serv/obra/end", "infDPS/serv/atvEvento/end"
PROPERTY = "infDPS/IBSCBS/imovel/end"
COUNTRY = "<cPaisPrestacao>US</cPaisPrestacao>"
FOREIGN_SITE = (
    "<endExt><cEndPost>10001</cEndPost><xCidade>NEW YORK</xCidade><xEstProvReg>NY</xEstProvReg></endExt>"
)
TOLD_TRADE = (
    "<comExt><mdPrestacao>4</mdPrestacao><vincPrest>0</vincPrest><tpMoeda>220</tpMoeda>"
    "<vServMoeda>200.00</vServMoeda><mecAFComexP>01</mecAFComexP><mecAFComexT>01</mecAFComexT>"
    "<movTempBens>1</movTempBens><mdic>0</mdic></comExt>"
)
DONE_ABROAD = both(becomes(PLACE, COUNTRY), grown(SERVICE, TOLD_TRADE))
CODED = "<obra><cObra>123</cObra></obra>"

OF_CODES = [
    Breaking("E0302", edit=says(PLACE, "3550309")),
    Breaking("E0304", edit=both(DONE_ABROAD, says("infDPS/serv/locPrest/cPaisPrestacao", "BR"))),
    Breaking("E0310", edit=says(f"{SERVICE}/cTribNac", "010199")),
    Breaking(
        "E0312",
        "normal",
        both(says("infDPS/cLocEmi", "3509502"), says(f"{SERVICE}/cTribNac", "200101")),
    ),
    Breaking("E0315", edit=after(f"{SERVICE}/cTribNac", "cTribMun", "000")),
    Breaking("E0316", edit=says(f"{SERVICE}/cNBS", "199999999")),
    Breaking("E0318", "export", without(f"{SERVICE}/cNBS")),
    Breaking("E0322", "normal", without(f"{SERVICE}/cNBS")),
]
OF_TRADE = [
    Breaking("E0330", "export", without(TRADE)),
    Breaking("E0330", edit=becomes(PLACE, COUNTRY)),
    Breaking("E0333", "export", says(f"{TRADE}/mdPrestacao", "0")),
    Breaking("E0341", "export", says(f"{TRADE}/mecAFComexP", "00")),
    Breaking("E0343", "export", says(f"{TRADE}/mecAFComexT", "00")),
    Breaking("E0345", "export", says(f"{TRADE}/movTempBens", "0")),
    Breaking("E0352", "export", says(f"{TRADE}/movTempBens", "2")),
    Breaking("E0354", "export", after(f"{TRADE}/movTempBens", "nDI", "12")),
    Breaking("E0354", "export", after(f"{TRADE}/movTempBens", "nRE", "12")),
    Breaking("E0356", "export", says(f"{TRADE}/movTempBens", "3")),
]
OF_GROUPS = [
    Breaking("E0370", "construction", without("infDPS/serv/obra")),
    Breaking("E0372", edit=grown(SERVICE, CODED)),
    Breaking("E0390", "event", without("infDPS/serv/atvEvento")),
    Breaking("E0392", edit=grown(SERVICE, EVENT)),
]
OF_SITES = [
    Breaking("E0380", "construction", says(f"{BUILDING}/CEP", "20040002")),
    Breaking("E0382", "construction", DONE_ABROAD),
    Breaking("E0384", "construction", both(DONE_ABROAD, becomes("infDPS/serv/obra", CODED))),
    Breaking("E0386", "construction", becomes(f"{BUILDING}/CEP", FOREIGN_SITE)),
    Breaking("E0398", "event", says(f"{EVENT_SITE}/CEP", "20040002")),
    Breaking("E0400", "event", DONE_ABROAD),
    Breaking("E0402", "event", both(DONE_ABROAD, becomes(EVENT_SITE, "<idAtvEvt>12</idAtvEvt>"))),
    Breaking("E0404", "event", becomes(f"{EVENT_SITE}/CEP", FOREIGN_SITE)),
    Breaking("E0934", "property", both(DONE_ABROAD, becomes(PROPERTY, "<cCIB>12345678</cCIB>"))),
    Breaking("E0935", "property", becomes(f"{PROPERTY}/CEP", FOREIGN_SITE)),
]
BREAKINGS = [*OF_CODES, *OF_TRADE, *OF_GROUPS, *OF_SITES]
ALLOWED = [
    Breaking("E0302", edit=says(PLACE, "0000000")),
    Breaking("E0304", edit=DONE_ABROAD),
    Breaking("E0312", "mei", says("infDPS/cLocEmi", "3509502")),
    Breaking("E0315", edit=after(f"{SERVICE}/cTribNac", "cTribMun", "001")),
    Breaking(
        "E0352", "export", both(says(f"{TRADE}/movTempBens", "2"), after(f"{TRADE}/movTempBens", "nDI", "1"))
    ),
    Breaking("E0372", "untaxed", grown(SERVICE, f"<obra>{SITE}</obra>")),
    Breaking("E0392", "untaxed", grown(SERVICE, EVENT)),
    Breaking("E0382", "construction", both(DONE_ABROAD, becomes(f"{BUILDING}/CEP", FOREIGN_SITE))),
]
"""What comes near to breaking a rule."""


class TestServiceRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []
