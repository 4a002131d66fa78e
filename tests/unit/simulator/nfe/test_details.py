"""Rejections for existing documents, requested by a trigger: they have the details that a client reads."""

import pytest
from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.inutilization import signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Duplicate
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import CallReply
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.sefaz.answers import next_protocol
from nfe_dialect import authorization_lot, event_lot, read_authorization, read_event
from unit.simulator.mutating import nfe
from unit.simulator.nfe.event_scenario import CORRECTION, UNKNOWN_KEY
from unit.simulator.nfe.sefaz_client import (
    AUTHORIZATION,
    EVENT,
    INUTILIZATION,
    RANGE,
    SefazClient,
    key_of,
    schema_errors,
    service_path,
    text_of,
)

FAKE_PROTOCOL = "135260000000000"
MOMENT = "2026-11-14T10:00:00-03:00"


def refused(client: SefazClient, code: str, document: bytes) -> CallReply:
    answer = client.refused(service_path(AUTHORIZATION), authorization_lot(1, [document]), code)
    assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []
    return answer


class TestDocuments:
    @pytest.mark.parametrize("code", ["204", "218"])
    def test_rejection_of_an_existing_document_has_protocol_and_time(
        self, client: SefazClient, code: str
    ) -> None:
        answer = refused(client, code, nfe(client.signer))
        message = text_of(answer, "protNFe/infProt/xMotivo")
        assert message == answer.message
        assert message.endswith(f" [nProt:{FAKE_PROTOCOL}][dhAut:{MOMENT}]")
        assert text_of(answer, "protNFe/infProt/nProt") == ""

    def test_rejection_of_a_taken_number_has_a_key_of_the_same_number(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        outcome = read_authorization(refused(client, "539", document).reply.body)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("539", FAKE_PROTOCOL)
        assert outcome.other_key
        other, own = AccessKey.parse(outcome.other_key), AccessKey.parse(key_of(document))
        assert str(other)[:35] == str(own)[:35]
        assert str(other)[35:43] != str(own)[35:43]

    def test_other_rejections_have_no_details(self, client: SefazClient) -> None:
        assert "[" not in refused(client, "610", nfe(client.signer)).message

    def test_refused_document_is_not_stored_and_uses_no_protocol(self, client: SefazClient) -> None:
        refused(client, "539", nfe(client.signer))
        assert client.ledger.documents() == []
        received = JudgedInvoice(etree.Element("NFe"), service_path(AUTHORIZATION), client.context)
        assert next_protocol(received, "35") == "135260000000001"


class TestEvents:
    def test_rejection_of_a_registered_event_has_its_protocol(self, client: SefazClient) -> None:
        event = signed_event(client.event(UNKNOWN_KEY, CORRECTION), client.signer)
        answer = client.refused(service_path(EVENT), event_lot(1, [event]), "573")
        assert schema_errors(answer, Schema.NFE_CORRECTION_ANSWER) == []
        outcome = read_event(answer.reply.body, UNKNOWN_KEY, "110110", 1)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("573", FAKE_PROTOCOL)
        assert answer.message.endswith(f" [nProt:{FAKE_PROTOCOL}]")


class TestRanges:
    def test_rejection_of_a_voided_range_has_its_protocol(self, client: SefazClient) -> None:
        answer = client.refused(
            service_path(INUTILIZATION), signed_inutilization(RANGE, client.signer), "563"
        )
        assert schema_errors(answer, Schema.NFE_INUTILIZATION_ANSWER) == []
        assert text_of(answer, "infInut/nProt") == FAKE_PROTOCOL

    def test_other_rejections_of_a_range_have_no_protocol(self, client: SefazClient) -> None:
        answer = client.refused(
            service_path(INUTILIZATION), signed_inutilization(RANGE, client.signer), "241"
        )
        assert text_of(answer, "infInut/nProt") == ""
