"""What a declaration is, when it was made, and where it is sent."""

from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.simulator.family import World
from carimbo.simulator.nfse.declarations import Declarations
from carimbo.simulator.place import HOMOLOGATION, PRODUCTION
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import Edit, after, at, both, says
from unit.simulator.nfse.declaring import BRASILIA, CAMPINAS, PORTO_ALEGRE
from unit.simulator.nfse.sefin import AT_SEFIN, Breaking, ServiceCourt

SECOND = timedelta(seconds=1)
KEY = "35503082211222333000181000000000000126111234567890"


def known_before(world: World, xml: bytes) -> None:
    """The same declaration has become a note."""
    id_ = at(etree.fromstring(xml), "infDPS").get("Id", "")
    Declarations(world.store, HOMOLOGATION).keep(id_, KEY)


def in_city(code: str) -> Edit:
    return says("infDPS/cLocEmi", code)


def done_in(code: str, day: str) -> Edit:
    return both(in_city(code), says("infDPS/dCompet", day))


def with_id(id_: str) -> Edit:
    def edit(root: etree._Element) -> None:
        at(root, "infDPS").set("Id", id_)

    return edit


OTHER_ID = "DPS355030821122233300018100001000000000000004"
BREAKINGS = [
    Breaking("E0004", edit=with_id(OTHER_ID), keyed=False),
    Breaking("E0004", edit=with_id(OTHER_ID.replace("35503082", "35503081")), keyed=False),
    Breaking("E0006", place=AT_SEFIN._replace(environment=PRODUCTION)),
    Breaking("E0008", now=ISSUED_AT - SECOND),
    Breaking("E0010", edit=says("infDPS/serie", "50000")),
    Breaking("E0010", edit=says("infDPS/serie", "0")),
    Breaking("E0014", prepare=known_before, detail=KEY),
    Breaking("E0015", edit=says("infDPS/dCompet", "2026-11-15")),
    Breaking("E0016", edit=says("infDPS/dCompet", "2022-12-31")),
    Breaking("E0029", edit=after("infDPS/tpEmit", "cMotivoEmisTI", "4")),
    Breaking("E9996", edit=says("infDPS/tpEmit", "2")),
    Breaking("E0037", edit=in_city("3550309")),
    Breaking("E0037", "mei", in_city("3550309")),
    Breaking("E0038", edit=in_city(BRASILIA)),
    Breaking("E0038", "normal_in_brasilia", in_city(BRASILIA)),
    Breaking("E0039", "normal", in_city(PORTO_ALEGRE)),
    Breaking("E0039", "normal", done_in(PORTO_ALEGRE, "2026-10-31")),
    Breaking("E0039", "simples", done_in(PORTO_ALEGRE, "2026-10-31")),
    Breaking("E0039", "simples_apart", done_in(PORTO_ALEGRE, "2026-10-31")),
]
ALLOWED = [
    Breaking("E0008", now=ISSUED_AT),
    Breaking("E0008", now=ISSUED_AT + SECOND),
    Breaking("E0010", edit=says("infDPS/serie", "49999")),
    Breaking("E0015", edit=says("infDPS/dCompet", "2026-11-13")),
    Breaking("E0016", "mei", says("infDPS/dCompet", "2022-12-31")),
    Breaking("E0037", edit=in_city(CAMPINAS)),
    Breaking("E0038", "mei", in_city(BRASILIA)),
    Breaking("E0039", "mei", in_city(PORTO_ALEGRE)),
    Breaking("E0039", "mei", done_in(PORTO_ALEGRE, "2026-10-31")),
    Breaking("E0039", "simples", in_city(PORTO_ALEGRE)),
    Breaking("E0039", "simples", done_in(PORTO_ALEGRE, "2026-11-01")),
    Breaking("E0039", "simples_apart", done_in(PORTO_ALEGRE, "2026-11-01")),
    Breaking(
        "E0006",
        edit=says("infDPS/tpAmb", "1"),
        place=AT_SEFIN._replace(environment=PRODUCTION),
    ),
]
"""What comes near to breaking a rule."""


class TestIdentityRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []

    def test_everything_is_told_at_once(self, service_court: ServiceCourt) -> None:
        wrong = both(says("infDPS/serie", "50000"), says("infDPS/dCompet", "2026-11-15"))
        broken = service_court.broken(Breaking("", edit=wrong))
        late = replace(BREAKINGS[3], edit=wrong)
        codes = [one.code for one in service_court.verdict_on(broken, late)]
        assert codes == ["E0008", "E0010", "E0015"]
