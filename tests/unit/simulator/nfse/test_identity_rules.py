"""The identity of a declaration, its dates, and where it is sent."""

from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.simulator.family import HOMOLOGATION, PRODUCTION, RequestContext
from carimbo.simulator.nfse.stored_notes import Declarations
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import Edit, after, at, both, says
from unit.simulator.nfse.declaring import BRASILIA, CAMPINAS, PORTO_ALEGRE
from unit.simulator.nfse.sefin import AT_SEFIN, ServiceRuleTester, Violation

SECOND = timedelta(seconds=1)
KEY = "35503082211222333000181000000000000126111234567890"


def already_issued(context: RequestContext, xml: bytes) -> None:
    """Stores the note of the same declaration."""
    id_ = at(etree.fromstring(xml), "infDPS").get("Id", "")
    Declarations(context.store, HOMOLOGATION).keep(id_, KEY)


def in_city(code: str) -> Edit:
    return says("infDPS/cLocEmi", code)


def done_in(code: str, day: str) -> Edit:
    return both(in_city(code), says("infDPS/dCompet", day))


def with_id(id_: str) -> Edit:
    def edit(root: etree._Element) -> None:
        at(root, "infDPS").set("Id", id_)

    return edit


OTHER_ID = "DPS355030821122233300018100001000000000000004"
VIOLATIONS = [
    Violation("E0004", edit=with_id(OTHER_ID), keyed=False),
    Violation("E0004", edit=with_id(OTHER_ID.replace("35503082", "35503081")), keyed=False),
    Violation("E0006", service_path=AT_SEFIN._replace(environment=PRODUCTION)),
    Violation("E0008", now=ISSUED_AT - SECOND),
    Violation("E0010", edit=says("infDPS/serie", "50000")),
    Violation("E0010", edit=says("infDPS/serie", "0")),
    Violation("E0014", prepare=already_issued, detail=KEY),
    Violation("E0015", edit=says("infDPS/dCompet", "2026-11-15")),
    Violation("E0016", edit=says("infDPS/dCompet", "2022-12-31")),
    Violation("E0029", edit=after("infDPS/tpEmit", "cMotivoEmisTI", "4")),
    Violation("E9996", edit=says("infDPS/tpEmit", "2")),
    Violation("E0037", edit=in_city("3550309")),
    Violation("E0037", "mei", in_city("3550309")),
    Violation("E0038", edit=in_city(BRASILIA)),
    Violation("E0038", "normal_in_brasilia", in_city(BRASILIA)),
    Violation("E0039", "normal", in_city(PORTO_ALEGRE)),
    Violation("E0039", "normal", done_in(PORTO_ALEGRE, "2026-10-31")),
    Violation("E0039", "simples", done_in(PORTO_ALEGRE, "2026-10-31")),
    Violation("E0039", "simples_apart", done_in(PORTO_ALEGRE, "2026-10-31")),
]
ALLOWED = [
    Violation("E0008", now=ISSUED_AT),
    Violation("E0008", now=ISSUED_AT + SECOND),
    Violation("E0010", edit=says("infDPS/serie", "49999")),
    Violation("E0015", edit=says("infDPS/dCompet", "2026-11-13")),
    Violation("E0016", "mei", says("infDPS/dCompet", "2022-12-31")),
    Violation("E0037", edit=in_city(CAMPINAS)),
    Violation("E0038", "mei", in_city(BRASILIA)),
    Violation("E0039", "mei", in_city(PORTO_ALEGRE)),
    Violation("E0039", "mei", done_in(PORTO_ALEGRE, "2026-10-31")),
    Violation("E0039", "simples", in_city(PORTO_ALEGRE)),
    Violation("E0039", "simples", done_in(PORTO_ALEGRE, "2026-11-01")),
    Violation("E0039", "simples_apart", done_in(PORTO_ALEGRE, "2026-11-01")),
    Violation(
        "E0006",
        edit=says("infDPS/tpAmb", "1"),
        service_path=AT_SEFIN._replace(environment=PRODUCTION),
    ),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestIdentityRules:
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

    def test_all_broken_rules_are_reported_at_once(self, service_tester: ServiceRuleTester) -> None:
        wrong = both(says("infDPS/serie", "50000"), says("infDPS/dCompet", "2026-11-15"))
        broken = service_tester.broken(Violation("", edit=wrong))
        late = replace(VIOLATIONS[3], edit=wrong)
        codes = [refusal.code for refusal in service_tester.verdict_on(broken, late)]
        assert codes == ["E0008", "E0010", "E0015"]
