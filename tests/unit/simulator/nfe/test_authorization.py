"""NFeAutorizacao4 and NFeRetAutorizacao4, read by our own client."""

import gzip
from base64 import b64encode
from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.soap import envelope
from carimbo.fiscal.outcome import Authorized, Duplicate, NotJudged, Processing, Rejected, Throttled
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import HOMOLOGATION, CallReply
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.registers import Contributors
from carimbo.simulator.sefaz.answers import authorized_document
from nfe_dialect import authorization_lot, read_authorization, read_receipt, receipt_query
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT, emission
from unit.simulator.mutating import mutated, nfce, nfe, says
from unit.simulator.nfe.event_scenario import OFFLINE
from unit.simulator.nfe.sefaz_client import (
    AUTHORIZATION,
    RECEIPT,
    SefazClient,
    enclosed,
    key_of,
    message_of,
    schema,
    schema_errors,
    service_path,
    text_of,
)

SERVICE = f"{NAMESPACE}/wsdl/{AUTHORIZATION}"


def lot_of(*documents: bytes, synchronous: str) -> bytes:
    """Returns a lot that requests its answer now (1) or later (0)."""
    content = b"".join(documents).decode()
    head = f"<idLote>1</idLote><indSinc>{synchronous}</indSinc>"
    return f'<enviNFe xmlns="{NAMESPACE}" versao="4.00">{head}{content}</enviNFe>'.encode()


def documents(client: SefazClient, count: int) -> list[bytes]:
    return [nfe(client.signer, under=emission(number=number)) for number in range(3, 3 + count)]


def refused_lot(client: SefazClient, message: bytes) -> str:
    """Returns the code of a lot that is refused as a whole."""
    answer = client.ask(service_path(AUTHORIZATION), message)
    assert message_of(answer).find(f"{{{NAMESPACE}}}protNFe") is None
    assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []
    assert text_of(answer, "xMotivo").startswith("Rejeição: ")
    assert client.ledger.documents() == []
    assert text_of(answer, "cStat") == answer.code
    return answer.code


