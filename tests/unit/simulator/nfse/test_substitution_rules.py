"""A declaration that takes the place of a note."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from carimbo.simulator.family import World
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredEvent
from carimbo.simulator.place import HOMOLOGATION
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.front_desk import document
from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import BASES, CAMPINAS, REPLACED_KEY, SUBSTITUTES, TAKER_CNPJ
from unit.simulator.nfse.sefin import AT_SEFIN, Breaking, ServiceCourt

KEY = "infDPS/subst/chSubstda"
DAY = timedelta(days=1)


def issued(world: World, _: bytes, name: str = "simples") -> None:
    """The company has issued a note."""
    note = replace(document(AT_SEFIN, REPLACED_KEY, ISSUED_AT), xml=BASES[name].encode(), issuer=CNPJ)
    Ledger(world.store).keep_document(note)


def canceled(world: World, _: bytes) -> None:
    Ledger(world.store).change_status(HOMOLOGATION, REPLACED_KEY, DocumentStatus.CANCELED)


def happened(world: World, _: bytes, type_: str) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=REPLACED_KEY,
        type=type_,
        sequence=1,
        author=TAKER_CNPJ,
        authorizer="SEFIN",
        registered_at=world.now,
        code="201",
        protocol="0",
        xml=b"<pedRegEvento/>",
        answer_xml=b"<evento/>",
    )
    Ledger(world.store).keep_event(event)


def breaking(code: str, edit: Edit | None = None, **changes: Any) -> Breaking:
    """Of a company of the Simples, whose note was issued before."""
    told: dict[str, Any] = {"base": "substituting", "before": issued} | changes
    return Breaking(code, **told | ({"edit": edit} if edit else {}))


OUTSIDE = {"base": "substituting_outside", "before": partial(issued, name="normal_withheld")}
BREAKINGS = [
    breaking("E0042", says(KEY, REPLACED_KEY[:-1] + "1")),
    breaking("E0042", says(KEY, "35095022211222333000181000000000000126111234567890")),
    breaking("E0042", says(KEY, "35503082244455566000183000000000000126111234567893")),
    breaking("E0044", says(KEY, "35503082211222333000181000000000000226111234567894")),
    breaking("E0046", prepare=canceled),
    breaking("E0050", now=ISSUED_AT + 731 * DAY),
    breaking("E0060", says("infDPS/dCompet", "2026-11-13"), **OUTSIDE),
    breaking("E0060", says("infDPS/serv/cServ/cTribNac", "010201"), **OUTSIDE),
    breaking("E0060", after("infDPS/serv/cServ/cTribNac", "cTribMun", "001"), **OUTSIDE),
    breaking("E0060", says("infDPS/serv/locPrest/cLocPrestacao", CAMPINAS), **OUTSIDE),
    breaking("E0061", says("infDPS/dCompet", "2026-11-13")),
    breaking("E0061", says("infDPS/valores/vServPrest/vServ", "999.00")),
    breaking("E0061", says("infDPS/toma/CNPJ", "66677788000183")),
    breaking("E0068", prepare=partial(happened, type_="101103")),
    breaking("E0070", prepare=partial(happened, type_="203202")),
    breaking("E0078", without("infDPS/subst/xMotivo")),
]
ALLOWED = [
    breaking("E0050", now=ISSUED_AT + 730 * DAY),
    breaking("E0050", says("infDPS/subst/cMotivo", "01"), now=ISSUED_AT + 731 * DAY),
    breaking("E0060", says("infDPS/valores/vServPrest/vServ", "999.00"), **OUTSIDE),
    breaking("E0061", says("infDPS/serv/cServ/cTribNac", "010201")),
    breaking("E0061", without("infDPS/toma")),
    breaking("E0068", prepare=partial(happened, type_="203206")),
    breaking("E0078", both(says("infDPS/subst/cMotivo", "03"), without("infDPS/subst/xMotivo"))),
]
"""What comes near to breaking a rule."""


class TestSubstitutionRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []

    def test_nothing_is_taken_that_replaces_nothing(self, service_court: ServiceCourt) -> None:
        for name in SUBSTITUTES:
            codes = [one.code for one in service_court.verdict(service_court.base(name))]
            assert codes == ["E0044"]
