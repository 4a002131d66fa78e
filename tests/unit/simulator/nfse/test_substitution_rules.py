"""A declaration that replaces a note."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from carimbo.simulator.family import HOMOLOGATION, RequestContext
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredEvent
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import BASES, CAMPINAS, REPLACED_KEY, SUBSTITUTES, TAKER_CNPJ
from unit.simulator.nfse.sefin import AT_SEFIN, ServiceRuleTester, Violation
from unit.simulator.sample_family import document

KEY = "infDPS/subst/chSubstda"
DAY = timedelta(days=1)


def store_note(context: RequestContext, _: bytes, name: str = "simples") -> None:
    """Stores a note of the company."""
    note = replace(document(AT_SEFIN, REPLACED_KEY, ISSUED_AT), xml=BASES[name].encode(), issuer=CNPJ)
    Ledger(context.store).keep_document(note)


def cancel_note(context: RequestContext, _: bytes) -> None:
    Ledger(context.store).change_status(HOMOLOGATION, REPLACED_KEY, DocumentStatus.CANCELED)


def store_event(context: RequestContext, _: bytes, type_: str) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=REPLACED_KEY,
        type=type_,
        sequence=1,
        author=TAKER_CNPJ,
        authorizer="SEFIN",
        registered_at=context.now,
        code="201",
        protocol="0",
        xml=b"<pedRegEvento/>",
        answer_xml=b"<evento/>",
    )
    Ledger(context.store).keep_event(event)


def violation(code: str, edit: Edit | None = None, **changes: Any) -> Violation:
    """A change of a declaration of a Simples company whose note exists."""
    options: dict[str, Any] = {"base": "substituting", "before": store_note} | changes
    return Violation(code, **options | ({"edit": edit} if edit else {}))


OUTSIDE = {"base": "substituting_outside", "before": partial(store_note, name="normal_withheld")}
VIOLATIONS = [
    violation("E0042", says(KEY, REPLACED_KEY[:-1] + "1")),
    violation("E0042", says(KEY, "35095022211222333000181000000000000126111234567890")),
    violation("E0042", says(KEY, "35503082244455566000183000000000000126111234567893")),
    violation("E0044", says(KEY, "35503082211222333000181000000000000226111234567894")),
    violation("E0046", prepare=cancel_note),
    violation("E0050", now=ISSUED_AT + 731 * DAY),
    violation("E0060", says("infDPS/dCompet", "2026-11-13"), **OUTSIDE),
    violation("E0060", says("infDPS/serv/cServ/cTribNac", "010201"), **OUTSIDE),
    violation("E0060", after("infDPS/serv/cServ/cTribNac", "cTribMun", "001"), **OUTSIDE),
    violation("E0060", says("infDPS/serv/locPrest/cLocPrestacao", CAMPINAS), **OUTSIDE),
    violation("E0061", says("infDPS/dCompet", "2026-11-13")),
    violation("E0061", says("infDPS/valores/vServPrest/vServ", "999.00")),
    violation("E0061", says("infDPS/toma/CNPJ", "66677788000183")),
    violation("E0068", prepare=partial(store_event, type_="101103")),
    violation("E0070", prepare=partial(store_event, type_="203202")),
    violation("E0078", without("infDPS/subst/xMotivo")),
]
ALLOWED = [
    violation("E0050", now=ISSUED_AT + 730 * DAY),
    violation("E0050", says("infDPS/subst/cMotivo", "01"), now=ISSUED_AT + 731 * DAY),
    violation("E0060", says("infDPS/valores/vServPrest/vServ", "999.00"), **OUTSIDE),
    violation("E0061", says("infDPS/serv/cServ/cTribNac", "010201")),
    violation("E0061", without("infDPS/toma")),
    violation("E0068", prepare=partial(store_event, type_="203206")),
    violation("E0078", both(says("infDPS/subst/cMotivo", "03"), without("infDPS/subst/xMotivo"))),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestSubstitutionRules:
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

    def test_declaration_that_replaces_an_unknown_note_is_refused(
        self, service_tester: ServiceRuleTester
    ) -> None:
        for name in SUBSTITUTES:
            codes = [refusal.code for refusal in service_tester.verdict(service_tester.base(name))]
            assert codes == ["E0044"]
