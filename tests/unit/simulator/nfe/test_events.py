"""NFeRecepcaoEvento4, read by our own client."""

from datetime import timedelta

import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    OperationAcknowledged,
    OperationConfirmed,
)
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Authorized, Canceled, Duplicate, Rejected, Throttled
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import HOMOLOGATION, CallReply
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.sefaz.answers import registered_event
from nfe_dialect import event_lot, read_event
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, CPF, ISSUED_AT
from unit.simulator.mutating import nfce, nfe
from unit.simulator.nfe.event_scenario import CORRECTION, OFFLINE, UNKNOWN_KEY, altered
from unit.simulator.nfe.sefaz_client import (
    EVENT,
    REASON,
    SefazClient,
    message_of,
    schema,
    schema_errors,
    service_path,
    text_of,
)

CANCELED, CORRECTED, MANIFESTED = (
    Schema.NFE_CANCELLATION_ANSWER,
    Schema.NFE_CORRECTION_ANSWER,
    Schema.NFE_MANIFESTATION_ANSWER,
)


def cancel(client: SefazClient, document: StoredDocument, family: str = "nfe") -> CallReply:
    detail = Cancellation(protocol=document.protocol, reason=REASON)
    answer = client.send_event(client.event(document.access_key, detail), family=family)
    assert schema_errors(answer, CANCELED) == []
    return answer


def correct(client: SefazClient, key: str, sequence: int = 1) -> CallReply:
    answer = client.send_event(client.event(key, CORRECTION, sequence=sequence))
    assert schema_errors(answer, CORRECTED) == []
    return answer