class TestOneDocument:
    def test_nfe_is_authorized_with_a_protocol_and_its_digest(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        answer = client.send(document)
        outcome = read_authorization(answer.reply.body, key_of(document))
        assert isinstance(outcome, Authorized), answer.reply.body.decode()
        assert (outcome.code, outcome.protocol, answer.code) == ("100", "135260000000001", "100")
        assert outcome.authorized_at == ISSUED_AT
        assert (outcome.digest or "").encode() in document
        assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []
        assert text_of(answer, "cStat") == "104"
        assert text_of(answer, "dhRecbto") == "2026-11-14T10:00:00-03:00"

    def test_nfce_is_authorized(self, client: SefazClient) -> None:
        document = nfce(client.signer)
        answer = client.send(document, family="nfce")
        outcome = read_authorization(answer.reply.body, key_of(document))
        assert isinstance(outcome, Authorized), answer.reply.body.decode()
        assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []

    def test_authorized_document_is_stored_with_its_protocol(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        kept = client.authorized(document)
        assert etree.tostring(etree.fromstring(kept.xml), method="c14n") == document
        assert (kept.issuer, kept.series, kept.number, kept.authorizer) == (CNPJ, 1, 3, "SP")
        whole = etree.fromstring(authorized_document(DIALECT, kept.xml, kept.protocol_xml))
        assert schema(Schema.NFE_AUTHORIZED).validate(whole)

    def test_issuer_is_in_the_register_after_an_authorization(self, client: SefazClient) -> None:
        client.authorized(nfe(client.signer))
        [issuer] = Contributors(client.store).of_tax_id("SP", CNPJ)
        assert (issuer.registration, issuer.city) == ("111111110110", "São Paulo")

    @pytest.mark.parametrize(
        ("later", "code"), [(timedelta(days=7), "100"), (timedelta(days=7, hours=1), "150")]
    )
    def test_nfe_is_late_after_seven_days(self, later: timedelta, code: str, client: SefazClient) -> None:
        client.now = ISSUED_AT + later
        outcome = read_authorization(client.send(nfe(client.signer)).reply.body)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.late) == (code, code == "150")

    @pytest.mark.parametrize(("hours", "code"), [(24, "100"), (25, "150")])
    def test_offline_receipt_is_late_after_a_day(self, hours: int, code: str, client: SefazClient) -> None:
        document = nfce(client.signer, under=OFFLINE)
        client.now = ISSUED_AT + timedelta(hours=hours)
        assert client.send(document, family="nfce").code == code

    def test_rejected_document_is_not_stored(self, client: SefazClient) -> None:
        document = mutated(nfe(client.signer), says("infNFe/ide/cNF", "11111111"), client.signer)
        answer = client.send(document)
        outcome = read_authorization(answer.reply.body, key_of(document))
        assert isinstance(outcome, Rejected)
        assert (outcome.code, answer.code) == ("897", "897")
        assert outcome.message.startswith("Rejeição: ")
        assert text_of(answer, "cStat") == "104"
        assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []
        assert client.ledger.documents() == []

    def test_same_document_again_is_a_duplicate_with_its_protocol(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        client.authorized(document)
        outcome = read_authorization(client.send(document).reply.body, key_of(document))
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("204", "135260000000001")

    def test_first_document_stays_with_the_duplicate_rule_off(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        first = client.authorized(document)
        client.switches["rules_off"] = frozenset({"204"})
        assert client.send(document).code == "100"
        assert client.ledger.document(HOMOLOGATION, first.access_key) == first

    def test_document_refused_thirty_times_in_an_hour_is_throttled(self, client: SefazClient) -> None:
        document = mutated(nfe(client.signer), says("infNFe/ide/cNF", "11111111"), client.signer)
        assert {client.send(document).code for _ in range(30)} == {"897"}
        outcome = read_authorization(client.send(document).reply.body)
        assert isinstance(outcome, Throttled)
        client.now += timedelta(hours=1, seconds=1)
        assert client.send(document).code == "897"

    def test_protocol_depends_on_the_authorizer(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        client.switches["rules_off"] = frozenset({"226"})
        kept = client.authorized(document, authorizer="SVRS")
        assert kept.protocol == "335260000000001"


class TestZippedLot:
    def test_zipped_lot_is_judged(self, client: SefazClient) -> None:
        content = b64encode(gzip.compress(authorization_lot(1, [nfe(client.signer)])))
        answer = client.send_body(service_path(AUTHORIZATION), envelope(SERVICE, content, "nfeDadosMsgZip"))
        assert answer.code == "100"

    def test_lot_that_cannot_be_unzipped_is_refused(self, client: SefazClient) -> None:
        answer = client.send_body(service_path(AUTHORIZATION), envelope(SERVICE, b"AAAA", "nfeDadosMsgZip"))
        assert (answer.code, text_of(answer, "cStat")) == ("416", "416")
        assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []


class TestLot:
    def test_lot_of_one_document_may_not_be_asynchronous(self, client: SefazClient) -> None:
        assert refused_lot(client, lot_of(nfe(client.signer), synchronous="0")) == "452"

    def test_lot_of_several_documents_may_not_be_synchronous(self, client: SefazClient) -> None:
        assert refused_lot(client, lot_of(*documents(client, 2), synchronous="1")) == "764"

    def test_models_may_not_be_mixed(self, client: SefazClient) -> None:
        mixed = lot_of(nfe(client.signer), nfce(client.signer), synchronous="0")
        assert refused_lot(client, mixed) == "765"

    def test_message_that_violates_the_xsd_is_refused(self, client: SefazClient) -> None:
        assert refused_lot(client, lot_of(b"<NFe/>", synchronous="1")) == "225"

    def test_sender_without_certificate_is_refused(self, client: SefazClient) -> None:
        client.certificate = b""
        assert refused_lot(client, authorization_lot(1, [nfe(client.signer)])) == "280"

    def test_other_encoding_is_refused(self, client: SefazClient) -> None:
        body = enclosed(AUTHORIZATION, authorization_lot(1, [nfe(client.signer)]))
        latin = body.decode().replace('encoding="UTF-8"', 'encoding="ISO-8859-1"', 1).encode("latin-1")
        assert client.send_body(service_path(AUTHORIZATION), latin).code == "402"


class TestReceipt:
    def receipt(self, client: SefazClient) -> str:
        answer = client.send(*documents(client, 3))
        outcome = read_authorization(answer.reply.body)
        assert isinstance(outcome, Processing), answer.reply.body.decode()
        assert schema_errors(answer, Schema.NFE_BATCH_ANSWER) == []
        assert (outcome.code, answer.code) == ("103", "103")
        return outcome.receipt

    def ask(self, client: SefazClient, receipt: str, authorizer: str = "SP") -> CallReply:
        answer = client.ask(service_path(RECEIPT, authorizer), receipt_query("2", receipt))
        assert schema_errors(answer, Schema.NFE_RECEIPT_ANSWER) == []
        return answer

    def test_lot_of_several_documents_is_answered_later(self, client: SefazClient) -> None:
        receipt = self.receipt(client)
        assert receipt == "351000000000001"
        outcome = read_receipt(self.ask(client, receipt).reply.body)
        assert isinstance(outcome, Processing)
        assert outcome.code == "105"
        client.now += timedelta(seconds=1)
        answer = self.ask(client, receipt)
        for document in documents(client, 3):
            assert isinstance(read_receipt(answer.reply.body, key_of(document)), Authorized)

    def test_processing_time_of_a_lot_is_a_switch(self, client: SefazClient) -> None:
        client.switches["lot_seconds"] = 0
        assert self.ask(client, self.receipt(client)).code == "104"

    def test_rejected_document_does_not_affect_the_others_of_its_lot(self, client: SefazClient) -> None:
        client.switches["lot_seconds"] = 0
        good, other = documents(client, 2)
        bad = mutated(other, says("infNFe/ide/cNF", "11111111"), client.signer)
        taken = read_authorization(client.send(good, bad).reply.body)
        assert isinstance(taken, Processing)
        answer = self.ask(client, taken.receipt)
        assert isinstance(read_receipt(answer.reply.body, key_of(good)), Authorized)
        assert isinstance(read_receipt(answer.reply.body, key_of(bad)), Rejected)

    def test_receipt_is_unknown_to_other_authorities(self, client: SefazClient) -> None:
        receipt = self.receipt(client)
        client.switches["rules_off"] = frozenset({"248"})
        assert self.ask(client, receipt, "SVRS").code == "106"

    def test_receipt_of_another_state_is_refused(self, client: SefazClient) -> None:
        assert self.ask(client, "331000000000001").code == "248"

    def test_unknown_receipt_decides_nothing(self, client: SefazClient) -> None:
        answer = self.ask(client, "351000000000009")
        assert isinstance(read_receipt(answer.reply.body), NotJudged)
        assert answer.code == "106"

    def test_queries_of_a_receipt_are_throttled_after_forty_in_an_hour(self, client: SefazClient) -> None:
        assert {self.ask(client, "351000000000009").code for _ in range(40)} == {"106"}
        outcome = read_receipt(self.ask(client, "351000000000009").reply.body)
        assert isinstance(outcome, Throttled)
        client.switches["limits"] = False
        assert self.ask(client, "351000000000009").code == "106"


class TestContingency:
    def test_svc_authorizes_while_it_is_active(self, client: SefazClient) -> None:
        client.switches["contingency"] = {"SVCAN": ContingencySwitch.ON}
        under = replace(OFFLINE, type=EmissionType.SVC_AN, number=3)
        kept = client.authorized(nfe(client.signer, under=under), authorizer="SVCAN")
        assert kept.protocol == "635260000000001"
