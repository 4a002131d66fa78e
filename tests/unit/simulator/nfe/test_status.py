"""NFeStatusServico4, read by our own client."""

from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.outcome import Available, NotJudged, Outage, Unavailable
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import CallReply
from nfe_dialect import read_status
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.nfe.sefaz_client import STATUS, SefazClient, schema_errors, service_path, text_of


def status(client: SefazClient, state_code: str, authorizer: str, family: str = "nfe") -> CallReply:
    answer = client.status(state_code, authorizer, family)
    assert schema_errors(answer, Schema.NFE_SERVICE_ANSWER) == []
    return answer


class TestStatus:
    @pytest.mark.parametrize(
        ("state_code", "authorizer", "family"),
        [("35", "SP", "nfe"), ("35", "SP", "nfce"), ("33", "SVRS", "nfe"), ("12", "SVRS", "nfce")],
    )
    def test_authority_in_operation_says_so(
        self, state_code: str, authorizer: str, family: str, client: SefazClient
    ) -> None:
        outcome = read_status(status(client, state_code, authorizer, family).reply.body)
        assert isinstance(outcome, Available)
        assert (outcome.code, outcome.response_seconds) == ("107", 1)

    def test_answer_has_the_local_time_of_the_authority(self, client: SefazClient) -> None:
        assert text_of(status(client, "13", "AM"), "dhRecbto") == "2026-11-14T09:00:00-04:00"
        assert text_of(status(client, "12", "SVRS"), "dhRecbto") == "2026-11-14T10:00:00-03:00"

    def test_state_of_another_authority_is_refused(self, client: SefazClient) -> None:
        answer = status(client, "33", "SP")
        assert answer.code == "289"
        assert isinstance(read_status(answer.reply.body), NotJudged)

    def test_production_query_in_homologation_is_refused(self, client: SefazClient) -> None:
        message = (
            b'<consStatServ xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><tpAmb>1</tpAmb>'
            b"<cUF>35</cUF><xServ>STATUS</xServ></consStatServ>"
        )
        assert client.ask(service_path(STATUS), message).code == "252"


class TestContingency:
    @pytest.mark.parametrize(
        ("switches", "code"),
        [
            ({}, "114"),
            ({"outages": {"SP": "109"}}, "107"),
            ({"outages": {"SVRS": "109"}}, "114"),
            ({"contingency": {"SVCAN": ContingencySwitch.ON}}, "107"),
            ({"contingency": {"SVCAN": ContingencySwitch.CLOSING}}, "113"),
            ({"contingency": {"SVCAN": ContingencySwitch.OFF}, "outages": {"SP": "109"}}, "114"),
        ],
    )
    def test_svc_serves_a_state_during_its_outage_or_as_switched(
        self, switches: dict[str, Any], code: str, client: SefazClient
    ) -> None:
        client.switches.update(switches)
        assert status(client, "35", "SVCAN").code == code

    def test_closing_svc_says_when_it_closes(self, client: SefazClient) -> None:
        client.switches["contingency"] = {"SVCAN": ContingencySwitch.CLOSING}
        outcome = read_status(status(client, "35", "SVCAN").reply.body)
        assert isinstance(outcome, Unavailable)
        assert outcome.outage is Outage.CONTINGENCY_CLOSING
        assert outcome.back_at == ISSUED_AT + timedelta(minutes=15)

    def test_svc_refuses_states_of_the_other_svc(self, client: SefazClient) -> None:
        assert status(client, "35", "SVCRS").code == "289"