class TestCancellation:
    def test_document_is_canceled_with_a_protocol_of_the_event(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        answer = cancel(client, document)
        outcome = read_event(answer.reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Authorized), answer.reply.body.decode()
        assert (outcome.code, outcome.protocol, answer.code) == ("135", "135260000000002", "135")
        assert (text_of(answer, "cStat"), text_of(answer, "cOrgao")) == ("128", "35")
        assert text_of(answer, "retEvento/infEvento/CPFDest") == CPF
        kept = client.ledger.document(HOMOLOGATION, document.access_key)
        assert kept
        assert kept.is_canceled

    def test_event_and_answer_make_a_valid_registered_event(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        cancel(client, document)
        [event] = client.ledger.events(HOMOLOGATION, document.access_key)
        whole = etree.fromstring(registered_event(DIALECT, event.xml, event.answer_xml))
        assert schema(Schema.NFE_CANCELLATION_REGISTERED).validate(whole)

    def test_canceled_document_may_not_be_sent_again(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        cancel(client, client.authorized(document))
        assert client.send(document).code == "218"

    @pytest.mark.parametrize(("hours", "code"), [(24, "135"), (25, "155"), (720, "155"), (721, "501")])
    def test_nfe_may_be_canceled_late_and_finally_not_at_all(
        self, hours: int, code: str, client: SefazClient
    ) -> None:
        document = client.authorized(nfe(client.signer))
        client.now += timedelta(hours=hours)
        assert cancel(client, document).code == code

    @pytest.mark.parametrize(("minutes", "code"), [(30, "135"), (31, "501")])
    def test_receipt_may_be_canceled_for_half_an_hour(
        self, minutes: int, code: str, client: SefazClient
    ) -> None:
        document = client.authorized(nfce(client.signer), family="nfce")
        client.now += timedelta(minutes=minutes)
        assert cancel(client, document, "nfce").code == code

    def test_same_event_again_is_a_duplicate_with_its_protocol(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        cancel(client, document)
        outcome = read_event(cancel(client, document).reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("573", "135260000000002")

    def test_document_is_already_canceled_with_the_duplicate_rule_off(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        cancel(client, document)
        client.switches["rules_off"] = frozenset({"573"})
        outcome = read_event(cancel(client, document).reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Canceled)
        assert outcome.code == "420"
        client.switches["rules_off"] = frozenset({"573", "420"})
        assert cancel(client, document).code == "135"
        assert len(client.ledger.events(HOMOLOGATION, document.access_key)) == 1

    def test_event_refused_twenty_times_is_throttled(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        client.now += timedelta(hours=721)
        assert {cancel(client, document).code for _ in range(20)} == {"501"}
        outcome = read_event(cancel(client, document).reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Throttled)


class TestSubstitution:
    def test_receipt_is_canceled_by_an_offline_substitute(self, client: SefazClient) -> None:
        first = client.authorized(nfce(client.signer), family="nfce")
        other = client.authorized(nfce(client.signer, under=OFFLINE), family="nfce")
        client.now += timedelta(hours=168)
        detail = CancellationBySubstitution(
            author_state_code="35",
            application_version="pdv 1.0",
            protocol=first.protocol,
            reason=REASON,
            replaced_by=other.access_key,
        )
        answer = client.send_event(client.event(first.access_key, detail), family="nfce")
        outcome = read_event(answer.reply.body, first.access_key, "110112", 1)
        assert isinstance(outcome, Authorized), answer.reply.body.decode()
        assert schema_errors(answer, CANCELED) == []
        assert client.consult(first.access_key, family="nfce").code == "101"
        assert client.consult(other.access_key, family="nfce").code == "100"


class TestCorrection:
    def test_several_corrections_are_accepted(self, client: SefazClient) -> None:
        key = client.authorized(nfe(client.signer)).access_key
        assert [correct(client, key, sequence).code for sequence in (1, 2, 20)] == ["135"] * 3

    def test_twenty_first_correction_is_refused(self, client: SefazClient) -> None:
        key = client.authorized(nfe(client.signer)).access_key
        outcome = read_event(correct(client, key, 21).reply.body, key, "110110", 21)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "594"

    def test_receipts_may_not_be_corrected(self, client: SefazClient) -> None:
        key = client.authorized(nfce(client.signer), family="nfce").access_key
        assert client.send_event(client.event(key, CORRECTION), family="nfce").code == "784"


class TestManifestation:
    def test_recipient_manifests_at_the_national_environment(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = client.authorized(nfe(client.signer, recipient=CONTRIBUTOR)).access_key
        answer = buyer.send_event(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        outcome = read_event(answer.reply.body, key, "210210", 1)
        assert isinstance(outcome, Authorized), answer.reply.body.decode()
        assert (outcome.code, outcome.protocol) == ("135", "891260000000001")
        assert schema_errors(answer, MANIFESTED) == []
        assert text_of(answer, "cOrgao") == "91"

    def test_manifestation_of_an_unknown_document_is_registered_unbound(self, buyer: SefazClient) -> None:
        answer = buyer.send_event(buyer.event(UNKNOWN_KEY, OperationConfirmed(), by=BUYER_CNPJ), "AN")
        outcome = read_event(answer.reply.body, UNKNOWN_KEY, "210200", 1)
        assert isinstance(outcome, Authorized)
        assert outcome.code == "136"
        assert schema_errors(answer, MANIFESTED) == []

    def test_state_refuses_a_manifestation(self, client: SefazClient, buyer: SefazClient) -> None:
        key = client.authorized(nfe(client.signer, recipient=CONTRIBUTOR)).access_key
        answer = buyer.send_event(buyer.event(key, OperationConfirmed(), by=BUYER_CNPJ))
        assert answer.code == "491"
        assert schema_errors(answer, MANIFESTED) == []

    def test_national_environment_refuses_events_of_issuers(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        detail = Cancellation(protocol=document.protocol, reason=REASON)
        assert client.send_event(client.event(document.access_key, detail), "AN").code == "491"


class TestLot:
    def test_events_of_a_lot_are_judged_one_by_one(self, client: SefazClient) -> None:
        key = client.authorized(nfe(client.signer)).access_key
        events = [
            signed_event(client.event(key, CORRECTION, sequence=1), client.signer),
            signed_event(client.event(key, CORRECTION, sequence=2), client.signer),
            signed_event(client.event(UNKNOWN_KEY, CORRECTION), client.signer),
        ]
        answer = client.ask(service_path(EVENT), event_lot(7, events))
        assert (answer.code, text_of(answer, "idLote")) == ("128", "7")
        assert schema_errors(answer, CORRECTED) == []
        assert isinstance(read_event(answer.reply.body, key, "110110", 2), Authorized)
        assert isinstance(read_event(answer.reply.body, UNKNOWN_KEY, "110110", 1), Rejected)

    def test_national_environment_answers_twenty_manifestations_one_by_one(self, buyer: SefazClient) -> None:
        keys = [altered(UNKNOWN_KEY, 25, f"{number:09d}") for number in range(1, 21)]
        events = [buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ) for key in keys]
        lot = event_lot(1, [signed_event(event, buyer.signer) for event in events])
        answer = buyer.ask(service_path(EVENT, "AN"), lot)
        assert schema_errors(answer, MANIFESTED) == []
        outcomes = [read_event(answer.reply.body, key, "210210", 1) for key in keys]
        assert [getattr(outcome, "code", None) for outcome in outcomes] == ["136"] * 20

    @pytest.mark.parametrize(
        "inside",
        [
            "<idLote>1</idLote>",
            "<evento/>",
            "<idLote>x</idLote><evento/>",
            "<idLote>1</idLote><evento/><outro/>",
            f"<idLote>1</idLote>{'<evento/>' * 21}",
        ],
    )
    def test_invalid_lot_is_refused_as_a_whole(self, inside: str, client: SefazClient) -> None:
        message = f'<envEvento xmlns="{NAMESPACE}" versao="1.00">{inside}</envEvento>'
        answer = client.ask(service_path(EVENT), message.encode())
        assert (answer.code, text_of(answer, "cStat")) == ("215", "215")
        assert message_of(answer).find(f"{{{NAMESPACE}}}retEvento") is None

    def test_other_message_is_refused(self, client: SefazClient) -> None:
        message = f'<outra xmlns="{NAMESPACE}" versao="4.00"/>'
        answer = client.ask(service_path(EVENT), message.encode())
        assert (answer.code, text_of(answer, "idLote")) == ("215", "0")
        assert schema_errors(answer, CORRECTED) == []

    def test_empty_event_is_refused(self, client: SefazClient) -> None:
        message = f'<envEvento xmlns="{NAMESPACE}" versao="1.00"><idLote>1</idLote><evento/></envEvento>'
        answer = client.ask(service_path(EVENT), message.encode())
        assert (answer.code, text_of(answer, "retEvento/infEvento/cStat")) == ("491", "491")


class TestSvc:
    def test_svc_cancels_only_documents_that_it_authorized(self, client: SefazClient) -> None:
        document = client.authorized(nfe(client.signer))
        detail = Cancellation(protocol=document.protocol, reason=REASON)
        event = client.event(document.access_key, detail)
        assert client.send_event(event, "SVCAN").code == "114"
        client.switches["contingency"] = {"SVCAN": ContingencySwitch.ON}
        assert client.send_event(event, "SVCAN").code == "494"
        client.store.connection.execute("update documents set authorizer = 'SVCAN'")
        assert client.send_event(event, "SVCAN").code == "135"
        assert client.now == ISSUED_AT
