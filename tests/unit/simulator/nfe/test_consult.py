"""NFeConsultaProtocolo4, read by our own client."""

from dataclasses import replace
from datetime import timedelta

import pytest

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, OperationConfirmed
from carimbo.fiscal.outcome import Authorized, Canceled, Duplicate, NotJudged, Throttled, Unknown
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import CallReply
from carimbo.simulator.nfe.dialect import NAMESPACE
from nfe_dialect import read_consult, read_registered_event
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, ISSUED_AT
from unit.simulator.mutating import nfce, nfe
from unit.simulator.nfe.event_scenario import CORRECTION, OFFLINE, UNKNOWN_KEY, altered
from unit.simulator.nfe.sefaz_client import (
    CONSULT,
    REASON,
    SefazClient,
    key_of,
    message_of,
    schema_errors,
    service_path,
    text_of,
)


def consult(client: SefazClient, key: str, authorizer: str = "SP", family: str = "nfe") -> CallReply:
    """Queries a key, which may be invalid."""
    message = (
        f'<consSitNFe xmlns="{NAMESPACE}" versao="4.00"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ>'
        f"<chNFe>{key}</chNFe></consSitNFe>"
    )
    answer = client.ask(service_path(CONSULT, authorizer, family), message.encode())
    assert schema_errors(answer, Schema.NFE_DOCUMENT_ANSWER) == []
    return answer


class TestKnown:
    def test_authorized_document_is_answered_with_its_protocol(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        kept = client.authorized(document)
        outcome = read_consult(consult(client, kept.access_key).reply.body, kept.access_key)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.protocol, outcome.digest) == ("100", kept.protocol, kept.digest)

    def test_late_authorization_has_its_own_code(self, client: SefazClient) -> None:
        client.now = ISSUED_AT + timedelta(days=8)
        kept = client.authorized(nfe(client.signer))
        assert consult(client, kept.access_key).code == "150"

    def test_corrections_are_listed(self, client: SefazClient) -> None:
        key = client.authorized(nfe(client.signer)).access_key
        client.send_event(client.event(key, CORRECTION))
        client.send_event(client.event(key, CORRECTION, sequence=2))
        answer = consult(client, key)
        assert (answer.code, len(message_of(answer).findall(f"{{{NAMESPACE}}}procEventoNFe"))) == ("100", 2)
        assert isinstance(read_registered_event(answer.reply.body, key, "110110", 2), Authorized)
        assert isinstance(read_registered_event(answer.reply.body, key, "110110", 3), Unknown)

    def test_canceled_document_is_answered_with_its_event(self, client: SefazClient) -> None:
        kept = client.authorized(nfe(client.signer))
        detail = Cancellation(protocol=kept.protocol, reason=REASON)
        client.send_event(client.event(kept.access_key, detail))
        outcome = read_consult(consult(client, kept.access_key).reply.body, kept.access_key)
        assert isinstance(outcome, Canceled)
        assert (outcome.code, outcome.protocol) == ("101", "135260000000002")
        assert outcome.authorization
        assert outcome.authorization.protocol == kept.protocol

    def test_late_cancellation_has_its_own_code(self, client: SefazClient) -> None:
        kept = client.authorized(nfe(client.signer))
        client.now += timedelta(hours=25)
        detail = Cancellation(protocol=kept.protocol, reason=REASON)
        assert client.send_event(client.event(kept.access_key, detail)).code == "155"
        assert consult(client, kept.access_key).code == "151"

    def test_manifestations_are_not_listed(self, client: SefazClient, buyer: SefazClient) -> None:
        key = client.authorized(nfe(client.signer, recipient=CONTRIBUTOR)).access_key
        buyer.send_event(buyer.event(key, OperationConfirmed(), by=BUYER_CNPJ), "AN")
        assert message_of(consult(client, key)).find(f"{{{NAMESPACE}}}procEventoNFe") is None

    def test_receipts_are_queried_at_their_own_address(self, client: SefazClient) -> None:
        key = client.authorized(nfce(client.signer), family="nfce").access_key
        assert consult(client, key, family="nfce").code == "100"
        assert consult(client, key).code == "450"


class TestUnknown:
    def test_document_that_was_never_sent_is_unknown(self, client: SefazClient) -> None:
        answer = consult(client, UNKNOWN_KEY)
        assert isinstance(read_consult(answer.reply.body, UNKNOWN_KEY), Unknown)
        assert text_of(answer, "chNFe") == UNKNOWN_KEY

    @pytest.mark.parametrize(
        ("start", "text", "code"),
        [(35, "12345699", "562"), (4, "10", "561"), (34, "9", "613"), (2, "25", "613")],
    )
    def test_number_with_another_key_is_reported(
        self, start: int, text: str, code: str, client: SefazClient
    ) -> None:
        kept = client.authorized(nfe(client.signer))
        client.switches["rules_off"] = frozenset({"526"})
        outcome = read_consult(consult(client, altered(kept.access_key, start, text)).reply.body)
        assert isinstance(outcome, Duplicate)
        assert outcome.code == code
        assert outcome.other_key == (kept.access_key if code == "562" else None)

    def test_right_key_is_shown_only_to_the_issuer(self, client: SefazClient, buyer: SefazClient) -> None:
        kept = client.authorized(nfe(client.signer))
        outcome = read_consult(consult(buyer, altered(kept.access_key, 35, "12345699")).reply.body)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.other_key) == ("562", None)

    def test_impossible_key_decides_nothing(self, client: SefazClient) -> None:
        answer = consult(client, altered(UNKNOWN_KEY, 4, "13"))
        assert (answer.code, text_of(answer, "cStat")) == ("616", "616")
        assert isinstance(read_consult(answer.reply.body), NotJudged)

    def test_queries_of_a_key_are_throttled_after_ten_in_an_hour(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        assert {consult(client, UNKNOWN_KEY).code for _ in range(10)} == {"217"}
        answer = consult(client, UNKNOWN_KEY)
        assert isinstance(read_consult(answer.reply.body), Throttled)
        assert consult(buyer, UNKNOWN_KEY).code == "217"
        client.now += timedelta(hours=1, seconds=1)
        assert consult(client, UNKNOWN_KEY).code == "217"


class TestContingency:
    def test_state_answers_for_documents_of_the_svc_only_after_contingency(self, client: SefazClient) -> None:
        client.switches["contingency"] = {"SVCAN": ContingencySwitch.ON}
        under = replace(OFFLINE, type=EmissionType.SVC_AN, number=3)
        key = key_of(document := nfe(client.signer, under=under))
        client.authorized(document, authorizer="SVCAN")
        assert (consult(client, key, "SVCAN").code, consult(client, key).code) == ("100", "217")
        client.switches["contingency"] = {"SVCAN": ContingencySwitch.OFF}
        assert (consult(client, key, "SVCAN").code, consult(client, key).code) == ("100", "100")

    def test_svc_does_not_answer_for_documents_of_the_state(self, client: SefazClient) -> None:
        client.switches["contingency"] = {"SVCAN": ContingencySwitch.ON}
        key = client.authorized(nfe(client.signer)).access_key
        assert consult(client, key, "SVCAN").code == "217"
