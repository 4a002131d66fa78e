"""NFeStatusServico4, as our own reader understands it."""

from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.outcome import Available, NotJudged, Outage, Unavailable
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.controls import Contingency
from carimbo.simulator.family import Said
from nfe_dialect import read_status
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.nfe.counter import STATUS, Counter, faults, place, text_of


def status(counter: Counter, state_code: str, authorizer: str, family: str = "nfe") -> Said:
    said = counter.status(state_code, authorizer, family)
    assert faults(said, Schema.NFE_SERVICE_ANSWER) == []
    return said


class TestStatus:
    @pytest.mark.parametrize(
        ("state_code", "authorizer", "family"),
        [("35", "SP", "nfe"), ("35", "SP", "nfce"), ("33", "SVRS", "nfe"), ("12", "SVRS", "nfce")],
    )
    def test_an_authority_at_work_says_so(
        self, state_code: str, authorizer: str, family: str, counter: Counter
    ) -> None:
        outcome = read_status(status(counter, state_code, authorizer, family).reply.body)
        assert isinstance(outcome, Available)
        assert (outcome.code, outcome.response_seconds) == ("107", 1)

    def test_it_goes_by_its_own_clock(self, counter: Counter) -> None:
        assert text_of(status(counter, "13", "AM"), "dhRecbto") == "2026-11-14T09:00:00-04:00"
        assert text_of(status(counter, "12", "SVRS"), "dhRecbto") == "2026-11-14T10:00:00-03:00"

    def test_another_authoritys_state_is_refused(self, counter: Counter) -> None:
        said = status(counter, "33", "SP")
        assert said.code == "289"
        assert isinstance(read_status(said.reply.body), NotJudged)

    def test_production_is_elsewhere(self, counter: Counter) -> None:
        message = (
            b'<consStatServ xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><tpAmb>1</tpAmb>'
            b"<cUF>35</cUF><xServ>STATUS</xServ></consStatServ>"
        )
        assert counter.ask(place(STATUS), message).code == "252"


class TestContingency:
    @pytest.mark.parametrize(
        ("switches", "code"),
        [
            ({}, "114"),
            ({"outages": {"SP": "109"}}, "107"),
            ({"outages": {"SVRS": "109"}}, "114"),
            ({"contingency": {"SVCAN": Contingency.ON}}, "107"),
            ({"contingency": {"SVCAN": Contingency.CLOSING}}, "113"),
            ({"contingency": {"SVCAN": Contingency.OFF}, "outages": {"SP": "109"}}, "114"),
        ],
    )
    def test_an_svc_serves_a_state_whose_authority_is_out_or_as_it_is_told(
        self, switches: dict[str, Any], code: str, counter: Counter
    ) -> None:
        counter.switches.update(switches)
        assert status(counter, "35", "SVCAN").code == code

    def test_a_closing_svc_tells_when(self, counter: Counter) -> None:
        counter.switches["contingency"] = {"SVCAN": Contingency.CLOSING}
        outcome = read_status(status(counter, "35", "SVCAN").reply.body)
        assert isinstance(outcome, Unavailable)
        assert outcome.outage is Outage.CONTINGENCY_CLOSING
        assert outcome.back_at == ISSUED_AT + timedelta(minutes=15)

    def test_an_svc_of_others_is_refused(self, counter: Counter) -> None:
        assert status(counter, "35", "SVCRS").code == "289"
